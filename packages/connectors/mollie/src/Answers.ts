/**
 * What Mollie's raw answers mean. One that is not as described means nothing: the result is unknown, and `Unanswered` says
 * where the reading stopped. It never shows what was read.
 *
 * Of the errors (https://docs.mollie.com/reference/handling-errors), 400 and 409
 * may be about another request with our key, which may have been executed; and an answer of the kind 5xx is no word about the
 * request at all.
 */
import {
  answerReader,
  type ChargeState,
  type CheckoutOpened,
  type Clean,
  fromJson,
  isSuccess,
  type Money,
  type ProviderAccount,
  type RefundState,
  type Rejected,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Result } from "effect"
import { type Amount, fromMollie } from "./Amounts.ts"
import { declineOf, needsCustomer } from "./Declines.ts"
import * as Protocol from "./Protocol.ts"

export type Read<A> = Result.Result<A, Unanswered>

const answers = answerReader(
  "Mollie",
  (status, field) => `Mollie's response (status ${status}) cannot be read${field === "" ? "" : `: see ${field}`}`
)
export const { readable, settled, unreadable } = answers
const { ofAnother, unsettling } = answers

/** Whose answers are read. */
export interface Reader {
  readonly mode: ProviderAccount["mode"]
  readonly clean: Clean
}

/** The answer to a charge. */
export const chargeAnswer = (
  answer: TransportAnswer,
  attemptId: string,
  reader: Reader
): Read<ChargeState | Rejected> =>
  isSuccess(answer)
    ? Result.flatMap(readable(Protocol.Payment, answer), (payment) => ofAttempt(answer, payment, attemptId, reader))
    : rejected(answer, reader)

/** Customers see the address: one that shows a secret leads nowhere. */
export const checkoutAnswer = (
  answer: TransportAnswer,
  attemptId: string,
  reader: Reader
): Read<CheckoutOpened | Rejected> => {
  if (!isSuccess(answer)) return rejected(answer, reader)
  return Result.flatMap(readable(Protocol.OpenedPayment, answer), (payment): Read<CheckoutOpened> => {
    const { href: url } = payment._links.checkout
    if (payment.mode !== reader.mode) return unreadable(answer, "mode")
    if (Protocol.markIn(payment.metadata, "attempt_id") !== attemptId) return unreadable(answer, "metadata.attempt_id")
    if (reader.clean.shows(url)) return unreadable(answer, "_links.checkout.href")
    // `expiresAt` moves when the customer chooses another method (https://docs.mollie.com/docs/handling-payment-status lists
    // from 15 minutes to 14 days), and "it is not a good idea to predict payment expiry". A lookup reports the end.
    return Result.succeed({ _tag: "CheckoutOpened", reference: payment.id, url, expiresAt: null })
  })
}

/** The answer to a capture, whose own status tells whether it is done (https://docs.mollie.com/docs/place-a-hold-for-a-payment). */
export const captureAnswer = (
  answer: TransportAnswer,
  { operationId, providerRef }: { readonly operationId: string; readonly providerRef: string },
  reader: Reader
): Read<ChargeState | Rejected> => {
  if (!isSuccess(answer)) return rejected(answer, reader)
  return Result.flatMap(readable(Protocol.Capture, answer), (capture): Read<ChargeState> => {
    const stated = fromMollie(capture.amount)
    if (capture.mode !== reader.mode) return unreadable(answer, "mode")
    if (capture.paymentId !== providerRef) return unreadable(answer, "paymentId")
    if (stated === undefined) return unreadable(answer, "amount")
    if (Protocol.markIn(capture.metadata, "operation_id") !== operationId) {
      return unreadable(answer, "metadata.operation_id")
    }
    switch (capture.status) {
      case "succeeded":
        return Result.succeed({ _tag: "Captured", providerRef, stated })
      case "pending":
        return Result.succeed({ _tag: "Pending", providerRef, stated })
      case "failed":
        // The hold remains; if it has lapsed too, the payment itself says so later.
        return Result.succeed({ _tag: "Authorized", providerRef })
    }
  })
}

/**
 * "The request was accepted and will be processed asynchronously" (202, without a body,
 * https://docs.mollie.com/reference/release-authorization). The payment's status tells the end.
 */
export const voidAnswer = (
  answer: TransportAnswer,
  providerRef: string,
  reader: Reader
): Read<ChargeState | Rejected> => {
  if (!isSuccess(answer)) return rejected(answer, reader)
  return answer.status === 202 || answer.status === 204
    ? Result.succeed({ _tag: "Pending", providerRef })
    : unsettling(answer)
}

export const refundAnswer = (
  answer: TransportAnswer,
  { providerRef, refundId }: { readonly providerRef: string; readonly refundId: string },
  reader: Reader
): Read<RefundState | Rejected> =>
  isSuccess(answer)
    ? Result.flatMap(readable(Protocol.Refund, answer), (refund) =>
        ofRefund(answer, refund, { providerRef, refundId }, reader)
      )
    : rejected(answer, reader)

/** The profile that the key is of (https://docs.mollie.com/reference/get-current-profile). */
export const accountAnswer = (answer: TransportAnswer, { mode }: Reader): Read<ProviderAccount> =>
  onlySuccess(answer, () =>
    Result.flatMap(
      readable(Protocol.Profile, answer),
      (profile): Read<ProviderAccount> =>
        profile.mode === mode ? Result.succeed({ id: profile.id, mode }) : unreadable(answer, "mode")
    )
  )

export const onlySuccess = <A>(answer: TransportAnswer, read: () => Read<A>): Read<A> =>
  answer.status === 200 ? read() : unsettling(answer)

// Charges.

/** The state of the payment that this attempt made; that of another attempt is passed on as that attempt's. */
export const ofAttempt = (
  answer: TransportAnswer,
  payment: Protocol.Payment,
  attemptId: string,
  reader: Reader
): Read<ChargeState> => {
  const state = stateOf(payment, reader)
  if (typeof state === "string") return unreadable(answer, state)
  const named = Protocol.markIn(payment.metadata, "attempt_id")
  if (named === attemptId) return Result.succeed(state)
  if (named === null || reader.clean.shows(named)) return unreadable(answer, "metadata.attempt_id")
  return ofAnother(Result.succeed(state), named, "Mollie's response is about another attempt: see metadata.attempt_id")
}

/**
 * The state of a payment, or the field that cannot be understood (https://docs.mollie.com/docs/handling-payment-status).
 *
 * - `open`: "can still be completed by your customer". It says nothing final, also of a charge without a browser.
 * - `authorized` lasts "as long as new captures can be created": what was captured is taken all the same.
 * - `expired`: the customer did not pay in time.
 */
export const stateOf = (payment: Protocol.Payment, { clean, mode }: Reader): ChargeState | string => {
  const { amount, amountCaptured, id: providerRef, status } = payment
  if (payment.mode !== mode) return "mode"
  const asked = fromMollie(amount)
  const taken = amountCaptured === undefined || amountCaptured === null ? null : fromMollie(amountCaptured)
  if (asked === undefined) return "amount"
  if (taken === undefined) return "amountCaptured"
  const captured = taken !== null && taken.minorUnits > 0 ? taken : null
  switch (status) {
    case "open":
    case "pending":
      return { _tag: "Pending", providerRef, stated: asked }
    case "authorized":
      return captured === null
        ? { _tag: "Authorized", providerRef, stated: asked }
        : { _tag: "Captured", providerRef, stated: captured }
    case "paid":
      return { _tag: "Captured", providerRef, stated: captured ?? asked }
    case "canceled":
    case "expired":
      return { _tag: "Canceled", providerRef }
    case "failed":
      return refusalOf(payment, clean)
  }
}

const refusalOf = ({ details, id: providerRef, metadata }: Protocol.Payment, clean: Clean): ChargeState => {
  const code = details?.failureReason ?? details?.bankReasonCode ?? "failed"
  // On a page the customer was there, and did not authenticate.
  if (code === needsCustomer && !isOnPage(metadata)) return { _tag: "NeedsCustomer", providerRef }
  return { _tag: "Declined", providerRef, code: clean(code) || "failed", ...declineOf(code) }
}

export const isOnPage = (metadata: unknown): boolean => Protocol.markIn(metadata, "checkout") === "true"

export const statedBy = (amount: Amount): Money | undefined => fromMollie(amount)

// Refunds.

/** The refund with our id, of the charge that was asked for; `null` for one without an id of ours. */
export const ofRefund = (
  answer: TransportAnswer,
  refund: Protocol.Refund,
  { providerRef, refundId }: { readonly providerRef: string; readonly refundId: string | null },
  reader: Reader
): Read<RefundState> => {
  if (refund.paymentId !== providerRef) return unreadable(answer, "paymentId")
  if (Protocol.refundIdIn(refund.metadata) !== refundId) return unreadable(answer, "metadata.refund_id")
  return settled(answer, stateOfRefund(refund, reader))
}

/**
 * The state of a refund, or the field that cannot be understood (https://docs.mollie.com/docs/refunds). `queued`: the
 * account's balance is too low, and Mollie continues once it is not.
 */
export const stateOfRefund = ({ amount, id, mode, status }: Protocol.Refund, reader: Reader): RefundState | string => {
  const stated = fromMollie(amount)
  if (mode !== reader.mode) return "mode"
  if (stated === undefined) return "amount"
  switch (status) {
    case "refunded":
      return { _tag: "Succeeded", providerRefundId: id, stated }
    case "queued":
    case "pending":
    case "processing":
      return { _tag: "RefundPending", providerRefundId: id, stated }
    case "failed":
    case "canceled":
      return { _tag: "RefundFailed", providerRefundId: id, reason: status }
  }
}

// Errors.

/** Mollie's own error, which repeats the status: a gateway's does not. */
export const failureIn = (answer: TransportAnswer): Protocol.Failure | undefined => {
  const failure = Result.getOrUndefined(fromJson(Protocol.Failure, answer.body))
  return failure?.status === answer.status ? failure : undefined
}

/**
 * The statuses by which Mollie says that it did not process the request (https://docs.mollie.com/reference/handling-errors):
 * 401 "was not executed due to failed authentication", 403, 404, 405, 410, 415, 422 "could not process your request", 429.
 * A 404 to a capture, a void or a refund is about the payment: it is another account's.
 */
const didNothing: ReadonlySet<number> = new Set([401, 403, 404, 405, 410, 415, 422, 429])

const rejected = (answer: TransportAnswer, { clean }: Reader): Read<Rejected> => {
  if (answer.status === 400 || answer.status === 409) return Result.fail(keyUsed(answer))
  const failure = failureIn(answer)
  if (failure === undefined || !didNothing.has(answer.status)) return unsettling(answer)
  return Result.succeed({
    _tag: "Rejected",
    code: clean(failure.title) || "error",
    message: clean(failure.detail) || "Mollie gave no message."
  })
}

/**
 * "If you send the same idempotency key […] for requests with different parameters, the API will return a 400", and 409 while
 * the first one is processed (https://docs.mollie.com/reference/api-idempotency). Nothing distinguishes this 400 from that of a
 * malformed request, or this 409 from that of a duplicate refund.
 */
const keyUsed = ({ status }: TransportAnswer): Unanswered =>
  new Unanswered({
    reason: `Mollie responded with status ${status}, which may be about an earlier request with the same idempotency key`,
    isKeyUsed: true
  })

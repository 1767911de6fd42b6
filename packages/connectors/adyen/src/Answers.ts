/**
 * What Adyen's raw answer means. An answer that is not as its description says means nothing: the result is unknown, and
 * `Unanswered` says where the reading stopped. It never shows what was read.
 */
import {
  answerReader,
  type ChargeState,
  type CheckoutOpened,
  type Clean,
  type Found,
  isSuccess,
  type Money,
  type RefundState,
  type Rejected,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Result } from "effect"
import { type Amount, fromAdyen } from "./Amounts.ts"
import { declineAfterError, declineOf } from "./Declines.ts"
import * as Protocol from "./Protocol.ts"
import { attemptOf, type Purpose, readReference } from "./Reference.ts"

type Read<A> = Result.Result<A, Unanswered>

const { ofAnother, readable, unreadable, unsettling } = answerReader(
  "Adyen",
  (status, field) => `Adyen's answer (status ${status}) settles nothing${field === "" ? "" : `: see ${field}`}`
)

/** The answer to a charge. `reference`: ours, as the request had it. */
export const chargeAnswer = (
  answer: TransportAnswer,
  { purpose, reference }: { readonly purpose: Purpose; readonly reference: string },
  clean: Clean
): Read<ChargeState | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean)
  return Result.flatMap(readable(Protocol.Payment, answer), (payment): Read<ChargeState> => {
    const named = payment.merchantReference ?? reference
    if (named !== reference) return anotherAttempt(answer, payment, { named, reference }, clean)
    const state = stateOf(payment, purpose, clean)
    return state === undefined ? unreadable(answer, "amount") : Result.succeed(state)
  })
}

/**
 * Adyen answers a key that was used before with the answer to its first request
 * (https://docs.adyen.com/development-resources/api-idempotency). Where that was another attempt's, it settles nothing
 * here and is passed on as that attempt's.
 */
const anotherAttempt = (
  answer: TransportAnswer,
  payment: Protocol.Payment,
  { named, reference }: { readonly named: string; readonly reference: string },
  clean: Clean
): Read<never> => {
  const other = readReference(named)
  const state = other === undefined ? undefined : stateOf(payment, other.purpose, clean)
  if (other === undefined || state === undefined || other.attemptId === attemptOf(reference) || clean.shows(named)) {
    return unreadable(answer, "merchantReference")
  }
  const reason = "Adyen's answer is about another attempt: see merchantReference"
  return ofAnother(Result.succeed(state), other.attemptId, reason)
}

/**
 * What each result code means (https://docs.adyen.com/online-payments/payment-result-codes).
 *
 * - `Authorised` of a payment whose money is to be taken at once is its last word: Adyen captures right after the
 *   authorization and need not report it (https://docs.adyen.com/online-payments/capture).
 * - `Error` is final: Adyen does not put the payment through. What the acquirer's side did before it failed is not
 *   known, so that it is hard, and the answer tells the merchant not to charge again.
 * - `AuthenticationNotRequired`, `AuthenticationFinished` and `Success` answer requests that are not made here.
 */
const stateOf = (payment: Protocol.Payment, purpose: Purpose, clean: Clean): ChargeState | undefined => {
  switch (payment.resultCode) {
    case "Authorised":
      return heldOrTaken(payment.pspReference, purpose, payment.amount)
    case "PartiallyAuthorised":
      // Which part, only the amount says.
      return payment.amount === undefined ? undefined : heldOrTaken(payment.pspReference, purpose, payment.amount)
    case "Received":
    case "Pending":
    // A voucher, say: it may be paid for days.
    case "PresentToShopper":
      return withAmount("Pending", payment.pspReference, payment.amount)
    case "Cancelled":
      return { _tag: "Canceled", providerRef: payment.pspReference ?? null }
    case "RedirectShopper":
    case "ChallengeShopper":
    case "IdentifyShopper":
      return { _tag: "NeedsCustomer", providerRef: payment.pspReference ?? null }
    case "Refused":
    case "Error": {
      const refusal = declineOf(payment.refusalReasonCode, payment.refusalReason)
      const decline = payment.resultCode === "Error" ? declineAfterError(refusal) : refusal
      return {
        _tag: "Declined",
        providerRef: payment.pspReference ?? null,
        category: decline.category,
        normalized: decline.normalized,
        code: clean(decline.code),
        soft: decline.soft
      }
    }
  }
}

/** `undefined` for an amount that we cannot express. */
const heldOrTaken = (providerRef: string, purpose: Purpose, amount: Amount | undefined): ChargeState | undefined =>
  withAmount(purpose === "taken" ? "Captured" : "Authorized", providerRef, amount)

const withAmount = (
  _tag: "Authorized" | "Captured" | "Pending",
  providerRef: string,
  amount: Amount | undefined
): ChargeState | undefined => {
  if (amount === undefined) return { _tag, providerRef }
  const stated = fromAdyen(amount)
  return stated === undefined ? undefined : { _tag, providerRef, stated }
}

/** The answer to the opening of a page. Customers see the address: one that shows a secret leads nowhere. */
export const checkoutAnswer = (
  answer: TransportAnswer,
  reference: string,
  clean: Clean
): Read<CheckoutOpened | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean)
  return Result.flatMap(readable(Protocol.OpenedLink, answer), (link): Read<CheckoutOpened> => {
    if ((link.reference ?? reference) !== reference) return unreadable(answer, "reference")
    if (clean.shows(link.url)) return unreadable(answer, "url")
    return Result.succeed({
      _tag: "CheckoutOpened",
      reference: link.id,
      url: link.url,
      expiresAt: link.expiresAt === undefined ? null : Date.parse(link.expiresAt)
    })
  })
}

/**
 * What the record of a page says of the payment on it
 * (https://docs.adyen.com/api-explorer/Checkout/72/get/paymentLinks/(linkId)).
 *
 * The record names no payment. That it was paid is therefore no state: without the payment's reference nothing could be
 * captured or refunded, and the message of the authorization brings it. `expired` is Adyen's last word about the page:
 * "Shoppers can no longer use the link to make payments". It counts of the very link, attempt and merchant account alone.
 */
export const foundOnPage = (
  answer: TransportAnswer,
  asked: {
    readonly linkId: string
    readonly merchantAccount: string
    readonly isOurs: (reference: string) => boolean
  }
): Read<Found<ChargeState>> => {
  if (!isSuccess(answer)) return unsettling(answer)
  return Result.flatMap(readable(Protocol.Link, answer), (link): Read<Found<ChargeState>> => {
    if (link.id !== asked.linkId) return unreadable(answer, "id")
    if (link.merchantAccount !== asked.merchantAccount) return unreadable(answer, "merchantAccount")
    if (!asked.isOurs(link.reference)) return unreadable(answer, "reference")
    return Result.succeed({ _tag: "NotFound", conclusive: link.status === "expired" })
  })
}

/** The answer to a capture or a cancel of the charge `providerRef`. */
export const operationAnswer = (
  answer: TransportAnswer,
  providerRef: string,
  clean: Clean
): Read<ChargeState | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean)
  return Result.flatMap(
    readable(Protocol.Modification, answer),
    (modification): Read<ChargeState> =>
      modification.paymentPspReference === providerRef
        ? Result.succeed({ _tag: "Pending", providerRef })
        : unreadable(answer, "paymentPspReference")
  )
}

/** The answer to a refund of the charge `providerRef`. */
export const refundAnswer = (
  answer: TransportAnswer,
  providerRef: string,
  clean: Clean
): Read<RefundState | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean)
  return Result.flatMap(readable(Protocol.Modification, answer), (modification): Read<RefundState> => {
    if (modification.paymentPspReference !== providerRef) return unreadable(answer, "paymentPspReference")
    const { amount, pspReference: providerRefundId } = modification
    if (amount === undefined) return Result.succeed({ _tag: "RefundPending", providerRefundId })
    const stated: Money | undefined = fromAdyen(amount)
    return stated === undefined
      ? unreadable(answer, "amount")
      : Result.succeed({ _tag: "RefundPending", providerRefundId, stated })
  })
}

/**
 * With an error of the types that `ServiceError` lists, these say that the request was not taken: it could not be read,
 * its credentials were refused, or it was not valid (https://docs.adyen.com/development-resources/response-handling).
 * A 409 says that the request is or was at work, and a 5xx says nothing.
 */
const refusalStatuses: ReadonlySet<number> = new Set([400, 401, 403, 422])

/**
 * These mean a request whose key is in use, or a key store that is unreachable
 * (https://docs.adyen.com/development-resources/api-idempotency): the result of the first request is not known.
 */
const idempotencyErrors: ReadonlySet<string> = new Set(["703", "704"])

const refusal = (answer: TransportAnswer, clean: Clean): Read<Rejected> => {
  if (!refusalStatuses.has(answer.status)) return unsettling(answer)
  // Adyen's own word that this is no final answer.
  if (answer.headers["transient-error"]?.trim().toLowerCase() === "true") return unreadable(answer, "transient-error")
  return Result.flatMap(readable(Protocol.ServiceError, answer), ({ errorCode, message }) =>
    idempotencyErrors.has(errorCode)
      ? Result.fail(
          new Unanswered({ reason: `Adyen responded with error ${errorCode}`, isKeyUsed: errorCode === "704" })
        )
      : Result.succeed({ _tag: "Rejected", code: clean(errorCode), message: clean(message) })
  )
}

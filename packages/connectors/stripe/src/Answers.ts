/**
 * What Stripe's raw answers mean. One that is not as documented means nothing: the result is unknown, and `Unanswered`
 * says where the reading stopped. It never shows what was read.
 *
 * An error is Stripe's word that it did nothing only where its
 * documentation says so. "Treat requests that return 500 errors as indeterminate" (https://docs.stripe.com/error-low-level);
 * a 409 and an `idempotency_error` are about another request with our key, and that one may have been executed.
 */
import {
  answerReader,
  type ChargeState,
  type CheckoutOpened,
  type Clean,
  isSuccess,
  type Money,
  type RefundState,
  type Rejected,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Result } from "effect"
import { fromStripe } from "./Amounts.ts"
import { type PaymentError, refusalOf } from "./Declines.ts"
import * as Protocol from "./Protocol.ts"

export type Read<A> = Result.Result<A, Unanswered>

const answers = answerReader(
  "Stripe",
  (status, field) => `Stripe's answer (status ${status}) is not to be understood${field === "" ? "" : ` at ${field}`}`
)
export const { onlySuccess, readable, settled, unreadable, unsettling } = answers
const { ofAnother } = answers

/** The answer to a charge. */
export const chargeAnswer = (
  answer: TransportAnswer,
  attemptId: string,
  clean: Clean
): Read<ChargeState | Rejected> => {
  if (isSuccess(answer)) {
    return Result.flatMap(readable(Protocol.PaymentIntent, answer), (paymentIntent) =>
      ofAttempt(answer, paymentIntent, attemptId, clean)
    )
  }
  return Result.flatMap(failure(answer), (error) => refusedOrRejected(answer, error, idle, clean))
}

/** The answer to a capture or a void. Both fail if the payment has moved meanwhile, and report its state. */
export const operationAnswer = (answer: TransportAnswer, clean: Clean): Read<ChargeState | Rejected> => {
  if (isSuccess(answer)) {
    return Result.flatMap(readable(Protocol.PaymentIntent, answer), (paymentIntent) =>
      settled(answer, stateOf(paymentIntent, clean))
    )
  }
  return Result.flatMap(failure(answer), (error): Read<ChargeState | Rejected> => {
    const isMoved = answer.status === 402 || error.code === "payment_intent_unexpected_state"
    const ended = isMoved ? endedBefore(error) : undefined
    return ended === undefined ? refusedOrRejected(answer, error, idleOrHeld, clean) : Result.succeed(ended)
  })
}

/** Customers see the address: one that shows a secret leads nowhere. */
export const checkoutAnswer = (answer: TransportAnswer, clean: Clean): Read<CheckoutOpened | Rejected> => {
  if (!isSuccess(answer)) return Result.flatMap(failure(answer), (error) => rejected(answer, error, idle, clean))
  return Result.flatMap(readable(Protocol.OpenedSession, answer), (session): Read<CheckoutOpened> => {
    if (clean.shows(session.url)) return unreadable(answer, "url")
    return Result.succeed({
      _tag: "CheckoutOpened",
      reference: session.id,
      url: session.url,
      expiresAt: session.expires_at * 1000
    })
  })
}

export const refundAnswer = (answer: TransportAnswer, clean: Clean): Read<RefundState | Rejected> =>
  isSuccess(answer)
    ? Result.flatMap(readable(Protocol.Refund, answer), (refund) => settled(answer, stateOfToldRefund(refund, clean)))
    : Result.flatMap(failure(answer), (error) => rejected(answer, error, afterCharge, clean))

/** Nothing was taken, and nothing is under way. */
export const untried: ReadonlySet<string> = new Set(["requires_payment_method", "requires_confirmation", "canceled"])

// Charges.

/**
 * The state of the payment that this attempt made. A payment of another attempt settles nothing for this one, and is
 * passed on as that attempt's. The metadata is ours, written with the request that creates.
 */
export const ofAttempt = (
  answer: TransportAnswer,
  paymentIntent: Protocol.PaymentIntent,
  attemptId: string,
  clean: Clean
): Read<ChargeState> => {
  const state = settled(answer, stateOf(paymentIntent, clean))
  const named = paymentIntent.metadata?.attempt_id ?? attemptId
  if (named === attemptId) return state
  if (clean.shows(named)) return unreadable(answer, "metadata.attempt_id")
  return ofAnother(state, named, "Stripe's answer is about another attempt, at metadata.attempt_id")
}

/** The state of a payment, or the field that cannot be understood. */
export const stateOf = (
  paymentIntent: Omit<Protocol.PaymentIntent, "metadata">,
  clean: Clean
): ChargeState | string => {
  const { amount, currency, id, last_payment_error, status } = paymentIntent
  const of = (_tag: "Authorized" | "Captured" | "Pending", minor: number) =>
    withAmount(minor, currency, (stated) => ({ _tag, providerRef: id, stated }))
  switch (status) {
    case "succeeded":
      return of("Captured", paymentIntent.amount_received ?? amount)
    case "requires_capture":
      return of("Authorized", paymentIntent.amount_capturable ?? amount)
    case "processing":
      return of("Pending", amount)
    case "requires_action":
      return { _tag: "NeedsCustomer", providerRef: id }
    case "canceled":
      return { _tag: "Canceled", providerRef: id }
    case "requires_payment_method":
      // Without an error nothing was refused: the confirmation may be on its way at this very moment.
      return last_payment_error === undefined || last_payment_error === null
        ? "last_payment_error"
        : refusal(last_payment_error, id, clean)
    case "requires_confirmation":
      // As above: we confirm with the request that creates.
      return "status"
  }
}

const withAmount = <State>(amount: number, currency: string, state: (stated: Money) => State): State | string => {
  const stated = fromStripe(amount, currency)
  return stated === undefined ? "amount" : state(stated)
}

const refusal = (error: PaymentError, providerRef: string | null, clean: Clean): ChargeState => {
  const means = refusalOf(error)
  return means._tag === "NeedsCustomer"
    ? { _tag: "NeedsCustomer", providerRef }
    : { ...means, providerRef, code: clean(means.code) || "no_code" }
}

/** States of a payment in which no money is held or taken, or about to be. */
const idle: ReadonlySet<string> = new Set([...untried, "requires_action"])

/** For a capture and a void: the hold remains, as before. */
const idleOrHeld: ReadonlySet<string> = new Set([...idle, "requires_capture"])

/** For a refund: the charge that it is of was taken. */
const afterCharge: ReadonlySet<string> = new Set(["succeeded"])

const refusedOrRejected = (
  answer: TransportAnswer,
  error: Protocol.StripeError,
  harmless: ReadonlySet<string>,
  clean: Clean
): Read<ChargeState | Rejected> =>
  answer.status === 402 ? refused(answer, error, harmless, clean) : rejected(answer, error, harmless, clean)

/**
 * "The parameters were valid but the request failed" (402): a refusal, as long as the payment itself does not say
 * otherwise.
 */
const refused = (
  answer: TransportAnswer,
  error: Protocol.StripeError,
  harmless: ReadonlySet<string>,
  clean: Clean
): Read<ChargeState> => {
  const paymentIntent = error.payment_intent ?? undefined
  const isSure =
    paymentIntent === undefined
      ? error.type === "card_error"
      : paymentIntent.status === "requires_payment_method" ||
        (error.type === "card_error" && harmless.has(paymentIntent.status))
  return isSure ? Result.succeed(refusal(error, paymentIntent?.id ?? null, clean)) : unsettling(answer)
}

/** The payment was over before the request came. */
const endedBefore = ({ payment_intent: paymentIntent }: Protocol.StripeError): ChargeState | undefined => {
  if (paymentIntent === undefined || paymentIntent === null) return undefined
  const { amount_received, currency, id, status } = paymentIntent
  if (status === "canceled") return { _tag: "Canceled", providerRef: id }
  if (status !== "succeeded" || typeof amount_received !== "number" || typeof currency !== "string") return undefined
  const stated = fromStripe(amount_received, currency)
  return stated === undefined ? undefined : { _tag: "Captured", providerRef: id, stated }
}

// Refunds.

/** The state of a refund, or the field that cannot be understood. */
export const stateOfToldRefund = (refund: Omit<Protocol.Refund, "metadata">, clean: Clean): RefundState | string => {
  const { amount, currency, failure_reason, id: providerRefundId, status } = refund
  switch (status) {
    case "succeeded":
      return withAmount(amount, currency, (stated) => ({ _tag: "Succeeded", providerRefundId, stated }))
    case "pending":
    case "requires_action":
      return withAmount(amount, currency, (stated) => ({ _tag: "RefundPending", providerRefundId, stated }))
    case "failed":
    case "canceled":
      return {
        _tag: "RefundFailed",
        providerRefundId,
        reason: typeof failure_reason === "string" ? clean(failure_reason) : null
      }
  }
}

// Errors.

export const failure = (answer: TransportAnswer): Read<Protocol.StripeError> =>
  answer.status >= 400 && answer.status < 500
    ? Result.map(readable(Protocol.Failure, answer), ({ error }) => error)
    : unsettling(answer)

/** `harmless`: the states of the payment, where the error tells it, that agree with "nothing was done". */
export const rejected = (
  answer: TransportAnswer,
  error: Protocol.StripeError,
  harmless: ReadonlySet<string>,
  clean: Clean
): Read<Rejected> => {
  const stands = error.payment_intent?.status
  if (error.type === "idempotency_error") return Result.fail(keyUsed(answer))
  if (!didNothing(answer, error) || (stands !== undefined && !harmless.has(stands))) {
    return unsettling(answer)
  }
  return Result.succeed({
    _tag: "Rejected",
    code: clean(error.code ?? "") || clean(error.type) || "error",
    message: clean(error.message ?? "") || "Stripe gave no message."
  })
}

/**
 * Whether Stripe says that it executed nothing (https://docs.stripe.com/error-low-level, and for 429
 * https://docs.stripe.com/rate-limits).
 *
 * - 400, 403, 404 as `invalid_request_error`: the content was refused. As any other type it is about something else.
 * - 401: no valid key.
 * - 429: the limiters "run before the API's idempotency layer". A `lock_timeout` has the same status, and comes out of
 *   the execution.
 */
const didNothing = ({ headers, status }: TransportAnswer, { code, type }: Protocol.StripeError): boolean => {
  switch (status) {
    case 400:
    case 403:
    case 404:
      return type === "invalid_request_error"
    case 401:
      return type === "invalid_request_error" || type === "authentication_error"
    case 429:
      return (
        code !== "lock_timeout" &&
        (code === "rate_limit" || type === "rate_limit_error" || headers["stripe-rate-limited-reason"] !== undefined)
      )
    default:
      return false
  }
}

/** The key was used before, with other parameters, or its first request is at work. */
const keyUsed = ({ status }: TransportAnswer): Unanswered =>
  new Unanswered({
    reason: `Stripe responded with status ${status} about an earlier request with the same idempotency key`,
    isKeyUsed: true
  })

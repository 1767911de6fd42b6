/**
 * What Checkout.com's raw answers mean. One that is not as documented means nothing: the result is unknown, and `Unanswered`
 * says where the reading stopped. It never shows what was read.
 *
 * A status is Checkout.com's word that it did nothing only where its
 * documentation says so. A request whose key is at work in another one is answered with 429
 * (https://www.checkout.com/docs/payments/manage-payments/retry-a-payment), or by now with 409, while 429 "only refers to
 * rate limit issues"
 * (https://support.checkout.com/hc/en-us/articles/24570669653010-Why-did-I-receive-a-409-HTTP-response-to-my-idempotent-API-request-instead-of-429):
 * the two pages differ, so that both are unknown. A 5xx says nothing.
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
  type Unanswered
} from "@pointsman/core/connector"
import { Result } from "effect"
import { fromCheckout } from "./Amounts.ts"
import { refusalOf } from "./Declines.ts"
import * as Protocol from "./Protocol.ts"
import { attemptIn, readReference } from "./Reference.ts"

export type Read<A> = Result.Result<A, Unanswered>

const answers = answerReader(
  "Checkout.com",
  (status, field) => `Checkout.com's answer (status ${status}) settles nothing${field === "" ? "" : `: see ${field}`}`
)
export const { onlySuccess, readable, unreadable } = answers
const { ofAnother, settled, unsettling } = answers

/**
 * The answer to a charge. `reference`: ours, as the request had it. A 202 contains the link to which the customer has
 * to be redirected (https://www.checkout.com/docs/payments/authenticate-payments), and no amount (`PaymentAccepted.cs`
 * of https://github.com/checkout/checkout-sdk-net). In a direct charge there is no customer to redirect.
 */
export const chargeAnswer = (
  answer: TransportAnswer,
  reference: string,
  clean: Clean
): Read<ChargeState | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean)
  if (answer.status !== 202) {
    return Result.flatMap(readable(Protocol.Payment, answer), (payment) =>
      ofReference(answer, payment, reference, clean)
    )
  }
  return Result.flatMap(readable(Protocol.PaymentAccepted, answer), (payment) => {
    const state: ChargeState = isRedirected(payment)
      ? { _tag: "NeedsCustomer", providerRef: payment.id }
      : { _tag: "Pending", providerRef: payment.id }
    return ofNamed(answer, Result.succeed(state), { named: payment.reference ?? reference, reference }, clean)
  })
}

/** Customers are sent there to authenticate: `requiresRedirect` in `payments.js` of the Node SDK. */
const isRedirected = ({ _links }: Pick<Protocol.Payment, "_links">): boolean => (_links?.redirect ?? null) !== null

/**
 * The state of the payment with this reference. Checkout.com answers a key that was used before with the answer to its first
 * request: where that was another attempt's, it settles nothing here and is passed on as that attempt's.
 */
export const ofReference = (
  answer: TransportAnswer,
  payment: Protocol.Payment,
  reference: string,
  clean: Clean
): Read<ChargeState> =>
  ofNamed(answer, settled(answer, stateOf(payment, clean)), { named: payment.reference ?? reference, reference }, clean)

const ofNamed = (
  answer: TransportAnswer,
  state: Read<ChargeState>,
  { named, reference }: { readonly named: string; readonly reference: string },
  clean: Clean
): Read<ChargeState> => {
  if (named === reference) return state
  const attemptId = attemptIn(readReference(named))
  if (attemptId === undefined || attemptId === attemptIn(readReference(reference)) || clean.shows(attemptId)) {
    return unreadable(answer, "reference")
  }
  return ofAnother(state, attemptId, "Checkout.com's answer is about another attempt: see reference")
}

/**
 * The state of a payment, or the field that cannot be understood. The statuses are those of the SDKs (`PaymentStatus.cs` of
 * https://github.com/checkout/checkout-sdk-net); the ones of payouts, card verifications and returned bank payments say
 * nothing about a card payment and are not understood.
 *
 * - `Authorized` of a payment that is captured automatically is no last word: Checkout.com captures it afterwards.
 * - What was captured, the balances say. A status `Captured` alone may be of a part.
 * - An authorization of which a part was captured is voided for the rest.
 */
export const stateOf = (payment: Protocol.Payment, clean: Clean): ChargeState | string => {
  const { amount, balances, currency, id } = payment
  const of = (_tag: "Authorized" | "Pending", minor: number) =>
    withAmount(minor, currency, (stated) => ({ _tag, providerRef: id, stated }))
  switch (payment.status.toLowerCase()) {
    case "authorized":
      return of("Authorized", balances?.total_authorized ?? amount)
    case "captured":
    case "partially captured":
    case "refunded":
    case "partially refunded":
      return captured(id, balances?.total_captured ?? undefined, currency)
    case "voided":
    case "canceled":
    case "expired":
      return (balances?.total_captured ?? 0) > 0
        ? captured(id, balances?.total_captured ?? undefined, currency)
        : { _tag: "Canceled", providerRef: id }
    case "pending":
      return isRedirected(payment) ? { _tag: "NeedsCustomer", providerRef: id } : of("Pending", amount)
    // Checkout.com tries again by itself.
    case "retry scheduled":
      return of("Pending", amount)
    case "declined":
      return declined(codeOf(payment), id, clean)
    default:
      return "status"
  }
}

/** In a lookup the code is that of the last authorization, "latest first" (https://api-reference.checkout.com/tag/Payments). */
const codeOf = ({ actions, response_code }: Protocol.Payment): string | null | undefined =>
  response_code ?? actions?.find(({ type }) => type === "Authorization")?.response_code

export const declined = (code: string | null | undefined, providerRef: string, clean: Clean): ChargeState => {
  const means = refusalOf(code)
  return means._tag === "NeedsCustomer"
    ? { _tag: "NeedsCustomer", providerRef }
    : { ...means, providerRef, code: clean(means.code) || "declined" }
}

const captured = (providerRef: string, amount: number | undefined, currency: string): ChargeState | string =>
  amount === undefined
    ? "balances.total_captured"
    : withAmount(amount, currency, (stated) => ({ _tag: "Captured", providerRef, stated }))

const withAmount = <State>(amount: number, currency: string, state: (stated: Money) => State): State | string => {
  const stated = fromCheckout(amount, currency)
  return stated === undefined ? "currency" : state(stated)
}

/** The answer to the opening of a page. Customers see the address: one that shows a secret leads nowhere. */
export const checkoutAnswer = (
  answer: TransportAnswer,
  reference: string,
  clean: Clean
): Read<CheckoutOpened | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean)
  return Result.flatMap(readable(Protocol.OpenedLink, answer), (link): Read<CheckoutOpened> => {
    const url = link._links.redirect.href
    if ((link.reference ?? reference) !== reference) return unreadable(answer, "reference")
    if (clean.shows(url)) return unreadable(answer, "_links.redirect.href")
    return Result.succeed({
      _tag: "CheckoutOpened",
      reference: link.id,
      url,
      expiresAt: Date.parse(link.expires_on)
    })
  })
}

/** The answer to a capture or a void of the charge `providerRef`: accepted. */
export const operationAnswer = (
  answer: TransportAnswer,
  { providerRef, reference }: { readonly providerRef: string; readonly reference: string },
  clean: Clean
): Read<ChargeState | Rejected> => accepted(answer, reference, clean, () => ({ _tag: "Pending", providerRef }))

/** The answer to a refund: accepted. */
export const refundAnswer = (answer: TransportAnswer, reference: string, clean: Clean): Read<RefundState | Rejected> =>
  accepted(answer, reference, clean, (providerRefundId) => ({ _tag: "RefundPending", providerRefundId }))

const accepted = <State>(
  answer: TransportAnswer,
  reference: string,
  clean: Clean,
  state: (actionId: string) => State
): Read<State | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean)
  return Result.flatMap(
    readable(Protocol.Accepted, answer),
    (action): Read<State> =>
      (action.reference ?? reference) === reference
        ? Result.succeed(state(action.action_id))
        : unreadable(answer, "reference")
  )
}

/**
 * Checkout.com's word that it did nothing (https://www.checkout.com/docs/resources/codes/response-codes, and
 * `errors.js` of the Node SDK): 401 and 403 say that the key may not do this, and need no body; 422 of the type
 * `request_invalid` says that the request was not valid. No other status, and no other type, is known to say so.
 */
const refusal = (answer: TransportAnswer, clean: Clean): Read<Rejected> => {
  const { body, status } = answer
  if (status !== 401 && status !== 403 && status !== 422) return unsettling(answer)
  if (status !== 422 && body.trim() === "") {
    const code = status === 401 ? "unauthorized" : "action_not_allowed"
    return Result.succeed({ _tag: "Rejected", code, message: `Checkout.com responded with status ${status}.` })
  }
  return Result.flatMap(readable(Protocol.Failure, answer), ({ error_codes, error_type }): Read<Rejected> => {
    if (status === 422 && error_type !== "request_invalid") return unreadable(answer, "error_type")
    // There are codes and no message: the first names the refusal, and the others say more of it.
    const [code, ...others] = (error_codes ?? []).map(clean).filter((text) => text !== "")
    const type = clean(error_type) || "error"
    return Result.succeed({ _tag: "Rejected", code: code ?? type, message: others.join(", ") || type })
  })
}

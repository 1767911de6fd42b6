/**
 * What PayPal's raw answers mean. One that is not as documented means nothing: the result is unknown, and `Unanswered` says
 * where the reading stopped. It never shows what was read.
 *
 * Rules:
 *
 * - A status is PayPal's word that it did nothing only with the error that its documentation names for it. A 409 says that "a
 *   previous request on this resource is currently in progress", and a 5xx says nothing.
 * - Some issues of a 422 say that the operation was done before, but not by which request. A lookup has to find that out.
 */
import {
  answerReader,
  type ChargeState,
  type CheckoutOpened,
  type Clean,
  isSuccess,
  type Money,
  type OperationState,
  type RefundState,
  type Refusal,
  type Rejected,
  type TransportAnswer,
  Unanswered,
  WebAddress
} from "@pointsman/core/connector"
import { Result, Schema } from "effect"
import { fromPayPal } from "./Amounts.ts"
import { declineOf, refusalOfIssue } from "./Declines.ts"
import * as Protocol from "./Protocol.ts"

export type Read<A> = Result.Result<A, Unanswered>

const answers = answerReader(
  "PayPal",
  (status, field) => `PayPal's answer (status ${status}) settles nothing${field === "" ? "" : `: see ${field}`}`
)
export const { readable, unreadable, unsettling } = answers
const { ofAnother, settled } = answers

const readWebAddress = Schema.decodeUnknownResult(WebAddress)

// Orders.

/** The answer to a charge. */
export const chargeAnswer = (
  answer: TransportAnswer,
  attemptId: string,
  clean: Clean
): Read<ChargeState | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean, chargeRefused)
  return Result.flatMap(readable(Protocol.Order, answer), (order) => ofAttempt(answer, order, attemptId, clean))
}

/** The answer to the request that captures or authorizes an approved order: the order, with a payment. */
export const completionAnswer = (
  answer: TransportAnswer,
  { attemptId, orderId }: { readonly attemptId: string; readonly orderId: string },
  clean: Clean
): Read<ChargeState | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean, chargeRefused)
  return Result.flatMap(readable(Protocol.Order, answer), (order): Read<ChargeState> => {
    if (order.id !== orderId) return unreadable(answer, "id")
    return Result.flatMap(ofAttempt(answer, order, attemptId, clean), (state) =>
      // The order as it was before.
      state._tag === "NeedsCustomer" && !hasPayments(order)
        ? unreadable(answer, "purchase_units.0.payments")
        : Result.succeed(state)
    )
  })
}

const hasPayments = ({ purchase_units: [unit] }: Protocol.Order): boolean =>
  (unit?.payments?.captures ?? []).length + (unit?.payments?.authorizations ?? []).length > 0

/**
 * The state of the order of this attempt. PayPal answers an id of a request that it had before with that request's result:
 * where that was another attempt's, it settles nothing here and is passed on as that attempt's.
 */
export const ofAttempt = (
  answer: TransportAnswer,
  order: Protocol.Order,
  attemptId: string,
  clean: Clean
): Read<ChargeState> => {
  const state = settled(answer, orderState(order, clean))
  const named = order.purchase_units[0]?.custom_id ?? undefined
  if (named === attemptId) return state
  if (named === undefined || !named.startsWith("att_") || clean.shows(named)) {
    return unreadable(answer, "purchase_units.0.custom_id")
  }
  // Without a payment it says nothing of that one: it may show it late.
  if (!hasPayments(order)) return unreadable(answer, "purchase_units.0.custom_id")
  return ofAnother(state, named, "PayPal's answer is about another attempt: see purchase_units.0.custom_id")
}

/** For how long after its creation an order can be approved, in milliseconds: see `checkoutAnswer`. */
const approvableMillis = 6 * 60 * 60 * 1000

/**
 * The answer to the opening of a checkout: an order that its customer has to approve. "Redirect the payer to the
 * "rel":"payer-action" HATEOAS link" (https://developer.paypal.com/api/orders/v2/definitions/order_status).
 *
 * "The API caller has 3 hours (default setting, this which can be changed by your account manager to 24/48/72 hours […]) from
 * the time the order is created, to redirect your payer. Once redirected, the API caller has 3 hours for the payer to approve
 * the order and either authorize or capture the order" (`order.links` of `checkout_orders_v2`). Where PayPal gives an account
 * more time, that is not used: nothing is taken without a further request.
 */
export const checkoutAnswer = (
  answer: TransportAnswer,
  attemptId: string,
  now: number,
  clean: Clean
): Read<CheckoutOpened | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean)
  return Result.flatMap(readable(Protocol.Order, answer), (order): Read<CheckoutOpened> => {
    const { create_time, id: reference, links, purchase_units: units, status } = order
    if (units[0]?.custom_id !== attemptId) return unreadable(answer, "purchase_units.0.custom_id")
    if (status !== "CREATED" && status !== "PAYER_ACTION_REQUIRED") return unreadable(answer, "status")
    const link = ["payer-action", "approve"].flatMap((rel) => links?.find((one) => one.rel === rel) ?? [])[0]
    const url = Result.getOrUndefined(readWebAddress(link?.href))
    if (url === undefined || clean.shows(url)) return unreadable(answer, "links")
    const createdAt = (create_time ?? undefined) === undefined ? now : Date.parse(create_time ?? "")
    return Result.succeed({ _tag: "CheckoutOpened", reference, url, expiresAt: createdAt + approvableMillis })
  })
}

/**
 * The state of an order, or the field that cannot be understood. Money moves only by the payments of an order, so that they are
 * looked at first, whatever the order's own status is.
 */
export const orderState = (order: Protocol.Order, clean: Clean): ChargeState | string => {
  const { id: providerRef, purchase_units: units, status } = order
  const [unit, ...others] = units
  // Ours have one.
  if (unit === undefined || others.length > 0) return "purchase_units"
  const captures = unit.payments?.captures ?? []
  const authorizations = unit.payments?.authorizations ?? []
  if (captures.length + authorizations.length > 0) return paymentsState(providerRef, captures, authorizations, clean)
  switch (status) {
    case "CREATED":
    case "SAVED":
    case "APPROVED":
    case "PAYER_ACTION_REQUIRED":
      // Nothing was taken, and nothing will be without the customer and a further request.
      return { _tag: "NeedsCustomer", providerRef }
    case "VOIDED":
      return { _tag: "Canceled", providerRef }
    default:
      return "status"
  }
}

/** "The customer approved the payment" (`order_status`), and the order has no payments: nothing was taken. */
export const isApproved = (order: Protocol.Order): boolean => order.status === "APPROVED" && !hasPayments(order)

/** PayPal's own word that it has no such order: `INVALID_RESOURCE_ID`. */
export const orderForgotten = (answer: TransportAnswer): Read<void> => {
  if (answer.status !== 404) return unsettling(answer)
  return Result.flatMap(readable(Protocol.Failure, answer), ({ details, name }) =>
    name === "RESOURCE_NOT_FOUND" && (details ?? []).some(({ issue }) => issue === "INVALID_RESOURCE_ID")
      ? Result.succeed(undefined)
      : unreadable(answer, "details.issue")
  )
}

/** A capture whose money was taken, whatever was refunded of it afterwards. */
export const isTaken = ({ status }: Protocol.Payment): boolean =>
  status === "COMPLETED" || status === "PARTIALLY_REFUNDED" || status === "REFUNDED"

const isRefused = ({ status }: Protocol.Payment): boolean =>
  status === "DECLINED" || status === "FAILED" || status === "DENIED"

const paymentsState = (
  providerRef: string,
  captures: ReadonlyArray<Protocol.Payment>,
  authorizations: ReadonlyArray<Protocol.Payment>,
  clean: Clean
): ChargeState | string => {
  const taken = captures.filter(isTaken)
  const under = captures.filter(({ status }) => status === "PENDING")
  if (taken.length + under.length + captures.filter(isRefused).length !== captures.length) return "captures.status"
  if (taken.length > 0) {
    const stated = sumOf(taken)
    return stated === undefined ? "captures.amount" : { _tag: "Captured", providerRef, stated }
  }
  const [authorization, ...more] = authorizations
  if (more.length > 0) return "authorizations"
  if (under.length > 0) {
    const stated = sumOf(under)
    return stated === undefined ? "captures.amount" : { _tag: "Pending", providerRef, stated }
  }
  if (authorization !== undefined) return authorizationState(providerRef, authorization, clean)
  return refusedState(providerRef, captures.at(-1), clean)
}

/** An authorization of which nothing was captured. */
export const authorizationState = (
  providerRef: string,
  authorization: Protocol.Payment,
  clean: Clean
): ChargeState | string => {
  const { status } = authorization
  if (status === "VOIDED") return { _tag: "Canceled", providerRef }
  if (isRefused(authorization)) return refusedState(providerRef, authorization, clean)
  if (status !== "CREATED" && status !== "PENDING") return "authorizations.status"
  const stated = amountOf(authorization)
  if (stated === undefined) return "authorizations.amount"
  return { _tag: status === "CREATED" ? "Authorized" : "Pending", providerRef, stated }
}

export const refusedState = (
  providerRef: string | null,
  payment: Protocol.Payment | undefined,
  clean: Clean
): ChargeState => cleaned(declineOf(payment?.processor_response?.response_code), providerRef, clean)

const cleaned = (means: Refusal, providerRef: string | null, clean: Clean): ChargeState =>
  means._tag === "NeedsCustomer"
    ? { _tag: "NeedsCustomer", providerRef }
    : { ...means, providerRef, code: clean(means.code) || "declined" }

export const amountOf = ({ amount }: Protocol.Payment): Money | undefined =>
  (amount ?? undefined) === undefined ? undefined : fromPayPal(amount ?? { currency_code: "", value: "" })

/** Of one currency; `undefined` where an amount is missing or cannot be counted. */
const sumOf = (payments: ReadonlyArray<Protocol.Payment>): Money | undefined => {
  const [first, ...others] = payments.map(amountOf)
  let sum = first
  for (const one of others) {
    if (sum === undefined || one === undefined || one.currency !== sum.currency) return undefined
    sum = { currency: sum.currency, minorUnits: sum.minorUnits + one.minorUnits }
  }
  return sum !== undefined && Number.isSafeInteger(sum.minorUnits) ? sum : undefined
}

// Captures, voids and refunds.

interface OfCharge {
  /** The order. */
  readonly providerRef: string
  /** Our id of the operation or refund. */
  readonly id: string
}

/** The answer to a capture: the capture itself, which has our operation's id as its invoice id. */
export const captureAnswer = (
  answer: TransportAnswer,
  { id, providerRef }: OfCharge,
  clean: Clean
): Read<ChargeState | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean)
  return Result.flatMap(readable(Protocol.Payment, answer), (capture): Read<ChargeState> => {
    if (capture.invoice_id !== id) return unreadable(answer, "invoice_id")
    if (isRefused(capture)) return Result.succeed(refusedState(providerRef, capture, clean))
    const stated = amountOf(capture)
    if (stated === undefined) return unreadable(answer, "amount")
    if (isTaken(capture)) {
      return Result.succeed({ _tag: "Captured", providerRef, capture: { id: capture.id, money: stated } })
    }
    return capture.status === "PENDING"
      ? Result.succeed({ _tag: "Pending", providerRef, stated })
      : unreadable(answer, "status")
  })
}

/** The answer to a void: the authorization. */
export const voidAnswer = (
  answer: TransportAnswer,
  { authorizationId, providerRef }: { readonly authorizationId: string; readonly providerRef: string },
  clean: Clean
): Read<ChargeState | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean)
  return Result.flatMap(readable(Protocol.Payment, answer), (authorization): Read<ChargeState> => {
    if (authorization.id !== authorizationId) return unreadable(answer, "id")
    return settled(answer, authorizationState(providerRef, authorization, clean))
  })
}

/** The answer to a refund, which has our refund's id as its custom id. */
export const refundAnswer = (answer: TransportAnswer, id: string, clean: Clean): Read<RefundState | Rejected> => {
  if (!isSuccess(answer)) return refusal(answer, clean)
  return Result.flatMap(readable(Protocol.Payment, answer), (refund): Read<RefundState> => {
    if ((refund.custom_id ?? id) !== id) return unreadable(answer, "custom_id")
    return settled(answer, refundState(refund, clean))
  })
}

/** PayPal's record of the refund with this id of PayPal's (https://developer.paypal.com/docs/api/payments/v2/#refunds_get). */
export const refundFound = (answer: TransportAnswer, id: string, clean: Clean): Read<RefundState> => {
  if (!isSuccess(answer)) return unsettling(answer)
  return Result.flatMap(readable(Protocol.Payment, answer), (refund): Read<RefundState> => {
    if (refund.id !== id) return unreadable(answer, "id")
    return settled(answer, refundState(refund, clean))
  })
}

/** The state of a refund, or the field that cannot be understood. */
export const refundState = (refund: Protocol.Payment, clean: Clean): RefundState | string => {
  const { id: providerRefundId, status } = refund
  if (status === "FAILED" || status === "CANCELLED") {
    return { _tag: "RefundFailed", providerRefundId, reason: reasonOf(refund, clean) }
  }
  const stated = amountOf(refund)
  if (stated === undefined) return "amount"
  if (status === "COMPLETED") return { _tag: "Succeeded", providerRefundId, stated }
  return status === "PENDING" ? { _tag: "RefundPending", providerRefundId, stated } : "status"
}

/** The state of one capture by itself, or the field that cannot be understood. PayPal tries none again. */
export const captureState = (capture: Protocol.Payment, clean: Clean): OperationState | string => {
  if (isRefused(capture)) return { _tag: "OperationFailed", isFinal: true, reason: reasonOf(capture, clean) }
  if (capture.status === "PENDING") return { _tag: "OperationPending" }
  if (!isTaken(capture)) return "status"
  const stated = amountOf(capture)
  return stated === undefined ? "amount" : { _tag: "OperationConfirmed", stated, captureId: capture.id }
}

const reasonOf = ({ processor_response, status, status_details }: Protocol.Payment, clean: Clean): string =>
  clean(status_details?.reason || processor_response?.response_code || status)

// Refusals.

/** PayPal had the idempotency key or the invoice id before: what it made of that request, this answer does not say. */
const usedBefore: ReadonlySet<string> = new Set(["DUPLICATE_INVOICE_ID", "DUPLICATE_REQUEST_ID"])

/** The thing is done or under way, by us or by a person at PayPal. */
const doneBefore: ReadonlySet<string> = new Set([
  "ORDER_ALREADY_CAPTURED",
  "ORDER_ALREADY_AUTHORIZED",
  "ORDER_COMPLETED_OR_VOIDED",
  "ORDER_COMPLETION_IN_PROGRESS",
  "MAX_AUTHORIZATION_COUNT_EXCEEDED",
  "AUTHORIZATION_ALREADY_CAPTURED",
  "MAX_CAPTURE_COUNT_EXCEEDED",
  "PREVIOUSLY_VOIDED",
  "CAPTURE_FULLY_REFUNDED",
  "PREVIOUS_REQUEST_IN_PROGRESS"
])

/** The error that PayPal names for a status when it did nothing: `error_400` and so on, of its description. */
const names: ReadonlyMap<number, ReadonlySet<string>> = new Map([
  [400, new Set(["INVALID_REQUEST"])],
  [401, new Set(["AUTHENTICATION_FAILURE"])],
  [403, new Set(["NOT_AUTHORIZED"])],
  [404, new Set(["RESOURCE_NOT_FOUND"])],
  [422, new Set(["UNPROCESSABLE_ENTITY"])]
])

/** `refused`: what an issue of a 422 says of the payment itself. An operation that was not made is rejected, whatever the reason. */
const refusal = <State = never>(
  answer: TransportAnswer,
  clean: Clean,
  refused: (issue: string, clean: Clean) => State | undefined = () => undefined
): Read<State | Rejected> => {
  const known = names.get(answer.status)
  if (known === undefined) return unsettling(answer)
  return Result.flatMap(readable(Protocol.Failure, answer), ({ details, message, name }): Read<State | Rejected> => {
    if (!known.has(name)) return unreadable(answer, "name")
    const issues = (details ?? []).flatMap(({ issue }) => ((issue ?? "") === "" ? [] : [issue ?? ""]))
    if (issues.some((issue) => usedBefore.has(issue))) {
      const reason = "PayPal had this invoice id or request id before: see details.issue"
      return Result.fail(new Unanswered({ reason, isKeyUsed: true }))
    }
    if (issues.some((issue) => doneBefore.has(issue))) return unreadable(answer, "details.issue")
    const state = answer.status === 422 && issues[0] !== undefined ? refused(issues[0], clean) : undefined
    if (state !== undefined) return Result.succeed(state)
    const text = clean(details?.[0]?.description ?? message ?? "")
    return Result.succeed({ _tag: "Rejected", code: clean(issues[0] ?? name) || "error", message: text || clean(name) })
  })
}

const chargeRefused = (issue: string, clean: Clean): ChargeState | undefined => {
  const means = refusalOfIssue(issue)
  return means === undefined ? undefined : cleaned(means, null, clean)
}

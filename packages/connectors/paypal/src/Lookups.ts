/**
 * What became of a charge, an operation or a refund: the order tells all of them, with its authorizations, captures and
 * refunds. PayPal shows a refund by its own id of it too.
 *
 * PayPal finds an order by its own id alone. A charge whose answer was lost has
 * none here, and nothing is sent: its message brings our id and PayPal's.
 *
 * Nor is the opening of an order sent again whose answer was lost, although PayPal "returns the latest status of the previous
 * request that used that same header" (https://developer.paypal.com/reference/guidelines/idempotency). The request has the
 * address of the payment's page, which is not stored in readable form, so the same request cannot be made again, and another
 * one under its id is not documented. PayPal forgets the id after 6 hours, and would then open a second order.
 */
import {
  type ChargeLookup,
  type ChargeRecord,
  type Clean,
  type Found,
  type FoundRefund,
  isSuccess,
  NotSent,
  type OperationLookup,
  type OperationState,
  type RefundLookup,
  type RefundState,
  segment,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import * as Answers from "./Answers.ts"
import type { Call } from "./Caller.ts"
import * as Protocol from "./Protocol.ts"

const notFound: Found<never> = { _tag: "NotFound", conclusive: false }

const found =
  <State>(answer: TransportAnswer) =>
  (state: State | string): Answers.Read<Found<State>> =>
    typeof state === "string" ? Answers.unreadable(answer, state) : Result.succeed({ _tag: "Found", state })

/** Reads the order with this id; fails for the order of another one, and for everything that is not PayPal's own record. */
const askOrder = <A>(
  call: Call,
  orderId: string,
  read: (order: Protocol.Order, answer: TransportAnswer, clean: Clean) => Answers.Read<A>,
  refused: (answer: TransportAnswer) => Answers.Read<A> = Answers.unsettling
) =>
  call({ method: "GET", path: `/v2/checkout/orders/${segment(orderId)}` }, (answer, clean) => {
    if (!isSuccess(answer)) return refused(answer)
    return Result.flatMap(Answers.readable(Protocol.Order, answer), (order) =>
      order.id === orderId ? read(order, answer, clean) : Answers.unreadable(answer, "id")
    )
  })

/** `checkoutReference`: the order that the customer approves; of a direct charge its answer or its message names the order. */
export const lookUpCharge = (
  call: Call,
  { attemptId, checkoutReference, providerRef }: ChargeLookup
): Effect.Effect<Found<ChargeRecord>, NotSent | Unanswered> => {
  if (checkoutReference !== null) return lookUpCheckout(call, attemptId, checkoutReference)
  if (providerRef === null) return Effect.succeed(notFound)
  return askOrder(call, providerRef, (order, answer, clean) => {
    // It may show its payments late: this is no word that nothing was taken, of this attempt's order or of another's.
    const state = Answers.orderState(order, clean)
    if (typeof state !== "string" && state._tag === "NeedsCustomer") {
      return Answers.unreadable(answer, "purchase_units.0.payments")
    }
    return Result.flatMap(Answers.ofAttempt(answer, order, attemptId, clean), (state) =>
      Result.map(
        refundsIn(answer, order, clean),
        (refunds): Found<ChargeRecord> => ({ _tag: "Found", state, ...refunds })
      )
    )
  })
}

/** Those of the order, also those made in PayPal's own pages. */
const refundsIn = (
  answer: TransportAnswer,
  order: Protocol.Order,
  clean: Clean
): Answers.Read<{ readonly refunds?: ReadonlyArray<FoundRefund> }> => {
  const refunds: Array<FoundRefund> = []
  for (const refund of order.purchase_units[0]?.payments?.refunds ?? []) {
    const state = Answers.refundState(refund, clean)
    if (typeof state === "string") return Answers.unreadable(answer, `refunds.${state}`)
    const name = refund.custom_id ?? ""
    refunds.push({ refundId: name.startsWith("rf_") ? name : null, state })
  }
  return Result.succeed(refunds.length === 0 ? {} : { refunds })
}

/**
 * An order takes nothing before its capture or authorization is requested. Where one was, and the order does not show it yet,
 * the same request comes again: PayPal knows its id, and "only one capture per order is allowed" (`ORDER_ALREADY_CAPTURED`).
 */
const lookUpCheckout = (
  call: Call,
  attemptId: string,
  orderId: string
): Effect.Effect<Found<ChargeRecord>, NotSent | Unanswered> =>
  askOrder<Found<ChargeRecord>>(
    call,
    orderId,
    (order, answer, clean) =>
      Result.map(Answers.ofAttempt(answer, order, attemptId, clean), (state) => ({
        _tag: "Found",
        state: Answers.isApproved(order) ? { _tag: "Approved", providerRef: order.id } : state
      })),
    // PayPal forgets an order that the customer did not approve in time.
    (answer) => Result.map(Answers.orderForgotten(answer), () => ({ _tag: "NotFound", conclusive: true }))
  )

/** A void is no object of its own: the record of the charge tells whether its authorization is void. */
export const lookUpOperation = (
  call: Call,
  { kind, operationId, providerRef }: OperationLookup
): Effect.Effect<Found<OperationState>, NotSent | Unanswered> => {
  if (kind === "void") {
    return Effect.fail(new Unanswered({ reason: "PayPal has no record of a void by itself", isUnsupported: true }))
  }
  return askOrder(call, providerRef, (order, answer, clean) => {
    const captures = order.purchase_units[0]?.payments?.captures ?? []
    const ours = captures.find(({ invoice_id }) => invoice_id === operationId)
    if (ours !== undefined) return found<OperationState>(answer)(Answers.captureState(ours, clean))
    // Without any name it may be ours.
    return captures.some(({ invoice_id }) => (invoice_id ?? "") === "")
      ? Answers.unreadable(answer, "captures.invoice_id")
      : Result.succeed(notFound)
  })
}

/** By PayPal's id of it, where that is known: a refund that was made at PayPal has no other. */
export const lookUpRefund = (
  call: Call,
  { providerRef, providerRefundId, refundId }: RefundLookup
): Effect.Effect<Found<RefundState>, NotSent | Unanswered> => {
  if (providerRefundId !== null) {
    return call({ method: "GET", path: `/v2/payments/refunds/${segment(providerRefundId)}` }, (answer, clean) =>
      Result.flatMap(Answers.refundFound(answer, providerRefundId, clean), found<RefundState>(answer))
    )
  }
  return askOrder(call, providerRef, (order, answer, clean) => {
    const refunds = order.purchase_units[0]?.payments?.refunds ?? []
    const ours = refunds.find(({ custom_id }) => custom_id === refundId)
    return ours === undefined ? Result.succeed(notFound) : found<RefundState>(answer)(Answers.refundState(ours, clean))
  })
}

// What a capture, a void or a refund needs to know first.

/** It only reads: whatever becomes of it, nothing was executed. */
const first = <A>(lookUp: Effect.Effect<A, NotSent | Unanswered>): Effect.Effect<A, NotSent> =>
  Effect.mapError(
    lookUp,
    ({ reason }) =>
      new NotSent({ reason: `nothing was executed, because PayPal did not show the order first: ${reason}` })
  )

const only = (
  payments: ReadonlyArray<Protocol.Payment>,
  answer: TransportAnswer,
  field: string
): Answers.Read<string> => {
  const [one, ...others] = payments
  return one === undefined || others.length > 0 ? Answers.unreadable(answer, field) : Result.succeed(one.id)
}

/** The authorization of an order of ours, which has one. */
export const authorizationOf = (call: Call, orderId: string): Effect.Effect<string, NotSent> =>
  first(
    askOrder(call, orderId, (order, answer) =>
      only(order.purchase_units[0]?.payments?.authorizations ?? [], answer, "authorizations")
    )
  )

/** The capture whose money an order of ours took: one, because each of ours is final. */
export const captureOf = (call: Call, orderId: string): Effect.Effect<string, NotSent> =>
  first(
    askOrder(call, orderId, (order, answer) =>
      only((order.purchase_units[0]?.payments?.captures ?? []).filter(Answers.isTaken), answer, "captures")
    )
  )

/**
 * What became of a charge, an operation or a refund. A charge is asked for by Checkout.com's id of it where that is known,
 * else by our reference; a capture, a void and a refund are found among the actions of their payment.
 */
import {
  type ChargeLookup,
  type ChargeState,
  type Clean,
  type Found,
  type jsonCaller,
  type NotSent,
  type OperationLookup,
  type RefundLookup,
  segment,
  type Unanswered
} from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import * as LookupAnswers from "./LookupAnswers.ts"
import { type Kind, referenceOf } from "./Reference.ts"

export type Call = ReturnType<typeof jsonCaller>

export const lookUpCharge = (
  call: Call,
  { attemptId: id, checkoutReference, providerRef }: ChargeLookup,
  clean: Clean
): Effect.Effect<Found<ChargeState>, NotSent | Unanswered> => {
  const reference = referenceOf({ kind: "charge", id })
  const byId = (paymentId: string) => {
    const payment = call({ method: "GET", path: `/payments/${segment(paymentId)}`, id }, (answer) =>
      Result.map(LookupAnswers.foundById(answer, { id: paymentId, reference }, clean), (found) => ({
        found,
        refundedIn: LookupAnswers.refundedIn(answer)
      }))
    )
    return Effect.flatMap(payment, ({ found, refundedIn }): Effect.Effect<Found<ChargeState>, NotSent | Unanswered> => {
      if (found._tag === "NotFound" || refundedIn === null) return Effect.succeed(found)
      const refunds = call({ method: "GET", path: actionsOf(paymentId), id }, (answer) =>
        LookupAnswers.refundsIn(answer, refundedIn, clean)
      )
      return Effect.map(refunds, (refunds) => ({ ...found, refunds }))
    })
  }
  if (checkoutReference !== null) {
    const page = call({ method: "GET", path: `/payment-links/${segment(checkoutReference)}`, id }, (answer) =>
      LookupAnswers.foundOnPage(answer, { linkId: checkoutReference, reference })
    )
    return Effect.flatMap(page, (state): Effect.Effect<Found<ChargeState>, NotSent | Unanswered> => {
      if (state._tag !== "Tried") return Effect.succeed(state)
      const payment = byId(state.paymentId)
      return state.isActive ? Effect.map(payment, LookupAnswers.onActivePage) : payment
    })
  }
  if (providerRef !== null) return byId(providerRef)
  return call({ method: "GET", path: `/payments?limit=100&skip=0&reference=${segment(reference)}`, id }, (answer) =>
    LookupAnswers.foundByReference(answer, reference, clean)
  )
}

const operations = {
  capture: { kind: "capture", type: "Capture" },
  void: { kind: "void", type: "Void" }
} as const satisfies Record<OperationLookup["kind"], { readonly kind: Kind; readonly type: string }>

export const lookUpOperation = (call: Call, request: OperationLookup, clean: Clean) => {
  const { money, operationId: ourId, providerRef } = request
  const { kind, type } = operations[request.kind]
  const reference = referenceOf({ kind, id: ourId })
  return call({ method: "GET", path: actionsOf(providerRef), id: ourId }, (answer) =>
    LookupAnswers.foundOperation(answer, { type, ourId, reference, actionId: null, money }, clean)
  )
}

export const lookUpRefund = (call: Call, request: RefundLookup, clean: Clean) => {
  const { money, providerRef, providerRefundId: actionId, refundId: ourId } = request
  const reference = referenceOf({ kind: "refund", id: ourId })
  return call({ method: "GET", path: actionsOf(providerRef), id: ourId }, (answer) =>
    LookupAnswers.foundRefund(answer, { type: "Refund", ourId, reference, actionId, money }, clean)
  )
}

/** https://www.checkout.com/docs/payouts/get-payout-actions */
const actionsOf = (providerRef: string): string => `/payments/${segment(providerRef)}/actions`

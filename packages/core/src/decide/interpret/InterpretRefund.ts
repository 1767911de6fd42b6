/** What a statement about a refund means for its payment (decisions, section 3). Pure. */
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { Unanswered } from "../../model/ProviderStatement.ts"
import type { Refund } from "../../model/Refund.ts"
import { unchanged } from "../Applied.ts"
import { applyRefundFact, refundFactOf } from "../RefundFact.ts"
import { asUsableRefund } from "../UsableAnswer.ts"
import { contradicts } from "./Contradiction.ts"
import { confirms, type Interpretation, moves, older } from "./Interpretation.ts"

export const ofRefund = (
  book: PaymentBook,
  refund: Refund,
  said: Parameters<typeof asUsableRefund>[0],
  at: number,
  now: number
): Interpretation => {
  const state = asUsableRefund(said)
  if (state instanceof Unanswered) return { _tag: "Malformed", reason: state.reason }
  if (state._tag === "Rejected") return { _tag: "Malformed", reason: "a message cannot reject a refund" }
  const { payment, refunds } = book
  const isOver = refund.stage === "Refused" || refund.stage === "Failed"
  // It was under way before it failed.
  if (isOver && state._tag === "RefundPending") return older
  const refunded = applyRefundFact(payment, refunds, refund, refundFactOf(refund.money, state), now, at)
  if (refunded.refund === refund && refunded.events.length === 0) return ofRecordedRefund(book, refund, state, now)
  // What its request is answered is left to the request.
  return moves({ ...unchanged, payment: refunded.payment, refunds: [refunded.refund], events: refunded.events })
}

/** No row of the refund's table takes it. */
const ofRecordedRefund = (
  book: PaymentBook,
  refund: Refund,
  state: Exclude<ReturnType<typeof asUsableRefund>, Unanswered>,
  now: number
): Interpretation => {
  if (state._tag === "RefundPending") return refund.stage === "Succeeded" ? older : confirms
  if (state._tag !== "Succeeded") return confirms
  if (refund.stage === "Reversed") return older
  const isSame =
    (refund.providerRefundId === null || refund.providerRefundId === state.providerRefundId) &&
    (state.stated === undefined ||
      (state.stated.minorUnits === refund.money.minorUnits && state.stated.currency === refund.money.currency))
  const evidence = {
    refund_id: refund.id,
    provider_refund_id: state.providerRefundId,
    ...(state.stated === undefined
      ? {}
      : { stated_amount: state.stated.minorUnits, stated_currency: state.stated.currency })
  }
  return isSame ? confirms : contradicts(book, `${refund.id}:${state.providerRefundId}`, evidence, now)
}

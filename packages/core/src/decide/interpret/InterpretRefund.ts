/** What a statement about a refund means for its payment. Pure. */
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { type NeverReceived, type RefundAnswer, type RefundOfRow, Unanswered } from "../../model/ProviderStatement.ts"
import type { Refund } from "../../model/Refund.ts"
import { unchanged } from "../Applied.ts"
import { applyRefundFact, hasFailed, type RefundFact, refundFactOf, refundNamed } from "../RefundFact.ts"
import { asUsableRefund } from "../UsableAnswer.ts"
import { datedRefund, isOvertaken } from "./ConfirmedAt.ts"
import { confirms, contradicts, disbelieved, type Interpretation, moves, older } from "./Interpretation.ts"
import { isCurrent, isUndated, type Weighing } from "./Statement.ts"
import { untilLookedUp } from "./Undecided.ts"

export const ofRefund = (
  book: PaymentBook,
  refund: Refund,
  said: RefundAnswer | RefundOfRow | NeverReceived,
  source: Weighing
): Interpretation => {
  const meaning = ofStated(book, refund, said, source)
  return said._tag === "Succeeded" ? datedRefund(book, refund, meaning, source) : meaning
}

const isOfRow = (said: RefundAnswer | RefundOfRow): said is RefundOfRow =>
  said._tag === "Succeeded" && said.providerRefundId === null

const ofStated = (
  book: PaymentBook,
  refund: Refund,
  said: RefundAnswer | RefundOfRow | NeverReceived,
  source: Weighing
): Interpretation => {
  if (said._tag === "NotFound") return ofMissing(book, refund, said, source)
  const state = isOfRow(said) ? said : asUsableRefund(said)
  if (state instanceof Unanswered) return { _tag: "Malformed", reason: state.reason }
  if (state._tag === "Rejected" && !isCurrent(source)) {
    return { _tag: "Malformed", reason: "a message cannot reject a refund" }
  }
  const name = "providerRefundId" in state ? state.providerRefundId : null
  const named = name === null ? undefined : refundNamed(book.refunds, refund, name)
  if (named !== undefined) {
    const evidence = { refund_id: refund.id, provider_refund_id: named.providerRefundId, other_refund_id: named.id }
    return contradicts(book, `${refund.id}:${named.providerRefundId}`, evidence, source.now)
  }
  if (state._tag === "RefundFailed" && isOvertaken(book.payment, refund.id, source)) return older
  const isOver = refund.stage === "Refused" || refund.stage === "Failed"
  // It was under way before it failed.
  const isUnderWay = state._tag === "RefundPending" || (state._tag === "RefundFailed" && state.isFinal === false)
  if (isOver && isUnderWay && !isCurrent(source)) return older
  if (hasFailed(refund) && state._tag === "Succeeded" && !isOfRow(state) && isUndated(source)) {
    return untilLookedUp(book, { about: "refund", id: refund.id, state, at: null }, source.now)
  }
  const fact = refundFactOf(refund.money, state)
  return refunded(book, refund, fact, source) ?? ofRecordedRefund(book, refund, state, source.now)
}

/** `undefined` where no row of the refund's table takes the fact. What its request is answered is left to the request. */
const refunded = (
  { payment, refunds }: PaymentBook,
  refund: Refund,
  fact: RefundFact,
  source: Weighing
): Interpretation | undefined => {
  if (isRecorded(refund, fact)) return confirms
  const dated = { at: source.at, isCurrent: isCurrent(source) }
  const after = applyRefundFact(payment, refunds, refund, fact, source.now, dated)
  return after.refund === refund && after.events.length === 0
    ? undefined
    : moves({ ...unchanged, payment: after.payment, refunds: [after.refund], events: after.events })
}

/** What is recorded would be written again at every lookup, and put off all later ones. */
const isRecorded = ({ providerRefundId, stage }: Refund, fact: RefundFact): boolean =>
  ((fact.on === "RefundAccepted" || fact.on === "RefundRetried") && stage === "Pending") ||
  (fact.on === "RefundMismatched" && stage === "Unknown" && providerRefundId === fact.providerRefundId)

/** The provider has no record of it. */
const ofMissing = (book: PaymentBook, refund: Refund, said: NeverReceived, source: Weighing): Interpretation => {
  const early = disbelieved(refund, said, source)
  if (early !== undefined) return early
  const isMissing = () =>
    contradicts(book, `${refund.id}:NotFound`, { refund_id: refund.id, stated: "never_received" }, source.now)
  switch (refund.stage) {
    case "Sending":
      return { _tag: "TooEarly", from: null }
    case "Unknown":
      // The provider named it before, with an amount that was not asked for.
      if (refund.providerRefundId !== null) return isMissing()
      return refunded(book, refund, { on: "RefundNotFound" }, source) ?? confirms
    case "Pending":
    case "Succeeded":
      return isMissing()
    default:
      // Nothing was refunded, as is recorded.
      return confirms
  }
}

/** No row of the refund's table takes it. */
const ofRecordedRefund = (
  book: PaymentBook,
  refund: Refund,
  state: RefundAnswer | RefundOfRow,
  now: number
): Interpretation => {
  if (state._tag === "RefundPending") return refund.stage === "Succeeded" ? older : confirms
  if (state._tag !== "Succeeded") return confirms
  const isSameAmount =
    state.stated === undefined ||
    (state.stated.minorUnits === refund.money.minorUnits && state.stated.currency === refund.money.currency)
  if (hasFailed(refund) && isSameAmount) return older
  const isSame =
    isSameAmount &&
    (isOfRow(state) || refund.providerRefundId === null || refund.providerRefundId === state.providerRefundId)
  const evidence = {
    refund_id: refund.id,
    provider_refund_id: state.providerRefundId,
    ...(state.stated === undefined
      ? {}
      : { stated_amount: state.stated.minorUnits, stated_currency: state.stated.currency })
  }
  return isSame ? confirms : contradicts(book, `${refund.id}:${state.providerRefundId}`, evidence, now)
}

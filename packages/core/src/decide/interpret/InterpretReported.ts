/** What the report of a payout or of a dispute means for its payment. Pure. */
import { Result } from "effect"
import { step } from "../../machine/Machine.ts"
import type { Attempt } from "../../model/Attempt.ts"
import type { UndecidedDispute } from "../../model/Dispute.ts"
import type { DisputeStatus } from "../../model/DisputeMachine.ts"
import type { JsonObject } from "../../model/Event.ts"
import { type Payment, paymentEvent } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import {
  inOperation,
  noMoney,
  type PaymentEvent,
  PaymentMachine,
  type PaymentState,
  taken,
  undisputed
} from "../../model/PaymentMachine.ts"
import type { StatedDispute } from "../../model/ProviderStatement.ts"
import { type DisputeStatement, isDisputed, nothingReported, type Reported, withDispute } from "../../model/Reported.ts"
import { type Applied, unchanged } from "../Applied.ts"
import { isOfPayment, orderDispute } from "../OrderDispute.ts"
import { isUnderWay } from "../WithReview.ts"
import { confirms, contradicts, type Interpretation, keep, moved, moves, older, waits } from "./Interpretation.ts"
import type { Weighing } from "./Statement.ts"

/** `at`: the provider's date, in epoch milliseconds; `null` where it gives none. */
export const ofSettlement = (book: PaymentBook, attempt: Attempt, at: number | null, now: number): Interpretation => {
  const { payment } = book
  const reported = payment.reported ?? nothingReported
  if (!isOfPayment(book, attempt)) {
    const isKnown = attempt.outcome === "Captured" || attempt.outcome === "Authorized"
    return isKnown
      ? confirms
      : contradicts(book, `payout:${attempt.id}`, { attempt_id: attempt.id, stated: "settled" }, now)
  }
  const dated = at === null ? {} : { paidOutAt: at }
  if (reported.isPaidOut) {
    const isNewer = at !== null && reported.paidOutAt !== undefined && at > reported.paidOutAt
    return isNewer ? { _tag: "Confirms", applied: keep(payment, { ...reported, ...dated }, now) } : confirms
  }
  const kept = keep(payment, { ...reported, isPaidOut: true, ...dated }, now)
  if (isUnderWay(payment.state)) return { _tag: "Waits", applied: kept }
  const settled = moveBy(kept.payment, "SettlementReported")
  if (settled !== undefined) return moves(settled)
  return contradicts({ ...book, payment: kept.payment }, "payout", { attempt_id: attempt.id, stated: "settled" }, now, {
    before: payment
  })
}

export const ofDispute = (
  book: PaymentBook,
  attempt: Attempt,
  stated: StatedDispute,
  source: Weighing
): Interpretation => {
  const { payment } = book
  const { order, said, status } = orderDispute(book, attempt, stated, source)
  const evidence = evidenceOf(said, status, stated)
  if (order === "older") return older
  if (order === "undecided") {
    return source.isLookedUp === true ? waits : ofUndecided(book, said, { ...said, status, at: source.at }, source.now)
  }
  const name = `dispute:${said.disputeId}`
  if (order === "contradictory") return contradicts(book, `${name}:${stated.verdict}:${status}`, evidence, source.now)
  const reported = payment.reported ?? nothingReported
  const disputes = withDispute(reported.disputes, said)
  if (disputes === undefined) return contradicts(book, "dispute:more", evidence, source.now)
  const next: Reported = { ...reported, disputes }
  const kept = keep(payment, next, source.now)
  const contradicting = (called: string) =>
    contradicts({ ...book, payment: kept.payment }, called, evidence, source.now, { before: payment })
  if (said.verdict === "inquired") return { _tag: "Confirms", applied: kept }
  if (said.isOfOther === true) return contradicting(`dispute:${attempt.id}:${said.disputeId}`)
  if (isUnderWay(payment.state)) return { _tag: "Waits", applied: kept }
  const isOpen = isDisputed(next)
  if (isOpen && undisputed.has(payment.state)) return moved(moveBy(kept.payment, "DisputeOpened"))
  if (!isOpen && payment.state === "ChargedBack") return moved(moveBy(kept.payment, wonBy(payment)))
  // The dispute is of money that is not recorded as taken.
  const isTaken = taken.has(payment.state)
  return isTaken ? { _tag: "Confirms", applied: kept } : contradicting(name)
}

/** A statement whose dispute is recorded otherwise, where nothing says which of both is newer. */
export const ofUndecided = (
  book: PaymentBook,
  { attemptId, disputeId }: Pick<DisputeStatement, "attemptId" | "disputeId">,
  { at, status, verdict }: UndecidedDispute,
  now: number
): Interpretation =>
  contradicts(
    book,
    `dispute:${disputeId}:${verdict}:${status}:${at}`,
    { attempt_id: attemptId, dispute_id: disputeId, stated: `dispute_${verdict}`, dispute_status: status },
    now
  )

const evidenceOf = (
  { attemptId, disputeId, verdict }: DisputeStatement,
  status: DisputeStatus,
  stated: StatedDispute
): JsonObject => ({
  attempt_id: attemptId,
  dispute_id: disputeId,
  stated: `dispute_${stated.verdict ?? verdict}`,
  ...(stated.status === undefined ? {} : { dispute_status: status })
})

/**
 * The provider captures by itself, and failed. No operation of ours can be taken back: operators review the payment, and
 * what may be captured is not refundable until they have.
 */
export const ofAutomaticFailure = (
  book: PaymentBook,
  attempt: Attempt,
  reason: string | null,
  source: Weighing
): Interpretation => {
  const { state } = book.payment
  if (ended.has(state)) return confirms
  const isCaptureFailed = isOfPayment(book, attempt) && state !== "Authorized" && !inOperation.has(state)
  const evidence = { attempt_id: attempt.id, stated: "capture_failed", failure_reason: reason }
  const contradiction = contradicts(book, `capture_failed:${attempt.id}`, evidence, source.now, { isCaptureFailed })
  return source.via === "operator" && "applied" in contradiction ? moved(contradiction.applied) : contradiction
}

const ended: ReadonlySet<PaymentState> = new Set([...noMoney, "Voided", "AwaitingCustomer"])

/** Where the ledger says that the payment is without the dispute. */
const wonBy = ({ capturedMinor, refundedMinor, reported }: Payment): PaymentEvent => {
  if (capturedMinor === 0) return "DisputeWonUncaptured"
  if (refundedMinor === 0) return reported?.isPaidOut === true ? "DisputeWonSettled" : "DisputeWonUnrefunded"
  return refundedMinor === capturedMinor ? "DisputeWonRefunded" : "DisputeWonPartlyRefunded"
}

/** `payment` has its next version already. */
const moveBy = (payment: Payment, on: PaymentEvent): Applied | undefined => {
  const row = Result.getOrUndefined(step(PaymentMachine, payment.state, on))
  if (row === undefined) return undefined
  const next: Payment = { ...payment, state: row.to }
  return { ...unchanged, payment: next, events: row.emits.map((type) => paymentEvent(type, next)) }
}

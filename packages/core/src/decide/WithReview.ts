/**
 * What operations have to look at after a step. A result that is known after all needs nobody any more, and a
 * contradiction does until somebody has looked, whatever the provider says later. Pure.
 */
import { type Correction, openCorrection, withCorrection } from "../model/Correction.ts"
import type { EventType } from "../model/EventType.ts"
import { type Payment, type ReviewReason, reviewReasons } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import { type PaymentState, statusOf } from "../model/PaymentMachine.ts"
import { isAccepted, openRivals } from "./Holding.ts"

/** What a step brings up, besides what the payment's state says. */
export interface BroughtUp {
  readonly events: ReadonlyArray<EventType>
  /** Another attempt holds money too. */
  readonly isDoubleCharge?: boolean
  /** Whether a refund of the payment is unknown; absent where the step is about none. */
  readonly isRefundUnknown?: boolean
  /** Whether the customer is on a page of the provider's that has no end. */
  readonly isEndless?: boolean
  /** Whether a refund failed after it had succeeded. */
  readonly isReversal?: boolean
  /** Whether a capture failed that cannot be taken back here. */
  readonly isCaptureFailed?: boolean
  /** Whether the provider refunded more than is captured. */
  readonly isRefundExcess?: boolean
  /** Whether the provider stated one reference for two payments. */
  readonly isReferenceReused?: boolean
  /** Whether something that a provider accepted, or never answered, has been open for too long. */
  readonly isOverdue?: boolean
}

/** The payment after a step, with what operations have to look at from then on. */
export const withReview = (payment: Payment, broughtUp: BroughtUp): Payment => {
  const { review } = payment
  const carried = review?.reasons ?? []
  const isTrue: Record<ReviewReason, boolean> = {
    unknown: statusOf[payment.state] === "UNKNOWN",
    refund_unknown: broughtUp.isRefundUnknown ?? (carried.includes("refund_unknown") && payment.refundPendingMinor > 0),
    open_checkout: onCheckout.has(payment.state) && (carried.includes("open_checkout") || broughtUp.isEndless === true),
    overdue: mayBeOverdue(payment) && (carried.includes("overdue") || broughtUp.isOverdue === true),
    amount_mismatch: carried.includes("amount_mismatch") || broughtUp.events.includes("payment.amount_mismatch"),
    conflict:
      carried.includes("conflict") ||
      (broughtUp.events.includes("payment.conflict") &&
        broughtUp.isDoubleCharge !== true &&
        broughtUp.isReferenceReused !== true),
    double_charge: carried.includes("double_charge") || broughtUp.isDoubleCharge === true,
    reversal: carried.includes("reversal") || broughtUp.isReversal === true,
    capture_failed: carried.includes("capture_failed") || broughtUp.isCaptureFailed === true,
    refund_excess: carried.includes("refund_excess") || broughtUp.isRefundExcess === true,
    reference_reused: carried.includes("reference_reused") || broughtUp.isReferenceReused === true,
    correction: openCorrection(payment) !== undefined
  }
  const reasons = reviewReasons.filter((reason) => isTrue[reason])
  if (reasons.length === 0) return review === null ? payment : { ...payment, review: null }
  const isSame = reasons.length === carried.length && reasons.every((reason) => carried.includes(reason))
  return isSame ? payment : { ...payment, review: { since: review?.since ?? payment.updatedAt, reasons } }
}

/** Whether the payment waits for a provider that said that it is at work, or for an attempt beside its own. */
const mayBeOverdue = ({ refundPendingMinor, routing, state }: Payment): boolean =>
  isAccepted(state) || refundPendingMinor > 0 || openRivals(state, routing?.attempts ?? []).length > 0

const onCheckout: ReadonlySet<PaymentState> = new Set(["CheckoutOpen", "ChargePending"])

/** The payment as somebody leaves it who has looked: what is still unknown stays. */
export const reviewed = (payment: Payment, now: Pick<BroughtUp, "isRefundUnknown" | "isCaptureFailed">): Payment =>
  withReview({ ...payment, review: null }, { ...now, events: [] })

/** The payment with a correction that was proposed or decided. */
export const corrected = (payment: Payment, correction: Correction): Payment =>
  withReview({ ...payment, corrections: withCorrection(payment.corrections, correction) }, { events: [] })

/** The same of a proposal, as it is written: from now on the payment waits for a second person. */
export const withProposal = (payment: Payment, proposed: Correction, now: number): Payment => {
  const after = corrected({ ...payment, version: payment.version + 1 }, proposed)
  return payment.review === null && after.review !== null
    ? { ...after, review: { ...after.review, since: now } }
    : after
}

// What has been open for so long that somebody should ask the provider about it, though it is looked up all the same.
// Pure: a provider that accepted a capture and refused it later, say, may show a record that never tells.

const day = 24 * 60 * 60 * 1000

/** Charges, captures and voids are done within days; a refund may take the banks weeks. In milliseconds. */
const longestMillis = 7 * day
const longestRefundMillis = 30 * day

/** The payment that waits for operations from now on; `undefined` where there is nothing to add. */
export const overdue = ({ attempts, payment, refunds }: PaymentBook, now: number) => {
  const isOverdue =
    (isAccepted(payment.state) && now - payment.updatedAt >= longestMillis) ||
    openRivals(payment.state, attempts).some(({ sentAt }) => now - sentAt >= longestMillis) ||
    refunds.some(({ sentAt, stage }) => stage === "Pending" && now - sentAt >= longestRefundMillis)
  if (!isOverdue) return undefined
  // Not an update: the times of its checks are counted from what happened last.
  const told = withReview(payment, { events: [], isOverdue })
  return told === payment ? undefined : { ...told, version: payment.version + 1 }
}

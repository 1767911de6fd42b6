/** Whether a payment may leave the store, and why not. Pure, and total over the states of a payment. */
import type { Payment } from "../model/Payment.ts"
import type { OldPayment } from "../model/PaymentBook.ts"
import type { PaymentState } from "../model/PaymentMachine.ts"
import { openDisputes } from "../model/Reported.ts"
import { disputeWindowMillis } from "../model/RetentionTimes.ts"
import { openRivals } from "./WithReview.ts"

/**
 * Why a payment stays. `off`: payments of its workspace are kept for good. `open`: it is not closed, or an attempt, an
 * operation or a refund of it is open. `disputed`: a dispute is open. `review`: operations have to look at it. `message`: a
 * provider's message about it is not decided or could not be read. `delivery`: a webhook is not delivered. `dispute_window`:
 * its customer may still dispute it. `young`: its time is not over.
 */
export const keptReasons = [
  "off",
  "open",
  "disputed",
  "review",
  "message",
  "delivery",
  "dispute_window",
  "young"
] as const
export type KeptReason = (typeof keptReasons)[number]

/** `money`: the provider took money, which a customer may dispute. `none`: no money is held. */
const endOf: Readonly<Record<PaymentState, "open" | "money" | "none">> = {
  AwaitingCustomer: "open",
  CheckoutOpen: "open",
  Charging: "open",
  ChargePending: "open",
  ChargeUnknown: "open",
  ChargeMismatched: "open",
  Authorized: "open",
  Capturing: "open",
  CapturePending: "open",
  CaptureUnknown: "open",
  Voiding: "open",
  VoidPending: "open",
  VoidUnknown: "open",
  Captured: "money",
  PartiallyRefunded: "money",
  Refunded: "money",
  Settled: "money",
  ChargedBack: "money",
  Declined: "none",
  Failed: "none",
  Cancelled: "none",
  Voided: "none"
}

/** A payment in another state stays until its customer may no longer dispute it. */
export const statesWithoutMoney: ReadonlyArray<PaymentState> = Object.entries(endOf).flatMap(([state, end]) =>
  end === "none" ? [state as PaymentState] : []
)

/**
 * `undefined` where it may leave. `retentionMillis`: for how long closed payments of its workspace are kept, in
 * milliseconds; `null` for good. Times count from the last write of the payment.
 */
export const whyKept = (
  { book, openDeliveries, openMessages }: OldPayment,
  retentionMillis: number | null,
  now: number
): KeptReason | undefined => {
  const { payment } = book
  if (retentionMillis === null) return "off"
  if (isOpen(book)) return "open"
  if (isDisputed(payment)) return "disputed"
  if (payment.review !== null) return "review"
  const { chargeEnds = [], refundsByHand = [], undecided = [] } = payment.reported ?? {}
  if (openMessages + chargeEnds.length + refundsByHand.length + undecided.length > 0) return "message"
  if (openDeliveries > 0) return "delivery"
  const age = now - payment.updatedAt
  if (endOf[payment.state] === "money" && age < disputeWindowMillis) return "dispute_window"
  return age < retentionMillis ? "young" : undefined
}

/** Until the dispute is lost: then nothing of it is open any more. */
const isDisputed = ({ reported, state }: Payment): boolean => {
  const open = openDisputes(reported ?? { disputes: [] })
  return open.some(({ verdict }) => verdict === "opened") || (state === "ChargedBack" && open.length === 0)
}

const isOpen = ({ attempts, operations, payment, refunds }: OldPayment["book"]): boolean =>
  endOf[payment.state] === "open" ||
  payment.refundPendingMinor > 0 ||
  attempts.some(({ outcome }) => outcome === null) ||
  openRivals(payment.state, attempts).length > 0 ||
  operations.some(({ outcome }) => outcome === null || outcome === "Unanswered" || outcome === "Accepted") ||
  refunds.some(({ stage }) => stage === "Sending" || stage === "Pending" || stage === "Unknown")

/**
 * Where our record of a payment and the provider's books differ when everything has come to rest, and whether operations
 * would see it: the payment has an open review whose reasons fit, and its timeline has the evidence. Pure.
 */
import { type Event, type JsonObject, type Payment, type ReviewReason, statusOf } from "@pointsman/core"
import type { PaymentBook } from "@pointsman/core/ports"
import {
  type ChargeRecord,
  capturedByHand,
  isDisputedAtProvider,
  providerRefundIdOf,
  type RefundRecord
} from "./ProviderBooks.ts"

export interface Difference {
  /** In words, with both values. */
  readonly what: string
  /** One of them has to be open. */
  readonly reasons: ReadonlyArray<ReviewReason>
  /** Whether an event of the timeline states what the provider's books have. */
  readonly isEvidence: (data: JsonObject, type: Event["type"]) => boolean
}

export const differences = (
  book: PaymentBook,
  charges: ReadonlyArray<ChargeRecord>,
  refunds: ReadonlyArray<RefundRecord>,
  /** Whether the store lost records of the payment: payouts and disputes are in no list. */
  hasLostRecords: boolean
): ReadonlyArray<Difference> => {
  const charge = chargeOf(book, charges)
  const ofMoney = [...inCaptured(book, charge), ...inHeld(book, charge), ...inRefunds(book, refunds)]
  // Of a capture or a void that is overdue no event tells.
  if (hasLostRecords) return isOverdue(book.payment) ? [] : ofMoney
  return [...ofMoney, ...inPayout(book, charge), ...charges.flatMap((one) => inDisputes(book, one, one === charge))]
}

/** The charge that holds the money at the provider; else the one that our record is about. */
const chargeOf = ({ attempts, payment }: PaymentBook, charges: ReadonlyArray<ChargeRecord>) =>
  charges.find(({ state }) => state === "Authorized" || state === "Captured") ??
  charges.find(({ providerRef }) => providerRef === payment.providerRef) ??
  charges.find(({ attemptId }) => attemptId === attempts.at(-1)?.id)

const isOverdue = ({ review, state }: Payment): boolean =>
  statusOf[state] === "PENDING" && review?.reasons.includes("overdue") === true

/** The differences that no review names. */
export const unnamed = (found: ReadonlyArray<Difference>, { payment }: PaymentBook, events: ReadonlyArray<Event>) =>
  found.filter(
    ({ isEvidence, reasons }) =>
      payment.review?.reasons.some((reason) => reasons.includes(reason)) !== true ||
      // A lookup in another account says nothing of what differs, and is evidence that it may.
      !events.some(({ data, type }) => isEvidence(data, type) || data["stated"] === "other_account")
  )

const inCaptured = (
  { operations, payment }: PaymentBook,
  charge: ChargeRecord | undefined
): ReadonlyArray<Difference> => {
  const theirs = charge?.capturedMinor ?? 0
  if (payment.capturedMinor === theirs) return []
  return [
    {
      what: `captured ${payment.capturedMinor}, and at the provider ${theirs}`,
      reasons: ["amount_mismatch", "conflict", "capture_failed"],
      isEvidence: (data, type) =>
        (theirs > 0 && data["stated_amount"] === theirs) ||
        // Where totals alone are stated, what a person captured beside ours is under review as the whole.
        (charge !== undefined && data["stated_amount"] === capturedByHand(charge)) ||
        // Nothing, or less than one capture, is left: the capture that failed is named, or the charge that was canceled.
        isOfCanceled(charge, data, type) ||
        isOfCapture(operations, data, type)
    }
  ]
}

const inHeld = ({ operations, payment }: PaymentBook, charge: ChargeRecord | undefined): ReadonlyArray<Difference> => {
  // A disputed payment keeps its status: its authorization is open again where nothing of it is captured any more.
  const isHeld = payment.state === "Authorized" || (payment.state === "ChargedBack" && payment.capturedMinor === 0)
  const isHeldThere = charge?.state === "Authorized"
  if (isHeld === isHeldThere) return []
  return [
    {
      what: `it is ${payment.state}, and at the provider ${charge?.state ?? "nothing"}`,
      reasons: ["conflict", "amount_mismatch", "capture_failed", "overdue"],
      isEvidence: (data) =>
        operations.some(({ id }) => id === data["operation_id"]) ||
        data["attempt_id"] === charge?.attemptId ||
        data["stated_amount"] === charge?.capturedMinor
    }
  ]
}

const inRefunds = (book: PaymentBook, refunds: ReadonlyArray<RefundRecord>) => {
  // A refund of ours that only its provider's id names is recorded beside ours where that had failed. Ours may have the id
  // of a report's row, where nothing else named it.
  const nameOf = ({ id, origin, providerRefundId }: PaymentBook["refunds"][number]) =>
    origin === "provider" && providerRefundId !== null ? providerRefundId : providerRefundIdOf(id)
  const theirs = new Map(refunds.map((refund) => [providerRefundIdOf(refund.refundId), refund]))
  const ours = Map.groupBy(book.refunds, nameOf)
  return [...new Set([...theirs.keys(), ...ours.keys()])].flatMap((name): ReadonlyArray<Difference> => {
    const own = ours.get(name) ?? []
    const other = theirs.get(name)
    const ownMinor = own.reduce((sum, { money, stage }) => sum + (stage === "Succeeded" ? money.minorUnits : 0), 0)
    const otherMinor = other?.state === "Succeeded" ? other.amountMinor : 0
    const isKept = isWaiting(book.payment, name)
    if (ownMinor === otherMinor || isKept) return []
    return [
      {
        what: `refund ${name} gave back ${ownMinor}, and at the provider ${otherMinor}`,
        reasons: ["reversal", "conflict", "amount_mismatch", "refund_unknown", "refund_excess"],
        isEvidence: (data, type) =>
          (data["provider_refund_id"] === name || own.some(({ id }) => id === data["refund_id"])) &&
          (type === "payment.conflict" || type === "payment.refund_failed" || data["stated_amount"] === otherMinor)
      }
    ]
  })
}

/**
 * A charge or a capture is unknown and under review: what was refunded by hand is kept, and weighed once an operator
 * ends it.
 */
const isWaiting = ({ reported, review, state }: Payment, name: string): boolean =>
  statusOf[state] === "UNKNOWN" &&
  review !== null &&
  (reported?.refundsByHand ?? []).some((one) => one.state.providerRefundId === name)

/** A payment cannot show a dispute of a charge that it is not about. */
const inDisputes = ({ payment }: PaymentBook, charge: ChargeRecord, isMain: boolean): ReadonlyArray<Difference> => {
  const isDisputed = isMain && payment.state === "ChargedBack"
  const isDisputedThere = isDisputedAtProvider(charge)
  const isKept =
    isUndecided(payment) && payment.reported?.disputes.some(({ disputeId }) => charge.disputes.has(disputeId))
  if (isDisputed === isDisputedThere || isKept === true) return []
  return [
    {
      what: `it is ${payment.state}, and at the provider ${isDisputedThere ? "disputed" : "not disputed"}`,
      reasons: ["conflict"],
      isEvidence: (data, type) =>
        type === "payment.conflict" && isDisputedThere && charge.disputes.has(textOf(data["dispute_id"]))
    }
  ]
}

/**
 * A charge, a capture or a void is unknown and under review: what was reported is kept, and weighed once an operator
 * ends it.
 */
const isUndecided = ({ review, state }: Payment): boolean =>
  statusOf[state] === "UNKNOWN" && review?.reasons.includes("unknown") === true

const inPayout = (
  { operations, payment }: PaymentBook,
  charge: ChargeRecord | undefined
): ReadonlyArray<Difference> => {
  const isPaidOut = payment.reported?.isPaidOut === true
  const isPaidOutThere = charge?.isPaidOut === true
  if (isPaidOut === isPaidOutThere || (isPaidOut && isUndecided(payment))) return []
  return [
    {
      what: isPaidOut ? "it was paid out, and at the provider not" : "the provider paid it out, and it is not recorded",
      reasons: ["amount_mismatch", "conflict", "capture_failed"],
      // A payout goes back with its capture, of which alone the provider writes.
      isEvidence: (data, type) =>
        data["stated"] === "settled" || isOfCanceled(charge, data, type) || isOfCapture(operations, data, type)
    }
  ]
}

/** The charge was canceled, and no money of it is taken. A payment whose capture is stated afterwards keeps that event. */
const isOfCanceled = (charge: ChargeRecord | undefined, data: JsonObject, type: Event["type"]): boolean =>
  (charge?.capturedMinor ?? 0) === 0 &&
  (type === "payment.cancelled" || (data["stated"] === "canceled" && data["attempt_id"] === charge?.attemptId))

/** A capture of ours failed, or is contradicted. */
const isOfCapture = (operations: PaymentBook["operations"], data: JsonObject, type: Event["type"]): boolean =>
  (type === "payment.conflict" || type === "payment.capture_failed") &&
  operations.some(({ id, kind }) => kind === "capture" && id === data["operation_id"])

const textOf = (value: unknown): string | null => (typeof value === "string" ? value : null)

/**
 * What the events of a payment say about its money, as changes of the captured and the refunded amount. Pure.
 *
 * It reads events and not the payment, because events are only ever appended: a capture that failed afterwards is two
 * facts, and the payment has neither of them any more.
 */
import type { Event } from "../../model/Event.ts"
import type { JournalAccount, JournalSubject, PostedMovement } from "../../model/Journal.ts"
import type { Payment } from "../../model/Payment.ts"
import type { SettlementEntry } from "../../model/SettlementEntry.ts"

export interface RecordedFact {
  readonly id: string
  readonly about: JournalSubject
  /** Never before that of the fact before it, and never before the payment. */
  readonly recordedAt: number
  /** `charge`, or the refund. */
  readonly of: string
  readonly account: Extract<JournalAccount, "sales" | "refunds">
  /** By how much the provider's balance changes, in minor units of the payment's currency. */
  readonly changeMinor: number
}

export const ofCharge = "charge"
export const ofRefund = (refundId: string): string => `refund ${refundId}`

/** A payment with its whole timeline, oldest first. */
export interface JournalRecord {
  readonly payment: Payment
  readonly events: ReadonlyArray<Event>
}

/** In the order of the events. */
export const recordedFacts = ({ events, payment }: JournalRecord): ReadonlyArray<RecordedFact> => {
  const facts: Array<RecordedFact> = []
  let recordedAt = payment.createdAt
  let capturedMinor = 0
  let refundedMinor = 0
  const tell = (fact: Omit<RecordedFact, "recordedAt">) => {
    if (fact.changeMinor !== 0) facts.push({ ...fact, recordedAt })
  }
  const captured = (id: string, about: JournalSubject, now: number) => {
    tell({ id, about, of: ofCharge, account: "sales", changeMinor: now - capturedMinor })
    capturedMinor = now
  }
  const refunded = (id: string, about: JournalSubject, of: string, now: number) => {
    tell({ id, about, of, account: "refunds", changeMinor: refundedMinor - now })
    refundedMinor = now
  }
  for (const { createdAt, data, id, type } of events) {
    // Two servers' clocks differ: the order of events is that of their commits.
    recordedAt = Math.max(recordedAt, createdAt)
    const total = numberOf(data["refunded_total"])
    if (total !== undefined) {
      refunded(id, total < refundedMinor ? "refund_failed" : "refund", ofRefund(textOf(data["refund_id"])), total)
    }
    const now = capturedAfter(type, data, capturedMinor)
    if (now !== undefined) captured(id, aboutOf(type), now)
  }
  recordedAt = Math.max(recordedAt, payment.updatedAt)
  captured(`${payment.id} captured`, "recorded", payment.capturedMinor)
  refunded(`${payment.id} refunded`, "recorded", ofRefund(""), payment.refundedMinor)
  return facts
}

/** What is captured after an event, in minor units; `undefined` for an event that says nothing about it. */
const capturedAfter = (type: Event["type"], data: Event["data"], before: number): number | undefined => {
  const stated = numberOf(data["captured_amount"])
  switch (type) {
    case "payment.captured":
      return stated ?? numberOf(data["amount"])
    case "payment.capture_failed":
      return stated ?? 0
    case "payment.amount_mismatch":
      return stated
    case "payment.pending":
      // Of a captured payment: the capture failed, and the provider tries again.
      return before > 0 ? 0 : undefined
    default:
      return undefined
  }
}

const aboutOf = (type: Event["type"]): JournalSubject => {
  if (type === "payment.captured") return "capture"
  return type === "payment.amount_mismatch" ? "capture_corrected" : "capture_failed"
}

const numberOf = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)
const textOf = (value: unknown): string => (typeof value === "string" ? value : "")

/** Whether the events explain what the payment has: `false` too where the two were read at different moments. */
export const isExplained = (record: JournalRecord): boolean =>
  recordedFacts(record).every(({ about }) => about !== "recorded")

/**
 * What of an entry is posted: nothing where no row made it, or where the report had the same row before. A row that the
 * provider corrected is withdrawn when the newer version is stored, which is an entry of its own.
 */
export const movementsOfEntry = (entry: SettlementEntry): ReadonlyArray<PostedMovement> => {
  const { connectionId, corrected, kind, number, payoutId, reason, recordedAt, rowId } = entry
  if (number === 0 || reason === "same_row") return []
  const { converted, fee, gross, net, occurredAt, paymentId, refundId } = entry
  const named = { connectionId, rowId, kind, paymentId, refundId, payoutId }
  const posted: PostedMovement = { ...named, gross, converted, fee, net, occurredAt, recordedAt }
  return corrected === null ? [posted] : [posted, { ...posted, recordedAt: corrected.at, isWithdrawn: true }]
}

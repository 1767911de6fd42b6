/** What has to hold between our record and the provider's when everything has come to rest. Pure. */
import {
  type Event,
  Machine,
  type Payment,
  type PaymentBook,
  PaymentMachine,
  type PaymentState,
  statusOf
} from "@pointsman/core"
import type { ChargeRecord, RefundRecord } from "./Provider.ts"

/** The states in which nobody waits for anything. */
const isAtRest = (state: PaymentState): boolean =>
  statusOf[state] !== "UNKNOWN" && statusOf[state] !== "PENDING" && statusOf[state] !== "REQUIRES_ACTION"

/** What is wrong with one payment; empty when nothing is. */
export const wrongWith = (
  { operations, payment, refunds, attempts }: PaymentBook,
  timeline: ReadonlyArray<Event>,
  charges: ReadonlyArray<ChargeRecord>,
  given: ReadonlyArray<RefundRecord>
): ReadonlyArray<string> => {
  const wrong: Array<string> = []
  const held = charges.filter(({ state }) => state === "Authorized" || state === "Captured")
  if (held.length > 1) wrong.push(`${held.length} charges hold money`)
  // The opening of a checkout that nobody answered may be paid on for ever: operations close it.
  const isLeftOpen =
    payment.state === "ChargeUnknown" &&
    payment.hosted !== null &&
    payment.tenant.environment === "production" &&
    held.length === 0
  if (!isAtRest(payment.state) && !isLeftOpen) wrong.push(`it is ${payment.state}`)
  if (attempts.some(({ outcome }) => outcome === null)) wrong.push("an attempt is in flight")
  if (operations.some(({ outcome }) => outcome === null)) wrong.push("a capture or a void is in flight")
  if (refunds.some(({ stage }) => stage === "Sending" || stage === "Pending" || stage === "Unknown")) {
    wrong.push("a refund is open")
  }
  const truth = truthOf(held[0], charges, given)
  const ours = {
    states: payment.state,
    authorizedMinor: truth.authorizedMinor === null ? null : payment.authorizedMinor,
    capturedMinor: payment.capturedMinor,
    refundedMinor: payment.refundedMinor,
    refundPendingMinor: payment.refundPendingMinor
  }
  if (!truth.states.includes(ours.states) && !isLeftOpen)
    wrong.push(`it is ${ours.states}, and in truth ${truth.states.join(" or ")}`)
  for (const field of ["authorizedMinor", "capturedMinor", "refundedMinor", "refundPendingMinor"] as const) {
    if (ours[field] !== truth[field]) wrong.push(`${field} is ${ours[field]}, and in truth ${truth[field]}`)
  }
  if (!isWalk(payment, timeline))
    wrong.push(`no walk of the table tells ${timeline.map(({ type }) => type).join(", ")}`)
  return wrong
}

interface Truth extends Pick<Payment, "capturedMinor" | "refundedMinor" | "refundPendingMinor"> {
  readonly states: ReadonlyArray<PaymentState>
  /** `null` where nothing is held, and what was held is history. */
  readonly authorizedMinor: number | null
}

const truthOf = (
  held: ChargeRecord | undefined,
  charges: ReadonlyArray<ChargeRecord>,
  given: ReadonlyArray<RefundRecord>
): Truth => {
  const nothing = { authorizedMinor: null, capturedMinor: 0, refundedMinor: 0, refundPendingMinor: 0 }
  if (held === undefined) {
    const wasCanceled = charges.some(({ state }) => state === "Canceled")
    return { ...nothing, states: wasCanceled ? ["Cancelled", "Voided"] : ["Declined", "Failed", "Cancelled"] }
  }
  const { minorUnits } = held.money
  if (held.state === "Authorized") return { ...nothing, authorizedMinor: minorUnits, states: ["Authorized"] }
  const refundedMinor = given
    .filter(({ state }) => state === "Succeeded")
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0)
  return {
    states: [refundedMinor === 0 ? "Captured" : refundedMinor < held.capturedMinor ? "PartiallyRefunded" : "Refunded"],
    authorizedMinor: minorUnits,
    capturedMinor: held.capturedMinor,
    refundedMinor,
    refundPendingMinor: 0
  }
}

/** Told by the refund's own table. */
const ofRefunds: ReadonlySet<string> = new Set([
  "payment.refund_pending",
  "payment.refund_unknown",
  "payment.refund_failed"
])

/** Whether some walk of the payment's table tells these events and ends where the payment stands. */
const isWalk = ({ state }: Payment, timeline: ReadonlyArray<Event>): boolean => {
  const told = timeline.map(({ type }) => type).filter((type) => !ofRefunds.has(type))
  const seen = new Set<string>()
  const open: Array<readonly [PaymentState | Machine.Start, number]> = [[Machine.Start, 0]]
  // Bounded by the states, times the events.
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [from, index] = next
    if (from === state && index === told.length) return true
    if (seen.has(`${String(from)} ${index}`)) continue
    seen.add(`${String(from)} ${index}`)
    for (const row of PaymentMachine.rows) {
      if (row.from !== from || !row.emits.every((type, offset) => told[index + offset] === type)) continue
      open.push([row.to, index + row.emits.length])
    }
  }
  return false
}

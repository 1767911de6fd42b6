/**
 * When the background looks at a payment next. Pure.
 *
 * A time is a tick of a clock that started when the payment entered its current state. It follows from the record
 * alone, so a server that was off for a day, or died between two ticks, forgets nothing.
 */
import type { CheckIntervals } from "../model/CheckIntervals.ts"
import { leadsToProvider, type Payment } from "../model/Payment.ts"
import { type PaymentState, statusOf } from "../model/PaymentMachine.ts"
import type { Refund } from "../model/Refund.ts"
import { isUnderWay, openRivals } from "./WithReview.ts"

const minute = 60_000
/** A message may arrive before the provider's record shows what it says. */
const undecidedMillis = 10_000
const hour = 60 * minute
const day = 24 * hour

/**
 * Epoch milliseconds, always later than `now`; `null` for a payment about which nothing is open. `refunds` are those of
 * the payment that are at hand: one in flight may have lost its process.
 */
export const nextCheckAt = (
  payment: Payment,
  refunds: ReadonlyArray<Pick<Refund, "stage" | "sentAt">>,
  intervals: CheckIntervals,
  claimWindowMillis: number,
  now: number
): number | null => {
  const times: Array<number> = []
  const { refundsByHand = [], undecided = [] } = payment.reported ?? {}
  // While what they wait for is open, that has a time of its own.
  const isOver = refundsByHand.length > 0 && payment.refundPendingMinor === 0 && !isUnderWay(payment.state)
  if (undecided.length > 0 || isOver) times.push(tick(payment.updatedAt, undecidedMillis, now))
  const ofState = stateCheckAt(payment, intervals, claimWindowMillis, now)
  if (ofState !== null) times.push(ofState)
  // By the creation: what else happens to the payment does not put it off.
  if (openRivals(payment.state, payment.routing?.attempts ?? []).length > 0) {
    times.push(tick(payment.createdAt, intervals.unknownMillis, now))
  }
  // One tick for all refunds of the payment: a new refund does not put off the check of an older one.
  if (payment.refundPendingMinor > 0) times.push(tick(payment.createdAt, intervals.refundMillis, now))
  for (const { sentAt, stage } of refunds) {
    if (stage === "Sending") times.push(tick(sentAt, deadAfter(intervals, claimWindowMillis), now))
  }
  return times.length === 0 ? null : Math.min(...times)
}

/**
 * The connection whose provider the check of a payment asks; `null` where it asks none. Where a rival is open, that is
 * the rival's: the payment itself is at rest, and little is asked about it.
 */
export const checkedConnection = ({ connectionId, routing, state }: Payment): string | null => {
  if (state === "AwaitingCustomer" || inFlight.has(state)) return null
  const attempts = routing?.attempts ?? []
  return openRivals(state, attempts).at(-1)?.connectionId ?? connectionId ?? attempts.at(-1)?.connectionId ?? null
}

const deadAfter = ({ deadRequestMillis }: CheckIntervals, claimWindowMillis: number): number =>
  Math.max(claimWindowMillis, deadRequestMillis)

const stateCheckAt = (
  payment: Payment,
  intervals: CheckIntervals,
  claimWindowMillis: number,
  now: number
): number | null => {
  const { createdAt, hosted, state, updatedAt: since } = payment
  const { pendingMillis, unknownMillis } = intervals
  // The first look is over when the page is; a page that is over is looked at again at once.
  if (state === "AwaitingCustomer") return Math.max(hosted?.expiresAt ?? now, now + 1)
  // What a customer approved can be taken for some hours: a step that died is noticed as soon as an open checkout is checked.
  const isCheckout = leadsToProvider(payment)
  const deadRequestMillis =
    isCheckout && state === "Charging"
      ? Math.min(intervals.deadRequestMillis, pendingMillis)
      : intervals.deadRequestMillis
  if (inFlight.has(state)) return tick(since, deadAfter({ ...intervals, deadRequestMillis }, claimWindowMillis), now)
  if (accepted.has(state)) return tick(since, now - since < day ? pendingMillis : Math.max(pendingMillis, day), now)
  // No record of a provider can settle it: operations do.
  if (state === "ChargeMismatched") return null
  if (statusOf[state] === "UNKNOWN") {
    // The step that takes the money of a checkout may be unknown again and again: the older the payment, the later it is asked.
    const early = [minute, 5 * minute].filter((after) => !isCheckout || after * 20 >= since - createdAt)
    const earlyAt = early.map((after) => since + Math.min(after, unknownMillis))
    return earlyAt.find((at) => at > now) ?? tick(since, unknownMillis, now)
  }
  // The authorization may lapse, or be captured behind our back.
  return state === "Authorized" ? tick(since, day, now) : null
}

const inFlight: ReadonlySet<PaymentState> = new Set(["Charging", "Capturing", "Voiding"])
const accepted: ReadonlySet<PaymentState> = new Set(["CheckoutOpen", "ChargePending", "CapturePending", "VoidPending"])

/** The first multiple of the interval after `since` that is later than `now`. */
const tick = (since: number, intervalMillis: number, now: number): number =>
  since + Math.max(1, Math.floor((now - since) / intervalMillis) + 1) * intervalMillis

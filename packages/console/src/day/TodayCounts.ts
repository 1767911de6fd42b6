/** What the payments of a day come to. Pure. */
import type { DeclineCategory, Payment } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import type { Day, Outcomes } from "./DayApi.ts"

const { timeView } = InProcess

const hourMillis = 3_600_000
export const dayMillis = 24 * hourMillis

/** How the charge ended; `undefined` while it did not, and for a customer who cancelled. */
const isApproved = ({ authorizedMinor, state }: Payment): boolean | undefined => {
  if (authorizedMinor > 0) return true
  return state === "Declined" || state === "Failed" ? false : undefined
}

export const outcomesOf = (payments: ReadonlyArray<Payment>): Outcomes => {
  const ends = payments.map(isApproved)
  return {
    succeeded: ends.filter((end) => end === true).length,
    failed: ends.filter((end) => end === false).length
  }
}

export const summed = (all: ReadonlyArray<Outcomes>): Outcomes => ({
  succeeded: all.reduce((sum, { succeeded }) => sum + succeeded, 0),
  failed: all.reduce((sum, { failed }) => sum + failed, 0)
})

/** `from`: the day's first moment, in epoch milliseconds. */
export const hoursOf = (payments: ReadonlyArray<Payment>, from: number): Day["today"]["hours"] =>
  Array.from({ length: dayMillis / hourMillis }, (_, hour) => {
    const at = from + hour * hourMillis
    const those = payments.filter(({ createdAt }) => createdAt >= at && createdAt < at + hourMillis)
    const outcomes = outcomesOf(those)
    return { from: timeView(at), ...outcomes, open: those.length - outcomes.succeeded - outcomes.failed }
  })

export const volumeOf = (payments: ReadonlyArray<Payment>): Day["today"]["volume"] =>
  [...Map.groupBy(payments, ({ money }) => money.currency)]
    .map(([currency, those]) => ({
      currency,
      payments: those.length,
      amount: those.reduce((sum, { money }) => sum + money.minorUnits, 0),
      captured_amount: those.reduce((sum, { capturedMinor }) => sum + capturedMinor, 0)
    }))
    .toSorted((a, b) => b.payments - a.payments || (a.currency < b.currency ? -1 : 1))

const declinesShown = 5

export const declinesOf = (payments: ReadonlyArray<Payment>): Day["today"]["declines"] => {
  const counts = new Map<DeclineCategory, number>()
  for (const { declineCategory } of payments) {
    if (declineCategory !== null) counts.set(declineCategory, (counts.get(declineCategory) ?? 0) + 1)
  }
  return [...counts]
    .map(([category, count]) => ({ category, payments: count }))
    .toSorted((a, b) => b.payments - a.payments || (a.category < b.category ? -1 : 1))
    .slice(0, declinesShown)
}

/** Of times in epoch milliseconds. */
export const agesOf = (times: ReadonlyArray<number>, now: number, is_cut: boolean): Day["unknown"] => {
  const hour = times.filter((at) => now - at < hourMillis).length
  const older = times.filter((at) => now - at >= dayMillis).length
  return { hour, day: times.length - hour - older, older, is_cut }
}

/** `deadlines`: in epoch milliseconds; `null` where the provider names none. */
export const deadlinesOf = (deadlines: ReadonlyArray<number | null>, now: number, is_cut: boolean): Day["disputes"] => {
  const known = deadlines.filter((at) => at !== null)
  const left = known.filter((at) => at > now)
  const within = (days: number) => left.filter((at) => at <= now + days * dayMillis).length
  const next = Math.min(...left)
  return {
    passed: known.length - left.length,
    in_3_days: within(3),
    in_7_days: within(7) - within(3),
    later: left.length - within(7),
    without_deadline: deadlines.length - known.length,
    next_deadline: left.length === 0 ? null : timeView(next),
    is_cut
  }
}

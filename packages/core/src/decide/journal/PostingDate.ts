/**
 * Under which date a transaction is posted. Once the books of a month are closed, nothing is posted into it any more. A
 * row that arrives later is posted under the date of its arrival, so that an exported month stays as it was. Pure.
 */
import { DateTime } from "effect"
import { dayMillis } from "../../model/RetentionTimes.ts"

export interface MonthClosing {
  /** How long after its end (UTC) the books of a month are closed, in milliseconds. Every export uses the same. */
  readonly closeAfterMillis: number
}

/** Providers write the report of a month in the days after it. */
export const defaultMonthClosing: MonthClosing = { closeAfterMillis: 5 * dayMillis }

/** When the month of a time is over, in epoch milliseconds, by UTC. */
const monthEnd = (at: number): number => {
  const { month, year } = DateTime.toPartsUtc(DateTime.makeUnsafe(at))
  const next = month === 12 ? { year: year + 1, month: 1 } : { year, month: month + 1 }
  return DateTime.toEpochMillis(DateTime.makeUnsafe({ ...next, day: 1 }))
}

/**
 * When the money moved, where that is recorded before the books of its month are closed; else when it was recorded. Never
 * before `earliest`, which is when the payment was created, and never after it was recorded.
 */
export const postedAt = (
  times: { readonly occurredAt: number; readonly recordedAt: number; readonly earliest: number },
  { closeAfterMillis }: MonthClosing
): number => {
  const { earliest, occurredAt, recordedAt } = times
  const isOpen = recordedAt < monthEnd(occurredAt) + closeAfterMillis
  return Math.max(earliest, isOpen ? Math.min(occurredAt, recordedAt) : recordedAt)
}

/** Clocks of servers differ, and a commit takes a while; in milliseconds. */
const slackMillis = 5 * 60_000

/** From when on (epoch milliseconds) nothing is posted any more into a period that ends before `before`. */
export const periodOpenUntil = (before: number, { closeAfterMillis }: MonthClosing): number =>
  monthEnd(before - 1) + closeAfterMillis + slackMillis

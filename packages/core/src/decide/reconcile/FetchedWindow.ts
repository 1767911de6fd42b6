/**
 * Which window of a provider's report a run fetched. The run's file name says it, so that the next fetch goes on from there.
 */
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"

/** Epoch milliseconds, from here on and before. */
export interface FetchedWindow {
  readonly from: number
  readonly until: number
}

/** A connection whose reports were never fetched begins this long ago, unless another time is named. */
export const firstFetchMillis = 7 * 24 * 60 * 60_000

/** Windows of one fetch: a year. */
export const windowsAtMost = 366

const day = 24 * 60 * 60_000

const timeText = (time: number): string => new Date(time).toISOString()

export const fetchedName = (report: string, { from, until }: FetchedWindow): string =>
  `${report} from ${timeText(from)} until ${timeText(until)}`

/** The window that a run fetched; `undefined` for a run of a file. */
export const fetchedIn = ({ fileName, format }: Pick<ReconciliationRun, "fileName" | "format">) => {
  const [, from, until] = /^\S+ from (\S+) until (\S+)$/u.exec(fileName) ?? []
  if (from === undefined || until === undefined) return undefined
  const window: FetchedWindow = { from: Date.parse(from), until: Date.parse(until) }
  // A file may have any name.
  const isTime = !Number.isNaN(window.from) && !Number.isNaN(window.until)
  return isTime && fetchedName(format, window) === fileName ? window : undefined
}

/** Parts that end with a day (UTC), oldest first, so that one window asked for twice has the same parts. */
export const windowsIn = ({ from, until }: FetchedWindow): ReadonlyArray<FetchedWindow> => {
  const windows: Array<FetchedWindow> = []
  for (let at = from; at < until; ) {
    const end = Math.min(until, (Math.floor(at / day) + 1) * day)
    windows.push({ from: at, until: end })
    at = end
  }
  return windows
}

/**
 * Which window of a provider's report a run fetched. The run's file name says it, so that the next fetch continues from
 * there.
 */
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"

/** Epoch milliseconds, from here on and before. */
export interface FetchedWindow {
  readonly from: number
  readonly until: number
}

/** Runs of one report that are looked through for where the last fetched one ended. */
export const runsAtMost = 1_000

/** A connection whose reports were never fetched begins this long ago, unless another time is named. */
const firstFetchMillis = 7 * 24 * 60 * 60_000

/** Windows of one fetch: a year. */
export const windowsAtMost = 366

const day = 24 * 60 * 60_000

const timeText = (time: number): string => new Date(time).toISOString()

export const fetchedName = (report: string, { from, until }: FetchedWindow): string =>
  `${report} from ${timeText(from)} until ${timeText(until)}`

/** The window that a run fetched; `undefined` for a run of a file. */
const fetchedIn = ({ fileName, format }: Pick<ReconciliationRun, "fileName" | "format">) => {
  const [, from, until] = /^\S+ from (\S+) until (\S+)$/u.exec(fileName) ?? []
  if (from === undefined || until === undefined) return undefined
  const window: FetchedWindow = { from: Date.parse(from), until: Date.parse(until) }
  // A file may have any name.
  const isTime = !Number.isNaN(window.from) && !Number.isNaN(window.until)
  return isTime && fetchedName(format, window) === fileName ? window : undefined
}

/**
 * Up to where each report was fetched without a gap, by its name. A window that begins later than what was reached is passed
 * over until the gap is filled: an operator may have fetched it by hand. A run that is not done is fetched again, and so is one
 * that ends after `listedUntil` (epoch milliseconds), up to when the provider has surely listed its rows. `runs`: the newest
 * ones. Where there are more than `runsAtMost`, the first one is not among them, and the latest end counts.
 */
export const fetchedUntil = (
  runs: ReadonlyArray<ReconciliationRun>,
  listedUntil: number
): ReadonlyMap<string, number> => {
  const done = runs.flatMap((run) => {
    const window = run.state === "done" ? fetchedIn(run) : undefined
    return window === undefined || window.until > listedUntil ? [] : [{ id: run.id, report: run.format, ...window }]
  })
  return new Map(
    [...Map.groupBy(done, ({ report }) => report)].map(
      ([report, windows]) =>
        [
          report,
          runs.length < runsAtMost ? reachedBy(windows) : Math.max(...windows.map(({ until }) => until))
        ] as const
    )
  )
}

const reachedBy = (windows: ReadonlyArray<FetchedWindow & { readonly id: string }>): number => {
  const first = windows.reduce((oldest, one) => (one.id < oldest.id ? one : oldest))
  return windows
    .toSorted((a, b) => a.from - b.from)
    .reduce((end, { from, until }) => (from <= end ? Math.max(end, until) : end), first.until)
}

/**
 * Where a report begins that was never fetched up to an end: seven days ago, or where a run began before that and did not end.
 * The beginning of a killed run is no round time, and would not be met again.
 */
export const firstFrom = (runs: ReadonlyArray<ReconciliationRun>, report: string, until: number): number => {
  const begun = runs.flatMap((run) =>
    run.format === report && run.state !== "done" ? (fetchedIn(run)?.from ?? []) : []
  )
  return Math.min(until - firstFetchMillis, ...begun)
}

/** A part of the window that a run began with and did not end: the next fetch continues that run. */
export const begunWindow = (
  runs: ReadonlyArray<ReconciliationRun>,
  report: string,
  { from, until }: FetchedWindow
): FetchedWindow | undefined => {
  for (const run of runs) {
    const window = run.format === report && run.state !== "done" ? fetchedIn(run) : undefined
    if (window !== undefined && window.from === from && window.until <= until) return window
  }
  return undefined
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

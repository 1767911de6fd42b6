/**
 * Fetches a connection's reports from its provider's API, and runs them like files. A window is read twice, as a file
 * is. The first reading hashes its rows, and the hash is the run's. A run that was killed continues only with the very
 * rows that it began with: where the provider's answer has changed since, it is another run, whose known rows change
 * nothing. Within a run that changes are found at its end.
 */
import { Clock, Effect, Stream } from "effect"
import { OpenConnections } from "../../call/CallProvider.ts"
import { renumbered, reportRows } from "../../call/ReportRows.ts"
import {
  begunWindow,
  type FetchedWindow,
  fetchedName,
  fetchedUntil,
  firstFrom,
  runsAtMost,
  windowsAtMost,
  windowsIn
} from "../../decide/reconcile/FetchedWindow.ts"
import type { Connection } from "../../model/Connection.ts"
import type { Unanswered } from "../../model/ProviderStatement.ts"
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"
import type { ReportEntry } from "../../model/ReportRow.ts"
import type { FetchedReport } from "../../ports/Connector.ts"
import { Directory } from "../../ports/Directory.ts"
import { Secrets } from "../../ports/Secrets.ts"
import { Settlements } from "../../ports/Settlements.ts"
import { ReportBroken, type ReportOrder, ReportRefused, runReport } from "./RunReport.ts"

export interface FetchOrder {
  readonly connectionId: string
  /** One report of the connector's; all of them unless named. */
  readonly report?: string | undefined
  /** Epoch milliseconds; up to where the report was fetched without a gap, unless set, and seven days ago at first. */
  readonly from?: number | undefined
  /** Epoch milliseconds, not included; as late as the provider has surely listed its rows, unless set: an hour ago for most. */
  readonly until?: number | undefined
  /** As in `ReportOrder`. */
  readonly rowsAtOnce?: number | undefined
  readonly onProgress?: ReportOrder["onProgress"]
}

/** A provider's list may show its newest rows late, and the next fetch does not go back to them. In milliseconds. */
const addedWithin = ({ addedWithinMillis = 60 * 60_000 }: FetchedReport): number => addedWithinMillis

const minute = 60_000

/** The runs as they are at their end, in the order in which they were read. What is fetched by a failure is kept. */
export const fetchReports = Effect.fnUntraced(function* (order: FetchOrder) {
  const { connection, reports } = yield* reportsOf(order)
  const runs: Array<ReconciliationRun> = []
  const planned = yield* Effect.forEach(reports, (report) =>
    Effect.map(windowsOf(order, connection, report), (windows) => ({ report, windows }))
  )
  for (const { report, windows } of planned) {
    for (const window of windows) {
      runs.push(yield* fetchWindow(order, connection, report, window))
    }
  }
  return runs
})

const refuse = (reason: string) => new ReportRefused({ reason })

const reportsOf = Effect.fnUntraced(function* ({ connectionId, report: named }: FetchOrder) {
  const found = yield* (yield* Directory).connection(connectionId)
  const connection = yield* Effect.fromOption(found, () => refuse("connection: expected the id of a connection"))
  const connections = yield* OpenConnections
  const connector = yield* Effect.mapError(connections.connector(connection), ({ reason }) =>
    refuse(`connection: it cannot be used: ${reason}`)
  )
  const all = connector.reports ?? []
  if (all.length === 0) {
    return yield* refuse(`connection: the connector ${connection.connector} fetches no reports; read them from files`)
  }
  const wanted = named === undefined ? all : all.filter(({ name }) => name === named)
  if (wanted.length === 0) {
    return yield* refuse(`report: expected one of ${all.map(({ name }) => name).join(", ")}`)
  }
  const reports = wanted.filter(({ missing }) => missing === undefined)
  if (reports.length > 0) return { connection, reports }
  return yield* refuse(`connection: ${wanted[0]?.missing}`)
})

const windowsOf = Effect.fnUntraced(function* (order: FetchOrder, connection: Connection, report: FetchedReport) {
  const now = yield* Clock.currentTimeMillis
  // Whole minutes: providers count in seconds at best, and would give the row of a part of one to both windows.
  const listedUntil = now - addedWithin(report)
  const until = order.until ?? Math.floor(listedUntil / minute) * minute
  if (until > listedUntil) {
    const ago = `${Math.ceil(addedWithin(report) / minute)} minutes ago or earlier`
    return yield* refuse(`until: expected a time that was ${ago}: rows of ${report.name} may still come`)
  }
  const runs = yield* runsOf(connection, report)
  const from = order.from ?? fetchedUntil(runs, listedUntil).get(report.name) ?? firstFrom(runs, report.name, until)
  if (order.from !== undefined && from >= until) return yield* refuse("from: expected a time before the end")
  const begun = order.from === undefined ? begunWindow(runs, report.name, { from, until }) : undefined
  const windows = begun === undefined ? windowsIn({ from, until }) : [begun, ...windowsIn({ from: begun.until, until })]
  // A fetch that continues from an old end reads part by part: a schedule must not stall.
  return windows.length <= windowsAtMost || order.from === undefined
    ? windows.slice(0, windowsAtMost)
    : yield* refuse(`from: expected a period of at most ${windowsAtMost} days`)
})

/** Of the report alone: others of the connection may have many more runs while it cannot be fetched. */
const runsOf = Effect.fnUntraced(function* (
  { environment, id, workspaceId }: Connection,
  { name: format }: FetchedReport
) {
  const settlements = yield* Settlements
  const tenant = { workspaceId, environment }
  return yield* settlements.runs({ tenant, connectionId: id, format, limit: runsAtMost })
})

/** A report of a connection whose fetches are scheduled. Times are epoch milliseconds. */
export interface ScheduledReport {
  readonly report: string
  /** `null` where it was never fetched. */
  readonly fetchedUntil: number | null
  /** When it is fetched next: in the past where that is late, and 0 where it was never fetched. */
  readonly dueAt: number
}

/** Those of the connection that its credentials allow. */
export const scheduledReports = Effect.fnUntraced(function* (connection: Connection) {
  const { reports } = yield* reportsOf({ connectionId: connection.id })
  const now = yield* Clock.currentTimeMillis
  return yield* Effect.forEach(reports, (report) =>
    Effect.map(runsOf(connection, report), (runs): ScheduledReport => {
      const until = fetchedUntil(runs, now - addedWithin(report)).get(report.name) ?? null
      return {
        report: report.name,
        fetchedUntil: until,
        dueAt: until === null ? 0 : until + addedWithin(report) + (connection.reports?.everyMillis ?? 0)
      }
    })
  )
})

/** Of the rows that were read so far: their number, and the hash of them all. */
interface Read {
  readonly rows: number
  readonly hash: string
}

const fetchWindow = Effect.fnUntraced(function* (
  order: FetchOrder,
  connection: Connection,
  { delayMillis, name, windowMillis }: FetchedReport,
  window: FetchedWindow
) {
  const secrets = yield* Secrets
  const fileName = fetchedName(name, window)
  const none: Read = { rows: 0, hash: yield* secrets.hash(fileName) }
  const withPage = (read: Read, entries: ReadonlyArray<ReportEntry>) =>
    Effect.map(secrets.hash(`${read.hash}\n${JSON.stringify(entries)}`), (hash) => ({
      rows: read.rows + entries.length,
      hash
    }))
  const pages = reportRows(connection, { report: name, windowMillis }, window).pipe(Stream.mapError(broken))
  const { hash } = yield* Stream.runFoldEffect(pages, () => none, withPage)
  const again = Stream.suspend(() => {
    let read = none
    const rows = Stream.mapEffect(pages, (entries) =>
      Effect.map(withPage(read, entries), (after) => {
        const numbered = renumbered(entries, read.rows)
        read = after
        return numbered
      })
    )
    const end = Effect.suspend(() => (read.hash === hash ? Effect.succeed<ReadonlyArray<ReportEntry>>([]) : changed))
    return Stream.concat(rows, Stream.fromEffect(end))
  }).pipe(Stream.mapError(({ reason }) => new Error(reason)))
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof runReport>> | OpenConnections>()
  return yield* runReport({
    connectionId: connection.id,
    format: { name, kinds: [connection.connector], delayMillis },
    fileName,
    sha256: hash,
    entries: Stream.toAsyncIterableWith(again, context),
    rowsAtOnce: order.rowsAtOnce,
    onProgress: order.onProgress
  })
})

const changed = Effect.fail(new ReportBroken({ reason: "the provider's rows changed while they were read" }))

const broken = ({ reason }: Unanswered) =>
  new ReportBroken({ reason: `the provider gave no complete answer: ${reason}` })

/**
 * Fetches a connection's reports from its provider's API, and runs them like files.
 *
 * The rule that a reader would otherwise break: a window is read twice, as a file is. The first reading hashes its rows, and the
 * hash is the run's. A run that was killed goes on only with the very rows that it began with: where the provider's answer has
 * changed since, it is another run, whose known rows change nothing. Within a run that changes are found at its end.
 */
import { Clock, Effect, Option, Stream } from "effect"
import { OpenConnections } from "../../call/OpenConnections.ts"
import { renumbered, reportRows } from "../../call/ReportRows.ts"
import {
  type FetchedWindow,
  fetchedIn,
  fetchedName,
  firstFetchMillis,
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
  /** Epoch milliseconds; where the last fetched run of the report ended, unless set, and seven days ago at first. */
  readonly from?: number | undefined
  /** Epoch milliseconds, not included; an hour ago unless set. */
  readonly until?: number | undefined
  readonly onProgress?: ReportOrder["onProgress"]
}

/** A provider's list may show its newest rows late, and the next fetch does not go back to them. */
const settlesWithinMillis = 60 * 60_000

/** Runs of the connection that are looked through for where the last fetched one ended. */
const runsAtMost = 1_000

/** The runs as they are at their end, in the order in which they were read. What is fetched by a failure is kept. */
export const fetchReports = Effect.fnUntraced(function* (order: FetchOrder) {
  const { connection, reports } = yield* reportsOf(order)
  const runs: Array<ReconciliationRun> = []
  for (const report of reports) {
    for (const window of yield* windowsOf(order, connection, report)) {
      runs.push(yield* fetchWindow(order, connection, report, window))
    }
  }
  return runs
})

const refuse = (reason: string) => new ReportRefused({ reason })

const reportsOf = Effect.fnUntraced(function* ({ connectionId, report: named }: FetchOrder) {
  const found = yield* (yield* Directory).connection(connectionId)
  if (Option.isNone(found)) return yield* refuse("connection: expected the id of a connection")
  const connection = found.value
  const connections = yield* OpenConnections
  const connector = yield* Effect.mapError(connections.connector(connection), ({ reason }) =>
    refuse(`connection: it cannot be used: ${reason}`)
  )
  const all = connector.reports ?? []
  if (all.length === 0) {
    return yield* refuse(`connection: the connector ${connection.connector} fetches no reports; read them from files`)
  }
  const reports = named === undefined ? all : all.filter(({ name }) => name === named)
  if (reports.length > 0) return { connection, reports }
  return yield* refuse(`report: expected one of ${all.map(({ name }) => name).join(", ")}`)
})

const windowsOf = Effect.fnUntraced(function* (order: FetchOrder, connection: Connection, { name }: FetchedReport) {
  const now = yield* Clock.currentTimeMillis
  const until = order.until ?? now - settlesWithinMillis
  if (until > now) return yield* refuse("until: expected a time that is over: rows may still come")
  const from = order.from ?? (yield* lastFetched(connection, name)) ?? until - firstFetchMillis
  if (order.from !== undefined && from >= until) return yield* refuse("from: expected a time before the end")
  const windows = windowsIn({ from, until })
  return windows.length <= windowsAtMost
    ? windows
    : yield* refuse(`from: expected a period of at most ${windowsAtMost} days`)
})

/** Up to where everything was read. A run that is not done is no end: its window is fetched again. */
const lastFetched = Effect.fnUntraced(function* ({ environment, id, workspaceId }: Connection, report: string) {
  const settlements = yield* Settlements
  const tenant = { workspaceId, environment }
  const runs = yield* settlements.runs({ tenant, connectionId: id, limit: runsAtMost })
  const ends = runs.flatMap((run) =>
    run.state === "done" && run.format === report ? (fetchedIn(run)?.until ?? []) : []
  )
  return ends.length === 0 ? undefined : Math.max(...ends)
})

/** Of the rows that were read so far: their number, and the hash of them all. */
interface Read {
  readonly rows: number
  readonly hash: string
}

const fetchWindow = Effect.fnUntraced(function* (
  order: FetchOrder,
  connection: Connection,
  { delayMillis, name }: FetchedReport,
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
  const pages = reportRows(connection, name, window).pipe(Stream.mapError(broken))
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
    onProgress: order.onProgress
  })
})

const changed = Effect.fail(new ReportBroken({ reason: "the provider's rows changed while they were read" }))

const broken = ({ reason }: Unanswered) =>
  new ReportBroken({ reason: `the provider gave no complete answer: ${reason}` })

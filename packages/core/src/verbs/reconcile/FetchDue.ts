/**
 * Fetches the reports of the connections that say how often, each from where its last fetched run ended.
 *
 * One process of all on the store fetches: it holds a lease, which only saves requests to providers. A process that froze,
 * and fetches beside the next one, is stopped by the lease of the connection's reports (`RunReport.ts`).
 */
import { Cause, Clock, Effect, Equal, Exit, Metric, Option, Semaphore } from "effect"
import { reportFetches, reportsLate } from "../../metrics/Metrics.ts"
import type { Connection } from "../../model/Connection.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ids } from "../../ports/Ids.ts"
import { RecordLosses } from "../../ports/RecordLoss.ts"
import { Retention } from "../../ports/Retention.ts"
import { StorageCondition } from "../../ports/StorageCondition.ts"
import { fetchReports, type ScheduledReport, scheduledReports } from "./FetchReports.ts"

/** Longer than some looks, in milliseconds: a process that died holds the others up for so long. */
const leaseMillis = 5 * 60_000
/** Connections at once: each waits for its provider most of the time, and writes as a command does. */
const connectionsAtOnce = 4
/** After a provider that did not answer, or refused, in milliseconds. */
const retryAfterMillis = 10 * 60_000
/** Some milliseconds in SQLite, where payments wait for it. */
const rowsAtOnce = 200

/** What is known of a connection since its record last changed. Times are epoch milliseconds. */
interface Known {
  readonly of: Connection
  /** When it was first looked at. */
  readonly since: number
  /** Nothing is fetched before this. */
  nextAt: number
  reports: ReadonlyArray<Pick<ScheduledReport, "report" | "fetchedUntil" | "dueAt">>
}

interface Fetching {
  readonly places: Semaphore.Semaphore
  /** By connection: as many as exist, like the following. */
  readonly known: Map<string, Known>
  readonly underWay: Set<string>
  /** Series that were told, by their labels. */
  readonly told: Map<string, readonly [connection: string, report: string]>
}

/** Of a connection whose reports are not known, because it cannot be used. */
const allReports = "all"

/** Looks for what is due every `everyMillis`. A fetch that is interrupted continues with the next one. */
export const keepFetching = Effect.fnUntraced(function* (everyMillis: number) {
  const scope = yield* Effect.scope
  const holder = yield* (yield* Ids).request
  const fetching: Fetching = {
    places: yield* Semaphore.make(connectionsAtOnce),
    known: new Map(),
    underWay: new Set(),
    told: new Map()
  }
  const look = Effect.gen(function* () {
    for (const known of yield* due(holder, fetching)) {
      const { id } = known.of
      fetching.underWay.add(id)
      const fetched = fetching.places.withPermit(fetchConnection(known))
      yield* Effect.forkIn(
        Effect.ensuring(
          fetched,
          Effect.sync(() => fetching.underWay.delete(id))
        ),
        scope
      )
    }
  })
  const logged = Effect.catchCause(look, (cause) => Effect.logError("the background could not fetch reports", cause))
  return yield* Effect.forever(Effect.andThen(logged, Effect.sleep(everyMillis)))
})

const due = Effect.fnUntraced(function* (holder: string, fetching: Fetching) {
  const { connections } = yield* (yield* Directory).contents
  const scheduled = connections.filter(({ reports }) => reports !== undefined)
  const ids = new Set(scheduled.map(({ id }) => id))
  for (const id of fetching.known.keys()) if (!ids.has(id)) fetching.known.delete(id)
  const now = yield* Clock.currentTimeMillis
  const isOurs =
    scheduled.length > 0 &&
    (yield* (yield* StorageCondition).read).refusal === null &&
    (yield* (yield* Retention).lease({ what: "reports", holder, now, until: now + leaseMillis }))
  const all = isOurs ? scheduled.map((connection) => knownOf(fetching, connection, now)) : []
  yield* tellLate(fetching, all, now)
  if (all.length === 0) return []
  const loss = yield* (yield* RecordLosses).known
  // A row of a record that is recovered later would differ for good: reports are read once the recovery has ended.
  const isMissing = (id: string) => loss !== null && loss.ended === null && !loss.recovered.includes(id)
  return all.filter((one) => isDue(one, now) && !fetching.underWay.has(one.of.id) && !isMissing(one.of.id))
})

/** No wait is longer than the schedule's: a longer one was set by a clock that was ahead. */
const isDue = ({ nextAt, of }: Known, now: number): boolean =>
  nextAt <= now || nextAt > now + (of.reports?.everyMillis ?? 0) + retryAfterMillis

/** A changed record, such as that of other credentials, is looked at anew. */
const knownOf = ({ known }: Fetching, of: Connection, now: number): Known => {
  const before = known.get(of.id)
  if (before !== undefined && Equal.equals(before.of, of)) return before
  const made: Known = { of, since: before?.since ?? now, nextAt: 0, reports: before?.reports ?? [] }
  known.set(of.id, made)
  return made
}

/** Where another process fetches, it tells how late they are. */
const tellLate = Effect.fnUntraced(function* ({ told }: Fetching, all: ReadonlyArray<Known>, now: number) {
  const late = new Map<string, number>()
  for (const { of, reports, since } of all) {
    for (const { dueAt, fetchedUntil, report } of reports) {
      const labels = [of.id, report] as const
      told.set(labels.join(" "), labels)
      late.set(labels.join(" "), Math.max(0, now - (fetchedUntil === null ? since : dueAt)))
    }
  }
  for (const [key, labels] of told) yield* Metric.update(reportsLate(...labels), (late.get(key) ?? 0) / 1_000)
})

/** One report that fails does not hold up the others of the connection. A defect is such a failure too, and no interruption is. */
const fetchConnection = Effect.fnUntraced(
  function* (known: Known) {
    const schedule = scheduledReports(known.of)
    known.reports = yield* schedule
    for (const { dueAt, report } of known.reports) {
      if (dueAt <= (yield* Clock.currentTimeMillis)) yield* fetchReport(known.of.id, report)
    }
    known.reports = yield* schedule
    const now = yield* Clock.currentTimeMillis
    known.nextAt = Math.min(...known.reports.map(({ dueAt }) => (dueAt <= now ? now + retryAfterMillis : dueAt)))
  },
  (fetch, known) =>
    Effect.catchCauseIf(
      fetch,
      (cause) => !Cause.hasInterrupts(cause),
      (cause) =>
        Effect.gen(function* () {
          known.nextAt = (yield* Clock.currentTimeMillis) + retryAfterMillis
          if (known.reports.length === 0) known.reports = [{ report: allReports, fetchedUntil: null, dueAt: 0 }]
          yield* failed(known.of.id, allReports, cause)
        })
    )
)

const fetchReport = Effect.fnUntraced(function* (connectionId: string, report: string) {
  const fetched = yield* Effect.exit(fetchReports({ connectionId, report, rowsAtOnce }))
  if (Exit.isFailure(fetched)) {
    const { cause } = fetched
    return yield* Cause.hasInterrupts(cause) ? Effect.failCause(cause) : failed(connectionId, report, cause)
  }
  yield* Metric.update(reportFetches(connectionId, report, "fetched"), 1)
})

type FetchFailure = Effect.Error<ReturnType<typeof fetchReports>>

/** Another reader of the connection's reports is no failure: what it reads is known afterwards. */
const failed = Effect.fnUntraced(function* (connection: string, report: string, cause: Cause.Cause<FetchFailure>) {
  const failure = Option.getOrUndefined(Cause.findErrorOption(cause))
  const isTaken = failure?._tag === "pointsman/ReportBeingRead" || failure?._tag === "pointsman/ReportTaken"
  yield* Metric.update(reportFetches(connection, report, isTaken ? "taken" : "failed"), 1)
  if (isTaken) return
  const isRefusal = failure !== undefined && "reason" in failure
  const reason = isRefusal ? failure.reason : (failure?.operation ?? "a defect")
  const warned = Effect.logWarning(
    "a report could not be fetched, and is fetched again in ten minutes",
    ...(isRefusal ? [] : [cause])
  )
  yield* Effect.annotateLogs(warned, { connection, report, reason })
})

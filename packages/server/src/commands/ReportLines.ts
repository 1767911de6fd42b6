/** Whether the reports that the server fetches by itself are fetched in time. */
import { type ScheduledReport, scheduledReports } from "@pointsman/core/internal"
import type { DirectoryContents } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Settings } from "../Settings.ts"
import { type CheckLine, eachOr, ok, warning } from "./Checkup.ts"
import { connectorsForChecking, unsentConnections } from "./ConnectorLines.ts"
import { ageOf, counted } from "./Words.ts"

type Scheduled = DirectoryContents["connections"][number]

/** A provider may be down for a day. In milliseconds. */
const patienceMillis = 24 * 3_600_000

export const fetchLines = Effect.fnUntraced(function* (
  { connections }: DirectoryContents,
  settings: Settings,
  now: number
) {
  const scheduled = connections.filter(({ reports }) => reports !== undefined)
  const installed = yield* connectorsForChecking(settings)
  const found = yield* Effect.forEach(scheduled, (connection) =>
    scheduledReports(connection).pipe(
      Effect.map((reports): FoundReports => ({ connection, reports })),
      Effect.catchTag("pointsman/ReportRefused", ({ reason }) =>
        Effect.succeed<FoundReports>({ connection, reports: reason })
      )
    )
  ).pipe(Effect.provide(unsentConnections(installed, settings)))
  return lateLines(found, now)
})

/** Of one connection. A text says why none can be fetched. */
interface FoundReports {
  readonly connection: Pick<Scheduled, "id">
  readonly reports: ReadonlyArray<ScheduledReport> | string
}

export const lateLines = (found: ReadonlyArray<FoundReports>, now: number): ReadonlyArray<CheckLine> => {
  if (found.length === 0) return [ok("reports", "no connection has reports that are fetched on a schedule")]
  return eachOr(
    found.flatMap(({ connection: { id }, reports }) => {
      if (typeof reports === "string") {
        return [warning("reports", `those of the connection "${id}" cannot be fetched: ${reports}`)]
      }
      const see = `see the log of the servers, or run \`pointsman reconcile fetch --connection ${id} --by <name>\``
      return reports.flatMap(({ dueAt, fetchedUntil, report }) => {
        const which = `${report} of the connection "${id}"`
        if (fetchedUntil === null) return [warning("reports", `${which} was never fetched: ${see}`)]
        if (dueAt >= now - patienceMillis) return []
        return [warning("reports", `${which} ends ${ageOf(fetchedUntil, now)} ago, and is late: ${see}`)]
      })
    }),
    ok("reports", `those of ${counted(found.length, "connection")} are fetched in time`)
  )
}

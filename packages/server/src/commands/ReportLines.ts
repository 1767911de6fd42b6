/** Whether the reports that the server fetches by itself are fetched in time. */
import { Pointsman } from "@pointsman/core"
import { fetchedUntil } from "@pointsman/core/internal"
import type { DirectoryContents } from "@pointsman/core/ports"
import { Effect } from "effect"
import { type CheckLine, eachOr, ok, warning } from "./Checkup.ts"
import { ageOf, counted } from "./Words.ts"

type Scheduled = DirectoryContents["connections"][number]

/** Of a connection, among which the last fetched ones are. */
const runsAtMost = 1_000
/** A provider may be down for a day, and list its rows some hours late. In milliseconds. */
const patienceMillis = 24 * 3_600_000

export const fetchLines = Effect.fnUntraced(function* ({ connections }: DirectoryContents, now: number) {
  const { reconciliation } = yield* Pointsman
  const scheduled = connections.filter(({ reports }) => reports !== undefined)
  const found = yield* Effect.forEach(
    scheduled,
    Effect.fnUntraced(function* (connection) {
      const { environment, id, workspaceId } = connection
      const query = { tenant: { workspaceId, environment }, connectionId: id, limit: runsAtMost }
      return { connection, ends: fetchedUntil(yield* reconciliation.list(query)) }
    })
  )
  return lateLines(found, now)
})

/** `ends`: by report, up to where it was fetched. */
export const lateLines = (
  found: ReadonlyArray<{
    readonly connection: Pick<Scheduled, "id" | "reports">
    readonly ends: ReadonlyMap<string, number>
  }>,
  now: number
): ReadonlyArray<CheckLine> => {
  if (found.length === 0) return [ok("reports", "no connection has reports that are fetched on a schedule")]
  const lateSince = now - patienceMillis
  return eachOr(
    found.flatMap(({ connection: { id, reports }, ends }) => {
      const see = `see the log of the servers, or run \`pointsman reconcile fetch --connection ${id} --by <name>\``
      if (ends.size === 0) return [warning("reports", `those of the connection "${id}" were never fetched: ${see}`)]
      return [...ends]
        .filter(([, until]) => until + (reports?.everyMillis ?? 0) < lateSince)
        .map(([report, until]) =>
          warning("reports", `${report} of the connection "${id}" ends ${ageOf(until, now)} ago, and is late: ${see}`)
        )
    }),
    ok("reports", `those of ${counted(found.length, "connection")} are fetched in time`)
  )
}

/** The lease of a connection's reports: one statement takes it, or says whose it is. */
import type { RunLease } from "@pointsman/core"
import type { Row } from "./Columns.ts"

/**
 * It is free for the run that has it already: the same file, read again after its process died. Where that process is
 * alive, it writes no more.
 *
 * Parameters: workspace, environment, connection, holder, end, the lease as JSON, the time now, and the time after which no
 * lease ends. Gives the lease as it is afterwards.
 */
export const takeRunLease = (runIdOf: (data: string) => string): string => {
  const isSameRun = `${runIdOf("held.data")} = ${runIdOf("excluded.data")}`
  const isFree = `${isSameRun} or held.holder = excluded.holder or held.until <= $7::bigint or held.until > $8::bigint`
  const unlessHeld = (column: string) =>
    `${column} = case when ${isFree} then excluded.${column} else held.${column} end`
  return `insert into reconciliation_leases as held
      (workspace_id, environment, connection_id, holder, until, data) values ($1, $2, $3, $4, $5, $6)
    on conflict (workspace_id, environment, connection_id)
    do update set ${["holder", "until", "data"].map(unlessHeld).join(", ")}
    returning holder, until, data`
}

export const leaseData = ({ fileName, runId, since }: Pick<RunLease, "fileName" | "runId" | "since">): string =>
  JSON.stringify({ runId, fileName, since })

export const readRunLease = (row: Row): RunLease => ({
  ...(JSON.parse(row["data"] as string) as Pick<RunLease, "fileName" | "runId" | "since">),
  holder: row["holder"] as string,
  until: Number(row["until"])
})

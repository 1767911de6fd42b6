/** How success rates lie in their table. */
import type { StoredRate } from "@pointsman/core/ports"
import type { Columns, Parts, Row } from "./Columns.ts"

export const makeSuccessRateRows = <V>({ bindText, readTenant, readText }: Parts<V>) => {
  const rateColumns: Columns<StoredRate, V> = {
    workspace_id: ({ tenant }) => bindText(tenant.workspaceId),
    environment: ({ tenant }) => tenant.environment,
    connection_id: ({ connectionId }) => bindText(connectionId),
    segment: ({ segment }) => bindText(segment),
    succeeded: ({ rate }) => rate.succeeded,
    failed: ({ rate }) => rate.failed,
    at: ({ rate }) => rate.at,
    version: ({ version }) => version
  }

  const readRate = (row: Row): StoredRate => ({
    tenant: readTenant(row),
    connectionId: readText(row["connection_id"]),
    segment: readText(row["segment"]),
    rate: { succeeded: row["succeeded"] as number, failed: row["failed"] as number, at: row["at"] as number },
    version: row["version"] as number
  })

  return { rateColumns, readRate }
}

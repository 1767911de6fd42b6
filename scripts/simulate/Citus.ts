/**
 * A cluster of Citus to simulate over, as the tests start or find one. Each thread has a database, which is emptied before a
 * run. Servers of a simulation are at one moment of one clock, and ask the coordinator.
 */
import { PgConnection } from "@effect/sql-pg"
import type { Storage } from "@pointsman/contracts/simulator"
import * as CitusStorage from "@pointsman/storage-citus"
import { Effect, Layer, Redacted } from "effect"
import { tablePlacements } from "../../packages/storage/citus/src/TablePlacement.ts"
import {
  type CitusCluster,
  copyTemplate,
  databaseOn,
  missingCitus,
  openCluster
} from "../../packages/storage/citus/test/support/CitusCluster.ts"

export type DistributedServer = CitusCluster

export const startCluster = async (): Promise<DistributedServer & { readonly stop: () => Promise<void> }> => {
  // The storage was asked for by name.
  process.env["POINTSMAN_CITUS"] ??= "all"
  const missing = missingCitus()
  if (missing !== undefined) throw new Error(`--storage citus: no cluster can start: ${missing}`)
  return openCluster()
}

/** The coordinator's URL of a new database; it stays until the cluster stops. */
export const newDistributed = async (cluster: DistributedServer): Promise<string> =>
  databaseOn(cluster.nodes[0] as string, await copyTemplate(cluster))

const kept = ["pointsman_migrations", "directory_version"]

/** Everything that a run writes. The audit trail refuses to be emptied, but for this. */
const emptying = [
  "alter table audit_entries disable trigger user",
  `truncate ${Object.keys(tablePlacements)
    .filter((table) => !kept.includes(table))
    .join(", ")}`,
  "alter table audit_entries enable trigger user"
]

const empty = (url: Redacted.Redacted) =>
  Effect.scoped(
    Effect.flatMap(PgConnection.make({ url }), (connection) =>
      Effect.forEach(emptying, (statement) => connection.query(statement, [], false), { discard: true })
    )
  )

/** The layer, built anew for each run. */
export const distributedIn = (name: string): Storage => {
  const url = Redacted.make(name)
  return CitusStorage.layer({ url, allowAsyncCommit: true, maxConnections: 6 }).pipe(
    Layer.provide(Layer.effectDiscard(empty(url)))
  )
}

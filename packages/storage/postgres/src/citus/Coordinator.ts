/** The coordinator of a cluster, found by any of its nodes. */
import { StorageError } from "@pointsman/core/ports"
import { Effect, Redacted } from "effect"
import { type Database, open, type PostgresOptions } from "../Database.ts"

const selectCoordinator = `select n.nodename as host, n.nodeport as port, l.groupid = 0 as is_own
  from pg_dist_local_group as l left join pg_dist_node as n on n.groupid = 0 and n.noderole = 'primary'`

/** `db` if it is the coordinator itself; otherwise one connection to the address that the cluster has for it. */
export const coordinatorOf = Effect.fnUntraced(function* (db: Database, options: PostgresOptions) {
  const [row = {}] = yield* db.read("open", selectCoordinator)
  if (row["is_own"] === true) return db
  if (row["host"] == null) {
    const message = "the coordinator has no address in the cluster: run citus_set_coordinator_host on it"
    return yield* new StorageError({ operation: "open", cause: new Error(message) })
  }
  const url = new URL(Redacted.value(options.url))
  const host = String(row["host"])
  // An IPv6 address.
  url.hostname = host.includes(":") ? `[${host}]` : host
  url.port = String(row["port"])
  return yield* open({ ...options, url: Redacted.make(url.href, { label: "database URL" }), maxConnections: 1 })
})

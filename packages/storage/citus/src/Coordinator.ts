/** Databases of a cluster, by any of its nodes; and the coordinator, found by any of them. */
import { StorageError } from "@pointsman/core/ports"
import { type Database, isTakenBack, open, type PostgresOptions } from "@pointsman/storage-postgres/internal"
import { Effect, Redacted } from "effect"

/**
 * An error may be that of another node, which may have committed: a lost connection, a cancelled statement, a shutdown.
 * Only what a statement raises by itself was taken back: bad values, broken constraints, wrong text, a lock time-out, our
 * own.
 */
export const isTakenBackByNode = (fields: { readonly code: string; readonly severityUnlocalized?: string }): boolean =>
  isTakenBack(fields) && /^(?:22|23|42|40001$|55P03$|PM001$)/u.test(fields.code)

/** A function is sent to its node, and a statement to its shard, where the values are known when it is planned. */
const planning = { plan_cache_mode: "force_custom_plan", jit: "off" } as const

export const openNode = (options: PostgresOptions) => open(options, { planning, isTakenBack: isTakenBackByNode })

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
  return yield* openNode({ ...options, url: Redacted.make(url.href, { label: "database URL" }), maxConnections: 1 })
})

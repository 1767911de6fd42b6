/**
 * Which server answers a read that may be old: the standby, where there is one and the caller allows it (`StaleReads`),
 * or the primary. What decides about money never comes here.
 */
import type { Tenant } from "@pointsman/core"
import { StaleReads, StorageError } from "@pointsman/core/ports"
import { eventPrefix, type Sql, type Statement } from "@pointsman/storage-sql"
import { Clock, Effect } from "effect"
import type { Database, Query } from "./Database.ts"
import { readEventId, tenantNumber, type Value } from "./Rows.ts"
import { type Position, readPosition, type Standby } from "./Standby.ts"

export interface Reads {
  /** A list as of one moment. */
  readonly list: Sql<Value>["list"]
  /** No event shows while a smaller id can still be committed, whichever server answers. */
  readonly events: (tenant: Tenant, below: (end: string) => Statement<Value>) => ReturnType<Reads["list"]>
}

/** Below the id nothing can be committed any more, and what is below it is in the log up to the position. */
interface Horizon extends Position {
  readonly end: string
}

/** Tenants whose events are followed through one process; those that were read longest ago are forgotten. */
const maxTenants = 1_000

/** `lists`: the database as lists ask it, which may not have all of its connections. */
export const makeReads = (db: Database, standby: Standby | undefined, lists: Database = db): Reads => {
  const primaryEvents: Reads["events"] = (tenant, below) =>
    Effect.flatMap(horizon(db, tenant), (end) => lists.read("events", ...below(end)))
  if (standby === undefined) return { list: lists.read, events: primaryEvents }

  const horizons = makeHorizons()
  const moments = new WeakMap<StaleReads, number>()
  const allowed = Effect.map(StaleReads, (reads) => (standby.reading().fault === null ? reads : undefined))
  /** Reads on the standby, and notes of which moment that was; fails where that is too old. */
  const readAsOf = Effect.fnUntraced(function* (
    operation: string,
    reads: StaleReads,
    moment: number | undefined,
    rows: ReturnType<Query>
  ) {
    const earlier = moments.get(reads)
    const isTooOld = moment === undefined || performance.now() - moment > standby.maxLagMillis
    if (isTooOld || (earlier !== undefined && moment < earlier)) {
      return yield* new StorageError({ operation, cause: new Error("the standby is too far behind") })
    }
    const found = yield* rows
    if (earlier === undefined) {
      moments.set(reads, moment)
      reads.asOf = Math.floor((yield* Clock.currentTimeMillis) - (performance.now() - moment))
    }
    return found
  })

  return {
    list: Effect.fnUntraced(function* (operation, ...statement) {
      const reads = yield* allowed
      const timeline = standby.positions.latest()?.timeline
      if (reads === undefined || timeline === undefined) return yield* lists.read(operation, ...statement)
      const read = standby.use(operation, timeline, (query, lsn) =>
        readAsOf(operation, reads, standby.positions.momentOf(lsn), query(...statement))
      )
      return yield* Effect.catch(read, () => lists.read(operation, ...statement))
    }),
    events: Effect.fnUntraced(function* (tenant, below) {
      const reads = yield* allowed
      if (reads === undefined) return yield* primaryEvents(tenant, below)
      const at = performance.now()
      const end = yield* horizon(db, tenant)
      // Asked after the horizon: what is below it is in the log by then.
      const newest: Horizon = { ...(yield* readPosition(db)), at, end }
      const read = standby.use("events", newest.timeline, (query, lsn) => {
        const reached = horizons.newestReached(tenant, newest, lsn)
        return readAsOf("events", reads, reached?.at, query(...below(reached?.end ?? "")))
      })
      return yield* Effect.catch(read, () => lists.read("events", ...below(end)))
    })
  }
}

/** Of each tenant, the newest horizon that a standby has reached, and the oldest that it had not. */
const makeHorizons = () => {
  const known = new Map<string, { readonly reached?: Horizon | undefined; readonly ahead?: Horizon | undefined }>()
  return {
    newestReached: ({ environment, workspaceId }: Tenant, newest: Horizon, lsn: bigint): Horizon | undefined => {
      const key = JSON.stringify([workspaceId, environment])
      const { ahead, reached } = known.get(key) ?? {}
      const isReached = (one: Horizon | undefined): one is Horizon =>
        one !== undefined && one.timeline === newest.timeline && one.lsn <= lsn
      const found = [newest, ahead, reached].find(isReached)
      const isWaiting = ahead !== undefined && ahead.timeline === newest.timeline && !isReached(ahead)
      known.delete(key)
      known.set(key, { reached: found, ahead: isWaiting ? ahead : isReached(newest) ? undefined : newest })
      for (const oldest of known.keys()) {
        if (known.size <= maxTenants) break
        known.delete(oldest)
      }
      return found
    }
  }
}

/**
 * The order of event ids is the order in which they show, over all servers that write one database (docs/decisions/0019).
 * A commit announces the smallest id that it may write, by an advisory lock that it holds to its end, before it looks for
 * the greatest one that is stored; then it writes greater ones. A reader looks for the greatest id first, then for
 * announcements, and then reads what is below both. A commit that announces later writes beyond that greatest id; one
 * that has ended by then is in what is read.
 */

/** As in the function `event_ids` of `schema.sql`. Two tenants that share one hold each other's events back for a moment, and no more. */
const selectHorizon = `select (
    select id from events where t = $1 order by id desc limit 1
  ) as newest, (
    select min((classid::bigint & 65535) << 32 | objid::bigint) from pg_locks
    where locktype = 'advisory' and objsubid = 1
      and database = (select oid from pg_database where datname = current_database())
      and classid::bigint >> 16 = ($1::bigint & 65535)
  ) as announced`

/** Only ids that are smaller show. */
const horizon = (db: Database, tenant: Tenant): Effect.Effect<string, StorageError> =>
  Effect.map(db.read("events", selectHorizon, [tenantNumber(tenant)]), ([{ announced, newest } = {}]) => {
    if (newest == null) return ""
    // The smallest text after the newest one.
    const afterNewest = `${readEventId(newest)} `
    if (announced == null) return afterNewest
    const digits = (announced as number).toString(16).padStart(12, "0")
    const first = `${eventPrefix}${digits.slice(0, 8)}-${digits.slice(8)}`
    return first < afterNewest ? first : afterNewest
  })

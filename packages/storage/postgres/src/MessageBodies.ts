/**
 * Bodies of providers' messages, in a table of their own, partitioned by the month in which the message came: a month whose
 * retention is over is dropped as a whole (docs/decisions/0061). What makes a message unique is the key of `messages`, which
 * has no partitions.
 *
 * The rule that a reader would otherwise break: a body is in one place, in `message_bodies` or in the column of its message.
 * In the column are those of undecided messages whose month was dropped. So a read asks both, and what moves a body locks
 * the message first.
 */
import type { StorageError } from "@pointsman/core/ports"
import { decidedMessage, openEndedOutcomes } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Database, type Query, repeatable } from "./Database.ts"
import { aheadMillis, lockPartition, lockTimeout, monthAfter, monthOf } from "./Partitions.ts"

/** A message that contradicts a payment with a review. */
const isUndecidedContradiction = `exists (
    select 1 from tenants as n cross join lateral (
      select 1 from reviews where reviews.t = n.t and payment = messages.payment_id::uuid offset 0
    ) as reviewed where n.workspace_id = messages.workspace_id and n.environment = messages.environment
  )`
export const isDecidedMessage = decidedMessage(isUndecidedContradiction)

export const isBodyOf = (
  message: string
) => `b.workspace_id = ${message}.workspace_id and b.environment = ${message}.environment
  and b.received_at = ${message}.received_at and b.connection_id = ${message}.connection_id
  and b.event_hash = ${message}.event_hash`

/**
 * Of a row of `messages`, with the place of its body: one lookup in one partition. As a join, PostgreSQL might read all
 * bodies for it, without statistics.
 */
export const withBody = (message: string) => `left join lateral (
    select body, is_sealed from message_bodies as b where ${isBodyOf(message)} offset 0
  ) as b on true`

const placeOfBody = "received_at, connection_id, event_hash"

/** `keys`: a part of the statement with the places of bodies of the tenant. The bounds say which partitions are looked at. */
export const deleteBodies = (keys: string, table = "message_bodies") => `delete from ${table} as b
    where b.workspace_id = $1 and b.environment = $2
      and b.received_at >= (select min(received_at) from ${keys}) and b.received_at <= (select max(received_at) from ${keys})
      and b.received_at = any(array(select received_at from ${keys}))
      and (b.received_at, b.connection_id, b.event_hash) in (select ${placeOfBody} from ${keys})`

/** Bodies of the tenant that were received before `before` and are of decided messages, oldest first. */
export const decidedBodies = (before: string, table = "message_bodies") => `from ${table} as b cross join lateral (
    select 1 as one from messages where ${isBodyOf("messages")} and ${isDecidedMessage} offset 0
  ) as decided where b.workspace_id = $1 and b.environment = $2 and b.received_at < ${before} order by b.received_at`

export const pruneDecided = (table: string) => `pruned as materialized (
    select b.received_at, b.connection_id, b.event_hash ${decidedBodies("$3", table)} limit $4
  ), deleted as (${deleteBodies("pruned", table)} returning 1 as one)`

interface Partition {
  readonly name: string
  /** Epoch milliseconds: from `begin` on, and before `end`. */
  readonly begin: number
  readonly end: number
}

/** By their ends. The default partition has none. */
const selectPartitions = `select name, bound[1]::bigint as begin, bound[2]::bigint as end from (
    select c.relname::text as name,
      regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM \\(''?(\\d+)''?\\) TO \\(''?(\\d+)''?\\)') as bound
    from pg_inherits join pg_class as c on c.oid = inhrelid where inhparent = 'message_bodies'::regclass
  ) as partitions where bound is not null order by bound[2]::bigint`

const partitionsOf = (db: Database): Effect.Effect<ReadonlyArray<Partition>, StorageError> =>
  Effect.map(db.read("upkeep", selectPartitions), (found) =>
    found.map((row) => ({ name: row["name"] as string, begin: row["begin"] as number, end: row["end"] as number }))
  )

/** Makes the partitions from this month up to two months from now, each with what the default partition holds of them. */
export const makeBodyPartitions = Effect.fnUntraced(function* (db: Database, now: number) {
  let last = (yield* partitionsOf(db)).at(-1)?.end ?? monthOf(now)
  while (last < now + aheadMillis) {
    // After months without a server, the missing ones are one partition.
    const range = { begin: last, end: monthAfter(Math.max(last, now)) }
    yield* repeatable(db, "upkeep", (query) => makePartition(query, range))
    last = range.end
  }
})

const makePartition = Effect.fnUntraced(function* (query: Query, { begin, end }: Omit<Partition, "name">) {
  const name = `message_bodies_${begin}`
  yield* query(lockTimeout)
  yield* query("lock table message_bodies_default in access exclusive mode")
  yield* query(`create table ${name} (like message_bodies including defaults including constraints including indexes)`)
  yield* query(`with moved as (
      delete from message_bodies_default where received_at >= ${begin} and received_at < ${end} returning *
    ) insert into ${name} select * from moved`)
  yield* query(`alter table message_bodies attach partition ${name} for values from (${begin}) to (${end})`)
})

/**
 * Drops the partitions that hold nothing but what is older and over; gives about how many bodies they held. One that is
 * busy is tried again with the next upkeep, and does not keep the later ones.
 */
export const dropBodyPartitions = Effect.fnUntraced(function* (db: Database, before: number) {
  let dropped = 0
  for (const partition of yield* partitionsOf(db)) {
    if (partition.end > before) break
    dropped += yield* Effect.catchTag(dropDecided(db, partition), "pointsman/StorageError", (error) =>
      Effect.as(Effect.logWarning(`the partition ${partition.name} is dropped with the next sweep`, error), 0)
    )
  }
  return dropped
})

const dropDecided = Effect.fnUntraced(function* (db: Database, partition: Partition) {
  yield* keepUndecided(db, partition)
  return yield* repeatable(db, "upkeep", (query) => dropPartition(query, partition))
})

/** Messages that were received in a partition's time and may still need their bodies, by the index of outcomes. */
const undecided = ({ begin, end }: Partition) => `from messages
    where outcome in (${openEndedOutcomes.map((outcome) => `'${outcome}'`).join(", ")})
      and received_at >= ${begin} and received_at < ${end} and (outcome <> 'contradicts' or ${isUndecidedContradiction})`

/** Of one transaction: bodies of a megabyte take some hundred milliseconds. */
const keptAtOnce = 50

/** Moves their bodies to the column of their messages. Erasures and decisions lock the message first, too. */
const keepUndecided = Effect.fnUntraced(function* (db: Database, partition: Partition) {
  const statement = `with undecided as materialized (
      select workspace_id, environment, ${placeOfBody} ${undecided(partition)} and exists (
        select 1 from ${partition.name} as b where ${isBodyOf("messages")}
      ) limit ${keptAtOnce} for update of messages skip locked
    ), moved as (
      delete from ${partition.name} as b using undecided where ${isBodyOf("undecided")} returning b.*
    )
    update messages as m set body = b.body, is_sealed = b.is_sealed from moved as b where ${isBodyOf("m")}
    returning 1 as one`
  while ((yield* db.update("upkeep", statement)).length === keptAtOnce) yield* Effect.yieldNow
})

const dropPartition = Effect.fnUntraced(function* (query: Query, partition: Partition) {
  const { name } = partition
  yield* query(lockTimeout)
  const isNeeded = Effect.map(
    query(
      `select 1 as one ${undecided(partition)} and exists (select 1 from ${name} as b where ${isBodyOf("messages")}) limit 1`
    ),
    (found) => found.length > 0
  )
  if (yield* isNeeded) return 0
  yield* lockPartition(query, "message_bodies", name)
  // A message that was locked, or whose review began since, keeps the month until the next upkeep.
  if (yield* isNeeded) return 0
  // PostgreSQL's own estimate: to count the rows would read the month. It is -1 where nothing has analyzed the table.
  const [held] = yield* query(
    `select greatest(reltuples, 0)::bigint as count from pg_class where oid = '${name}'::regclass`
  )
  yield* query(`drop table ${name}`)
  return Number(held?.["count"])
})

/**
 * Deliveries and their attempts, partitioned by the month in which they were written: a partition whose retention is over
 * is dropped as a whole (docs/decisions/0044). A delivery's id begins with its time, so the ids are the bounds, and a key finds its partition.
 *
 * The rule that a reader would otherwise break: a delivery without a partition would fail the commit of its payment. The
 * default partition takes it, and the partition that is made later takes it from there.
 */
import type { StorageError } from "@pointsman/core/ports"
import { deliveryIdsBefore, deliveryIdsFrom } from "@pointsman/storage-sql"
import { DateTime, Effect } from "effect"
import { type Database, type Query, repeatable } from "./Database.ts"

/** The partitioned tables, and the column with a delivery's id. */
const tables = { deliveries: "id", delivery_attempts: "delivery_id" } as const
type Table = keyof typeof tables
const names = Object.keys(tables) as ReadonlyArray<Table>

interface Partition {
  readonly name: string
  /** In front of the first id that it does not hold. */
  readonly end: string
}

/** By their ends. The default partition has none. */
const selectPartitions = `select name, bound as end from (
    select c.relname::text as name, substring(pg_get_expr(c.relpartbound, c.oid) from 'TO \\(''([^'']*)''\\)') as bound
    from pg_inherits join pg_class as c on c.oid = inhrelid where inhparent = 'deliveries'::regclass
  ) as partitions where bound is not null order by bound`

const partitionsOf = (db: Database): Effect.Effect<ReadonlyArray<Partition>, StorageError> =>
  Effect.map(db.read("upkeep", selectPartitions), (found) =>
    found.map((row) => ({ name: row["name"] as string, end: row["end"] as string }))
  )

/** A lock that is not had at once is asked for again at the next upkeep: who waits behind it waits for this long at most. */
export const lockTimeout = "set local lock_timeout = '500ms'"

/** Partitions are there for this long ahead, in milliseconds: as long may no server run its background. */
export const aheadMillis = 62 * 24 * 60 * 60_000

/** `dlv_01234567-89ab`: the milliseconds are twelve hexadecimal digits. */
const millisOf = (bound: string): number => Number.parseInt(bound.slice("dlv_".length).replace("-", ""), 16)

const startOfMonth = (epochMillis: number) => DateTime.startOf(DateTime.makeUnsafe(epochMillis), "month")

/** When the month began, in epoch milliseconds and UTC. */
export const monthOf = (epochMillis: number): number => DateTime.toEpochMillis(startOfMonth(epochMillis))

export const monthAfter = (epochMillis: number): number =>
  DateTime.toEpochMillis(DateTime.add(startOfMonth(epochMillis), { months: 1 }))

/** Makes the partitions from this month up to two months from now, each with what the default partition holds of its months. */
export const makePartitions = Effect.fnUntraced(function* (db: Database, now: number) {
  let last = (yield* partitionsOf(db)).at(-1)?.end ?? deliveryIdsFrom(monthOf(now))
  while (last < deliveryIdsFrom(now + aheadMillis)) {
    // After months without a server, the missing ones are one partition.
    const range: Range = { begin: last, end: deliveryIdsFrom(monthAfter(Math.max(millisOf(last), now))) }
    yield* repeatable(db, "upkeep", (query) => makePartition(query, range))
    last = range.end
  }
})

/** Ids from `begin` on, and smaller than `end`. */
interface Range {
  readonly begin: string
  readonly end: string
}

const makePartition = Effect.fnUntraced(function* (query: Query, { begin, end }: Range) {
  yield* query(lockTimeout)
  for (const table of names) {
    const column = tables[table]
    const name = `${table}_${begin.slice("dlv_".length).replace("-", "")}`
    const isWithin = `${column} >= '${begin}' and ${column} < '${end}'`
    yield* query(`lock table ${table}_default in access exclusive mode`)
    yield* query(`create table ${name} (like ${table} including defaults including constraints including indexes)`)
    yield* query(`with moved as (
        delete from ${table}_default where ${isWithin} returning *
      ) insert into ${name} select * from moved`)
    yield* query(`alter table ${table} attach partition ${name} for values from ( '${begin}' ) to ( '${end}' )`)
  }
})

/**
 * Drops the partitions that hold nothing but what is older and over; gives about how many deliveries they held. One that
 * is busy is tried again with the next upkeep, and does not keep the later ones.
 */
export const dropPartitions = Effect.fnUntraced(function* (db: Database, before: number) {
  let dropped = 0
  for (const { end, name } of yield* partitionsOf(db)) {
    // Also of a delivery whose id was drawn some time before or after its creation.
    if (deliveryIdsBefore(millisOf(end)) > deliveryIdsFrom(before)) break
    dropped += yield* Effect.catchTag(
      repeatable(db, "upkeep", (query) => dropPartition(query, name)),
      "pointsman/StorageError",
      (error) => Effect.as(Effect.logWarning(`the partition ${name} is dropped with the next sweep`, error), 0)
    )
  }
  return dropped
})

/** The table first, like every statement about all of its partitions: in the other order the two would wait for each other. */
export const lockPartition = Effect.fnUntraced(function* (query: Query, table: string, partition: string) {
  yield* query(`lock table only ${table} in access exclusive mode`)
  yield* query(`lock table ${partition} in access exclusive mode`)
})

const dropPartition = Effect.fnUntraced(function* (query: Query, name: string) {
  yield* query(lockTimeout)
  // A delivery that is due or being sent has a time; the index `deliveries_due` holds no others.
  const isOpen = Effect.map(
    query(`select 1 as one from ${name} where due_at is not null limit 1`),
    (found) => found.length > 0
  )
  if (yield* isOpen) return 0
  yield* lockPartition(query, "deliveries", name)
  // One that has ended may have been asked for again before the lock.
  if (yield* isOpen) return 0
  // PostgreSQL's own estimate: to count the rows would read the month. It is -1 where nothing has analyzed the table.
  const [held] = yield* query(
    `select greatest(reltuples, 0)::bigint as count from pg_class where oid = '${name}'::regclass`
  )
  yield* query(`drop table ${name}`)
  yield* query(`drop table ${name.replace("deliveries", "delivery_attempts")}`)
  return Number(held?.["count"])
})

/**
 * Tables that are partitioned by month: a partition whose retention is over is dropped as a whole (docs/decisions/0044). A
 * row without a partition goes to the default one, from which a partition that is made later takes it.
 */
import type { StorageError } from "@pointsman/core/ports"
import { deliveryIdsBefore, deliveryIdsFrom, repeatable } from "@pointsman/storage-sql"
import { DateTime, Effect } from "effect"
import type { Database, Query } from "./Database.ts"

export interface Partition {
  readonly name: string
  /** Epoch milliseconds: from `begin` on, and before `end`. */
  readonly begin: number
  readonly end: number
}

export interface Months {
  /** The tables with the same months, each with the column of its bounds. The first one says what is open. */
  readonly tables: Readonly<Record<string, string>>
  readonly boundOf: (epochMillis: number) => string
  readonly isOver: (end: number, before: number) => boolean
  /** Selects a row where something of the partition is not over. */
  readonly selectOpen: (partition: Partition) => string
  /** Runs before a partition is dropped. */
  readonly clear: (db: Database, partition: Partition) => Effect.Effect<void, StorageError>
}

/** A delivery's id begins with its time, so the ids are the bounds, and a key finds its partition. */
export const deliveryMonths: Months = {
  tables: { deliveries: "id", delivery_attempts: "delivery_id" },
  boundOf: deliveryIdsFrom,
  // Also of a delivery whose id was drawn some time before or after its creation.
  isOver: (end, before) => deliveryIdsBefore(end) <= deliveryIdsFrom(before),
  // A delivery that is due or being sent has a time; the index `deliveries_due` holds no others.
  selectOpen: ({ name }) => `select 1 as one from ${name} where due_at is not null limit 1`,
  clear: () => Effect.void
}

const selectPartitions = `select c.relname::text as name from pg_inherits join pg_class as c on c.oid = inhrelid
  where inhparent = $1::text::regclass`

/** By their names, which end with their bounds; that of the default partition does not. */
const partitionsOf = (db: Database, { tables }: Months): Effect.Effect<ReadonlyArray<Partition>, StorageError> =>
  Effect.map(db.read("upkeep", selectPartitions, [Object.keys(tables)[0] as string]), (found) =>
    found
      .flatMap(({ name }) => {
        const [, begin, end] = /_(\d+)_(\d+)$/u.exec(String(name)) ?? []
        return end === undefined ? [] : [{ name: String(name), begin: Number(begin), end: Number(end) }]
      })
      .sort((a, b) => a.end - b.end)
  )

/** A lock that is not had at once is asked for again at the next upkeep: who waits behind it waits for this long at most. */
const lockTimeout = "set local lock_timeout = '500ms'"

/** Partitions are there for this long ahead, in milliseconds: as long may no server run its background. */
const aheadMillis = 62 * 24 * 60 * 60_000

/** When the month began, in UTC. */
const startOfMonth = (epochMillis: number) => DateTime.startOf(DateTime.makeUnsafe(epochMillis), "month")

/** Makes the partitions from this month up to two months from now, each with what the default partition holds of its months. */
export const makePartitions = Effect.fnUntraced(function* (db: Database, months: Months, now: number) {
  let begin = (yield* partitionsOf(db, months)).at(-1)?.end ?? DateTime.toEpochMillis(startOfMonth(now))
  while (begin < now + aheadMillis) {
    // After months without a server, the missing ones are one partition.
    const end = DateTime.toEpochMillis(DateTime.add(startOfMonth(Math.max(begin, now)), { months: 1 }))
    yield* repeatable(db, "upkeep", (query) => makePartition(query, months, { begin, end }))
    begin = end
  }
})

const makePartition = Effect.fnUntraced(function* (
  query: Query,
  { boundOf, tables }: Months,
  { begin, end }: Omit<Partition, "name">
) {
  const first = `'${boundOf(begin)}'`
  const last = `'${boundOf(end)}'`
  yield* query(lockTimeout)
  for (const [table, column] of Object.entries(tables)) {
    const name = `${table}_${begin}_${end}`
    yield* query(`lock table ${table}_default in access exclusive mode`)
    yield* query(`create table ${name} (like ${table} including defaults including constraints including indexes)`)
    yield* query(`with moved as (
        delete from ${table}_default where ${column} >= ${first} and ${column} < ${last} returning *
      ) insert into ${name} select * from moved`)
    yield* query(`alter table ${table} attach partition ${name} for values from (${first}) to (${last})`)
  }
})

/** Gives about how many rows they held. One that is busy is tried again with the next upkeep, and keeps no other. */
export const dropPartitions = Effect.fnUntraced(function* (db: Database, months: Months, before: number) {
  let dropped = 0
  for (const partition of yield* partitionsOf(db, months)) {
    if (!months.isOver(partition.end, before)) break
    dropped += yield* months.clear(db, partition).pipe(
      Effect.andThen(repeatable(db, "upkeep", (query) => dropPartition(query, months, partition))),
      Effect.catchTag("pointsman/StorageError", (error) =>
        Effect.as(Effect.logWarning(`the partition ${partition.name} is dropped with the next sweep`, error), 0)
      )
    )
  }
  return dropped
})

const dropPartition = Effect.fnUntraced(function* (query: Query, { selectOpen, tables }: Months, partition: Partition) {
  const { name } = partition
  const [table = "", ...others] = Object.keys(tables)
  yield* query(lockTimeout)
  const isOpen = Effect.map(query(selectOpen(partition)), (found) => found.length > 0)
  if (yield* isOpen) return 0
  // The table first, like every statement about all of its partitions: in the other order the two would wait for each other.
  yield* query(`lock table only ${table} in access exclusive mode`)
  yield* query(`lock table ${name} in access exclusive mode`)
  // What was over may be open again since: a delivery that was asked for, a message that was locked.
  if (yield* isOpen) return 0
  // PostgreSQL's own estimate: to count the rows would read the month. It is -1 where nothing has analyzed the table.
  const [held] = yield* query(
    `select greatest(reltuples, 0)::bigint as count from pg_class where oid = '${name}'::regclass`
  )
  for (const one of [table, ...others]) yield* query(`drop table ${name.replace(table, one)}`)
  return Number(held?.["count"])
})

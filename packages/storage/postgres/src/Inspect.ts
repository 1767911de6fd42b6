/** What a database is, without opening it as a storage. It only reads. */
import type { StandbyReading, StorageError } from "@pointsman/core/ports"
import { Clock, Effect } from "effect"
import { type Durability, readDurability } from "./Condition.ts"
import { inRealTime } from "./ConnectionMode.ts"
import { type Database, open, type PostgresOptions } from "./Database.ts"
import { newest, schemaOf } from "./Migrations.ts"
import { openStandby, type StandbyOptions } from "./Standby.ts"

export interface Inspection {
  /** The number of its schema; `null` if it has none of our schemas. */
  readonly schema: number | null
  /** That of this version. */
  readonly newest: number
  /** How far the database's clock is ahead of this process's, in milliseconds, to within half a round trip. */
  readonly clockAheadMillis: number
  /** Whether what it acknowledges survives a crash. */
  readonly durability: Durability
  /** Whether `readUrl` may be read; `null` without one. */
  readonly standby: StandbyReading | null
}

/** Fails where the database cannot be reached. */
export const inspect = (options: PostgresOptions & StandbyOptions): Effect.Effect<Inspection, StorageError> =>
  Effect.gen(function* () {
    const db = yield* open({ ...options, maxConnections: 1 })
    const schema = yield* schemaOf(db)
    const durability = yield* readDurability(db)
    const before = yield* Clock.currentTimeMillis
    const [row] = yield* db.read("open", "select (extract(epoch from clock_timestamp()) * 1000)::bigint as now")
    const after = yield* Clock.currentTimeMillis
    const clockAheadMillis = Math.round(Number(row?.["now"]) - (before + after) / 2)
    const standby =
      options.readUrl === undefined ? null : yield* settledReading(db, { ...options, readUrl: options.readUrl })
    return { schema, newest, durability, clockAheadMillis, standby }
  }).pipe(Effect.scoped)

/** A standby that follows has what the primary had at the first look by the second one. */
const settleMillis = 1_500

const settledReading = Effect.fnUntraced(function* (db: Database, options: Parameters<typeof openStandby>[1]) {
  const { reading } = yield* openStandby(db, options)
  if (reading().fault !== null) yield* inRealTime(Effect.sleep(settleMillis))
  return reading()
})

/** What a database is, without opening it as a storage. It only reads. */
import type { StorageError } from "@pointsman/core/ports"
import { Clock, Effect } from "effect"
import { type Durability, readDurability } from "./Condition.ts"
import { open, type PostgresOptions } from "./Database.ts"
import { newest, schemaOf } from "./Migrations.ts"

export interface Inspection {
  /** The number of its schema; `null` if it has none of our schemas. */
  readonly schema: number | null
  /** That of this version. */
  readonly newest: number
  /** The schema of the oldest version whose servers may run on it; `null` as above. */
  readonly oldest: number | null
  /** How far the database's clock is ahead of this process's, in milliseconds, to within half a round trip. */
  readonly clockAheadMillis: number
  /** Whether what it acknowledges survives a crash. */
  readonly durability: Durability
}

/** Fails where the database cannot be reached. */
export const inspect = (options: PostgresOptions): Effect.Effect<Inspection, StorageError> =>
  Effect.gen(function* () {
    const db = yield* open({ ...options, maxConnections: 1 })
    const schema = yield* schemaOf(db)
    const durability = yield* readDurability(db)
    const before = yield* Clock.currentTimeMillis
    const [row] = yield* db.read("open", "select (extract(epoch from clock_timestamp()) * 1000)::bigint as now")
    const after = yield* Clock.currentTimeMillis
    const clockAheadMillis = Math.round(Number(row?.["now"]) - (before + after) / 2)
    return { schema: schema?.id ?? null, oldest: schema?.oldest ?? null, newest, durability, clockAheadMillis }
  }).pipe(Effect.scoped)

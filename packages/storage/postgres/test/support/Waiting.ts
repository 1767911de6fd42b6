/** What tests wait for; and statements that wait for each other, seen from a connection beside them. */
import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { inRealTime } from "../../src/ConnectionMode.ts"

export const clientOf = (url: Redacted.Redacted, maxConnections: number) =>
  PgClient.make({ url, maxConnections }).pipe(Effect.provide(Reactivity.layer))

/** For what never comes: a busy machine takes many times as long as a quiet one. */
const atMostMillis = 100_000

/** Looked at in real time, whatever clock the test has. A failure is no answer. */
export const until = <E, R>(what: string, isSo: Effect.Effect<boolean, E, R>, everyMillis = 10) =>
  Effect.gen(function* () {
    for (let turn = 0; turn < atMostMillis / everyMillis; turn++) {
      if (yield* Effect.orElseSucceed(isSo, () => false)) return
      yield* inRealTime(Effect.sleep(everyMillis))
    }
    throw new Error(`not within ${atMostMillis / 1_000} seconds: ${what}`)
  })

/** For statements that wait for a lock of the test, until all of them do. */
export const patient = { lockTimeoutMillis: atMostMillis, statementTimeoutMillis: atMostMillis } as const

/** Until so many statements wait for a row, or for who waits for it. */
export const untilWaiting = (sql: PgClient.PgClient, count: number) =>
  until(
    `${count} statements wait`,
    Effect.map(
      sql<{ waiters: number }>`select count(*)::integer as waiters from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
      ([row]) => row?.waiters === count
    )
  )

/**
 * How long writers wait for the lock of a table, as PostgreSQL says, from now until the scope is closed. The time of a whole
 * statement also holds what a busy machine adds to it.
 */
export const watchLockWaits = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  let longest = 0
  const look = Effect.gen(function* () {
    // A migration asks for locks of other modes.
    const [row] = yield* sql<{ millis: number }>`
      select coalesce(max(extract(epoch from clock_timestamp() - waitstart)) * 1000, 0)::float8 as millis
      from pg_locks join pg_database on pg_database.oid = pg_locks.database
      where datname = current_database() and locktype = 'relation' and not granted
        and mode in ('AccessShareLock', 'RowExclusiveLock')`
    longest = Math.max(longest, row?.millis ?? 0)
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep("20 millis"))))
  return { longestMillis: () => longest }
})

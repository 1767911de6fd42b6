/** Statements that wait for each other, seen from a connection beside them. */
import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"

export const clientOf = (url: Redacted.Redacted, maxConnections: number) =>
  PgClient.make({ url, maxConnections }).pipe(Effect.provide(Reactivity.layer))

/** Until so many statements wait for a row, or for who waits for it. */
export const untilWaiting = (sql: PgClient.PgClient, count: number) =>
  Effect.gen(function* () {
    for (let turn = 0; turn < 1_000; turn++) {
      const [row] = yield* sql<{ waiters: number }>`select count(*)::integer as waiters from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`
      if (row?.waiters === count) return
      yield* Effect.sleep("10 millis")
    }
    throw new Error("they do not wait")
  })

/** What every session of the storage is set to, with the start of its connection or by its first statement. */
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"

export type SessionSettings = Readonly<Record<string, string>>

/** The pool, whose sessions run under the settings before anything else runs on them. */
export const withSettings = (pool: PgPool.PgPool, settings: SessionSettings): PgPool.PgPool => {
  const names = Object.keys(settings)
  const select = `select ${names.map((name, index) => `set_config('${name}', $${index + 1}, false)`).join(", ")}`
  const values = Object.values(settings)
  const set = new WeakSet<PgConnection.PgConnection>()
  const settle = (connection: PgConnection.PgConnection): Effect.Effect<void, SqlError> =>
    set.has(connection)
      ? Effect.void
      : Effect.map(connection.query(select, values, false), () => {
          set.add(connection)
        })
  const get = Effect.tap(pool.get, settle)
  return {
    ...pool,
    get,
    reserve: Effect.flatMap(get, (connection) => connection.pin),
    use: (use) => pool.use((connection) => Effect.flatMap(settle(connection), () => use(connection)))
  }
}

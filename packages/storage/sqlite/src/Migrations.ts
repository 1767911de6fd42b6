/**
 * The schema as numbered steps, of which a file is given those that it lacks. The first one is `schema.sql`. Until a first
 * release, a change of the schema is a change of that file; from then on it is a further step, because released steps stay
 * as they are.
 */
import { StorageError } from "@pointsman/core/ports"
import { newestOf, runSteps, type Step } from "@pointsman/storage-sql"
import { Effect } from "effect"
import * as Client from "effect/sql/SqlClient"
import type { Database } from "./Database.ts"
import { schema } from "./Schema.ts"
import { make as makeSqlClient } from "./SqlClient.ts"

/** Several statements at once, which only a raw execution runs (see `SqlClient.ts`). */
const script = (text: string): Step => Effect.flatMap(Client.SqlClient, (sql) => sql.unsafe(text).raw)

export const steps: Readonly<Record<string, Step>> = {
  "1_baseline": script(schema)
}

/** The number of the last step. */
export const newest = newestOf(steps)

/**
 * Brings the schema up to date; gives the steps that it ran. It runs without giving up the thread (see
 * `Database.ts`), so openers within a process follow one another; those of several processes wait for the lock.
 * `of`: other steps than those of this release, for tests of the migrator.
 */
export const migrate = Effect.fnUntraced(function* (db: Database, of = steps) {
  const client = yield* makeSqlClient(db)
  const context = yield* Effect.context<never>()
  const exit = Effect.runSyncExitWith(context)(Effect.provideService(runSteps(of, "file"), Client.SqlClient, client))
  return yield* Effect.mapError(exit, (cause) => new StorageError({ operation: "migrate", cause }))
})

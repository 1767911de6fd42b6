/** SQLite for the services that all databases share: a transaction has the file for itself, and does not pause. */
import { createHash } from "node:crypto"
import type { SQLInputValue } from "node:sqlite"
import { oneByOne, type Query, type Sql } from "@pointsman/storage-sql"
import { Cause, Effect, Exit, Result } from "effect"
import { type Database, failure, read, transaction, update } from "./Database.ts"
import { rows } from "./Rows.ts"

/** What a body refused with, thrown so that its transaction is undone. */
class Undone<E> {
  readonly error: E
  constructor(error: E) {
    this.error = error
  }
}

export const sqlOf = (db: Database): Sql<SQLInputValue> => {
  const query: Query<SQLInputValue> = (text, values = []) =>
    Effect.sync(() => (text === "" ? [] : db.prepare(text).all(...values)))
  const ask: Sql<SQLInputValue>["read"] = (operation, text, values = []) =>
    read(operation, () => db.prepare(text).all(...values))
  return {
    rows,
    read: ask,
    list: ask,
    update: (operation, text, values = []) => update(db, operation, () => db.prepare(text).all(...values)),
    transaction: <A, E>(operation: string, body: (query: Query<SQLInputValue>) => Effect.Effect<A, E>) =>
      Effect.withFiber((fiber) => {
        const done = transaction(db, () => {
          const exit = Effect.runSyncExitWith(fiber.context)(body(query))
          if (Exit.isSuccess(exit)) return exit.value
          const refused = Cause.findError(exit.cause)
          throw Result.isSuccess(refused) ? new Undone(refused.success) : Cause.squash(exit.cause)
        })
        if (Result.isSuccess(done)) return Effect.succeed(done.success)
        const { cause } = done.failure
        return cause instanceof Undone ? Effect.fail(cause.error) : Effect.fail(failure(operation, done.failure))
      }),
    ...oneByOne(),
    locking: () => "",
    by: (table, index) => `${table} indexed by ${index}`,
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
    isSame: (column, value) => `${column} = ${value}`
  }
}

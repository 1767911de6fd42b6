/** SQLite for the services that all databases share: a transaction has the file for itself, and does not pause. */
import { createHash } from "node:crypto"
import type { SQLInputValue } from "node:sqlite"
import { makeSuccessRates, oneByOne, type Query, type Row, type Sql } from "@pointsman/storage-sql"
import { Cause, Effect, Exit, Result } from "effect"
import { tenantOf } from "./Books.ts"
import { type Database, numbered, read, transaction, update } from "./Database.ts"
import { keys, rows, tenantHash } from "./Rows.ts"
import type { Search } from "./SearchThread.ts"

export type Value = SQLInputValue

/** What a body refused with, thrown so that its transaction is undone. */
class Undone<E> {
  readonly error: E
  constructor(error: E) {
    this.error = error
  }
}

/** `search`: another way to ask, beside this thread. */
export const sqlOf = (db: Database, search?: Search): Sql<Value> => {
  const all = (text: string, values: ReadonlyArray<Value> = []): ReadonlyArray<Row> => db.prepare(text).all(...values)
  const query: Query<Value> = (text, values) => Effect.sync(() => (text === "" ? [] : all(text, values)))
  const ask: Sql<Value>["read"] = (operation, text, values) => read(operation, () => all(text, values))
  return {
    rows,
    keys,
    bindOwner: tenantHash,
    withOwner: (part) => part,
    readOwner: (row) => tenantOf(db, row),
    read: ask,
    list: ask,
    search: search === undefined ? ask : (_, text, values = []) => search(numbered(text), values),
    update: (operation, text, values) => update(db, operation, () => all(text, values)),
    transaction: <A, E>(operation: string, body: (query: Query<Value>) => Effect.Effect<A, E>) =>
      Effect.withFiber((fiber) => {
        const done = transaction(db, operation, () => {
          const exit = Effect.runSyncExitWith(fiber.context)(body(query))
          if (Exit.isSuccess(exit)) return exit.value
          const refused = Cause.findError(exit.cause)
          throw Result.isSuccess(refused) ? new Undone(refused.success) : Cause.squash(exit.cause)
        })
        if (Result.isSuccess(done)) return Effect.succeed(done.success)
        const { cause } = done.failure
        return cause instanceof Undone ? Effect.fail(cause.error) : Effect.fail(done.failure)
      }),
    ...oneByOne(),
    locking: () => "",
    by: (table, index) => `${table} indexed by ${index}`,
    sha256: (text) => createHash("sha256").update(text).digest("hex"),
    isSame: (column, value) => `${column} = ${value}`
  }
}

const deleteOld = "delete from success_rates indexed by success_rates_by_time where at < $1 returning 1 as one"

export const makeRates = (sql: Sql<Value>) => makeSuccessRates(sql, deleteOld)

/** SQLite for the services that all databases share: a transaction has the file for itself, and does not pause. */
import { createHash } from "node:crypto"
import type { SQLInputValue } from "node:sqlite"
import type { Tenant } from "@pointsman/core"
import { type Bound, oneByOne, type Query, type Row, type Sql } from "@pointsman/storage-sql"
import { Cause, Effect, Exit, Result } from "effect"
import { type Database, numbered, read, transaction, update } from "./Database.ts"
import { keys, tenantsOf } from "./Keys.ts"
import { rows } from "./Rows.ts"
import type { Search } from "./SearchThread.ts"

/** The number of a tenant, which is looked up where the statement runs. */
class OfTenant {
  readonly tenant: Tenant
  constructor(tenant: Tenant) {
    this.tenant = tenant
  }
}

export type Value = SQLInputValue | OfTenant

/** What a body refused with, thrown so that its transaction is undone. */
class Undone<E> {
  readonly error: E
  constructor(error: E) {
    this.error = error
  }
}

/** `search`: another way to ask, beside this thread. */
export const sqlOf = (db: Database, search?: Search): Sql<Value> => {
  const tenants = tenantsOf(db)
  const bound = (values: ReadonlyArray<Bound<Value>>) =>
    values.map((value) => (value instanceof OfTenant ? tenants.find(value.tenant) : value))
  const all = (text: string, values: ReadonlyArray<Bound<Value>> = []): ReadonlyArray<Row> =>
    db.prepare(text).all(...bound(values))
  const query: Query<Value> = (text, values) => Effect.sync(() => (text === "" ? [] : all(text, values)))
  const ask: Sql<Value>["read"] = (operation, text, values) => read(operation, () => all(text, values))
  return {
    rows,
    keys,
    bindOwner: (tenant) => new OfTenant(tenant),
    withOwner: (part) => part,
    readOwner: (row) => tenants.read(row["t"]),
    read: ask,
    list: ask,
    search:
      search === undefined
        ? ask
        : (operation, text, values = []) =>
            Effect.flatMap(
              read(operation, () => bound(values)),
              (those) => search(numbered(text), those)
            ),
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

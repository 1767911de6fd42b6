/**
 * Effect's `SqlClient` over our connection, for the migrations, which are its only user: payments are read and
 * written by prepared statements directly.
 */
import type { SQLInputValue } from "node:sqlite"
import { Effect, Semaphore, Stream } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Client from "effect/sql/SqlClient"
import type { Connection } from "effect/sql/SqlConnection"
import { classifySqliteError, SqlError } from "effect/sql/SqlError"
import * as Statement from "effect/sql/Statement"
import type { Database } from "./Database.ts"

export const make = (db: Database): Effect.Effect<Client.SqlClient> =>
  Client.make({
    ...Client.makeSqliteAcquirers({
      connection: Effect.succeed(connection(db)),
      semaphore: Semaphore.makeUnsafe(1),
      isTransaction: db.isTransaction
    }),
    compiler: Statement.makeCompilerSqlite(),
    driver: "node-sqlite",
    beginTransaction: "BEGIN IMMEDIATE",
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`,
    spanAttributes: [["db.system.name", "sqlite"]]
  }).pipe(Effect.provide(Reactivity.layer))

const connection = (db: Database): Connection => {
  const rows = (
    sql: string,
    params: ReadonlyArray<unknown>
  ): Effect.Effect<ReadonlyArray<Record<string, unknown>>, SqlError> =>
    Effect.try({
      try: () => db.prepare(sql).all(...params.map(bind)),
      catch: failure
    })
  const values = (sql: string, params: ReadonlyArray<unknown>) =>
    Effect.map(rows(sql, params), (all) => all.map((row) => Object.values(row)))
  const execute: Connection["execute"] = (sql, params, transform) =>
    Effect.map(rows(sql, params), (all) => (transform === undefined ? all : transform(all)))
  return {
    execute,
    executeUnprepared: execute,
    // Without parameters, several statements: the schema is one text.
    executeRaw: (sql, params) =>
      params.length > 0 ? rows(sql, params) : Effect.try({ try: () => db.exec(sql), catch: failure }),
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (sql, params, transform) =>
      Stream.unwrap(Effect.map(execute(sql, params, transform), (all) => Stream.fromIterable(all)))
  }
}

/** Booleans and `undefined` are no values of SQLite. */
const bind = (value: unknown): SQLInputValue =>
  value === undefined ? null : typeof value === "boolean" ? Number(value) : (value as SQLInputValue)

/** node:sqlite tells SQLite's extended result code as `errcode`; Effect reads it from `errno`. */
const failure = (cause: unknown): SqlError => {
  const errno = (cause as { readonly errcode?: unknown } | null)?.errcode
  const told = cause instanceof Error && typeof errno === "number" ? Object.assign(cause, { errno }) : cause
  return new SqlError({ reason: classifySqliteError(told, { message: "a statement failed", operation: "execute" }) })
}

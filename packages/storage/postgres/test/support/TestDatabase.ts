/** A database of its own for each test file, or for each test, on the server of the run. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { inject } from "vitest"

/** Whether there is a server; the reason why not was printed when the run began. */
export const hasServer = inject("postgresUrl") !== ""

const admin = PgClient.make({ url: Redacted.make(inject("postgresUrl")), maxConnections: 1 }).pipe(
  Effect.provide(Reactivity.layer)
)

let count = 0

const newCopy = (template: string) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const name = `pointsman_test_${process.pid}_${performance.now().toString().replace(".", "_")}_${++count}`
      const sql = yield* admin
      yield* sql.unsafe(`create database ${name} template ${template} strategy file_copy`)
      return name
    }).pipe(Effect.scoped, Effect.orDie),
    (name) =>
      Effect.flatMap(admin, (sql) => sql.unsafe(`drop database if exists ${name} with (force)`)).pipe(
        Effect.scoped,
        Effect.orDie
      )
  ).pipe(
    Effect.map((name) => {
      const url = new URL(inject("postgresUrl"))
      url.pathname = `/${name}`
      return Redacted.make(url.href)
    })
  )

/** The URL of a new database without records, which goes away with the scope. */
export const newDatabase = newCopy(inject("postgresTemplate"))

/** The same without tables. */
export const newEmptyDatabase = newCopy("template1")

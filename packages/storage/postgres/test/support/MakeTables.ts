/** Makes a database with our tables: `node MakeTables.ts <url of the server> <name>`. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { open } from "../../src/Database.ts"
import { migrate } from "../../src/Migrate.ts"

const [, , server = "", name = ""] = process.argv
const url = new URL(server)
url.pathname = `/${name}`

await Effect.runPromise(
  Effect.gen(function* () {
    const sql = yield* PgClient.make({ url: Redacted.make(server), maxConnections: 1 })
    yield* sql.unsafe(`create database ${name}`)
    yield* migrate(yield* open({ url: Redacted.make(url.href) }))
  }).pipe(Effect.scoped, Effect.provide(Reactivity.layer))
)

/**
 * A PostgreSQL that waits for the disk at every commit: the server that DATABASE_URL names, or one from npm. Its settings
 * are those of a small production machine; databases of a run are dropped when it ends.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { findBinaries, startPostgres } from "../../../packages/storage/postgres/test/support/EmbeddedPostgres.ts"

export interface Postgres {
  readonly version: string
  /** "DATABASE_URL" or "from npm" */
  readonly origin: string
  /** The URL of a new database: an empty one, or a copy of the one of that name, to which nobody may be connected. */
  readonly newDatabase: (name: string, template?: string) => Promise<string>
  readonly dropDatabase: (url: string) => Promise<void>
  /** Drops every database that was made here. */
  readonly dropAll: () => Promise<void>
  readonly stop: () => Promise<void>
}

type Row = Readonly<Record<string, unknown>>

/** By a connection of its own. */
export const query = (url: string, ...statements: ReadonlyArray<string>): Promise<ReadonlyArray<Row>> =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 1, connectTimeout: "20 seconds" }).pipe(
    Effect.flatMap((sql) => Effect.forEach(statements, (statement) => sql.unsafe<Row>(statement))),
    Effect.map((answers) => answers.at(-1) ?? []),
    Effect.scoped,
    Effect.provide(Reactivity.layer),
    Effect.runPromise
  )

/** `settings`: besides ours, of a server from npm. */
export const openPostgres = async (
  settings: Readonly<Record<string, string>> = {}
): Promise<Postgres | { readonly missing: string }> => {
  const given = process.env["DATABASE_URL"]
  if (given !== undefined && given !== "") return over(given, "DATABASE_URL", async () => {})
  const found = findBinaries()
  if ("missing" in found) return found
  const server = await startPostgres(found.native, {
    fsync: true,
    settings: { shared_buffers: "512MB", max_wal_size: "4GB", ...settings }
  })
  return over(server.url, "from npm", server.stop)
}

const over = async (url: string, origin: string, stop: () => Promise<void>): Promise<Postgres> => {
  const [row] = await query(url, "select current_setting('server_version') as version")
  const made = new Set<string>()
  const drop = async (database: string) => {
    await query(url, `drop database if exists ${new URL(database).pathname.slice(1)} with (force)`)
    made.delete(database)
  }
  const dropAll = async () => {
    for (const database of [...made]) await drop(database)
  }
  return {
    version: String(row?.["version"]),
    origin,
    newDatabase: async (name, template) => {
      const database = `pointsman_bench_${name}_${process.pid}_${made.size}_${Math.trunc(performance.now())}`
      await query(url, `create database ${database}${template === undefined ? "" : ` template ${template}`}`)
      const of = new URL(url)
      of.pathname = `/${database}`
      made.add(of.href)
      return of.href
    },
    dropDatabase: drop,
    dropAll,
    stop: async () => {
      if (origin === "DATABASE_URL") await dropAll()
      await stop()
    }
  }
}

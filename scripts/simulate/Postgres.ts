/**
 * PostgreSQL to simulate over: the server that DATABASE_URL names, or one of its own from npm's binaries. Each thread has
 * a database, which is emptied before a run: to make a new one takes longer than the run.
 */
import { PgClient } from "@effect/sql-pg"
import type { Storage } from "@pointsman/contracts/simulator"
import * as PostgresStorage from "@pointsman/storage-postgres"
import { Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import { findBinaries, startPostgres } from "../../packages/storage/postgres/test/support/EmbeddedPostgres.ts"

export interface PostgresServer {
  readonly url: string
  readonly stop: () => Promise<void>
}

export const startServer = async (): Promise<PostgresServer> => {
  const given = process.env["DATABASE_URL"] ?? ""
  if (given !== "") return { url: given, stop: () => Promise.resolve() }
  const found = findBinaries()
  if ("missing" in found) throw new Error(found.missing)
  return startPostgres(found.native)
}

const within = <A, E>(url: string, work: (sql: PgClient.PgClient) => Effect.Effect<A, E>) =>
  PgClient.make({ url: Redacted.make(url), maxConnections: 1 }).pipe(
    Effect.flatMap(work),
    Effect.scoped,
    Effect.provide(Reactivity.layer)
  )

/** The URL of a new database on the server; it stays until the server stops, or somebody drops it. */
export const newDatabase = async (server: string): Promise<string> => {
  const name = `pointsman_simulation_${process.pid}_${performance.now().toString().replace(".", "_")}`
  await Effect.runPromise(within(server, (sql) => sql.unsafe(`create database ${name}`)))
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/**
 * Everything that a run writes; not which steps of the schema were taken, nor the one row that counts the directory's
 * changes. The audit trail refuses to be emptied, but for this.
 */
const emptied = `do $$ begin
  if to_regclass('audit_entries') is not null then alter table audit_entries disable trigger user; end if;
  execute (
    select coalesce('truncate ' || string_agg(format('%I', tablename), ', ') || ' restart identity cascade', 'select 1')
    from pg_tables where schemaname = 'public' and tablename not like '%migrations%' and tablename <> 'directory_version'
  );
  if to_regclass('audit_entries') is not null then alter table audit_entries enable trigger user; end if;
end $$`

/** The layer, built anew for each run. */
export const storageIn = (url: string): Storage =>
  PostgresStorage.layer({ url: Redacted.make(url), allowAsyncCommit: true, maxConnections: 4 }).pipe(
    Layer.provide(Layer.effectDiscard(within(url, (sql) => sql.unsafe(emptied))))
  )

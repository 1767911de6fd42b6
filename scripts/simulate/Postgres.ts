/**
 * PostgreSQL to simulate over: the server that DATABASE_URL names, or one of its own from npm's binaries. Each thread has
 * a database, which is emptied before a run: to make a new one takes longer than the run.
 */
import type { Storage } from "@pointsman/contracts/simulator"
import { StorageSnapshots } from "@pointsman/core/internal"
import * as PostgresStorage from "@pointsman/storage-postgres"
import { Effect, Layer, Redacted } from "effect"
import { query } from "../../checks/bench/kit/Postgres.ts"
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

/** The URL of a new database on the server; it stays until the server stops, or somebody drops it. */
export const newDatabase = async (server: string): Promise<string> => {
  const name = `pointsman_simulation_${process.pid}_${performance.now().toString().replace(".", "_")}`
  await query(server, `create database ${name}`)
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

/** As `emptied`, without triggers. `copying`: what is done with each table, of which %1$I is the name and %2$s the columns. */
const inEachTable = (copying: string) => `do $$ declare one record; begin
  set local session_replication_role = replica;
  for one in
    select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not like '%migrations%' and c.relname <> 'directory_version'
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname
  loop
    execute format('${copying}', one.name, one.columns);
  end loop;
end $$`

const keeping = [
  "drop schema if exists kept cascade",
  "create schema kept",
  inEachTable("create table kept.%1$I as select %2$s from public.%1$I")
]
const puttingBack = [
  emptied,
  inEachTable("insert into public.%1$I (%2$s) overriding system value select %2$s from kept.%1$I")
]

/** The layer, built anew for each run. */
export const storageIn = (url: string): Storage =>
  PostgresStorage.layer({ url: Redacted.make(url), allowAsyncCommit: true, maxConnections: 4 }).pipe(
    Layer.provide(Layer.effectDiscard(Effect.promise(() => query(url, emptied)))),
    Layer.merge(Layer.succeed(StorageSnapshots, snapshotsIn(url)))
  )

const snapshotsIn = (url: string): StorageSnapshots => {
  const run = (statements: ReadonlyArray<string>) => Effect.promise(() => query(url, ...statements))
  return { take: Effect.as(run(keeping), run(puttingBack)), startsHistory: false }
}

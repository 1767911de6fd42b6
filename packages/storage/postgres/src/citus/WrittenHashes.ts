/**
 * Hashes in the keys of distributed tables are ordinary columns, which writers fill. PostgreSQL replicates no generated
 * column, so that a move could not find a row again whose key has one, and would never end
 * (https://www.postgresql.org/docs/17/ddl-generated-columns.html).
 *
 * An earlier release placed these tables with generated columns. Citus refuses to change that on a distributed table ("alter
 * table command is currently unsupported", Citus 13.2), so each node drops the expression by itself, of the table and of
 * its shards. What was generated stays in the column, and no row is written again.
 */
import { StorageError } from "@pointsman/core/ports"
import { migrationsTable, type Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Query } from "../Database.ts"
import { writtenHashesSince } from "../Migrations.ts"

/** The column of each table. */
const columns = {
  messages: "event_hash",
  charge_references: "reference_hash",
  named_references: "reference_hash",
  success_rates: "segment_hash"
} as const

/** Before the table is placed. */
export const writtenHash = (table: keyof typeof columns): string =>
  `alter table ${table} alter column ${columns[table]} drop expression if exists`

/**
 * Of a table with one row and no key, which is copied to a new node while it is written. It is set on all nodes in one
 * transaction, after the hashes, and therefore also shows that no column is generated.
 */
export const identifyVersion = "alter table directory_version replica identity full"

export const selectIsIdentified = `select 1 as one from pg_class
  where oid = to_regclass('directory_version') and relreplident = 'f'`

/** Longer than the two seconds after which each server looks whether it may run on the schema. */
const noticedAfter = "3 seconds"
/** As long as a report may hold a table: five minutes, with the pauses. */
const triesAtMost = 200
const pauseBetweenTries = "1 second"

/** Servers of the earlier release let the database fill the columns. They refuse new requests from their next look on. */
const refuseEarlier = `update ${migrationsTable} set oldest = migration_id
  where migration_id = ${writtenHashesSince} and oldest < migration_id`

/** Also shards that a move is making: they are not in the catalogue of Citus yet. */
const generated = `select c.oid::regclass as name, a.attname as hash
  from pg_attribute as a join pg_class as c on c.oid = a.attrelid
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attgenerated = 's'
    and c.relname ~ '^(${Object.keys(columns).join("|")})(_[0-9]+)?$'`

/**
 * All of a node, or none. It gives up after half a second, so that writers do not queue for longer, and no writer is chosen
 * as the victim of a deadlock. A lock that lets writers through comes first, because it ends an automatic vacuum. It is for
 * shards alone: Citus would lock a distributed table on every node.
 */
const drop = `do $do$
  declare
    one record;
  begin
    set local citus.enable_ddl_propagation = off;
    set local lock_timeout = '2s';
    for one in ${generated} and not exists (select from pg_dist_partition where logicalrelid = c.oid) loop
      execute format('lock table %s in share update exclusive mode', one.name);
    end loop;
    set local lock_timeout = '500ms';
    for one in ${generated} loop
      execute format('alter table %s alter column %I drop expression', one.name, one.hash);
    end loop;
  exception when lock_not_available or deadlock_detected then
    null;
  end $do$`

const onEachNode = (statement: string): string => `select n.nodename || ':' || n.nodeport as name, r.success, r.result
  from run_command_on_all_nodes($each$${statement}$each$) as r join pg_dist_node as n on n.nodeid = r.nodeid
  where n.noderole = 'primary' order by n.groupid`

/** At the coordinator. A run that is killed is taken up by the next one. */
export const dropGeneratedHashes = Effect.fnUntraced(function* (query: Query) {
  for (let tries = 0; ; tries++) {
    const nodes = yield* answersOf(query, `select count(*) from (${generated}) as columns`)
    const left = nodes.find(({ result }) => result !== "0")
    if (left === undefined) break
    if (tries === triesAtMost) return yield* failed(`tables of the node ${left["name"]} are locked by others`)
    if (tries === 0) yield* query(refuseEarlier)
    yield* Effect.sleep(tries === 0 ? noticedAfter : pauseBetweenTries)
    yield* answersOf(query, drop)
  }
  yield* query(identifyVersion)
})

const answersOf = Effect.fnUntraced(function* (query: Query, statement: string) {
  const nodes: ReadonlyArray<Row> = yield* query(onEachNode(statement))
  const refused = nodes.find(({ success }) => success !== true)
  if (refused === undefined) return nodes
  return yield* failed(`the node ${refused["name"]} did not change its tables: ${refused["result"]}`)
})

const failed = (reason: string) =>
  new StorageError({
    operation: "distribute",
    cause: new Error(`an earlier release placed the tables, and every node has to change them: ${reason}`)
  })

/**
 * Places the tables of a database on the nodes of its cluster, and makes the functions that nodes are sent. Each step is
 * seen in the catalogue of Citus, so that a run that is killed is taken up by the next one. Only the coordinator can.
 */
import { StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"
import type { Database, Query } from "../Database.ts"
import { returnBodies } from "../MessageBodies.ts"
import { withoutPartitions } from "../Partitions.ts"
import { inRealTime } from "../RealTime.ts"
import { storageError } from "../SqlFailures.ts"
import { nodeFunctions } from "./Functions.ts"
import type { NodeFunction } from "./NodeFunction.ts"
import { type Place, places } from "./Places.ts"

/** Ours among the database's advisory locks, beside that of the schema's steps: "pointsmb" in ASCII. */
const lock = "8101813088862727522"

const place: Readonly<Record<Place, (table: string) => string>> = {
  workspace: (table) =>
    `select create_distributed_table('${table}', 'workspace_id'${table === "payments" ? "" : ", colocate_with => 'payments'"})`,
  everywhere: (table) => `select create_reference_table('${table}')`,
  // With the tables that its foreign keys name.
  coordinator: (table) => `select citus_add_local_table_to_metadata('${table}', true)
    where not exists (select 1 from pg_dist_partition where logicalrelid = '${table}'::regclass)`
}

/**
 * A hash in the key of a distributed table is an ordinary column, which writers fill. PostgreSQL replicates no generated
 * column, so that a move could not find a row again whose key has one, and would never end
 * (https://www.postgresql.org/docs/17/ddl-generated-columns.html).
 */
const writtenHash = (table: string, column: string): string =>
  `alter table ${table} alter column ${column} drop expression if exists`

/**
 * What Citus refuses on a distributed table: triggers (the commit's function adds the refunds up), a unique index without
 * the workspace, and a sequence that each node counts by itself, which nothing reads. Deliveries have no partitions there.
 * The version of the directory is a table with one row and no key, which is copied to a new node while it is written.
 */
const prepare: Readonly<Record<string, ReadonlyArray<string>>> = {
  payments: [
    "drop trigger if exists new_payments_match_refunds on payments",
    "drop trigger if exists payments_match_refunds on payments",
    "drop index if exists payments_by_page",
    "create unique index payments_by_page on payments (page_token_hash, workspace_id) where page_token_hash is not null"
  ],
  message_bodies: [returnBodies, withoutPartitions("message_bodies")],
  messages: ["alter table messages drop column if exists sequence", writtenHash("messages", "event_hash")],
  charge_references: [writtenHash("charge_references", "reference_hash")],
  named_references: [writtenHash("named_references", "reference_hash")],
  success_rates: [writtenHash("success_rates", "segment_hash")],
  directory_version: ["alter table directory_version replica identity full"],
  deliveries: [withoutPartitions("deliveries")],
  delivery_attempts: [withoutPartitions("delivery_attempts")]
}

export interface Placement {
  /** Tables of ours that are not placed yet. */
  readonly tables: ReadonlyArray<string>
  readonly functions: ReadonlyArray<NodeFunction>
}

const selectPlaced = `select c.relname as name from pg_dist_partition as p join pg_class as c on c.oid = p.logicalrelid
  where c.relnamespace = current_schema()::regnamespace`
const selectFunctions = `select p.proname as name from pg_dist_object as o join pg_proc as p on p.oid = o.objid
  where o.classid = 'pg_proc'::regclass and o.distribution_argument_index is not null`

const missing = (tables: ReadonlyArray<unknown>, functions: ReadonlyArray<unknown>): Placement => ({
  tables: Object.keys(places).filter((table) => !tables.includes(table)),
  functions: nodeFunctions.filter(({ name }) => !functions.includes(name))
})

/** Fails where the database has not the extension. */
export const missingPlacement = (db: Database): Effect.Effect<Placement, StorageError> =>
  Effect.gen(function* () {
    const [extension] = yield* db.read("open", "select extversion from pg_extension where extname = 'citus'")
    if (extension === undefined) return yield* new StorageError({ operation: "open", cause: new Error(noExtension) })
    const tables = yield* db.read("open", selectPlaced)
    const functions = yield* db.read("open", selectFunctions)
    return missing(
      tables.map(({ name }) => name),
      functions.map(({ name }) => name)
    )
  })

const noExtension =
  "the database has not the extension citus, which POINTSMAN_DATABASE_DISTRIBUTED=citus (distributed) expects: " +
  "run `create extension citus` in it on every node"

export const distribute = ({ reserve }: Pick<Database, "reserve">): Effect.Effect<void, StorageError> =>
  Effect.gen(function* () {
    const connection = yield* reserve
    const query: Query = (sql, params = []) => Effect.map(connection.query(sql, params, false), ({ rows }) => rows)
    // To place a table that has rows takes as long as it takes.
    yield* query("set statement_timeout = 0")
    yield* query("set client_min_messages = warning")
    yield* Effect.addFinalizer(() => Effect.ignore(query("reset statement_timeout")))
    yield* Effect.addFinalizer(() => Effect.ignore(query("reset client_min_messages")))
    yield* Effect.acquireRelease(query(`select pg_advisory_lock(${lock})`), () =>
      Effect.ignore(query(`select pg_advisory_unlock(${lock})`))
    )
    const tables = (yield* query(selectPlaced)).map(({ name }) => name)
    const functions = (yield* query(selectFunctions)).map(({ name }) => name)
    const placement = missing(tables, functions)
    for (const table of placement.tables) {
      for (const statement of prepare[table] ?? []) yield* query(statement)
      yield* query(place[places[table] as Place](table))
    }
    for (const { create, distribute, signature } of placement.functions) {
      yield* query(`drop function if exists ${signature}`)
      yield* query(create)
      yield* query(distribute)
    }
  }).pipe(
    Effect.scoped,
    inRealTime,
    Effect.mapError((error) => (error instanceof SqlError ? storageError("distribute", error) : error))
  )

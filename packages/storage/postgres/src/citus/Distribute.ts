/**
 * Places the tables of a database on the nodes of its cluster, and makes the functions that nodes are sent. Each step is
 * seen in the catalogue of Citus, so that a run that is killed is taken up by the next one. Only the coordinator can.
 */
import { StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"
import type { Database, Query } from "../Database.ts"
import { withoutBodyPartitions } from "../MessageBodies.ts"
import { withoutPartitions } from "../Partitions.ts"
import { inRealTime } from "../RealTime.ts"
import { storageError } from "../SqlFailures.ts"
import { nodeFunctions } from "./Functions.ts"
import type { NodeFunction } from "./NodeFunction.ts"
import { type Place, places } from "./Places.ts"
import { dropGeneratedHashes, identifyVersion, selectIsIdentified, writtenHash } from "./WrittenHashes.ts"

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
 * What Citus refuses on a distributed table: triggers (the commit's function adds the refunds up), a unique index without
 * the workspace, and a sequence that each node counts by itself, which nothing reads. Deliveries have no partitions there.
 */
export const prepare: Readonly<Record<string, ReadonlyArray<string>>> = {
  payments: [
    "drop trigger if exists new_payments_match_refunds on payments",
    "drop trigger if exists payments_match_refunds on payments",
    "drop index if exists payments_by_page",
    "create unique index payments_by_page on payments (page_token_hash, workspace_id) where page_token_hash is not null"
  ],
  message_bodies: [withoutBodyPartitions],
  messages: ["alter table messages drop column if exists sequence", writtenHash("messages")],
  charge_references: [writtenHash("charge_references")],
  named_references: [writtenHash("named_references")],
  success_rates: [writtenHash("success_rates")],
  directory_version: [identifyVersion],
  deliveries: [withoutPartitions("deliveries")],
  delivery_attempts: [withoutPartitions("delivery_attempts")]
}

export interface Placement {
  /** Tables of ours that are not placed yet. */
  readonly tables: ReadonlyArray<string>
  readonly functions: ReadonlyArray<NodeFunction>
  /** An earlier release placed some of the tables, with columns that moves cannot copy. */
  readonly isOutdated: boolean
}

const selectPlaced = `select c.relname as name from pg_dist_partition as p join pg_class as c on c.oid = p.logicalrelid
  where c.relnamespace = current_schema()::regnamespace`
const selectFunctions = `select p.proname as name from pg_dist_object as o join pg_proc as p on p.oid = o.objid
  where o.classid = 'pg_proc'::regclass and o.distribution_argument_index is not null`

const missing = (
  tables: ReadonlyArray<unknown>,
  functions: ReadonlyArray<unknown>,
  isIdentified: boolean
): Placement => ({
  isOutdated: tables.length > 0 && !isIdentified,
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
    const identified = yield* db.read("open", selectIsIdentified)
    return missing(
      tables.map(({ name }) => name),
      functions.map(({ name }) => name),
      identified.length > 0
    )
  })

const noExtension =
  "the database has not the extension citus, which POINTSMAN_DATABASE_DISTRIBUTED=citus (distributed) expects: " +
  "run `create extension citus` in it on every node"

export const distribute = (
  { reserve }: Pick<Database, "reserve">,
  statements: Readonly<Record<string, ReadonlyArray<string>>> = prepare
): Effect.Effect<void, StorageError> =>
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
    const placement = missing(tables, functions, (yield* query(selectIsIdentified)).length > 0)
    if (placement.isOutdated) yield* dropGeneratedHashes(query)
    for (const table of placement.tables) {
      for (const statement of statements[table] ?? []) yield* query(statement)
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

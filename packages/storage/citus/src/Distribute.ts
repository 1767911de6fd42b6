/**
 * Places tables on the nodes, and makes the functions that nodes are sent, from the coordinator. Each step is seen in the
 * catalogue of Citus, so that a run that is killed is taken up by the next one.
 */
import { StorageError } from "@pointsman/core/ports"
import { type Database, layoutStep, onConnection, storageError } from "@pointsman/storage-postgres/internal"
import { migrationsTable, type Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { createFunctions, runName, workspaceSetting } from "./RunFunction.ts"
import { type TablePlacement, tablePlacements } from "./TablePlacement.ts"

/** Ours among the database's advisory locks, beside that of the schema's steps: "pointsmb" in ASCII. */
const lock = "8101813088862727522"

const place: Readonly<Record<TablePlacement, (table: string) => string>> = {
  workspace: (table) =>
    `select create_distributed_table('${table}', 'workspace_id'${table === "payments" ? "" : ", colocate_with => 'payments'"})`,
  everywhere: (table) => `select create_reference_table('${table}')`,
  // With the tables that its foreign keys name.
  coordinator: (table) => `select citus_add_local_table_to_metadata('${table}', true)
    where not exists (select 1 from pg_dist_partition where logicalrelid = '${table}'::regclass)`
}

/**
 * The column by which a table is in shards, and which every unique index has to hold. Its default is the setting of each
 * call (`RunFunction.ts`).
 */
const withWorkspace = (table: string): string => `do $$
  declare
    one record;
  begin
    if not exists (
      select 1 from pg_attribute where attrelid = '${table}'::regclass and attname = 'workspace_id' and not attisdropped
    ) then
      alter table ${table} add column workspace_id text collate "C";
      update ${table} as r set workspace_id = n.workspace_id from tenants as n where n.t = r.t;
      alter table ${table} alter column workspace_id set not null,
        alter column workspace_id set default current_setting('${workspaceSetting}');
    end if;
    for one in
      select c.relname as name, coalesce(pg_get_constraintdef(k.oid), pg_get_indexdef(x.indexrelid)) as text, k.oid is not null as is_key
      from pg_index as x join pg_class as c on c.oid = x.indexrelid left join pg_constraint as k on k.conindid = x.indexrelid
      where x.indrelid = '${table}'::regclass and x.indisunique and not exists (
        select 1 from pg_attribute as a
        where a.attrelid = x.indrelid and a.attname = 'workspace_id' and a.attnum = any (x.indkey::smallint[])
      )
    loop
      one.text := regexp_replace(one.text, '\\(([^)]*)\\)', '(\\1, workspace_id)');
      if one.is_key then
        execute format('alter table ${table} drop constraint %I, add constraint %I %s', one.name, one.name, one.text);
      else
        execute format('drop index %I', one.name);
        execute one.text;
      end if;
    end loop;
  end $$`

/** Only the coordinator could make or drop partitions: retention deletes the rows of each workspace in batches. */
const withoutPartitions = (table: string): string => `do $$
  declare
    keys text[];
    one text;
  begin
    if exists (select 1 from pg_partitioned_table where partrelid = '${table}'::regclass) then
      keys := array(
        select case when indisprimary then 'alter table ${table} add ' || pg_get_constraintdef(pg_constraint.oid)
          else replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') end
        from pg_index left join pg_constraint on conindid = indexrelid and contype = 'p'
        where indrelid = '${table}'::regclass
      );
      alter table ${table} rename to ${table}_parts;
      create table ${table} (like ${table}_parts including defaults including constraints);
      insert into ${table} select * from ${table}_parts;
      drop table ${table}_parts;
      foreach one in array keys loop
        execute one;
      end loop;
    end if;
  end $$`

/** The version of the directory has one row and no key, and is copied to a new node while it is written. */
const prepare = (table: string): ReadonlyArray<string> => {
  if (tablePlacements[table] === "workspace") return [withoutPartitions(table), withWorkspace(table)]
  return table === "directory_version" ? ["alter table directory_version replica identity full"] : []
}

export interface Placement {
  readonly tables: ReadonlyArray<string>
  readonly hasFunctions: boolean
}

const layout =
  "its tables lie on the nodes of a Citus cluster: set POINTSMAN_DATABASE_DISTRIBUTED=citus (distributed: true)"
/** The storage in PostgreSQL refuses the database from now on. */
const insertLayout = `insert into ${migrationsTable} (migration_id, name) values (${layoutStep}, $1::text)
  on conflict (migration_id) do nothing`

/** With its place: the engine moves a table to the coordinator's by itself where a foreign key names one that is placed. */
const selectPlaced = `select c.relname as name, case when p.partmethod = 'h' then 'workspace' when p.repmodel = 't'
    then 'everywhere' else 'coordinator' end as place
  from pg_dist_partition as p join pg_class as c on c.oid = p.logicalrelid
  where c.relnamespace = current_schema()::regnamespace`
const selectFunctions = `select 1 as one from pg_dist_object as o join pg_proc as p on p.oid = o.objid
  where o.classid = 'pg_proc'::regclass and o.distribution_argument_index is not null and p.proname = '${runName}'`

const missing = (placed: ReadonlyArray<Row>, functions: ReadonlyArray<Row>): Placement => {
  const placeOf = new Map(placed.map(({ name, place }) => [name, place]))
  const tables = Object.keys(tablePlacements).filter((table) => placeOf.get(table) !== tablePlacements[table])
  return { tables, hasFunctions: functions.length > 0 }
}

/** Fails where the database has not the extension. */
export const missingPlacement = (db: Database): Effect.Effect<Placement, StorageError> =>
  Effect.gen(function* () {
    const [extension] = yield* db.read("open", "select extversion from pg_extension where extname = 'citus'")
    if (extension === undefined) return yield* new StorageError({ operation: "open", cause: new Error(noExtension) })
    return missing(yield* db.read("open", selectPlaced), yield* db.read("open", selectFunctions))
  })

const noExtension =
  "the database has not the extension citus, which POINTSMAN_DATABASE_DISTRIBUTED=citus (distributed) expects: " +
  "run `create extension citus` in it on every node"

export const distribute = (db: Pick<Database, "reserve">): Effect.Effect<void, StorageError> =>
  onConnection(
    db,
    Effect.fnUntraced(function* (query, set) {
      // To place a table that has rows takes as long as it takes.
      yield* set("statement_timeout", "0")
      yield* set("client_min_messages", "warning")
      yield* Effect.acquireRelease(query(`select pg_advisory_lock(${lock})`), () =>
        Effect.ignore(query(`select pg_advisory_unlock(${lock})`))
      )
      const { hasFunctions, tables } = missing(yield* query(selectPlaced), yield* query(selectFunctions))
      yield* query(insertLayout, [layout])
      // All of them first: what a tenant's number stands for is read where the tenants are.
      for (const table of tables) for (const statement of prepare(table)) yield* query(statement)
      for (const table of tables) yield* query(place[tablePlacements[table] as TablePlacement](table))
      if (hasFunctions) return
      for (const statement of createFunctions) yield* query(statement)
    })
  ).pipe(Effect.mapError((error) => (error instanceof SqlError ? storageError("distribute", error) : error)))

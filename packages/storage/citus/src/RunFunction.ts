/**
 * The function by which a node runs statements on its own shards. Citus sends it to the node that has the shard of its
 * first argument (https://docs.citusdata.com/en/stable/develop/api_udf.html#create-distributed-function). Citus does not
 * hold back a write to a shard by its name while the shard moves: so a write first takes the lock that a move takes at
 * its end, and then checks that the shards are on this node.
 */
import { createHash } from "node:crypto"
import { eventIdsFunction } from "@pointsman/storage-postgres/internal"

/** Names of tables are between two of these, and values hold none (`OnShards.ts`). */
export const mark = "\u0002"

/** The setting that says which workspace a statement is about: what is inserted meanwhile belongs to it. */
export const workspaceSetting = "pointsman.workspace"

/** `event_ids` of the schema of PostgreSQL, of a shard. */
const eventIds = eventIdsFunction
  .replace("(tenant", "(shard text, tenant")
  .replace(
    /select e\.id into last [^;]+/u,
    () => "execute format('select id from %I where t = $1 order by id desc limit 1', shard) into last using tenant"
  )

/**
 * `how`: `read` or `write` of the shards of the key, or `each` for a read of all shards of the node, one range after the
 * other, so that it uses the same indexes as in one database. Without rows it answers that the shards are elsewhere.
 */
const run = `(key text, tables text[], statement text, how text, has_rows boolean) returns jsonb language plpgsql volatile
  -- Plans of the node's own: the session that asks may be set otherwise.
  set plan_cache_mode = auto set enable_seqscan = off set jit = off set lock_timeout = '5s'
  set citus.enable_manual_changes_to_shards = on as $function$
  declare
    own integer := (select groupid from pg_dist_local_group);
    home bigint := get_shard_id_for_distribution_column('payments', key);
    one record;
    shard record;
    filled text;
    found_row record;
    found_rows jsonb[] := '{}';
    ranges jsonb := '[]';
  begin
    if how = 'write' then
      -- The node may be configured to commit less durably.
      if current_setting('synchronous_commit') not in ('on', 'remote_apply') then
        perform set_config('synchronous_commit', 'on', true);
      end if;
      if current_setting('transaction_isolation') <> 'read committed' then
        raise exception 'default_transaction_isolation is not read committed on this node' using errcode = '25001';
      end if;
      -- A move takes it exclusively. This is a ShareLock.
      perform lock_shard_metadata(5, array[home]);
      perform set_config('${workspaceSetting}', key, true);
      home := get_shard_id_for_distribution_column('payments', key);
    end if;
    for one in
      select s.shardminvalue as low, s.shardmaxvalue as high from pg_dist_shard as s join pg_dist_placement as p using (shardid)
      where s.logicalrelid = 'payments'::regclass and p.groupid = own and (how = 'each' or s.shardid = home)
      order by s.shardminvalue::integer
    loop
      filled := statement;
      for shard in
        select c.relname as name, s.shardid as id from pg_dist_shard as s join pg_class as c on c.oid = s.logicalrelid
        where s.logicalrelid = any (tables::regclass[]) and (s.shardminvalue is null or s.shardminvalue = one.low)
      loop
        filled := replace(filled, '${mark}' || shard.name || '${mark}', shard.name || '_' || shard.id);
      end loop;
      if has_rows then
        for found_row in execute filled loop
          found_rows := array_append(found_rows, to_jsonb(found_row));
        end loop;
      else
        execute filled;
      end if;
      ranges := ranges || jsonb_build_array(jsonb_build_array(one.low::integer, one.high::integer));
    end loop;
    return jsonb_build_object('node', own, 'ranges', ranges, 'rows', to_jsonb(found_rows));
  end $function$`

/** The names have a hash of the texts: servers of two releases that run side by side each call their own. */
const version = createHash("sha256").update(eventIds).update(run).digest("hex").slice(0, 12)

export const eventIdsName = `pointsman_event_ids_${version}`
export const runName = `pointsman_run_${version}`

/** The last one is the sign that all were made. */
export const createFunctions: ReadonlyArray<string> = [
  `create or replace function ${eventIdsName}${eventIds}`,
  `create or replace function ${runName}${run}`,
  // Also inside of a transaction: https://github.com/citusdata/citus/pull/5446
  `select create_distributed_function('${runName}(text, text[], text, text, boolean)', 'key', colocate_with => 'payments',
    force_delegation => true)`
]

export type How = "read" | "write" | "each"

export const call = `select ${runName}($1::text, $2::text[], $3::text, $4::text, $5::boolean) as told`

export interface Told {
  readonly node: number
  readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** The hash values of the shards that were asked, each from its lowest to its highest; none: they are elsewhere. */
  readonly ranges: ReadonlyArray<readonly [low: number, high: number]>
}

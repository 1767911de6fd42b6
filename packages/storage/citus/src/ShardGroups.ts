/** Where the shards are: nodes, groups of shards that move together, and the workspaces in them. */
import { type Query, readText } from "@pointsman/storage-postgres/internal"
import type { Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { shardedTables } from "./TablePlacement.ts"

export interface ClusterNode {
  /** `host:port`, as the cluster has it. */
  readonly name: string
  readonly takesShards: boolean
}

/** The shards of all tables for one range of workspaces. They are on one node, and move together. */
export interface ShardGroup {
  /** The number of the shard of payments. */
  readonly shard: number
  /** `host:port`. */
  readonly node: string
  /** On disk, with indexes; `null` where the node does not answer. */
  readonly bytes: number | null
  /** The hash values of its workspaces, from the lowest to the highest. */
  readonly range: readonly [low: number, high: number]
  readonly workspaces: ReadonlyArray<string>
  /** Whether it can hold one workspace alone, or ids with the same hash. */
  readonly isOwn: boolean
}

export interface ShardPlaces {
  readonly nodes: ReadonlyArray<ClusterNode>
  readonly groups: ReadonlyArray<ShardGroup>
}

const selectNodes = `select nodename || ':' || nodeport as name, shouldhaveshards as takes from pg_dist_node
  where noderole = 'primary' and isactive order by nodename, nodeport`

/** `citus_shard_sizes` asks every node, and leaves out one that does not answer. */
const selectGroups = `select s.shardminvalue::integer as low, s.shardmaxvalue::integer as high,
    min(s.shardid) filter (where s.logicalrelid = 'payments'::regclass) as shard,
    n.nodename || ':' || n.nodeport as node,
    case when bool_and(z.bytes is not null) then sum(z.bytes)::bigint end as bytes
  from pg_dist_shard as s join pg_dist_placement as p using (shardid)
    join pg_dist_node as n on n.groupid = p.groupid and n.noderole = 'primary'
    left join (
      select shard_id, max(size) as bytes from citus_shard_sizes() group by shard_id
    ) as z on z.shard_id = s.shardid
  where s.logicalrelid = any ('{${shardedTables.join(",")}}'::regclass[])
  group by s.shardminvalue, s.shardmaxvalue, n.nodename, n.nodeport order by low`

/** As Citus assigns a row to a shard (https://docs.citusdata.com/en/stable/develop/api_udf.html). */
const selectWorkspaces = 'select id, worker_hash(id) as hash from workspaces order by id collate "C"'

export const readPlaces = Effect.fnUntraced(function* (query: Query) {
  const nodes = yield* query(selectNodes)
  const groups = yield* query(selectGroups)
  const workspaces = yield* query(selectWorkspaces)
  return {
    nodes: nodes.map(({ name, takes }): ClusterNode => ({ name: String(name), takesShards: takes === true })),
    groups: groups.map((row) => groupOf(row, workspaces))
  }
})

const groupOf = (row: Row, workspaces: ReadonlyArray<Row>): ShardGroup => {
  const [low, high] = [Number(row["low"]), Number(row["high"])]
  return {
    shard: Number(row["shard"]),
    node: String(row["node"]),
    bytes: row["bytes"] == null ? null : Number(row["bytes"]),
    range: [low, high],
    workspaces: workspaces
      .filter(({ hash }) => Number(hash) >= low && Number(hash) <= high)
      .map(({ id }) => readText(id)),
    isOwn: low === high
  }
}

/** Storage in PostgreSQL: `PostgresStorage.layer({ url })`. */

export {
  type Begun,
  type ClusterNode,
  type Isolated,
  type Moved,
  openShards,
  type Rebalance,
  type ShardChoice,
  type ShardGroup,
  type ShardMove,
  type ShardPlaces,
  type Shards,
  ShardsRefused
} from "./Cluster.ts"
export type { ConditionOptions, Durability } from "./Condition.ts"
export { postgres } from "./Handle.ts"
export { type Inspection, inspect } from "./Inspect.ts"
export { layer, type PostgresStorageOptions } from "./Layer.ts"
export type { StandbyOptions } from "./Standby.ts"

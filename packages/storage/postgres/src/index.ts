/** Storage in PostgreSQL: `PostgresStorage.layer({ url })`. */
export type { ConditionOptions, Durability } from "./Condition.ts"
export type { Rebalance, ShardMove } from "./citus/Rebalance.ts"
export type { ClusterNode, ShardGroup, ShardPlaces } from "./citus/ShardGroups.ts"
export {
  type Begun,
  type Isolated,
  type Moved,
  openShards,
  type ShardChoice,
  type Shards,
  ShardsRefused
} from "./citus/Shards.ts"
export { postgres } from "./Handle.ts"
export { type Inspection, inspect } from "./Inspect.ts"
export { layer, type PostgresStorageOptions } from "./Layer.ts"
export type { StandbyOptions } from "./Standby.ts"

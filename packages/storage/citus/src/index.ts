/** Storage on the nodes of a Citus cluster: `CitusStorage.layer({ url })`. */
export { type CitusStorageOptions, citus, layer } from "./Layer.ts"
export type { Rebalance, ShardMove } from "./Rebalance.ts"
export type { ClusterNode, ShardGroup, ShardPlaces } from "./ShardGroups.ts"
export {
  type Begun,
  type Isolated,
  type Moved,
  openShards,
  type ShardChoice,
  type Shards,
  ShardsRefused
} from "./Shards.ts"

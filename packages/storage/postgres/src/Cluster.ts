/** The commands of shards, until the storage of a cluster is a package of its own: no cluster can be opened. */
import { StorageError } from "@pointsman/core/ports"
import { Effect, type Redacted, Schema, type Scope } from "effect"

export interface ClusterNode {
  /** `host:port`, as the cluster has it. */
  readonly name: string
  /** Whether shards may be moved there. */
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
  /** Their ids, in order. */
  readonly workspaces: ReadonlyArray<string>
  /** Whether it can hold one workspace alone, or ids with the same hash. */
  readonly isOwn: boolean
}

export interface ShardPlaces {
  readonly nodes: ReadonlyArray<ClusterNode>
  readonly groups: ReadonlyArray<ShardGroup>
}

export interface ShardMove {
  /** `host:port`; `null` before it is known. */
  readonly from: string | null
  readonly to: string | null
  /** What the engine says that it does. */
  readonly phase: string | null
  /** How much is at the node that the shards leave, and at the other one. */
  readonly bytes: { readonly source: number; readonly target: number } | null
}

export interface Rebalance {
  /** The number of the job. */
  readonly job: number
  readonly state: "running" | "finished" | "failed" | "stopped"
  readonly moves: { readonly done: number; readonly left: number; readonly failed: number }
  readonly underWay: ReadonlyArray<ShardMove>
  /** What the engine says of moves that failed, or that it tries again. */
  readonly faults: ReadonlyArray<string>
}

/** What cannot be done, or what the cluster refused, in words. */
export class ShardsRefused extends Schema.TaggedError<ShardsRefused>()("pointsman/storage-postgres/ShardsRefused", {
  message: Schema.String
}) {}

/** Which shards: those of a workspace, or a group by the number of its shard of payments. */
export type ShardChoice = { readonly workspaceId: string } | { readonly shard: number }

export interface Moved {
  readonly shard: number
  readonly from: string
  /** The node where the group is now. */
  readonly to: string
  readonly workspaces: ReadonlyArray<string>
  /** `false` where it was there before. */
  readonly isMoved: boolean
}

export interface Isolated extends Moved {
  /** `false` where the workspace had shards of its own before. */
  readonly isIsolated: boolean
}

interface Transfer {
  /** Writes of the workspaces wait until the move is over. `false`: they wait for its last moment. */
  readonly blockWrites: boolean
}

type Asked<A> = Effect.Effect<A, ShardsRefused | StorageError>

export interface Begun extends Rebalance {
  /** `false`: it was begun before, perhaps with another order. */
  readonly isNew: boolean
}

/** Each operation may be interrupted: what is not moved by then stays where it is. */
export interface Shards {
  readonly list: Asked<ShardPlaces>
  /** Shards of its own for a workspace, and then a move, if `to` is given: `host:port`. */
  readonly isolate: (
    order: Transfer & { readonly workspaceId: string; readonly to?: string | undefined }
  ) => Asked<Isolated>
  readonly move: (order: Transfer & { readonly of: ShardChoice; readonly to: string }) => Asked<Moved>
  /**
   * Begins a rebalance, or finds the one that runs; `undefined` where nothing has to move. It goes on by itself. `drain`:
   * the node, as `host:port`, that takes no shards from now on, and from which all are moved.
   */
  readonly rebalance: (order: Transfer & { readonly drain?: string | undefined }) => Asked<Begun | undefined>
  /** The newest rebalance. */
  readonly rebalanced: Asked<Rebalance | undefined>
  /** `false` where none runs. What was moved stays at its new node. */
  readonly stopRebalance: Asked<boolean>
}

export const openShards = (_: { readonly url: Redacted.Redacted }): Effect.Effect<Shards, StorageError, Scope.Scope> =>
  Effect.fail(new StorageError({ operation: "open", cause: new Error("no cluster can be opened by this build") }))

/**
 * Moves workspaces between nodes while servers run, by the engine's own functions, at the coordinator:
 * https://docs.citusdata.com/en/stable/develop/api_udf.html#cluster-management-and-repair-functions.
 */
import { StorageError } from "@pointsman/core/ports"
import {
  arrayText,
  bindText,
  type Database,
  onConnection,
  type Query,
  storageError
} from "@pointsman/storage-postgres/internal"
import { Effect, type Redacted, Result, Schedule, Schema, type Scope } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { coordinatorOf, openNode } from "./Coordinator.ts"
import { missingPlacement } from "./Distribute.ts"
import { type Rebalance, readRebalance, startRebalance, transferMode } from "./Rebalance.ts"
import { type ClusterNode, readPlaces, type ShardGroup, type ShardPlaces } from "./ShardGroups.ts"

/** What cannot be done, or what the cluster refused, in words. */
export class ShardsRefused extends Schema.TaggedError<ShardsRefused>()("pointsman/storage-citus/ShardsRefused", {
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

type Isolation = Transfer & { readonly workspaceId: string; readonly to?: string | undefined }
type Drain = Transfer & { readonly drain?: string | undefined }
type Asked<A> = Effect.Effect<A, ShardsRefused | StorageError>

export interface Begun extends Rebalance {
  /** `false`: it was begun before, perhaps with another order. */
  readonly isNew: boolean
}

/** Each operation may be interrupted: what is not moved by then stays where it is. */
export interface Shards {
  readonly list: Asked<ShardPlaces>
  /** Shards of its own for a workspace, and then a move, if `to` is given: `host:port`. */
  readonly isolate: (order: Isolation) => Asked<Isolated>
  readonly move: (order: Transfer & { readonly of: ShardChoice; readonly to: string }) => Asked<Moved>
  /** Or finds the one that runs; `undefined` where nothing has to move. `drain`: the node that all shards leave for good. */
  readonly rebalance: (order: Drain) => Asked<Begun | undefined>
  readonly rebalanced: Asked<Rebalance | undefined>
  /** `false` where none runs. What was moved stays at its new node. */
  readonly stopRebalance: Asked<boolean>
}

/** `url`: of any node of a cluster to which the tables of this version are distributed. */
export const openShards = (options: {
  readonly url: Redacted.Redacted
}): Effect.Effect<Shards, StorageError, Scope.Scope> =>
  Effect.gen(function* () {
    const asked = { ...options, maxConnections: 1 }
    const db = yield* openNode(asked)
    const { tables } = yield* missingPlacement(db)
    if (tables.length > 0) return yield* new StorageError({ operation: "open", cause: new Error(notPlaced) })
    return shardsAt(yield* coordinatorOf(db, asked))
  })

const notPlaced = "its tables are not on the nodes of a cluster: start the server once to place them"

const shardsAt = (coordinator: Database): Shards => {
  const ask = <A>(act: (query: Query) => Effect.Effect<A, SqlError | ShardsRefused>): Asked<A> =>
    onConnection(coordinator, (query, set) =>
      Effect.andThen(
        Effect.forEach(["statement_timeout", "lock_timeout"], (name) => set(name, "0")),
        act(query)
      )
    ).pipe(Effect.mapError((error) => (error instanceof SqlError ? refusalOf(error) : error)))
  return {
    list: ask(readPlaces),
    isolate: (order) => ask((query) => isolate(query, order)),
    move: ({ blockWrites, of, to }) =>
      ask(
        Effect.fnUntraced(function* (query) {
          const places = yield* readPlaces(query)
          return yield* moveGroup(query, places, yield* groupOf(places, of), to, blockWrites)
        })
      ),
    rebalance: (order) => ask((query) => rebalance(query, order)),
    rebalanced: ask(readRebalance),
    stopRebalance: ask(
      Effect.fnUntraced(function* (query) {
        if ((yield* readRebalance(query))?.state !== "running") return false
        yield* query("select citus_rebalance_stop()")
        return true
      })
    )
  }
}

const refuse = (message: string) => new ShardsRefused({ message })

const isolate = Effect.fnUntraced(function* (query: Query, { blockWrites, to, workspaceId }: Isolation) {
  const before = yield* readPlaces(query)
  const shared = yield* groupOf(before, { workspaceId })
  const target = to === undefined ? shared.node : (yield* nodeOf(before, to)).name
  if (shared.isOwn) {
    const moved = yield* moveGroup(query, before, shared, target, blockWrites)
    return { ...moved, isIsolated: false }
  }
  yield* requireTransfer(query, blockWrites, ["wal_level", "output_plugin_libraries"])
  const places = yield* split(query, before, shared, workspaceId, target, blockWrites)
  const { shard, workspaces } = yield* groupOf(places, { workspaceId })
  return { shard, from: shared.node, to: target, workspaces, isMoved: target !== shared.node, isIsolated: true }
})

/**
 * Without blocking writes all parts are made at another node, and those that stay are moved back: at the node of the
 * group, an update meanwhile stops the engine for good, "publisher did not send replica identity column" (Citus 13.2).
 */
const split = Effect.fnUntraced(function* (
  query: Query,
  places: ShardPlaces,
  group: ShardGroup,
  workspaceId: string,
  target: string,
  blockWrites: boolean
) {
  const others = places.nodes.filter(({ name, takesShards }) => takesShards && name !== group.node)
  const between = others.find(({ name }) => name === target) ?? others[0]
  if (between === undefined && !blockWrites) {
    return yield* refuse(
      "no other node takes shards: a split that does not block writes needs a second one; accept with --block-writes that " +
        "writes wait until the split is over"
    )
  }
  const rest = blockWrites || between === undefined ? group.node : between.name
  const own = blockWrites || between === undefined ? target : between.name
  const hash = Number((yield* query("select worker_hash($1::text) as hash", [bindText(workspaceId)]))[0]?.["hash"])
  const [low, high] = group.range
  // Each part ends at one of these values, and the last one at the end of the group.
  const parts = [...(low < hash ? [{ end: hash - 1, node: rest }] : []), { end: hash, node: own }]
  if (hash < high) parts.push({ end: high, node: rest })
  yield* query(
    `select citus_split_shard_by_split_points($1::bigint, $2::text[],
      (select array_agg(n.nodeid order by wanted.place) from unnest($3::text[]) with ordinality as wanted (name, place)
        join pg_dist_node as n on n.nodename || ':' || n.nodeport = wanted.name and n.noderole = 'primary'),
      $4::citus.shard_transfer_mode)`,
    [
      group.shard,
      arrayText(parts.slice(0, -1).map(({ end }) => String(end))),
      arrayText(parts.map(({ node }) => node)),
      transferMode(blockWrites)
    ]
  )
  const made = yield* readPlaces(query)
  for (const part of made.groups.filter(({ range }) => range[0] >= low && range[1] <= high)) {
    yield* moveGroup(query, made, part, part.isOwn ? target : group.node, blockWrites)
  }
  return made
})

const moveGroup = Effect.fnUntraced(function* (
  query: Query,
  places: ShardPlaces,
  { node: from, shard, workspaces }: ShardGroup,
  to: string,
  blockWrites: boolean
) {
  const { name } = yield* nodeOf(places, to)
  if (name === from) return { shard, from, to: name, workspaces, isMoved: false }
  yield* requireTransfer(query, blockWrites, ["wal_level"])
  const move = query(
    `select citus_move_shard_placement($1::bigint, source.nodeid, target.nodeid, $4::citus.shard_transfer_mode)
      from pg_dist_node as source, pg_dist_node as target
      where source.nodename || ':' || source.nodeport = $2 and target.nodename || ':' || target.nodeport = $3`,
    [shard, from, name, transferMode(blockWrites)]
  )
  // What an earlier move left at the node is removed once no statement reads it
  // (https://github.com/citusdata/citus/pull/5024).
  const isLeftover = (error: SqlError) => messageOf(error).includes("leftover from the previous move")
  yield* Effect.retry(move, { while: isLeftover, schedule: Schedule.spaced("1 second"), times: 60 })
  return { shard, from, to: name, workspaces, isMoved: true }
})

const rebalance = Effect.fnUntraced(function* (query: Query, { blockWrites, drain }: Drain) {
  const running = yield* readRebalance(query)
  if (running?.state === "running") return { ...running, isNew: false }
  const places = yield* readPlaces(query)
  const drained = drain === undefined ? undefined : yield* namedNode(places, drain)
  yield* requireTransfer(query, blockWrites, ["wal_level"])
  if (drained !== undefined) {
    if (!places.nodes.some(({ name, takesShards }) => takesShards && name !== drained.name)) {
      return yield* refuse(`no other node takes shards: ${drained.name} cannot be drained`)
    }
    yield* query(
      `select citus_set_node_property(nodename, nodeport, 'shouldhaveshards', false) from pg_dist_node
        where nodename || ':' || nodeport = $1`,
      [drained.name]
    )
  }
  const started = yield* Effect.result(startRebalance(query, drained !== undefined, blockWrites))
  // Another one was begun a moment ago.
  const isRunning = Result.isFailure(started) && messageOf(started.failure).startsWith("A rebalance is already running")
  if (Result.isFailure(started) && !isRunning) return yield* started.failure
  const begun = Result.isSuccess(started) && started.success === undefined ? undefined : yield* readRebalance(query)
  return begun === undefined ? undefined : { ...begun, isNew: !isRunning }
})

const namesOf = (nodes: ReadonlyArray<ClusterNode>): string => nodes.map(({ name }) => name).join(", ")

const namedNode = ({ nodes }: ShardPlaces, name: string): Effect.Effect<ClusterNode, ShardsRefused> => {
  const found = nodes.find((node) => node.name === name)
  return found === undefined
    ? Effect.fail(refuse(`no node "${name}" in the cluster: expected one of ${namesOf(nodes)}`))
    : Effect.succeed(found)
}

const nodeOf = Effect.fnUntraced(function* (places: ShardPlaces, name: string) {
  const node = yield* namedNode(places, name)
  if (node.takesShards || places.groups.some((group) => group.node === name)) return node
  const others = places.nodes.filter(({ takesShards }) => takesShards)
  return yield* refuse(`the node ${name} takes no shards: expected one of ${namesOf(others)}`)
})

const groupOf = ({ groups }: ShardPlaces, of: ShardChoice): Effect.Effect<ShardGroup, ShardsRefused> => {
  const found = groups.find(({ shard, workspaces }) =>
    "shard" in of ? shard === of.shard : workspaces.includes(of.workspaceId)
  )
  if (found !== undefined) return Effect.succeed(found)
  const missing =
    "shard" in of
      ? `no shard group ${of.shard}: expected one that \`pointsman shards list\` names`
      : `no workspace "${of.workspaceId}": expected one that \`pointsman workspaces list\` names`
  return Effect.fail(refuse(missing))
}

/** A setting that the engine's logical replication needs on every node to move shards without stopping writes. */
type ReplicationSetting = "wal_level" | "output_plugin_libraries"

/**
 * Empty where the node's PostgreSQL has no such setting: `output_plugin_libraries` came with 15.19, 16.15, 17.11 and 18.6
 * (https://www.postgresql.org/docs/18/release-18-6.html).
 */
const selectSetting = `select n.nodename || ':' || n.nodeport as name, r.success, r.result
  from run_command_on_all_nodes($1) as r join pg_dist_node as n on n.nodeid = r.nodeid
  where n.noderole = 'primary' order by 1`

const acceptInstead = "or accept with --block-writes that writes wait until the move is over"

/**
 * Why a node with this value cannot copy shards without stopping writes. A split decodes by the library of Citus, a
 * move by PostgreSQL's own (https://github.com/citusdata/citus/pull/8777).
 */
const unfitFor: Record<ReplicationSetting, (value: string) => string | undefined> = {
  wal_level: (value) =>
    value === "logical"
      ? undefined
      : `has wal_level=${value}, and a move that does not block writes needs wal_level=logical: set it and restart the ` +
        `node, ${acceptInstead}`,
  output_plugin_libraries: (value) =>
    value === "" || value.split(",").some((library) => library.trim().replaceAll('"', "") === "citus")
      ? undefined
      : `has output_plugin_libraries=${value}, and a new group that does not block writes needs citus in that list: add ` +
        `it and reload the node's configuration, ${acceptInstead}`
}

/**
 * Every node answers, no rebalance moves the same shards, and writes continue meanwhile unless the operator stops them.
 */
const requireTransfer = Effect.fnUntraced(function* (
  query: Query,
  blockWrites: boolean,
  settings: ReadonlyArray<ReplicationSetting>
) {
  const running = yield* readRebalance(query)
  if (running?.state === "running") {
    return yield* refuse(
      `a rebalance is under way (job ${running.job}): \`pointsman shards rebalance\` shows its progress, and ` +
        "`pointsman shards rebalance --stop` ends it"
    )
  }
  for (const setting of settings) {
    const command = `select coalesce(current_setting('${setting}', true), '')`
    for (const { name, result, success } of yield* query(selectSetting, [command])) {
      if (success !== true) return yield* refuse(`the node ${name} does not answer: a move needs every node`)
      const unfit = blockWrites ? undefined : unfitFor[setting](String(result))
      if (unfit !== undefined) return yield* refuse(`the node ${name} ${unfit}`)
    }
  }
})

const messageOf = (error: SqlError): string => (storageError("shards", error).cause as Error).message

/** Only an error of the engine itself says that it was taken back. */
const refusalOf = (error: SqlError): ShardsRefused | StorageError => {
  const failed = storageError("shards", error)
  const { code, message } = failed.cause as { readonly code?: string; readonly message: string }
  if (code === undefined) return failed
  if (message.startsWith("could not acquire the lock required to")) {
    return refuse("another move of these shards is under way: run this again when it is over")
  }
  return refuse(`the cluster refused it: ${message}`)
}

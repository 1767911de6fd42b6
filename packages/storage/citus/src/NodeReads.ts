/** Reads across all workspaces, asked of each node for its own shards. No writes: a shard may be moving. */
import { StorageAllowance, StorageError, withAllowance } from "@pointsman/core/ports"
import { codeOf, codes, type Database, type Params } from "@pointsman/storage-postgres/internal"
import type { Row } from "@pointsman/storage-sql"
import { Clock, Effect, Result } from "effect"
import { answered } from "./ByWorkspace.ts"
import { paramsOf } from "./OnShards.ts"
import { call, type How, type Told } from "./RunFunction.ts"

/** One routing key for each node: the id of a workspace where all of its workspaces have shards of their own. */
const selectNodes = `with shards as (
    select s.shardminvalue::integer as low, s.shardmaxvalue::integer as high, n.groupid as node,
      n.nodename || ':' || n.nodeport as name
    from pg_dist_shard as s join pg_dist_placement as p using (shardid)
      join pg_dist_node as n on n.groupid = p.groupid and n.noderole = 'primary'
    where s.logicalrelid = 'payments'::regclass
  ), keys as (
    select k::text as key, worker_hash(k::text) as hash from generate_series(1, 4096) as k
    union all
    select w.id, worker_hash(w.id) from workspaces as w
    where worker_hash(w.id) in (select low from shards where low = high)
  )
  select distinct on (s.node) s.node, s.name, k.key from shards as s join keys as k on k.hash between s.low and s.high
  order by s.node, k.key`

export interface Node {
  readonly node: number
  /** Host and port. */
  readonly name: string
  readonly key: string
}

export interface NodeReads {
  readonly nodes: Effect.Effect<ReadonlyArray<Node>, StorageError>
  /** Where the shards are is asked again: a node answered that was not meant. */
  readonly forgetNodes: Effect.Effect<void>
  /** What all nodes have; fails where one does not answer. */
  readonly all: (operation: string, sql: string, params?: Params) => Effect.Effect<ReadonlyArray<Row>, StorageError>
  /** What the nodes have that answer; fails where none does. */
  readonly some: NodeReads["all"]
}

/** The other nodes' answers wait for one that does not answer, for half as long at most. In milliseconds. */
const allowedMillis = 6_000

/** Who has no allowance, as the background has none, waits no longer either. */
export const withinLimit = <A, E>(asked: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const allowance = yield* StorageAllowance
    return yield* allowance === undefined ? withAllowance(asked, allowedMillis) : asked
  })

export const askNode = (db: Database, operation: string, { key }: Node, sql: string, params: Params, how: How) =>
  Effect.map(
    withinLimit(db.read(operation, call, paramsOf(key, sql, params, how))),
    ([row]) => (row?.["told"] ?? {}) as Told
  )

export const noAnswerOf = (name: string): string => `the node ${name} of the database does not answer`

/** For ten seconds it is not asked again which shards are where. A wrong one shows in the answer. */
const keptNanos = 10_000_000_000n

export const makeNodeReads = (db: Database): NodeReads => {
  let kept: { readonly nodes: ReadonlyArray<Node>; readonly at: bigint } | undefined
  const nodes = Effect.gen(function* () {
    const now = yield* Clock.monotonicTimeNanos
    if (kept !== undefined && now - kept.at < keptNanos) return kept.nodes
    const found = (yield* db.read("nodes", selectNodes, [], true)) as unknown as ReadonlyArray<Node>
    kept = { nodes: found, at: now }
    return found
  })
  const forgetNodes = Effect.sync(() => {
    kept = undefined
  })
  const one = (operation: string, sql: string, params: Params, node: Node) =>
    Effect.filterOrFail(
      askNode(db, operation, node, sql, params, "each"),
      (told) => told.node === node.node,
      () => new StorageError({ operation, cause: moved })
    )
  const ask = Effect.fnUntraced(function* (operation: string, sql: string, params: Params = []) {
    for (let round = 0; round < maxRounds; round++) {
      const answers = yield* Effect.forEach(yield* nodes, (node) => Effect.result(one(operation, sql, params, node)), {
        concurrency: "unbounded"
      })
      if (!haveMoved(answers)) return answers
      yield* forgetNodes
    }
    return yield* new StorageError({ operation, cause: moved })
  })
  const asking =
    (needsAll: boolean): NodeReads["all"] =>
    (operation, sql, params) =>
      Effect.map(
        Effect.flatMap(ask(operation, sql, params), (answers) => answered(answers, needsAll)),
        (found) => found.flatMap(({ rows }) => rows)
      )
  return { nodes, forgetNodes, all: asking(true), some: asking(false) }
}

const moved = new Error("shards moved to other nodes while the nodes were read")

/** A shard moves once in a long time, and a read takes milliseconds. */
const maxRounds = 5

/**
 * Whether a shard was read at two nodes, at none, or under a name that it has no longer. Where a node does not answer,
 * its shards are missing.
 */
const haveMoved = (answers: ReadonlyArray<Result.Result<Told, StorageError>>): boolean => {
  const failures = answers.filter(Result.isFailure).map(({ failure }) => failure)
  if (failures.length > 0) return failures.some((one) => one.cause === moved || codeOf(one) === codes.undefinedTable)
  return !coversAll(answers.filter(Result.isSuccess).flatMap(({ success }) => success.ranges))
}

/** Hash values are signed integers of 32 bits. */
const coversAll = (ranges: Told["ranges"]): boolean => {
  let next = -(2 ** 31)
  for (const [low, high] of ranges.toSorted(([a], [b]) => a - b)) {
    if (low !== next) return false
    next = high + 1
  }
  return next === 2 ** 31
}

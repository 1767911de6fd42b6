/**
 * Reads across all workspaces, asked of each node for its own shards: a node that is down does not hide what the
 * others have. The statement is the one of plain PostgreSQL, on the tables of one range of shards after the other, so
 * that it walks along the same indexes. It only reads: a write goes by the workspace, because a shard may be moving.
 */
import { StorageAllowance, StorageError, withAllowance } from "@pointsman/core/ports"
import type { Row } from "@pointsman/storage-sql"
import { Clock, Effect, Result } from "effect"
import type { Database } from "../Database.ts"
import { arrayText, literal } from "./Literals.ts"
import { type NodeFunction, nodeFunction } from "./NodeFunction.ts"
import { shardedTables } from "./Places.ts"

/** `{payments}` in the statement is the shard of that table. It says which node answered, and for which hash values. */
export const readFunction: NodeFunction = nodeFunction(
  "read",
  "key text, tables text[], statement text",
  `declare
    own integer := (select groupid from pg_dist_local_group);
    one record;
    shard record;
    filled text;
    part jsonb;
    ranges jsonb := '[]';
    found jsonb := '[]';
  begin
    for one in
      select s.shardminvalue as low, s.shardmaxvalue as high from pg_dist_shard as s join pg_dist_placement as p using (shardid)
      where s.logicalrelid = 'payments'::regclass and p.groupid = own order by s.shardminvalue::integer
    loop
      filled := statement;
      for shard in
        select c.relname as name, s.shardid as id from pg_dist_shard as s join pg_class as c on c.oid = s.logicalrelid
        where s.shardminvalue = one.low and s.logicalrelid = any (tables::regclass[])
      loop
        filled := replace(filled, '{' || shard.name || '}', shard.name || '_' || shard.id);
      end loop;
      execute format('select coalesce(jsonb_agg(to_jsonb(one)), ''[]'') from (%s) as one', filled) into part;
      found := found || part;
      ranges := ranges || jsonb_build_array(jsonb_build_array(one.low::integer, one.high::integer));
    end loop;
    return jsonb_build_object('node', own, 'rows', found, 'ranges', ranges);
  end`
)

const call = `select ${readFunction.name}($1::text, $2::text[], $3::text) as told`

/**
 * Selects one routing key for each node: Citus runs a function with this argument on that node. A node may have no other
 * shards than those of workspaces with shards of their own, to which no other text leads.
 */
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

type Params = ReadonlyArray<string | null>

export interface NodeReads {
  readonly nodes: Effect.Effect<ReadonlyArray<Node>, StorageError>
  /** Where the shards are is asked again: a node answered that was not meant. */
  readonly forgetNodes: Effect.Effect<void>
  /** What all nodes have; fails where one does not answer. */
  readonly all: (operation: string, sql: string, params?: Params) => Effect.Effect<ReadonlyArray<Row>, StorageError>
  /** What the nodes have that answer; fails where none does. */
  readonly some: (operation: string, sql: string, params?: Params) => Effect.Effect<ReadonlyArray<Row>, StorageError>
  /** As `some`, and whether every node answered. */
  readonly found: (
    operation: string,
    sql: string,
    params?: Params
  ) => Effect.Effect<{ readonly rows: ReadonlyArray<Row>; readonly failure: StorageError | undefined }, StorageError>
}

/** The other nodes' answers wait for one that does not answer, for half as long at most. In milliseconds. */
const allowedMillis = 6_000

/** Who has no allowance, as the background has none, waits no longer either. */
export const withinLimit = <A, E>(asked: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    const allowance = yield* StorageAllowance
    return yield* allowance === undefined ? withAllowance(asked, allowedMillis) : asked
  })

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
  const one = (operation: string, params: Params, { key, node }: Node) =>
    Effect.flatMap(withinLimit(db.read(operation, call, [key, ...params])), ([row]) => {
      const told = row?.["told"] as Told
      return told.node === node ? Effect.succeed(told) : Effect.fail(new StorageError({ operation, cause: moved }))
    })
  const ask = Effect.fnUntraced(function* (operation: string, sql: string, params: Params = []) {
    const { statement, tables } = onShards(sql, params)
    for (let round = 0; round < maxRounds; round++) {
      const answers = yield* Effect.forEach(
        yield* nodes,
        (node) => Effect.result(one(operation, [arrayText(tables), statement], node)),
        { concurrency: "unbounded" }
      )
      if (!haveMoved(answers)) return answers
      yield* forgetNodes
    }
    return yield* new StorageError({ operation, cause: moved })
  })
  const found: NodeReads["found"] = (operation, sql, params) =>
    Effect.flatMap(ask(operation, sql, params), (answers) => {
      const rows = answers.filter(Result.isSuccess).map(({ success }) => success.rows)
      const failure = answers.find(Result.isFailure)?.failure
      return rows.length === 0 && failure !== undefined
        ? Effect.fail(failure)
        : Effect.succeed({ rows: rows.flat(), failure })
    })
  return {
    nodes,
    forgetNodes,
    found,
    all: (operation, sql, params) =>
      Effect.flatMap(found(operation, sql, params), ({ failure, rows }) =>
        failure === undefined ? Effect.succeed(rows) : Effect.fail(failure)
      ),
    some: (operation, sql, params) => Effect.map(found(operation, sql, params), ({ rows }) => rows)
  }
}

interface Told {
  readonly node: number
  readonly rows: ReadonlyArray<Row>
  /** The hash values of its shards, each from its lowest to its highest. */
  readonly ranges: ReadonlyArray<readonly [low: number, high: number]>
}

const moved = new Error("shards moved to other nodes while the nodes were read")

/** A shard moves once in a long time, and a read takes milliseconds. */
const maxRounds = 5

const undefinedTable = "42P01"

/**
 * Whether a shard was read at two nodes, at none, or under a name that it has no longer. Where a node does not answer, its
 * shards are missing, and the caller is told.
 */
const haveMoved = (answers: ReadonlyArray<Result.Result<Told, StorageError>>): boolean => {
  const causes = answers.filter(Result.isFailure).map(({ failure }) => failure.cause as { readonly code?: unknown })
  if (causes.length > 0) return causes.some((cause) => cause === moved || cause?.code === undefinedTable)
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

const tableName = /\b(from|join)\s+(\w+)\b(\s+as\b)?/gu

/** The statement on shards, with its parameters in it. */
const onShards = (sql: string, params: Params) => {
  const tables = new Set<string>()
  const statement = sql
    .replaceAll(tableName, (found, word: string, table: string, alias: string | undefined) => {
      if (!shardedTables.includes(table)) return found
      tables.add(table)
      return `${word} {${table}} ${alias === undefined ? `as ${table}` : "as"}`
    })
    .replaceAll(/\$(\d+)/g, (_, number: string) => literal(params[Number(number) - 1] ?? null))
  return { statement, tables: [...tables] }
}

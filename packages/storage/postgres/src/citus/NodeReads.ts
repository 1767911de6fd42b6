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

/** `{payments}` in the statement is the shard of that table. It says which node answered. */
export const readFunction: NodeFunction = nodeFunction(
  "read",
  "key text, tables text[], statement text",
  `declare
    own integer := (select groupid from pg_dist_local_group);
    low text;
    shard record;
    filled text;
    part jsonb;
    found jsonb := '[]';
  begin
    for low in
      select s.shardminvalue from pg_dist_shard as s join pg_dist_placement as p using (shardid)
      where s.logicalrelid = 'payments'::regclass and p.groupid = own order by s.shardminvalue::integer
    loop
      filled := statement;
      for shard in
        select c.relname as name, s.shardid as id from pg_dist_shard as s join pg_class as c on c.oid = s.logicalrelid
        where s.shardminvalue = low and s.logicalrelid = any (tables::regclass[])
      loop
        filled := replace(filled, '{' || shard.name || '}', shard.name || '_' || shard.id);
      end loop;
      execute format('select coalesce(jsonb_agg(to_jsonb(one)), ''[]'') from (%s) as one', filled) into part;
      found := found || part;
    end loop;
    return jsonb_build_object('node', own, 'rows', found);
  end`
)

const call = `select ${readFunction.name}($1::text, $2::text[], $3::text) as told`

/** Selects one routing key for each node: Citus runs a function with this argument on that node. */
const selectNodes = `select distinct on (n.groupid) n.groupid as node, n.nodename || ':' || n.nodeport as name, k::text as key
  from pg_dist_shard as s join pg_dist_placement as p using (shardid)
    join pg_dist_node as n on n.groupid = p.groupid and n.noderole = 'primary',
    generate_series(1, 4096) as k
  where s.logicalrelid = 'payments'::regclass
    and worker_hash(k::text) between s.shardminvalue::integer and s.shardmaxvalue::integer
  order by n.groupid, k`

export interface Node {
  readonly node: number
  /** Host and port. */
  readonly name: string
  readonly key: string
}

type Params = ReadonlyArray<string | null>

export interface NodeReads {
  readonly nodes: Effect.Effect<ReadonlyArray<Node>, StorageError>
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
  const one = (operation: string, params: Params, { key, node }: Node) =>
    Effect.flatMap(withinLimit(db.read(operation, call, [key, ...params])), ([row]) => {
      const told = row?.["told"] as { readonly node: number; readonly rows: ReadonlyArray<Row> }
      return told.node === node ? Effect.succeed(told.rows) : Effect.fail(new StorageError({ operation, cause: moved }))
    })
  const ask = (operation: string, sql: string, params: Params = []) =>
    Effect.suspend(() => {
      const { statement, tables } = onShards(sql, params)
      const asked = Effect.flatMap(nodes, (found) =>
        Effect.forEach(found, (node) => Effect.result(one(operation, [arrayText(tables), statement], node)), {
          concurrency: "unbounded"
        })
      )
      return Effect.flatMap(asked, (answers) => {
        if (!answers.some((answer) => Result.isFailure(answer) && answer.failure.cause === moved)) {
          return Effect.succeed(answers)
        }
        kept = undefined
        return asked
      })
    })
  const found: NodeReads["found"] = (operation, sql, params) =>
    Effect.flatMap(ask(operation, sql, params), (answers) => {
      const rows = answers.filter(Result.isSuccess).map(({ success }) => success)
      const failure = answers.find(Result.isFailure)?.failure
      return rows.length === 0 && failure !== undefined
        ? Effect.fail(failure)
        : Effect.succeed({ rows: rows.flat(), failure })
    })
  return {
    nodes,
    found,
    all: (operation, sql, params) =>
      Effect.flatMap(found(operation, sql, params), ({ failure, rows }) =>
        failure === undefined ? Effect.succeed(rows) : Effect.fail(failure)
      ),
    some: (operation, sql, params) => Effect.map(found(operation, sql, params), ({ rows }) => rows)
  }
}

const moved = new Error("the shards of a node moved while it was asked")

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

/**
 * Statements about workspaces are run by the node of the workspace, or by every node (`ByWorkspace.ts`). All others go to the
 * node that is asked.
 */
import { StorageError } from "@pointsman/core/ports"
import {
  codeOf,
  codes,
  type Database,
  inRealTime,
  type Params,
  type Query,
  Refused
} from "@pointsman/storage-postgres/internal"
import type { Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { CurrentWhere, type Where } from "./ByWorkspace.ts"
import type { NodeReads } from "./NodeReads.ts"
import { isSharded, paramsOf } from "./OnShards.ts"
import { call, type How, type Told } from "./RunFunction.ts"

/**
 * A workspace moves once in a long time. The end of a move is committed at the coordinator first, and a moment later at
 * the nodes: until then the new node does not know that it has the workspace. Its statements wait for 1.3 seconds in all.
 */
const maxRetries = 7
const firstPauseMillis = 10

/** The workspace left the node before the statement came there, which did nothing. */
class Moved {
  readonly _tag = "Moved"
}

const rowsOf = ([row = {}]: ReadonlyArray<Row>): Effect.Effect<ReadonlyArray<Row>, Moved> => {
  const { ranges, rows } = row["told"] as Told
  return ranges.length === 0 ? Effect.fail(new Moved()) : Effect.succeed(rows)
}

const followed = <A, E>(
  operation: string,
  asked: Effect.Effect<A, E | Moved>,
  retries = 0
): Effect.Effect<A, E | StorageError> =>
  Effect.catch(asked, (failed): Effect.Effect<A, E | StorageError> => {
    if (!(failed instanceof Moved)) return Effect.fail(failed)
    if (retries === maxRetries) {
      const cause = new Error("the workspace moved while it was asked for")
      return Effect.fail(new StorageError({ operation, cause }))
    }
    const pause = inRealTime(Effect.sleep(firstPauseMillis * 2 ** retries))
    return Effect.andThen(pause, followed(operation, asked, retries + 1))
  })

const told = <E>(operation: string, asked: Effect.Effect<ReadonlyArray<Row>, E | Moved>) =>
  followed(operation, Effect.flatMap(asked, rowsOf))

/** A shard's constraint has the number of the shard behind its name, and only the message says it. */
const named = <E>(failed: E): E | Refused => {
  if (!(failed instanceof Refused)) return failed
  const constraint = /constraint "(\w+?)_\d+"/u.exec(String((failed.error.cause as Error).message))?.[1]
  return new Refused({ ...failed, constraint })
}

/** A read holds no shard back: it may be dropped behind a move before it is read. */
const dropped = (failed: StorageError): StorageError | Moved =>
  codeOf(failed) === codes.undefinedTable ? new Moved() : failed

interface Sharded {
  /** For what is asked of the node of one workspace. */
  readonly lanes: Database
  readonly nodes: NodeReads
  /** What versions begin after, in SQL. */
  readonly base: () => string
}

export const shardedDatabase = (db: Database, { base, lanes, nodes }: Sharded): Database => {
  /** `null`: of the node that is asked. */
  const whereOf = (operation: string, sql: string) =>
    Effect.filterOrElse(
      Effect.map(CurrentWhere, (found) => (isSharded(sql) ? found : null)),
      (found) => found !== undefined,
      () => Effect.die(new Error(`${operation}: the statement is for the tables of a workspace, and names none`))
    )
  const keyOf = (found: Where): string => {
    if (typeof found === "string") throw new Error("what is written is written in one workspace")
    return found.key
  }
  const called = (found: Where, sql: string, params: Params, how: How) =>
    [call, paramsOf(keyOf(found), sql, params, how, base())] as const
  const inWhere =
    (query: Query, found: Where): Query =>
    (sql, params = []) =>
      isSharded(sql)
        ? (Effect.flatMap(query(...called(found, sql, params, "write")), rowsOf) as ReturnType<Query>)
        : query(sql, params)
  return {
    ...db,
    read: (operation, sql, params = [], isAside) =>
      Effect.flatMap(whereOf(operation, sql), (found) => {
        if (found === null) return db.read(operation, sql, params, isAside)
        if (typeof found === "string") return nodes[found](operation, sql, params)
        return told(operation, Effect.mapError(lanes.read(operation, ...called(found, sql, params, "read")), dropped))
      }),
    write: (operation, sql, params = [], ...waiting) =>
      Effect.flatMap(whereOf(operation, sql), (found) => {
        if (found === null) return db.write(operation, sql, params, ...waiting)
        const written = lanes.write(operation, ...called(found, sql, params, "write"), ...waiting)
        return told(operation, Effect.mapError(written, named))
      }),
    update: (operation, sql, params = []) =>
      Effect.flatMap(whereOf(operation, sql), (found) =>
        found === null
          ? db.update(operation, sql, params)
          : told(operation, lanes.update(operation, ...called(found, sql, params, "write")))
      ),
    transaction: (operation, body) =>
      Effect.flatMap(CurrentWhere, (found) => {
        if (found === undefined) return db.transaction(operation, body)
        const asked = lanes.transaction(operation, (query) => body(inWhere(query, found)), keyOf(found))
        return followed(operation, asked)
      })
  }
}

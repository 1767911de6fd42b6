/**
 * A pool of connections to one PostgreSQL database, and the results of its statements. Until a connection is at hand
 * nothing was sent. An error of the server took everything back. After anything else, such as a lost connection, the
 * result is unknown.
 */
import { type PgConnection, PgPool, PgTypes } from "@effect/sql-pg"
import { CommitUnknown, limitOf, StorageAllowance, StorageError } from "@pointsman/core/ports"
import type { Bound, Row, Query as SqlQuery } from "@pointsman/storage-sql"
import { Effect, Fiber, type Redacted, Result, type Scope } from "effect"
import { SqlError } from "effect/sql/SqlError"
import { type ConnectionMode, inRealTime, readConnectionMode } from "./ConnectionMode.ts"
import { type Connections, charging, makeConnections, notSent } from "./Connections.ts"
import { bindValue, type Value } from "./Rows.ts"
import { codeOf, codes, failureOf, isTakenBack, noAnswer, noAnswerCause, Refused, storageError } from "./SqlFailures.ts"

/** Texts are ours and few, so that each connection prepares each of them once. Numbers are bound as text. */
export type Query = SqlQuery<Value>

export type Params = ReadonlyArray<Bound<Value>>
type Rows<E> = Effect.Effect<ReadonlyArray<Row>, E>

export interface Database {
  /** A connection until the scope closes, for as long as it takes: for migrations. */
  readonly reserve: PgPool.PgPool["reserve"]
  /** Notifications of a channel, on a connection of their own until the scope closes. */
  readonly listen: (channel: string) => ReturnType<PgConnection.PgConnection["listen"]>
  /** It may be done again. `isAside`: what every request waits for does not queue behind payments. */
  readonly read: (operation: string, sql: string, params?: Params, isAside?: boolean) => Rows<StorageError>
  readonly connections: number
  /** A server answers within its own time-outs, or the network lost the answer. */
  readonly answerMillis: number
  /** For how long the operation that waits longest has been without a connection, in milliseconds. */
  readonly longestWaitMillis: () => number
  /** The same connections, of which each lane has a share; except for what is aside. */
  readonly inLanes: (lanes: Lanes) => Database
  /** Takes what waits elsewhere, before it asks for a connection, into account too. */
  readonly addQueue: (longestWaitMillis: () => number) => void
  /**
   * One statement that commits by itself, and is not interrupted once it was sent. `isClaim`: it waits for a connection
   * for a second at most; from `since` on, by `performance.now()`, where it waited before.
   */
  readonly write: (
    operation: string,
    sql: string,
    params?: Params,
    isClaim?: boolean,
    since?: number
  ) => Rows<Refused | StorageError | CommitUnknown>
  /** As `write`, for callers that do the same whether nothing was written or the result is unknown. */
  readonly update: (operation: string, sql: string, params?: Params) => Rows<StorageError>
  /** Not interrupted once it was begun. `key`: leads to the lane, as the first parameter of a statement. */
  readonly transaction: <A, E>(
    operation: string,
    body: (query: Query) => Effect.Effect<A, E | SqlError>,
    key?: string
  ) => Effect.Effect<A, Exclude<E, SqlError> | StorageError | CommitUnknown>
}

/** Which statements wait for the same machine, where the server asks several. */
export interface Lanes {
  /** Gets the first parameter of a statement; `undefined` where the lane is unknown. */
  readonly laneOf: (key: Params[number] | undefined) => number | undefined
  /** Why nothing is sent; `undefined` where something is. */
  readonly refusalOf: (lane: number) => string | undefined
}

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database`; `sslmode` and other parameters of libpq as in its documentation. */
  readonly url: Redacted.Redacted
  /** Connections at most, two of which are for the directory and its notifications: 12 unless set. */
  readonly maxConnections?: number | undefined
  /**
   * What takes longer is taken back by the server: 10,000 milliseconds unless set. Twice as long without an answer is no
   * answer.
   */
  readonly statementTimeoutMillis?: number | undefined
  /** Waiting for a row that another transaction holds: 5,000 milliseconds unless set. */
  readonly lockTimeoutMillis?: number | undefined
}

/** A transaction that its process left open is taken back; ours never pause for longer than a round trip. */
const idleInTransactionMillis = 10_000
/** One listens, and one reads. */
const asideConnections = 2
/** Each time another transaction has come through. */
const maxDeadlocks = 5
/** The directory comes as one row. */
const maxMessageBytes = 256 * 1024 * 1024

export const planning = {
  // Every statement is made for one plan, whatever its parameters: planning takes longer than running it.
  plan_cache_mode: "force_generic_plan",
  // What is asked has an index, and a plan that was made while a table was small is kept when it has grown.
  enable_seqscan: "off",
  jit: "off"
} as const

/** What a server is to be asked by, and which of its errors show that nothing was written. */
export interface Server {
  readonly planning: Readonly<Record<string, string>>
  readonly isTakenBack: Parameters<typeof failureOf>[0]
}

export const open = Effect.fnUntraced(function* (options: PostgresOptions, server: Server = { planning, isTakenBack }) {
  const statementMillis = options.statementTimeoutMillis ?? 10_000
  const mode = yield* readConnectionMode(options.url)
  const make = (maxConnections: number) => openPool(options, statementMillis, mode, maxConnections, server.planning)
  const main = yield* make(Math.max(1, (options.maxConnections ?? 12) - asideConnections))
  return fromPools(main, yield* make(asideConnections), 2 * statementMillis + 1_000, failureOf(server.isTakenBack))
})

export const openPool = (
  options: PostgresOptions,
  statementMillis: number,
  { isPooled, synchronousCommit }: ConnectionMode,
  maxConnections: number,
  planned: Server["planning"] = planning
): Effect.Effect<PgPool.PgPool, StorageError, Scope.Scope> => {
  const settings = {
    statement_timeout: String(statementMillis),
    lock_timeout: String(options.lockTimeoutMillis ?? 5_000),
    idle_in_transaction_session_timeout: String(idleInTransactionMillis),
    // Event ids need each statement of a function to see what was committed before it (see `horizon` in `Reads.ts`).
    default_transaction_isolation: "read committed",
    // An acknowledged payment is on the disk, and on the standbys that the operator waits for.
    synchronous_commit: synchronousCommit === "remote_apply" ? synchronousCommit : "on",
    ...planned
  }
  return PgPool.make({
    url: options.url,
    applicationName: "pointsman",
    maxConnections,
    keepAlive: "10 seconds",
    maxMessageSize: maxMessageBytes,
    types: numbers(),
    startupParameters: isPooled ? {} : settings
  }).pipe(
    inRealTime,
    Effect.map((pool) => (isPooled ? withSettings(pool, settings) : pool)),
    Effect.mapError((error) => storageError("open", error))
  )
}

type Failure = ReturnType<typeof failureOf>

const fromPools = (main: PgPool.PgPool, besides: PgPool.PgPool, answerMillis: number, failure: Failure): Database => {
  const connections = makeConnections(main, answerMillis)
  const aside = makeConnections(besides, answerMillis)
  const queues = [connections.longestWaitMillis]
  const inLanes = (lanes: Lanes): Database => {
    const asking = <A, E>(
      operation: string,
      key: Params[number] | undefined,
      ask: (lane: number | undefined) => Effect.Effect<A, E>,
      isClaim = false
    ) =>
      Effect.suspend((): Effect.Effect<A, E | StorageError> => {
        const lane = lanes.laneOf(key)
        const reason = lane === undefined ? undefined : lanes.refusalOf(lane)
        return reason === undefined ? ask(lane) : Effect.fail(notSent(operation, reason, isClaim))
      })
    const write: Database["write"] = (operation, sql, params = [], isClaim, since) => {
      const late = (millis: number) => new CommitUnknown({ operation, cause: noAnswerCause(millis) })
      const use = (connection: PgConnection.PgConnection) =>
        Effect.mapError(rowsOf(connection, sql, params), (error) => failure(operation, error))
      const ask = (lane?: number) => connections.lend({ operation, isClaim, since, lane, isWrite: true, late }, use)
      return asking(operation, params[0], ask, isClaim)
    }
    return {
      reserve: main.reserve,
      listen: (channel) => Effect.flatMap(besides.reserve, (connection) => connection.listen(channel)),
      connections: main.config.maxConnections ?? 1,
      answerMillis,
      longestWaitMillis: () => Math.max(...queues.map((longest) => longest())),
      addQueue: (longestWaitMillis) => void queues.push(longestWaitMillis),
      inLanes,
      write,
      transaction: (operation, body, key) => {
        const use = (connection: PgConnection.PgConnection) =>
          transaction(operation, connection, answerMillis, failure, body)
        // A statement of it may be given up while the server still answers: then its connection is closed at the end.
        const pinned = ({ pin }: PgConnection.PgConnection) => Effect.scoped(Effect.flatMap(pin, use))
        const ask = (lane?: number) => connections.lend({ operation, isWrite: true, lane }, pinned)
        return beyondDeadlocks(asking(operation, key, ask))
      },
      read: (operation, sql, params = [], isAside = false) => {
        const late = (millis: number) => storageError(operation, noAnswer(millis))
        const use = (connection: PgConnection.PgConnection) =>
          Effect.mapError(rowsOf(connection, sql, params), (error) => storageError(operation, error))
        const from = (lender: Connections, lane?: number) => lender.lend({ operation, lane, isWrite: false, late }, use)
        return isAside ? from(aside) : asking(operation, params[0], (lane) => from(connections, lane))
      },
      update: (operation, sql, params) =>
        beyondDeadlocks(
          Effect.mapError(write(operation, sql, params), (failed) =>
            failed._tag === "Refused" ? failed.error : new StorageError({ operation, cause: failed.cause })
          )
        )
    }
  }
  return inLanes({ laneOf: () => undefined, refusalOf: () => undefined })
}

/** Nothing was written, and the other transaction that was in the way has come through. */
const beyondDeadlocks = <A, E>(asked: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.retry(asked, { times: maxDeadlocks, while: (failed) => codeOf(failed) === codes.deadlock })

export const rowsOf = (connection: PgConnection.PgConnection, sql: string, params: Params = []): Rows<SqlError> =>
  Effect.map(connection.query(sql, params.map(bindValue)), ({ rows }) => rows)

const transaction = Effect.fnUntraced(function* <A, E>(
  operation: string,
  connection: PgConnection.PgConnection,
  answerMillis: number,
  failure: Failure,
  body: (query: Query) => Effect.Effect<A, E | SqlError>
) {
  const query: Query = (sql, params) => within(answerMillis, rowsOf(connection, sql, params))
  const done = yield* Effect.andThen(query("BEGIN"), body(query)).pipe(
    Effect.mapError((error) =>
      error instanceof SqlError ? storageError(operation, error) : (error as Exclude<E, SqlError>)
    ),
    // Where the connection is gone the server takes it back by itself: no COMMIT was sent.
    Effect.tapError(() => Effect.ignore(query("ROLLBACK")))
  )
  yield* Effect.mapError(query("COMMIT"), (error) => {
    const failed = failure(operation, error)
    return failed instanceof Refused ? failed.error : failed
  })
  return done
})

/** A statement of a transaction. The clock runs beside it, as beside a loan of `Connections.ts`. */
const within = (millis: number, statement: Rows<SqlError>): Rows<SqlError> =>
  Effect.withFiber((caller) =>
    Effect.callback((resume) => {
      const allowance = caller.getRef(StorageAllowance)
      const charge = charging(allowance)
      const limit = limitOf(allowance, millis)
      const asked = Effect.runForkWith(caller.context)(statement)
      const late = setTimeout(() => {
        resume(Effect.fail(noAnswer(limit)))
        asked.interruptUnsafe()
      }, limit)
      asked.addObserver((exit) => {
        clearTimeout(late)
        charge()
        resume(exit)
      })
      // A read whose caller goes away is taken back by the server first.
      return Effect.suspend(() => {
        clearTimeout(late)
        return Fiber.interrupt(asked)
      })
    })
  )

/** `bigint` as a number; one that a number does not hold exactly fails its query. */
const numbers = (): PgTypes.Registry => {
  const types = PgTypes.makeRegistry()
  types.register(
    PgTypes.OID.int8,
    {
      encode: () => Result.fail(new PgTypes.CodecError({ message: "numbers are bound as text" })),
      decode: (bytes) => {
        const value = Number(Buffer.from(bytes.buffer, bytes.byteOffset, 8).readBigInt64BE())
        return Number.isSafeInteger(value)
          ? Result.succeed(value)
          : Result.fail(new PgTypes.CodecError({ message: "a bigint is too large for a number" }))
      }
    },
    { arrayOid: 1016 }
  )
  return types
}

/** The pool, whose sessions run under the settings before anything else runs on them. */
const withSettings = (pool: PgPool.PgPool, settings: Readonly<Record<string, string>>): PgPool.PgPool => {
  const names = Object.keys(settings)
  const select = `select ${names.map((name, index) => `set_config('${name}', $${index + 1}, false)`).join(", ")}`
  const values = Object.values(settings)
  const set = new WeakSet<PgConnection.PgConnection>()
  const settle = (connection: PgConnection.PgConnection): Effect.Effect<void, SqlError> =>
    set.has(connection)
      ? Effect.void
      : Effect.map(connection.query(select, values, false), () => {
          set.add(connection)
        })
  const get = Effect.tap(pool.get, settle)
  return {
    ...pool,
    get,
    reserve: Effect.flatMap(get, (connection) => connection.pin),
    use: (use) => pool.use((connection) => Effect.flatMap(settle(connection), () => use(connection)))
  }
}

/**
 * Lends the connections of a pool, each for a bounded time. The clock of a loan runs beside it, so that it also ends for
 * a caller that cannot be interrupted: a network that loses packets says nothing, and the kernel would go on sending for a
 * quarter of an hour.
 *
 * The phase of a failure shows whether a statement was sent. What fails
 * before a connection is at hand was not sent, and is not sent later.
 */
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { limitOf, NotAdmitted, StorageAllowance, StorageError } from "@pointsman/core/ports"
import { Effect, Fiber } from "effect"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { type Deadline, makeDeadlines } from "./Deadlines.ts"

export interface Loan<E> {
  readonly operation: string
  /** `true` for the first write of a new payment or operation: it waits a second for a connection and no longer. */
  readonly isClaim?: boolean | undefined
  /** When it began to wait, by `performance.now()`, if it waited elsewhere before. */
  readonly since?: number | undefined
  /** A lane holds no more connections than its share. */
  readonly lane?: number | undefined
  /** A write that was sent is waited for, also when its caller is interrupted. */
  readonly isWrite: boolean
  /** Without it, what borrows bounds its own statements. */
  readonly late?: ((millis: number) => E) | undefined
}

export interface Connections {
  readonly lend: <A, E>(
    loan: Loan<E>,
    use: (connection: PgConnection.PgConnection) => Effect.Effect<A, E>
  ) => Effect.Effect<A, E | StorageError>
  /** For how long the one that waits longest has been without a connection, in milliseconds. */
  readonly longestWaitMillis: () => number
}

/** More than this in the queue means that what arrives is more than the database takes. */
export const claimWaitMillis = 1_000
const waitMillis = 5_000

export interface ConnectionLimits {
  /** A server answers within its own time-outs, or the network lost the answer. */
  readonly answerMillis: number
}

export const makeConnections = (
  pool: PgPool.PgPool,
  { answerMillis }: ConnectionLimits,
  describe: (operation: string, error: SqlError) => StorageError
): Connections => {
  /** When each began to wait, the oldest first. */
  const waiting = new Set<{ readonly since: number }>()
  const deadlines = makeDeadlines()
  const shares = makeLaneShares(pool.config.maxConnections ?? 1)

  const lend: Connections["lend"] = <A, E>(
    { isClaim = false, isWrite, lane, late, operation, since: waitsSince }: Loan<E>,
    use: (connection: PgConnection.PgConnection) => Effect.Effect<A, E>
  ) =>
    Effect.withFiber<A, E | StorageError>((caller) =>
      Effect.callback<A, E | StorageError>((resume) => {
        const allowance = caller.getRef(StorageAllowance)
        const since = performance.now()
        const limit = waitLimit(allowance, isClaim)
        let phase: "waiting" | "sent" | "over" = "waiting"
        /** `undefined` while its lane holds its share. */
        let borrowing: Fiber.Fiber<A, E | StorageError> | undefined
        const giveUp = (failure: Effect.Effect<never, E | StorageError>) => {
          end(failure)
          // The connection is closed, unless the server still confirms that the statement is over.
          if (borrowing === undefined) shares.withdraw(lane, start)
          else borrowing.interruptUnsafe()
        }
        const place: Deadline & { since: number } = {
          since,
          at: (waitsSince ?? since) + limit,
          pass: () => giveUp(Effect.fail(noConnection(operation, limit, isClaim)))
        }
        const leave = () => {
          phase = "over"
          deadlines.delete(place)
          waiting.delete(place)
        }
        const end = (exit: Effect.Effect<A, E | StorageError>) => {
          if (phase === "over") return
          leave()
          if (allowance !== undefined) allowance.leftMillis -= performance.now() - since
          resume(exit)
        }
        const borrow = (connection: PgConnection.PgConnection): Effect.Effect<A, E> => {
          // It came too late: nothing may be sent any more.
          if (phase === "over") return Effect.interrupt
          phase = "sent"
          waiting.delete(place)
          if (late === undefined) deadlines.delete(place)
          else {
            const millis = limitOf(allowance, answerMillis)
            place.at = performance.now() + millis
            place.pass = () => giveUp(Effect.fail(late(millis)))
            deadlines.add(place)
          }
          return use(connection)
        }
        const start = () => {
          // Those who wait for a silent machine say nothing of the database.
          place.since = performance.now()
          waiting.add(place)
          borrowing = Effect.runForkWith(caller.context)(
            Effect.mapError(pool.use(borrow), (error) => (isSqlError(error) ? describe(operation, error) : error))
          )
          borrowing.addObserver((exit) => {
            end(exit)
            shares.leave(lane)
          })
        }
        deadlines.add(place)
        shares.enter(lane, start)
        return Effect.suspend(() => {
          if (borrowing === undefined) {
            leave()
            shares.withdraw(lane, start)
            return Effect.void
          }
          if (isWrite && phase === "sent") return Fiber.await(borrowing)
          leave()
          return Fiber.interrupt(borrowing)
        })
      })
    )
  return {
    lend,
    longestWaitMillis: () => {
      const [oldest] = waiting
      return oldest === undefined ? 0 : performance.now() - oldest.since
    }
  }
}

/** For how long something may wait before it is sent, in milliseconds. */
export const waitLimit = (allowance: StorageAllowance | undefined, isClaim: boolean): number =>
  Math.min(limitOf(allowance, waitMillis), isClaim ? claimWaitMillis : waitMillis)

/** Nothing was sent, and nothing is known of the server. */
export class NoConnection extends Error {}

export const noConnection = (operation: string, millis: number, isClaim: boolean): StorageError => {
  const reason = `no connection to the database was free within ${Math.round(millis)} ms`
  return notSent(operation, reason, isClaim)
}

/** A new payment or operation has not begun, and is worth sending again. */
export const notSent = (operation: string, reason: string, isClaim: boolean): StorageError => {
  const cause = isClaim ? new NotAdmitted({ reason, retryAfterMillis: claimWaitMillis }) : new NoConnection(reason)
  return new StorageError({ operation, cause })
}

interface Share {
  held: number
  /** In the order in which they came. Bounded by their time-outs, as what waits for a connection is. */
  readonly queue: Set<() => void>
}

/**
 * Of all connections: what is left serves other lanes while one is silent, and one that is busy hardly needs more. Two of
 * what is left may wait for the silent machine as well: it is looked at again while the server has not confirmed that the
 * look before is over.
 */
const part = 0.5

/**
 * How many connections the statements of one lane hold at most: those of a node, or lists. A machine that does not answer
 * keeps each of them until its time is over, and without a share it would soon keep them all from the other lanes.
 */
export const makeLaneShares = (connections: number) => {
  const most = Math.max(1, Math.floor(connections * part))
  /** As many as lanes. */
  const shares = new Map<number, Share>()
  return {
    /** Calls `start` at once, or when a statement of the lane has left. Without a lane there is no share. */
    enter: (lane: number | undefined, start: () => void) => {
      if (lane === undefined) return start()
      const share = shares.get(lane) ?? { held: 0, queue: new Set() }
      shares.set(lane, share)
      if (share.held >= most) return void share.queue.add(start)
      share.held++
      start()
    },
    /** For one that has not started: it never will. */
    withdraw: (lane: number | undefined, start: () => void) => {
      if (lane !== undefined) shares.get(lane)?.queue.delete(start)
    },
    /** For one that has started, when its connection is free again. */
    leave: (lane: number | undefined) => {
      const share = lane === undefined ? undefined : shares.get(lane)
      if (share === undefined) return
      const [next] = share.queue
      if (next === undefined) return void share.held--
      share.queue.delete(next)
      next()
    }
  }
}

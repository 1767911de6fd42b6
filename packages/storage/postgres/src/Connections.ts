/**
 * Lends the connections of a pool, each for a bounded time, whose clock also ends a loan of a caller that cannot be
 * interrupted: a network that loses packets says nothing. What fails before a connection is at hand is never sent.
 */
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { limitOf, NotAdmitted, StorageAllowance, StorageError } from "@pointsman/core/ports"
import { Effect, Fiber, Semaphore } from "effect"
import { isSqlError } from "effect/sql/SqlError"
import { storageError } from "./SqlFailures.ts"

export interface Loan<E> {
  readonly operation: string
  /** `true` for the first write of a new payment or operation: it waits a second for a connection and no longer. */
  readonly isClaim?: boolean | undefined
  /** When it began to wait, by `performance.now()`, if it waited elsewhere before. */
  readonly since?: number | undefined
  readonly lane?: number | undefined
  /** A write that was sent is waited for, also when its caller is interrupted. */
  readonly isWrite: boolean
  /** Without it, what borrows bounds its own statements. */
  readonly late?: ((millis: number) => E) | undefined
}

export type Connections = ReturnType<typeof makeConnections>

/** More than this in the queue means that what arrives is more than the database takes. */
export const claimWaitMillis = 1_000
const waitMillis = 5_000
/**
 * Of all connections, for the statements of one lane: those of a node, or lists. A machine that does not answer would soon
 * keep all of them from the other lanes. Two of the rest may wait for it as well, by looks at it.
 */
const shareOfLane = 0.5

/** `answerMillis`: a server answers within its own time-outs, or the network lost the answer. */
export const makeConnections = (pool: PgPool.PgPool, answerMillis: number) => {
  /** When each began to wait, the oldest first. */
  const waiting = new Set<{ readonly since: number }>()
  /** As many as lanes. */
  const shares = new Map<number, Semaphore.Semaphore>()
  const inShare = <A, E>(lane: number | undefined, borrowing: Effect.Effect<A, E>): Effect.Effect<A, E> => {
    if (lane === undefined) return borrowing
    const share =
      shares.get(lane) ?? Semaphore.makeUnsafe(Math.max(1, Math.floor((pool.config.maxConnections ?? 1) * shareOfLane)))
    shares.set(lane, share)
    return share.withPermit(borrowing)
  }

  const lend = <A, E>(
    { isClaim = false, isWrite, lane, late, operation, since: waitsSince }: Loan<E>,
    use: (connection: PgConnection.PgConnection) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | StorageError> =>
    Effect.withFiber<A, E | StorageError>((caller) =>
      Effect.callback<A, E | StorageError>((resume) => {
        const allowance = caller.getRef(StorageAllowance)
        const charge = charging(allowance)
        const since = performance.now()
        const limit = waitLimit(allowance, isClaim)
        let phase: "waiting" | "sent" | "over" = "waiting"
        const giveUp = (failure: Effect.Effect<never, E | StorageError>) => {
          end(failure)
          // The connection is closed, unless the server still confirms that the statement is over.
          borrowing.interruptUnsafe()
        }
        const place = { since }
        let timer = setTimeout(
          () => giveUp(Effect.fail(noConnection(operation, limit, isClaim))),
          (waitsSince ?? since) + limit - since
        )
        const leave = () => {
          phase = "over"
          clearTimeout(timer)
          waiting.delete(place)
        }
        const end = (exit: Effect.Effect<A, E | StorageError>) => {
          if (phase === "over") return
          leave()
          charge()
          resume(exit)
        }
        const borrow = (connection: PgConnection.PgConnection): Effect.Effect<A, E> => {
          // It came too late: nothing may be sent any more.
          if (phase === "over") return Effect.interrupt
          phase = "sent"
          waiting.delete(place)
          clearTimeout(timer)
          if (late !== undefined) {
            const millis = limitOf(allowance, answerMillis)
            timer = setTimeout(() => giveUp(Effect.fail(late(millis))), millis)
          }
          return use(connection)
        }
        const asking = Effect.suspend(() => {
          if (phase === "over") return Effect.interrupt
          // Those who wait for a silent machine say nothing of the database.
          place.since = performance.now()
          waiting.add(place)
          return Effect.mapError(pool.use(borrow), (error) =>
            isSqlError(error) ? storageError(operation, error) : error
          )
        })
        const borrowing = Effect.runForkWith(caller.context)(inShare(lane, asking))
        borrowing.addObserver(end)
        return Effect.suspend(() => {
          if (isWrite && phase === "sent") return Fiber.await(borrowing)
          leave()
          return Fiber.interrupt(borrowing)
        })
      })
    )
  return {
    lend,
    /** For how long the one that waits longest has been without a connection, in milliseconds. */
    longestWaitMillis: () => {
      const [oldest] = waiting
      return oldest === undefined ? 0 : performance.now() - oldest.since
    }
  }
}

/** From now until it is called. */
export const charging = (allowance: StorageAllowance | undefined) => {
  const began = performance.now()
  return () => {
    if (allowance !== undefined) allowance.leftMillis -= performance.now() - began
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

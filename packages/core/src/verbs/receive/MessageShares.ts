/** How many messages of one connection are recorded at once: a flood of one provider waits for itself. */
import { Effect, Metric, Semaphore } from "effect"
import { messagesWaiting } from "../../metrics/Metrics.ts"
import { StorageError } from "../../ports/StorageError.ts"

/** More than the server's default burst. A request behind so many has timed out, and its client sends it again. */
const waitingAtMost = 4_096

interface Share {
  readonly places: Semaphore.Semaphore
  /** With those that wait. */
  inside: number
}

export const makeMessageShares = (atOnce: number) => {
  // As many as connections exist: the messages are verified.
  const shares = new Map<string, Share>()
  const shareOf = (connectionId: string): Share => {
    const share = shares.get(connectionId) ?? { places: Semaphore.makeUnsafe(atOnce), inside: 0 }
    shares.set(connectionId, share)
    return share
  }
  return <A, E, R>(connectionId: string, record: Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.suspend((): Effect.Effect<A, E | StorageError, R> => {
      const share = shareOf(connectionId)
      if (share.inside >= atOnce + waitingAtMost) {
        const cause = new Error(`${waitingAtMost} messages of connection ${connectionId} wait to be recorded`)
        return Effect.fail(new StorageError({ operation: "recordMessage", cause }))
      }
      const move = (by: 1 | -1) => {
        const before = share.inside
        share.inside += by
        // Where none waited and none waits, there is nothing to tell.
        if (Math.max(before, share.inside) <= atOnce) return Effect.void
        return Metric.update(messagesWaiting(connectionId), Math.max(0, share.inside - atOnce))
      }
      return Effect.ensuring(
        Effect.andThen(move(1), share.places.withPermits(1)(record)),
        Effect.suspend(() => move(-1))
      )
    })
}

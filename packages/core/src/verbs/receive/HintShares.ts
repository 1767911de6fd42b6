/** How hints are looked up: one lookup of an object at a time, and few of a connection, since anybody sends them. */
import { Deferred, Effect, Semaphore } from "effect"

/** Objects of one connection looked up at once, or waiting. Beyond, hints are refused, and sent again. */
const insideAtMost = 64

/** Senders of one connection that wait for a further lookup of an object; what comes beyond is refused. */
const waitingAtMost = 64

interface Share {
  readonly places: Semaphore.Semaphore
  /** What is looked up now, by reference, and what those wait for who named it meanwhile. */
  readonly running: Map<string, Next>
  /** Senders that wait for the ends of `running`. */
  waiting: number
}

interface Next {
  /** Absent until a request waits. */
  end?: Deferred.Deferred<unknown, unknown>
}

export const makeHintShares = (atOnce: number) => {
  // As many as connections with hints exist.
  const shares = new Map<string, Share>()
  const shareOf = (connectionId: string): Share => {
    const share = shares.get(connectionId) ?? { places: Semaphore.makeUnsafe(atOnce), running: new Map(), waiting: 0 }
    shares.set(connectionId, share)
    return share
  }

  /**
   * `lookUp` sees what the provider states after the call: one that comes while the object is being looked up waits for
   * another lookup after it, together with all others that came meanwhile. The lookup continues when its caller is
   * gone.
   */
  return <A, E, E2>(
    { connectionId, reference }: { readonly connectionId: string; readonly reference: string },
    lookUp: Effect.Effect<A, E>,
    refused: () => E2
  ): Effect.Effect<A, E | E2> =>
    Effect.suspend((): Effect.Effect<A, E | E2> => {
      const share = shareOf(connectionId)
      const { places, running } = share
      const begin = (end: Deferred.Deferred<A, E>): Effect.Effect<void> => {
        running.set(reference, {})
        const looked = Effect.flatMap(Effect.exit(places.withPermits(1)(lookUp)), (exit) => {
          const next = running.get(reference)?.end as Deferred.Deferred<A, E> | undefined
          running.delete(reference)
          const done = Deferred.done(end, exit)
          return next === undefined ? done : Effect.andThen(begin(next), done)
        })
        return Effect.asVoid(Effect.forkDetach(looked, { startImmediately: true }))
      }
      const known = running.get(reference)
      if (known !== undefined) {
        if (share.waiting >= waitingAtMost) return Effect.fail(refused())
        share.waiting++
        known.end ??= Deferred.makeUnsafe<unknown, unknown>()
        const left = Effect.sync(() => void share.waiting--)
        return Effect.ensuring(Deferred.await(known.end as Deferred.Deferred<A, E>), left)
      }
      if (running.size >= insideAtMost) return Effect.fail(refused())
      const end = Deferred.makeUnsafe<A, E>()
      return Effect.andThen(begin(end), Deferred.await(end))
    })
}

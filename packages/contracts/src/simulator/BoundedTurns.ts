/** Waiting for what happens outside of simulated time. */
import { Effect } from "effect"

/** No call of a store takes longer, in milliseconds of real time. */
const outsideMillis = 120_000

/**
 * Gives way to the loop, for what is waited for outside of simulated time. Where that never comes (a lock that nobody
 * releases), it throws instead of waiting without an end.
 */
export const boundedTurns = (what: string): (() => Promise<void>) => {
  const until = performance.now() + outsideMillis
  return () => {
    if (performance.now() > until) throw new Error(`${what} has not ended after ${outsideMillis / 1000} s of real time`)
    // Effect's own scheduler gives way to the loop.
    return Effect.runPromise(Effect.yieldNow)
  }
}

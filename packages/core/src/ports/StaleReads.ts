/**
 * Reads that may be answered from a copy of the store that is some seconds behind it. Nothing is decided by them: a
 * storage without a copy, and every read whose caller does not allow it, uses the store itself.
 */
import { Context, Effect } from "effect"

export interface StaleReads {
  /**
   * What was committed by this time is in what was read, in epoch milliseconds of this process's clock; `null` while
   * every read was answered by the store itself. The storage sets it, and later reads are of this time or later.
   */
  asOf: number | null
}

/** `undefined`: every read is answered by the store itself. */
export const StaleReads = Context.Reference<StaleReads | undefined>("pointsman/ports/StaleReads", {
  defaultValue: () => undefined
})

/** Allows the reads of the work to be answered from a copy. `asOf` of its object says how old they were. */
export const withStaleReads = <A, E, R>(work: (reads: StaleReads) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const reads: StaleReads = { asOf: null }
    return Effect.provideService(work(reads), StaleReads, reads)
  })

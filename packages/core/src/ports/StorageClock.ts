/**
 * The clock that servers on one store share. What decides about money compares times that several servers wrote: when a
 * call was sent, until when a lease holds, on which day an id was derived.
 */
import { type Clock, Context } from "effect"

export interface StorageClock {
  /** It tells the store's time, and sleeps as the program's own clock does. */
  readonly clock: Clock.Clock
  /** From when on (epoch milliseconds by the store's clock) ages of calls count: older times are of another clock. */
  readonly agesFrom: () => number | null
}

/**
 * Without one the program's own clock is the store's: all that writes to the store is on one machine (`machineClock`).
 */
export const StorageClock = Context.Reference<StorageClock | undefined>("pointsman/ports/StorageClock", {
  defaultValue: () => undefined
})

/** The drift of a good clock is less, and a step that matters is more. In milliseconds. */
const stepMillis = 1_000

/**
 * The clock of the one machine whose processes write to a store. Where it was set, its time and the monotonic time differ
 * by another amount than before: ages count from when that is noticed. `agesFrom` looks for it, so a time is written after
 * it was asked. A process that starts later does not notice it.
 */
export const machineClock = (clock: Clock.Clock): StorageClock => {
  const differenceAt = (now: number) => now - Number(clock.monotonicTimeNanosUnsafe() / 1_000_000n)
  let before = differenceAt(clock.currentTimeMillisUnsafe())
  let agesFrom: number | null = null
  return {
    clock,
    agesFrom: () => {
      const now = clock.currentTimeMillisUnsafe()
      const difference = differenceAt(now)
      if (Math.abs(difference - before) > stepMillis) agesFrom = now
      before = difference
      return agesFrom
    }
  }
}

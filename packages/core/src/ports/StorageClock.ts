/**
 * The clock that servers on one store share. What decides about money compares times that several servers wrote: when a
 * call was sent, until when a lease holds, on which day an id was derived.
 */
import { type Clock, Context } from "effect"

export interface StorageClock {
  /** It tells the store's time, and sleeps as the program's own clock does. */
  readonly clock: Clock.Clock
  /**
   * From when on ages of calls count, in epoch milliseconds by the store's clock: times that were written before come
   * from another clock. `null` where none did. It asks nobody.
   */
  readonly agesFrom: () => number | null
}

/** Without one the program's own clock is the store's: all that writes to the store is on one machine. */
export const StorageClock = Context.Reference<StorageClock | undefined>("pointsman/ports/StorageClock", {
  defaultValue: () => undefined
})

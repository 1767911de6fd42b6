/** For tests of lost records: copies everything that a store keeps, and puts it back later. */
import { Context, type Effect } from "effect"

export interface StorageSnapshots {
  /**
   * Copies what is stored now; the result puts that back. Losses of records are not part of it: they are declared after
   * it was put back.
   */
  readonly take: Effect.Effect<Effect.Effect<void>>
  /**
   * Whether the store then continues another history, as a promoted standby does (`StorageHistory`). Where it does not, no
   * process may go on that wrote before.
   */
  readonly startsHistory: boolean
}

/** `undefined` where a storage cannot copy itself. */
export const StorageSnapshots = Context.Reference<StorageSnapshots | undefined>("pointsman/ports/StorageSnapshots", {
  defaultValue: () => undefined
})

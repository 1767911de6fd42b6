/** For tests of lost records, on a storage in memory: copies everything that a store keeps, and puts it back later. */
import { Context } from "effect"

export interface StorageSnapshots {
  /**
   * Copies what is stored now; the result puts that back. Losses of records are not part of it: they are declared after
   * it was put back.
   */
  readonly take: () => () => void
}

/** `undefined` where a storage cannot copy itself. */
export const StorageSnapshots = Context.Reference<StorageSnapshots | undefined>("pointsman/ports/StorageSnapshots", {
  defaultValue: () => undefined
})

/**
 * Which history of itself a store continues: a lagging standby that was promoted begins a new one, with versions of its
 * own (`model/Version.ts`). A storage whose records cannot be lost under a process that goes on has one.
 */
import { Context, type Effect } from "effect"

export interface StorageHistory {
  /** The first version of a record, in the history that this process knows of. It asks nobody. */
  readonly firstVersion: () => number
}

export const StorageHistory = Context.Reference<StorageHistory>("pointsman/ports/StorageHistory", {
  defaultValue: () => ({ firstVersion: () => 1 })
})

/** For tests of lost records: copies everything that a store keeps, and puts it back later. */
export interface StorageSnapshots {
  /** Copies what is stored now; the result puts that back. Losses of records are declared afterwards. */
  readonly take: Effect.Effect<Effect.Effect<void>>
  /** Whether the store then continues another history, as a standby does; else no process that wrote may go on. */
  readonly startsHistory: boolean
}

/** `undefined` where a storage cannot copy itself. */
export const StorageSnapshots = Context.Reference<StorageSnapshots | undefined>("pointsman/ports/StorageSnapshots", {
  defaultValue: () => undefined
})

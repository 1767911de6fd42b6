/**
 * Which history of itself a store continues: a lagging standby that was promoted begins a new one, with versions of its
 * own (`model/Version.ts`). A storage whose records cannot be lost under a process that goes on has one.
 */
import { Context } from "effect"

export interface StorageHistory {
  /** The first version of a record, in the history that this process knows of. It asks nobody. */
  readonly firstVersion: () => number
}

export const StorageHistory = Context.Reference<StorageHistory>("pointsman/ports/StorageHistory", {
  defaultValue: () => ({ firstVersion: () => 1 })
})

/**
 * Which history of itself a store continues: a lagging standby that was promoted begins a new one, with versions of its
 * own (`versionIn`, below). A storage whose records cannot be lost while a process runs has one.
 */
import { Context, type Effect } from "effect"

export interface StorageHistory {
  /** The first version of a record, in the history that this process knows of. It sends no query. */
  readonly firstVersion: () => number
}

export const StorageHistory = Context.Reference<StorageHistory>("pointsman/ports/StorageHistory", {
  defaultValue: () => ({ firstVersion: () => 1 })
})

/** For tests of lost records: copies everything that a store keeps, and puts it back later. */
export interface StorageSnapshots {
  /** Copies what is stored now; the result puts that back. Losses of records are declared afterwards. */
  readonly take: Effect.Effect<Effect.Effect<void>>
  /** Whether the store then continues another history, as a standby does; else no process that wrote may continue. */
  readonly startsHistory: boolean
}

/** `undefined` where a storage cannot copy itself. */
export const StorageSnapshots = Context.Reference<StorageSnapshots | undefined>("pointsman/ports/StorageSnapshots", {
  defaultValue: () => undefined
})

// Versions of payments and of claims: a count of writes, which no two records share, also where a store loses its
// newest records while servers run.
//
// A lagging standby that is promoted has a payment at an earlier version than was acknowledged. If it counted on, a step
// that was decided on a lost record would be written over another record with the same number. So each history of a store
// has versions of its own, and what the store writes is numbered in the history of that moment.

/** More writes than any record has. Below 2^53 there is room for two million histories. */
const perHistory = 2 ** 32

/** `history`: 1 until the store first loses records. */
export const firstVersionIn = (history: number): number => (history - 1) * perHistory + 1

/** What a storage writes in the place of a version that may have been counted in an earlier history. */
export const versionIn = (history: number, version: number): number =>
  Math.max(version, (history - 1) * perHistory + (version % perHistory))

/** Whether a change may write it on the version before; 0 for a record that is not stored. */
export const isNextVersion = (version: number, before: number): boolean =>
  before === 0 ? version % perHistory === 1 : version === before + 1

/** The version before: 0 for the first. */
export const versionBefore = (version: number): number => (version % perHistory === 1 ? 0 : version - 1)

/** Whether both are the same write, which another history may have numbered. */
export const isSameCount = (version: number, other: number): boolean => (version - other) % perHistory === 0

/**
 * Versions of payments and of claims: a count of writes, which no two records share, also where a store loses its newest
 * records under servers that go on.
 *
 * A lagging standby that is promoted has a payment at an earlier version than was acknowledged. If it counted on, a step
 * that was decided on a lost record would be written over another record with the same number. So each history of a store
 * has versions of its own, and what the store writes is numbered in the history of that moment.
 */

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

/** A clock that jumps under all processes at once. Times are those of the world, in epoch milliseconds. */
export interface Jumps {
  /** Of the one machine, whose processes have to notice it; or of the store, which says when it jumped. */
  readonly clockOf: "machine" | "store"
  /** How far it is ahead of the world's now, in milliseconds. */
  readonly aheadMillis: () => number
  /** When it jumped last by its own time; `null` where it did not. */
  readonly agesFrom: () => number | null
  /** Processes that start before this would not know that calls which are under way are dated by another clock. */
  readonly startsFrom: () => number
  /** In the order of time. */
  readonly history: ReadonlyArray<Jump>
}

export interface Jump {
  readonly at: number
  /** From then on. */
  readonly aheadMillis: number
}

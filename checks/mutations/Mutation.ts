import type { OutsideFault } from "@pointsman/contracts/simulator"

/** A fault planted in the sources, and the test that must catch it. */
export interface Mutation {
  readonly name: string
  /** What would go wrong with somebody's money. */
  readonly harm: string
  /** Each text must stand exactly once in its file, so that a planted fault cannot go stale unseen. */
  readonly edits: ReadonlyArray<{ readonly file: string; readonly find: string; readonly replace: string }>
  readonly caughtBy: { readonly project: string; readonly file: string; readonly test: string }
  /**
   * Where simulations over this storage catch it too, within some hundred seeds: they know nothing of the fault, and
   * look at the money alone.
   */
  readonly simulatedOn?: "memory" | "sqlite"
  /** The fault from outside that each of these simulations has; drawn for few of them unless set. */
  readonly simulatedUnder?: OutsideFault
}

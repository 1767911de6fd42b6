import { Context } from "effect"

/** How many closed payments the background compares with their providers' records, and which. */
export interface ProofSettings {
  /** Lookups of one connection in a day, of all processes together; 0 for none. */
  readonly lookUpsPerDay: number
  /** Payments that were created longer ago are not looked up, in milliseconds. */
  readonly createdWithinMillis: number
  /** Payments that were written since are not looked up, in milliseconds: a message about them may be on its way. */
  readonly restsForMillis: number
}

export const ProofSettings = Context.Reference<ProofSettings>("pointsman/ports/ProofSettings", {
  defaultValue: () => ({
    lookUpsPerDay: 0,
    createdWithinMillis: 30 * 24 * 60 * 60_000,
    restsForMillis: 60 * 60_000
  })
})

import { Context } from "effect"

/** How much of one process a connection takes at once, so that the trouble of its provider is not that of others. */
export interface ConnectionShares {
  /** Payments that are checked at once, most of the time waiting for a lookup. */
  readonly lookUps: number
  /** Verified messages that are recorded at once. */
  readonly messages: number
  /** Lookups at once that unsigned hints are the reason for. */
  readonly hints: number
}

export const ConnectionShares = Context.Reference<ConnectionShares>("pointsman/ports/ConnectionShares", {
  // As many as keep a provider busy that answers, and few beside the places of a process and the store's connections.
  defaultValue: () => ({ lookUps: 16, messages: 16, hints: 4 })
})

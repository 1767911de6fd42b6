/**
 * Tells the other processes of an installation that a connection's circuit opened, and hears of theirs.
 *
 * Only the opening of a closed circuit is shared. Each process closes its circuits with its own probe: one whose own
 * network is broken would otherwise keep a provider from all of them for as long as that lasts.
 */
import { Context } from "effect"

export interface CircuitNewsService {
  /** In the request that opened it: hand it over and return. */
  readonly opened: (connectionId: string) => void
  /** Called once, when the circuits are made. `hear`: another process's circuit opened, `now` in epoch milliseconds. */
  readonly listen: (hear: (connectionId: string, now: number) => void) => void
}

/** Nothing is shared unless a receiver is provided. */
export const CircuitNews = Context.Reference<CircuitNewsService>("pointsman/ports/CircuitNews", {
  defaultValue: () => ({ opened: () => {}, listen: () => {} })
})

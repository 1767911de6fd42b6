/**
 * Tells the other processes of an installation that a connection's circuit opened, and hears of theirs.
 *
 * Only the opening of a closed circuit is told. Each process closes its circuits by a probe of its own: one whose own
 * network is broken would otherwise keep a provider from all of them for as long as that lasts.
 */
import { Context } from "effect"

export interface CircuitNewsService {
  /** In the request that opened it: hand it over and return. */
  readonly opened: (connectionId: string) => void
  /** Called once, when the circuits are made. `hear`: another process's circuit opened, `now` in epoch milliseconds. */
  readonly listen: (hear: (connectionId: string, now: number) => void) => void
}

/** Nobody is told unless somebody is provided. */
export const CircuitNews = Context.Reference<CircuitNewsService>("pointsman/ports/CircuitNews", {
  defaultValue: () => ({ opened: () => {}, listen: () => {} })
})

/** Connections whose success rates change, and `auto` routing over them: chance that a seed repeats. */
import { bySuccess, type PaymentDetails, type StrategyCandidate, type SuccessRate } from "@pointsman/core"
import { faded, noRate, withOutcomes } from "@pointsman/core/internal"
import { request } from "./World.ts"

/** The generator that is known as mulberry32: numbers in [0, 1). */
export const chance = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Drift {
  readonly seed: number
  readonly payments: number
  readonly exploration: number
  /** Milliseconds between two payments. */
  readonly everyMillis: number
  /** The true success rates when the n-th payment comes, by priority. */
  readonly truth: (payment: number) => ReadonlyArray<number>
}

const payment: PaymentDetails = request().details

/** Which connection led each payment's order, counted from 0. */
export const chosenOver = ({ everyMillis, exploration, payments, seed, truth }: Drift): ReadonlyArray<number> => {
  const next = chance(seed)
  const rates: Array<SuccessRate> = truth(0).map(() => noRate)
  return Array.from({ length: payments }, (_, number) => {
    const now = number * everyMillis
    const candidates = rates.map((rate, index): StrategyCandidate => {
      const known = faded(rate, now)
      return {
        connectionId: String(index),
        name: `Connection ${index}`,
        priority: index + 1,
        rates: { connection: known, segment: known }
      }
    })
    const { order } = bySuccess(`${seed}-${number}`, exploration).order({ payment, candidates, draw: () => next() })
    const chosen = Number(order[0])
    const isSuccess = next() < (truth(number)[chosen] ?? 0)
    const outcome = { succeeded: isSuccess ? 1 : 0, failed: isSuccess ? 0 : 1 }
    rates[chosen] = withOutcomes(rates[chosen] ?? noRate, outcome, now)
    return chosen
  })
}

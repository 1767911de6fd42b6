/**
 * The strategy of mode `auto`: the connection whose charges succeed most often leads, and a configured share of the
 * payments explores another one. `docs/concepts/auto-routing.md` compares it with others. Pure.
 *
 * - The score is the success rate in the payment's segment, as far as it is known, else the connection's own rate, else a
 *   presumption (`presumed`).
 * - Cold start by priority: until twenty of its outcomes are known, the first candidate leads for as long as it may well
 *   be the best one (two standard deviations).
 * - The share is drawn by the payment's id. Half of it goes to all others alike, so that each is measured again; the other
 *   half by Thompson sampling with a normal distribution (Qi, Wang and Zhu, arXiv 2305.10718).
 */
import { presumedWeight, weightOf } from "../model/OutcomeCounts.ts"
import { noRate, withOutcomes } from "../model/SuccessRate.ts"
import { byValue, recentWeights, type ValueObjective } from "./ByValue.ts"
import { draw } from "./RoutingPolicy.ts"
import { expectedRate, type RoutingStrategy, type Scored, type StrategyCandidate } from "./Strategy.ts"

/** From so many outcomes on, a candidate is known well enough to be compared. */
const knownFrom = 20
/** What they weigh together when they come in a row: the earlier ones have faded a little. */
const knownWeight = Math.floor(weightOf(withOutcomes(noRate, { succeeded: knownFrom, failed: 0 }, 0)))

/** `value`: where the expected value decides among those whose rates are about the best; approval alone unless given. */
export const bySuccess = (seed: string, exploration: number, value?: ValueObjective): RoutingStrategy => ({
  name: "auto",
  order: ({ candidates, draw: drawFor, payment }) => {
    const scored = candidates.map((candidate): Scored => {
      const scoredBy = value === undefined ? candidate.rates : recentWeights(candidate.rates)
      return { ...candidate, score: expectedRate(scoredBy), scoredBy }
    })
    const scores = Object.fromEntries(scored.map(({ connectionId, score }) => [connectionId, rounded(score)]))
    // A stable sort: equal scores stay in the order of priority.
    const ranked = scored.toSorted((a, b) => b.score - a.score)
    const [best] = ranked
    const weighed = value === undefined ? undefined : byValue(ranked, payment.money, value)
    const lineup = weighed?.ranked ?? ranked
    const values = weighed?.values
    const [first] = scored
    const [leader] = lineup
    if (first === undefined || best === undefined || leader === undefined) return { order: [] }
    const isCold = first !== leader && isUnknown(first) && first.score + 2 * deviationOf(first) >= best.score
    const led = isCold ? moved(lineup, first) : lineup
    const drawn = led.length > 1 ? drawFor("explore") : 1
    if (drawn < exploration) {
      return {
        order: idsOf(moved(led, exploredBy(led.slice(1), drawn / exploration, seed))),
        scores,
        values,
        note: `It explores: ${percent(exploration)} of the payments go to another connection than the one that leads.`
      }
    }
    const note = isCold
      ? `${first.name} leads by its priority until ${knownFrom} outcomes of it are known.`
      : weighed?.note
    return { order: idsOf(led), scores, values, note }
  }
})

const isUnknown = ({ rates }: StrategyCandidate): boolean => weightOf(rates.connection) < knownWeight

/** The standard deviation of what is expected: the wider the less is known. */
const deviationOf = ({ score, scoredBy }: Scored): number =>
  Math.sqrt((score * (1 - score)) / (weightOf(scoredBy.segment) + presumedWeight))

/** `drawn`: in [0, 1) among the exploring payments. */
const exploredBy = (others: ReadonlyArray<Scored>, drawn: number, seed: string): Scored =>
  others[Math.floor(2 * drawn * others.length)] ?? mostPromising(others, seed)

const idsOf = (candidates: ReadonlyArray<StrategyCandidate>) => candidates.map(({ connectionId }) => connectionId)

const moved = (ranked: ReadonlyArray<Scored>, first: Scored): ReadonlyArray<Scored> => [
  first,
  ...ranked.filter(({ connectionId }) => connectionId !== first.connectionId)
]

/** By a draw for each, from a normal distribution around its score. */
const mostPromising = (others: ReadonlyArray<Scored>, seed: string): Scored => {
  const drawn = others.map((one) => ({ one, score: one.score + deviationOf(one) * normal(seed, one.connectionId) }))
  return drawn.reduce((best, next) => (next.score > best.score ? next : best)).one
}

/** By the transform of Box and Muller; two draws of one payment. */
const normal = (seed: string, connectionId: string): number => {
  const radius = Math.sqrt(-2 * Math.log(1 - draw(seed, `explore radius:${connectionId}`)))
  return radius * Math.cos(2 * Math.PI * draw(seed, `explore angle:${connectionId}`))
}

const rounded = (score: number): number => Math.round(score * 10_000) / 10_000

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`

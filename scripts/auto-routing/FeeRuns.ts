/** Mode `auto` of core itself over worlds with fees, by approval alone and by value. */
import { bySuccess, type StrategyCandidate, type SuccessRate, type ValueObjective } from "@pointsman/core"
import { feeOf, knownRate, noRate, segmentOf, withOutcomes } from "@pointsman/core/internal"
import { type FeeWorld, feeWorlds } from "./FeeWorlds.ts"
import { chanceOf } from "./Runs.ts"

/** The share of the payments that explore. */
export const exploration = 0.05
const everyMillis = 10_000

export interface FeePolicy {
  readonly name: string
  readonly objective: ValueObjective | undefined
}

export const feePolicies = [
  { name: "approval", objective: undefined },
  { name: "value, 1 point", objective: { maxApprovalLossPpm: 10_000 } },
  { name: "value, 3 points", objective: { maxApprovalLossPpm: 30_000 } }
] as const satisfies ReadonlyArray<FeePolicy>

/** What may be expected of the payments of one run. */
export interface FeeRun {
  /** Of all payments, from 0 to 1. */
  readonly approval: number
  /** Minor units: what the approved payments leave after fees. */
  readonly value: number
}

export type FeeResults = ReadonlyMap<FeeWorld, ReadonlyMap<string, ReadonlyArray<FeeRun>>>

const run = (world: FeeWorld, { objective }: FeePolicy, seed: number): FeeRun => {
  const nature = chanceOf(seed * 7919)
  const chance = chanceOf(seed * 104_729 + 1)
  const draws = Math.floor(chance() * 1_000_000)
  // By connection and segment; the whole connection is the empty segment.
  const known = world.fees.map(() => new Map<string, SuccessRate>())
  let [approval, value] = [0, 0]
  for (let number = 0; number < world.payments; number++) {
    const payment = world.details(nature)
    const outcome = nature()
    const now = number * everyMillis
    const segment = segmentOf(payment)
    const fees = world.fees.map((rules) => feeOf(rules, payment, "NL"))
    const candidates = known.map(
      (rates, index): StrategyCandidate => ({
        connectionId: String(index),
        name: `Connection ${index}`,
        priority: index + 1,
        rates: {
          connection: knownRate(rates.get("") ?? noRate, now),
          segment: knownRate(rates.get(segment) ?? noRate, now)
        },
        fee: fees[index]
      })
    )
    const drawn = chance()
    const strategy = bySuccess(`${draws}-${number}`, exploration, objective)
    const chosen = Number(strategy.order({ payment, candidates, draw: () => drawn }).order[0])
    const rate = world.truth(number, payment)[chosen] ?? 0
    const counts = outcome < rate ? { succeeded: 1, failed: 0 } : { succeeded: 0, failed: 1 }
    const rates = known[chosen]
    for (const key of ["", segment]) rates?.set(key, withOutcomes(rates.get(key) ?? noRate, counts, now))
    approval += rate
    value += rate * (payment.money.minorUnits - (fees[chosen]?.feeMinor ?? 0))
  }
  return { approval: approval / world.payments, value }
}

export const simulateFees = (): FeeResults =>
  new Map(
    feeWorlds.map((world) => [
      world,
      new Map(
        feePolicies.map((policy) => [
          policy.name,
          Array.from({ length: world.seeds }, (_, seed) => run(world, policy, seed + 1))
        ])
      )
    ])
  )

/**
 * Runs every way to choose over the same seeded worlds: whether a connection would approve a payment is drawn once for
 * each seed, for all strategies.
 */
import { always, auto, hedging, type NamedPolicy, slidingUcb, thompson } from "./Policies.ts"
import { type World, worlds } from "./Worlds.ts"

export const seeds = 40
/** The width of the bounds of UCB, and the discount of Thompson sampling, are the best of those tried in these worlds. */
const ucbWindow = 300
const ucbWidth = 0.02
const thompsonDiscount = 0.99

/** What every regret is counted in between: a curve has one point for so many payments. */
export const curveStep = 25

/** Each connection's rate over the whole of a world, in the segments as they are shared. */
const meanTruth = ({ payments, secondSegment, truth }: World): ReadonlyArray<number> =>
  truth(0, 0).map((_, index) => {
    let sum = 0
    for (let payment = 0; payment < payments; payment++) {
      sum += (1 - secondSegment) * (truth(payment, 0)[index] ?? 0)
      sum += secondSegment * (truth(payment, 1)[index] ?? 0)
    }
    return sum / payments
  })

/** A strategy that knew everything beforehand, but had to stay with one connection. */
const bestFixed = (world: World): number => {
  const means = meanTruth(world)
  return means.indexOf(Math.max(...means))
}

export const policies: ReadonlyArray<NamedPolicy> = [
  auto("auto", "`auto`, 5 %", 0.05),
  auto("auto-2", "`auto`, 2 %", 0.02),
  auto("auto-10", "`auto`, 10 %", 0.1),
  always("fixed", "Best fixed one", bestFixed),
  always("priority", "By priority", () => 0),
  thompson(thompsonDiscount),
  hedging(100, 0.05),
  slidingUcb(ucbWindow, ucbWidth)
]

/** One policy in one world under one seed. */
export interface Run {
  /** The connection of each payment. */
  readonly chosen: Uint8Array
  /** 1 where the payment explored. */
  readonly explored: Uint8Array
  /** 1 where the payment was of the second segment. */
  readonly segment: Uint8Array
  /** Approvals that may be expected to be lost against asking the best one each time. */
  readonly lostToOracle: number
  /** The same against the best fixed connection; below 0 where it did better. */
  readonly lostToFixed: number
  /** What explored payments may be expected to have lost against those that they passed over. */
  readonly lostExploring: number
  /** Lost to the oracle after each `curveStep` payments. */
  readonly curve: ReadonlyArray<number>
}

export type Results = ReadonlyMap<World, ReadonlyMap<string, ReadonlyArray<Run>>>

/** The generator that is known as mulberry32: numbers in [0, 1). */
export const chanceOf = (seed: number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const run = (world: World, { make }: NamedPolicy, seed: number): Run => {
  const nature = chanceOf(seed * 7919)
  const policy = make(world, chanceOf(seed * 104_729 + 1))
  const fixed = bestFixed(world)
  const empty = () => new Uint8Array(world.payments)
  const [chosen, explored, segments] = [empty(), empty(), empty()]
  const curve: Array<number> = []
  let [lostToOracle, lostToFixed, lostExploring] = [0, 0, 0]
  for (let payment = 0; payment < world.payments; payment++) {
    const segment = nature() < world.secondSegment ? 1 : 0
    const outcome = nature()
    const truth = world.truth(payment, segment)
    const choice = policy.choose(payment, segment)
    const rate = truth[choice.chosen] ?? 0
    policy.learn(payment, segment, choice.chosen, outcome < rate)
    chosen[payment] = choice.chosen
    segments[payment] = segment
    lostToOracle += Math.max(...truth) - rate
    lostToFixed += (truth[fixed] ?? 0) - rate
    if (choice.insteadOf !== undefined) {
      explored[payment] = 1
      lostExploring += (truth[choice.insteadOf] ?? 0) - rate
    }
    if ((payment + 1) % curveStep === 0) curve.push(lostToOracle)
  }
  return { chosen, explored, segment: segments, lostToOracle, lostToFixed, lostExploring, curve }
}

export const simulate = (): Results =>
  new Map(
    worlds.map((world) => [
      world,
      new Map(
        policies.map((policy) => [policy.id, Array.from({ length: seeds }, (_, seed) => run(world, policy, seed + 1))])
      )
    ])
  )

/** What the newest payments cost in a store with years of payments behind them, of what they cost in its first month. */
import { setTimeout as sleep } from "node:timers/promises"
import { Pointsman } from "@pointsman/core"
import { Effect } from "effect"
import { inRounds, type Spread, spread } from "../kit/Rounds.ts"
import { makeSample, sampleOf } from "./Samples.ts"
import type { Work, YearsStore } from "./YearsStore.ts"
import type { World } from "./YearsWorld.ts"

export interface Side {
  readonly world: World
  readonly store: YearsStore
}

/** Each figure is the later store's, and `Spread`s are ratios of the rounds: later by first. */
export interface Compared {
  readonly what: string
  readonly wall: Spread
  /** Milliseconds of the later store, the median of the rounds' medians. */
  readonly millis: number
  /** Of the time that the database works on statements; `undefined` where it does not say. */
  readonly statements: { readonly ratio: number; readonly millis: number } | undefined
  /** Transactions for each, which are round trips, of the first and of the later store. */
  readonly transactions: readonly [number, number] | undefined
}

const acts = (world: World): Readonly<Record<string, () => Promise<unknown>>> => {
  const { run, tenant } = world
  const asked = (act: (pointsman: Pointsman["Service"]) => Effect.Effect<unknown, unknown>) => () =>
    run(Effect.flatMap(Pointsman, act))
  return {
    "a create": () => run(makeSample(sampleOf(0))),
    "the newest payments": asked((pointsman) => pointsman.payments(tenant, { limit: 20 })),
    "the newest payments in one state": asked((pointsman) =>
      pointsman.payments(tenant, { limit: 20, states: ["Captured"] })
    )
  }
}

/** As long as an idle process of PostgreSQL keeps its statistics to itself. */
const statisticsMillis = 11_000

export const compareNewest = async (
  first: Side,
  later: Side,
  options: { readonly rounds: number; readonly times: number }
): Promise<ReadonlyArray<Compared>> => {
  for (const { world } of [first, later]) await world.rest()
  const compared: Array<Compared> = []
  for (const what of Object.keys(acts(first.world))) {
    const median =
      ({ world }: Side) =>
      async () => {
        const act = acts(world)[what] as () => Promise<unknown>
        const millis: Array<number> = []
        for (let index = 0; index < options.times; index++) {
          const began = performance.now()
          await act()
          millis.push(performance.now() - began)
        }
        return millis.toSorted((a, b) => a - b)[millis.length >> 1] ?? Number.NaN
      }
    const sides = { first: median(first), later: median(later) }
    await sides.first()
    await sides.later()
    const before = [await workOf(first), await workOf(later)] as const
    const measured = await inRounds(options.rounds, sides)
    const after = [await workOf(first), await workOf(later)] as const
    const done = options.rounds * options.times
    const [ofFirst, ofLater] = ([0, 1] as const).map((side) => difference(before[side], after[side], done))
    compared.push({
      what,
      wall: spread(measured, (round) => round.later / round.first),
      millis: spread(measured, (round) => round.later).median,
      statements: ofFirst && ofLater && { ratio: ofLater.millis / ofFirst.millis, millis: ofLater.millis },
      transactions: ofFirst && ofLater && [ofFirst.transactions, ofLater.transactions]
    })
  }
  return compared
}

/** Once all processes of the database have said what they did. */
const workOf = async ({ store }: Side): Promise<Work | undefined> => {
  if (store.work === undefined) return undefined
  await sleep(statisticsMillis)
  return store.work()
}

const difference = (before: Work | undefined, after: Work | undefined, done: number): Work | undefined =>
  before &&
  after && {
    transactions: (after.transactions - before.transactions) / done,
    millis: (after.millis - before.millis) / done
  }

export const toldCompared = ({ millis, statements, transactions, wall, what }: Compared): string =>
  `${what}: ${wall.median.toFixed(2)} of the first month's time (${wall.min.toFixed(2)}..${wall.max.toFixed(2)}), ` +
  `${millis.toFixed(2)} ms` +
  (statements === undefined ? "" : `; statements ${statements.ratio.toFixed(2)}, ${statements.millis.toFixed(2)} ms`) +
  (transactions === undefined ? "" : `; round trips ${transactions[0].toFixed(2)} and ${transactions[1].toFixed(2)}`)

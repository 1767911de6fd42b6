/** What the newest payments cost in a store with years of payments behind them, of what they cost in its first month. */
import { Pointsman } from "@pointsman/core"
import { Effect } from "effect"
import { compare } from "../kit/Compare.ts"
import { waitsOf } from "../kit/Load.ts"
import { type Row, row, toldRange } from "../kit/Result.ts"
import { makeSample, sampleOf } from "./Samples.ts"
import type { World } from "./YearsWorld.ts"

const acts = ({ run, tenant }: World): Readonly<Record<string, () => Promise<unknown>>> => {
  const newest = (query: object) => () =>
    run(Effect.flatMap(Pointsman, (pointsman) => pointsman.payments(tenant, { limit: 20, ...query })))
  return {
    "a create": () => run(makeSample(sampleOf(0))),
    "the newest payments": newest({}),
    "the newest payments in one state": newest({ states: ["Captured"] })
  }
}

/** In each round. */
const times = 200

/** Milliseconds: the median of a round. */
const medianOf = (act: () => Promise<unknown>) => async () => {
  const millis: Array<number> = []
  for (let index = 0; index < times; index++) {
    const began = performance.now()
    await act()
    millis.push(performance.now() - began)
  }
  return waitsOf(millis).p50
}

export const compareNewest = async (first: World, later: World, rounds: number): Promise<ReadonlyArray<Row>> => {
  for (const world of [first, later]) await world.rest()
  const rows: Array<Row> = []
  for (const [what, act] of Object.entries(acts(later))) {
    const before = acts(first)[what] ?? act
    const sides = { first: medianOf(before), later: medianOf(act) }
    const compared = await compare({ rounds, tell: () => {} }, sides, () => "")
    const millis = `${compared.median("later", (one) => one)} ms`
    const ofFirst = compared.times("later", "first", (one) => one)
    const told = row(what, `${what}, of the first month's time`, ofFirst, "times", millis)
    console.log(`${told.what}: ${told.value.median.toFixed(2)} (${toldRange(told)}), ${millis}`)
    rows.push(told)
  }
  return rows
}

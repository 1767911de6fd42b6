/** What the objective `value` remembers of a rate, and which of it a change ends. */
import { assert, describe, it } from "@effect/vitest"
import type { OutcomeCounts, SuccessRate } from "@pointsman/core"
import { faded, knownRate, noRate, rateHalfLifeMillis, weightOf, withOutcomes } from "@pointsman/core/internal"
import { chance } from "./support/Drift.ts"

const success: OutcomeCounts = { succeeded: 1, failed: 0 }
const failure: OutcomeCounts = { succeeded: 0, failed: 1 }

const rateAfter = (rate: SuccessRate, outcomes: ReadonlyArray<OutcomeCounts>): SuccessRate =>
  outcomes.reduce<SuccessRate>((before, outcome) => withOutcomes(before, outcome, 0), rate)

/** One failure in each `every` outcomes, at their end. */
const steady = (count: number, every: number): ReadonlyArray<OutcomeCounts> =>
  Array.from({ length: count }, (_, index) => (index % every === every - 1 ? failure : success))

const drawn = (seed: number, count: number, truth: number): ReadonlyArray<OutcomeCounts> => {
  const next = chance(seed)
  return Array.from({ length: count }, () => (next() < truth ? success : failure))
}

const longOf = (rate: SuccessRate): OutcomeCounts => knownRate(rate, 0).memory?.long ?? { succeeded: 0, failed: 0 }
const shareOf = (counts: OutcomeCounts): number => counts.succeeded / weightOf(counts)

/** So many of the outcomes until the memory has less than before: until a change was found. */
const foundAfter = (rate: SuccessRate, outcomes: ReadonlyArray<OutcomeCounts>): number | undefined => {
  let [known, before] = [rate, weightOf(longOf(rate))]
  for (const [index, outcome] of outcomes.entries()) {
    known = withOutcomes(known, outcome, 0)
    const weight = weightOf(longOf(known))
    if (weight < before - 1) return index + 1
    before = weight
  }
  return undefined
}

describe("the memory of a success rate", () => {
  it("a steady rate remembers several hundred outcomes, and the rate covers fifty", () => {
    const rate = rateAfter(noRate, steady(1200, 12))
    assert.approximately(weightOf(rate), 50, 0.1)
    assert.approximately(weightOf(longOf(rate)), 400 * (1 - (1 - 1 / 400) ** 1200), 1e-9)
    assert.approximately(shareOf(longOf(rate)), 11 / 12, 0.002)
    // Nothing has changed for long, so the short weights are those of the rate.
    assert.approximately(knownRate(rate, 0).memory?.short.succeeded ?? 0, rate.succeeded, 0.001)
    assert.approximately(knownRate(rate, 0).memory?.short.failed ?? 0, rate.failed, 0.001)
  })
  it("a rate that drops forgets what came before in 20 outcomes, in short weights too", () => {
    const before = rateAfter(noRate, steady(600, 12))
    // From 92 to 60 %: two of five fail.
    const drop = Array.from({ length: 60 }, (_, index) => (index % 5 < 2 ? failure : success))
    const found = foundAfter(before, drop)
    assert.isDefined(found)
    assert.isAtMost(found ?? 0, 20)
    const rate = rateAfter(before, drop)
    assert.isBelow(weightOf(longOf(rate)), 60)
    assert.approximately(shareOf(longOf(rate)), 0.6, 0.05)
    assert.approximately(shareOf(knownRate(rate, 0).memory?.short ?? failure), 0.6, 0.05)
    // The rate of mode auto still has some of what came before.
    assert.isAbove(weightOf(rate), 49)
  })
  it("the drop of a rate that recovers is forgotten within 25 outcomes", () => {
    const down = rateAfter(noRate, [...steady(600, 12), ...drawn(1, 40, 0.6)])
    assert.isAtMost(foundAfter(down, steady(40, 12)) ?? 1000, 25)
    const out = rateAfter(noRate, [...steady(600, 12), ...Array.from({ length: 30 }, () => failure)])
    assert.isAtMost(foundAfter(out, steady(40, 12)) ?? 1000, 8)
    const recovered = rateAfter(out, steady(40, 12))
    assert.isAbove(shareOf(knownRate(recovered, 0).memory?.short ?? failure), 0.9)
    assert.isBelow(shareOf(recovered), 0.75)
  })
  it("at most one in four of 40 steady rates of 92 % looks worse in 2,500 outcomes", () => {
    const isTakenForWorse = (seed: number): boolean => {
      let known = rateAfter(noRate, drawn(seed, 300, 0.92))
      return drawn(seed + 1000, 2500, 0.92).some((outcome) => {
        const before = longOf(known)
        known = withOutcomes(known, outcome, 0)
        return weightOf(longOf(known)) < weightOf(before) - 1 && shareOf(longOf(known)) < shareOf(before)
      })
    }
    const worse = Array.from({ length: 40 }, (_, index) => index + 1).filter(isTakenForWorse)
    assert.isAtMost(worse.length, 10)
  })
  it("the weights of a rate from a release without a memory begin the memory", () => {
    const stored: SuccessRate = { succeeded: 40, failed: 5, at: 0 }
    assert.notProperty(knownRate(stored, 0), "memory")
    const { memory } = withOutcomes(stored, success, 0)
    assert.approximately(memory?.long.succeeded ?? 0, 40 * (1 - 1 / 400) + 1, 1e-9)
    assert.approximately(memory?.short.failed ?? 0, 5 * (1 - 1 / 50), 1e-9)
    assert.deepStrictEqual(memory?.worse, { succeeded: 0, failed: 0 })
  })
  it("all of a rate has half its weight after two weeks without outcomes", () => {
    const rate = rateAfter(noRate, drawn(3, 200, 0.9))
    const half = ({ failed, succeeded }: OutcomeCounts) => ({ succeeded: succeeded / 2, failed: failed / 2 })
    const { better, long, short, worse } = rate.memory ?? assert.fail("no memory")
    assert.deepStrictEqual(faded(rate, rateHalfLifeMillis).memory, {
      short: half(short),
      long: half(long),
      worse: half(worse),
      better: half(better)
    })
  })
  it("outcomes that come together are remembered as if they were spread evenly", () => {
    const one = rateAfter(noRate, steady(120, 12))
    const together = withOutcomes(noRate, { succeeded: 110, failed: 10 }, 0)
    assert.approximately(weightOf(longOf(together)), weightOf(longOf(one)), 1e-9)
    assert.approximately(shareOf(longOf(together)), shareOf(longOf(one)), 0.005)
  })
})

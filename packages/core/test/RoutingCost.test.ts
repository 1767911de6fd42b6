/**
 * What a decision costs with as many connections and rules as anybody has. `npm run bench:all -- --only routing` tells
 * it; here it only must not become several times as much unseen.
 */
import { assert, describe, it } from "@effect/vitest"
import { decisions, uses } from "./support/WideConfiguration.ts"

const atMostMicros = 50

/** A fixed piece of work, by which a machine that is slow, or busy with other tests, is known. */
const words = Array.from({ length: 300 }, (_, index) => `word-${index % 50}`)
const reference = () => {
  const known = new Set<string>()
  for (const word of words) if (!known.has(word)) known.add(word.toUpperCase())
  return known.size
}
/** What it takes on a core of 2.5 GHz with nothing beside it, about, in microseconds. */
const referenceMicros = 25

const medianMicros = (work: () => unknown): number => {
  const micros = Array.from({ length: 101 }, () => {
    const began = performance.now()
    work()
    return (performance.now() - began) * 1000
  })
  return micros.sort((a, b) => a - b)[50] ?? Number.POSITIVE_INFINITY
}

/** Of the best of several batches, each beside the reference. */
const bestMicros = (decide: () => void): number => {
  let best = Number.POSITIVE_INFINITY
  for (let batch = 0; batch < 40 && best > atMostMicros / 2; batch++) {
    const slowness = Math.max(1, medianMicros(reference) / referenceMicros)
    best = Math.min(best, medianMicros(decide) / slowness)
  }
  return best
}

describe("a decision over 20 connections with every limit, and 50 rules of which the last one matches", () => {
  for (const [name, use] of Object.entries(uses)) {
    it(`given ${name}, then its median is below ${atMostMicros} microseconds`, () => {
      assert.isBelow(bestMicros(decisions(use)), atMostMicros)
    })
  }
})

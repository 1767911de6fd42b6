/**
 * What a decision costs with as many connections and rules as anybody has. `npm run bench:all -- --only routing` tells
 * it; here it only must not become several times as much unseen. It is processor time, compared with that of a fixed
 * piece of work beside it: a machine that is slow or busy takes longer for both.
 */
import { assert, describe, it } from "@effect/vitest"
import { decisions, uses } from "./support/WideConfiguration.ts"

/** Of the processor time of `reference`: about 50 microseconds on a core of 2.5 GHz. */
const atMostTimes = 2

const words = Array.from({ length: 300 }, (_, index) => `word-${index % 50}`)
/** About 25 microseconds. */
const reference = () => {
  const known = new Set<string>()
  for (const word of words) if (!known.has(word)) known.add(word.toUpperCase())
  return known.size
}

/** Of 200 runs, in microseconds. */
const processorMicros = (work: () => unknown): number => {
  const begun = process.threadCpuUsage()
  for (let run = 0; run < 200; run++) work()
  const { system, user } = process.threadCpuUsage(begun)
  return system + user
}

/** The least of several batches, each compared with the reference: the first ones are not compiled yet. */
const leastTimes = (decide: () => void): number => {
  let least = Number.POSITIVE_INFINITY
  for (let batch = 0; batch < 40 && least > atMostTimes / 2; batch++) {
    const before = processorMicros(reference)
    const decided = processorMicros(decide)
    least = Math.min(least, decided / Math.max(before, processorMicros(reference)))
  }
  return least
}

describe("a decision has 20 connections with every limit, and 50 rules, the last matching", () => {
  for (const [name, use] of Object.entries(uses)) {
    it(`${name} takes less than ${atMostTimes} times as long as the reference`, () => {
      assert.isBelow(leastTimes(decisions(use)), atMostTimes)
    })
  }
})

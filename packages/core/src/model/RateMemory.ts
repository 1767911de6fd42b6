/**
 * What the objective `value` remembers of a success rate: more outcomes than the rate of mode `auto`, but none from before
 * the rate last changed. A fee can decide only where two connections approve about alike, and fifty outcomes do not show
 * that; several hundred do, unless some of them are from before a drop or a recovery. Decision 23 says why.
 *
 * Two tests find a change to the worse and one to the better. Each is a cumulative sum of log-likelihood ratios (Reynolds
 * and Stoumbos, "A CUSUM Chart for Monitoring a Proportion When Inspecting Continuously", 1999). It keeps the outcomes since
 * the sum last was zero, which are those since the change, if there was one. Pure.
 */
import { expectedOf, noOutcomes, type OutcomeCounts, scaled, weightOf, withCounts } from "./OutcomeCounts.ts"

/** What a decision weighs of it: weights since the last change. */
export interface RecalledRate {
  /** Over about the last 50 outcomes. */
  readonly short: OutcomeCounts
  /** Over about the last 400 outcomes. */
  readonly long: OutcomeCounts
}

export interface RateMemory extends RecalledRate {
  /** The outcomes since which the rate may have become worse; they fade like the long ones. */
  readonly worse: OutcomeCounts
  /** The outcomes since which the rate may have become better; they fade like the long ones. */
  readonly better: OutcomeCounts
}

/** About how many of the last outcomes `short` covers: as many as the rate of mode `auto`. */
const shortWindow = 50
/** About how many of the last outcomes `long` covers. The simulation tried 300, 600 and 1,000 too: `docs/decisions/tried.md`. */
const longWindow = 400

/** The test for a change: by how much it changes the odds of a success, and the sum from which on it did. */
interface ChangeTest {
  readonly oddsFactor: number
  readonly foundAt: number
}

/** A quarter of the odds: 92 % becomes 74 %. A rate of 92 % that stays is taken for worse once in 17,000 outcomes. */
const worseTest: ChangeTest = { oddsFactor: 1 / 4, foundAt: 8 }
/**
 * Six times the odds: 60 % becomes 90 %. A rate of 92 % that stays is taken for better once in 5,000 outcomes: more often,
 * because a connection that recovers gets few payments, and one that is wrongly taken for better gets many, which correct it.
 */
const betterTest: ChangeTest = { oddsFactor: 6, foundAt: 6 }

const begunWith = (outcomes: OutcomeCounts): RateMemory => ({
  short: outcomes,
  long: outcomes,
  worse: noOutcomes,
  better: noOutcomes
})

export const fadedMemory = ({ better, long, short, worse }: RateMemory, left: number): RateMemory => ({
  short: scaled(short, left),
  long: scaled(long, left),
  worse: scaled(worse, left),
  better: scaled(better, left)
})

/** With outcomes that came in whatever order; at least one. */
export const remembered = (
  rate: OutcomeCounts & { readonly memory?: RateMemory },
  counts: OutcomeCounts
): RateMemory => {
  // That of a rate without one begins with the weights that are known.
  const before = rate.memory ?? begunWith({ succeeded: rate.succeeded, failed: rate.failed })
  const long = withCounts(before.long, counts, longWindow)
  const worse = withCounts(before.worse, counts, longWindow)
  const better = withCounts(before.better, counts, longWindow)
  const [sumWorse, sumBetter] = [sumOf(worseTest, long, worse), sumOf(betterTest, long, better)]
  if (sumWorse > worseTest.foundAt) return begunWith(worse)
  if (sumBetter > betterTest.foundAt) return begunWith(better)
  return {
    short: withCounts(before.short, counts, shortWindow),
    long,
    worse: sumWorse > 0 ? worse : noOutcomes,
    better: sumBetter > 0 ? better : noOutcomes
  }
}

/** The logarithm of how much likelier the outcomes since are after such a change than at the rate before them. */
const sumOf = ({ oddsFactor }: ChangeTest, long: OutcomeCounts, since: OutcomeCounts): number => {
  const before = expectedOf({
    succeeded: Math.max(0, long.succeeded - since.succeeded),
    failed: Math.max(0, long.failed - since.failed)
  })
  return since.succeeded * Math.log(oddsFactor) - weightOf(since) * Math.log(1 + (oddsFactor - 1) * before)
}

/** Outcomes of charges, counted or weighed. Pure. */

/** In no order among themselves. */
export interface OutcomeCounts {
  readonly succeeded: number
  readonly failed: number
}

/** The success rate of a connection of which nothing is known. Most connections do better, so that it has to lead once. */
const presumedRate = 0.8
/** As many outcomes as what is presumed of a connection weighs. */
export const presumedWeight = 10

export const noOutcomes: OutcomeCounts = { succeeded: 0, failed: 0 }

export const weightOf = ({ failed, succeeded }: OutcomeCounts): number => succeeded + failed

export const scaled = ({ failed, succeeded }: OutcomeCounts, by: number): OutcomeCounts => ({
  succeeded: succeeded * by,
  failed: failed * by
})

/** Weights with outcomes that came in whatever order, each of which takes one part in `window` of what was there. */
export const withCounts = (weights: OutcomeCounts, counts: OutcomeCounts, window: number): OutcomeCounts => {
  const count = weightOf(counts)
  const left = (1 - 1 / window) ** count
  /** What `count` outcomes weigh together, the first of them having faded under those that followed. */
  const weightOfOne = (window * (1 - left)) / count
  return {
    succeeded: weights.succeeded * left + counts.succeeded * weightOfOne,
    failed: weights.failed * left + counts.failed * weightOfOne
  }
}

/** The success rate that the weights and the presumption say. `presumed`: weighs as much as ten outcomes. */
export const expectedOf = (weights: OutcomeCounts, presumed = presumedRate, weight = presumedWeight): number =>
  (weights.succeeded + weight * presumed) / (weightOf(weights) + weight)

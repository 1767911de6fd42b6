/** A success rate with the range in which the true one probably is: a rate of five outcomes says less than one of 500. */
import type { OutcomeCounts } from "@pointsman/core"
import { weightOf } from "@pointsman/core/internal"

export interface SuccessRange {
  /** From 0 to 1. */
  readonly rate: number
  readonly low: number
  readonly high: number
}

/** Of the normal distribution, for a confidence of 95 %. */
const z = 1.96

/**
 * The score interval of Wilson (1927), which stays within 0 and 1 and is right for few outcomes. Faded outcomes count by
 * their weight, which makes the range wider and never narrower. `undefined` without outcomes.
 */
export const successRange = (counts: OutcomeCounts): SuccessRange | undefined => {
  const weight = weightOf(counts)
  if (weight === 0) return undefined
  const rate = counts.succeeded / weight
  const scale = 1 + z ** 2 / weight
  const middle = (rate + z ** 2 / (2 * weight)) / scale
  const half = (z / scale) * Math.sqrt((rate * (1 - rate)) / weight + z ** 2 / (4 * weight ** 2))
  return { rate, low: Math.max(0, middle - half), high: Math.min(1, middle + half) }
}

/** `92.3 %`. */
export const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`

export const rangeText = (range: SuccessRange | undefined): string =>
  range === undefined ? "–" : `${percent(range.low)} to ${percent(range.high)}`

/** Faded outcomes are no whole numbers. */
export const outcomesText = (counts: OutcomeCounts): string => String(Math.round(weightOf(counts) * 10) / 10)

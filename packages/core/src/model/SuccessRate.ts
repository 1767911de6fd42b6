import type { Money } from "../money/Money.ts"
import { type OutcomeCounts, scaled, weightOf, withCounts } from "./OutcomeCounts.ts"
import { fadedMemory, type RateMemory, type RecalledRate, remembered } from "./RateMemory.ts"

/**
 * How often a connection's charges succeeded lately, as two weights that fade: each outcome that follows takes a
 * fiftieth of what was there, and two weeks take half. So a rate covers about the last fifty outcomes, and what a
 * connection was long ago counts for nothing.
 *
 * Discounted counts are what the literature on bandits whose arms change uses (Raj and Kalyani, "Taming Non-stationary
 * Bandits", arXiv 1707.09727; Qi, Wang and Zhu, arXiv 2305.10718). Pure.
 */
export interface SuccessRate {
  /** Outcomes, each weighing 1 when it came and less since. */
  readonly succeeded: number
  readonly failed: number
  /** Epoch milliseconds at which the weights are these. */
  readonly at: number
  /** Absent where a release without it wrote the rate: then the weights above begin it. */
  readonly memory?: RateMemory
}

/** A rate as a decision weighs it. */
export interface KnownRate extends OutcomeCounts {
  /** What the objective `value` weighs. Decisions by approval are stored without it. */
  readonly memory?: RecalledRate
}

/** What is known of a connection that can take a payment; nothing in the sandbox. */
export interface CandidateRates {
  /** Over all that it was asked for. */
  readonly connection: KnownRate
  /** In the payment's currency, country, method and card brand. */
  readonly segment: KnownRate
}

/** About how many of the last outcomes a rate covers. */
export const rateWindow = 50
/** Milliseconds in which what is known loses half its weight where nothing new comes. */
export const rateHalfLifeMillis = 14 * 24 * 60 * 60 * 1000

export const noRate: SuccessRate = { succeeded: 0, failed: 0, at: 0 }

/** A rate as it weighs at a time. A clock that is behind the writer's takes nothing back. */
export const faded = (rate: SuccessRate, now: number): SuccessRate => {
  if (now <= rate.at) return rate
  const left = 2 ** (-(now - rate.at) / rateHalfLifeMillis)
  return {
    ...scaled(rate, left),
    at: now,
    ...(rate.memory === undefined ? {} : { memory: fadedMemory(rate.memory, left) })
  }
}

/** A rate with outcomes that came in whatever order: as if they had been spread evenly. */
export const withOutcomes = (rate: SuccessRate, counts: OutcomeCounts, now: number): SuccessRate => {
  const count = weightOf(counts)
  if (count === 0) return rate
  const before = faded(rate, now)
  return { ...withCounts(before, counts, rateWindow), at: before.at, memory: remembered(before, counts) }
}

/** As a decision weighs it. */
export const knownRate = (rate: SuccessRate, now: number): KnownRate => {
  const { failed, memory, succeeded } = faded(rate, now)
  return {
    succeeded,
    failed,
    ...(memory === undefined ? {} : { memory: { short: memory.short, long: memory.long } })
  }
}

/** The rate of a connection over all that it is asked for. */
export const wholeConnection = ""

/** What a rate is of besides the connection: currency, country, method and card brand (`EUR NL card visa`). */
export const segmentOf = ({ cardBrand, country, method, money }: Segmented): string =>
  [money.currency, country, method, cardBrand?.trim().toLowerCase() ?? "-"].join(" ")

/** Of a payment's details. */
interface Segmented {
  readonly cardBrand: string | null
  readonly country: string
  readonly method: string
  readonly money: Money
}

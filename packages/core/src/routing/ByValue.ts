/**
 * The objective `value` of mode `auto`: of the connections whose success rates are about the best, the one that leaves the
 * merchant most leads. Decision 23 says why. Pure, in integers.
 *
 * - The expected value of a route is its approval × (amount − fee). Where a fee exceeds the amount, the loss counts in full.
 * - The approval is the best score less what the candidate gives up: the difference of their rates as far as it is likely
 *   to be real. It is weighed by the last fifty outcomes, and by the last four hundred where both have as many: by those
 *   alone from 180 on, by either from 120 on. Neither goes back beyond a change of the rate: see `RateMemory`.
 * - A candidate may lead where it gives up no more than the merchant allows. All others follow by their scores.
 * - An unknown fee is never compared: where that of the best connection is unknown, approval alone decides.
 */
import { type OutcomeCounts, presumedWeight, weightOf } from "../model/OutcomeCounts.ts"
import type { RouteValue } from "../model/RoutingDecision.ts"
import type { CandidateRates, KnownRate } from "../model/SuccessRate.ts"
import type { Money } from "../money/Money.ts"
import { expectedRate, type Scored, type ScoredWeights } from "./Strategy.ts"

export interface ValueObjective {
  /** The most approval that a leading connection may give up against the best one, in parts per million. */
  readonly maxApprovalLossPpm: number
}

export interface WeighedByValue {
  readonly ranked: ReadonlyArray<Scored>
  /** By connection id. */
  readonly values: Readonly<Record<string, RouteValue>>
  readonly note: string | undefined
}

/**
 * As many of the last fifty outcomes as the presumption weighs that connections approve alike, in thousandths. 170 says that
 * true rates about 92 % typically differ by 2 points. The simulation tried 100, 140, 160, 175 and 200 too: `docs/decisions/tried.md`.
 */
const alikeRecently = 170_000n
/** The same for the last four hundred, most of which have not faded yet. The simulation tried 500, 600 and 800. */
const alikeLately = 550_000n

/** From so many outcomes of both on, the long weights may decide beside the short ones; in thousandths. */
const longFrom = 120_000n
/** From so many on they decide alone. */
const longAloneFrom = 180_000n
/** As many outcomes as the rate of the connection weighs in a segment, among the long weights. */
const connectionWeight = 100

/** The weights of the last fifty outcomes; those of a decision from before anything else was remembered. */
export const recentWeights = ({ connection, segment }: CandidateRates): ScoredWeights => ({
  connection: shortOf(connection),
  segment: shortOf(segment)
})

const shortOf = (rate: KnownRate): OutcomeCounts => rate.memory?.short ?? rate
const longOf = (rate: KnownRate): OutcomeCounts => rate.memory?.long ?? rate

/** A rate, and the outcomes behind it with those that are presumed. */
interface WeighedRate {
  readonly ppm: number
  /** In thousandths. */
  readonly outcomes: bigint
}

interface Weighed {
  readonly candidate: Scored
  readonly recent: WeighedRate
  readonly long: WeighedRate
}

/** `ranked`: the best score first. Of equal expected values, the one with the better score is first. */
export const byValue = (
  ranked: ReadonlyArray<Scored>,
  money: Money,
  { maxApprovalLossPpm }: ValueObjective
): WeighedByValue => {
  const [best] = ranked
  if (best === undefined) return { ranked, values: {}, note: undefined }
  const lossPpm = losses(ranked)
  const weighed = ranked.map((candidate, index) => {
    const loss = lossPpm[index] ?? 0
    return { candidate, lossPpm: loss, value: routeValue(candidate, ppmOf(best.score) - loss, money) }
  })
  const values = Object.fromEntries(weighed.map(({ candidate, value }) => [candidate.connectionId, value]))
  if (best.fee === undefined) {
    return { ranked, values, note: `The fee of ${best.name} is unknown, so approval alone decides.` }
  }
  const mayLead = weighed.filter(({ lossPpm, value }) => value.fee !== null && lossPpm <= maxApprovalLossPpm)
  const byExpected = mayLead.toSorted((a, b) => (b.value.expectedMicros ?? 0) - (a.value.expectedMicros ?? 0))
  const [leader] = byExpected
  const first = byExpected.map(({ candidate }) => candidate)
  return {
    ranked: [...first, ...ranked.filter((candidate) => !first.includes(candidate))],
    values,
    note:
      leader === undefined || leader.candidate === best
        ? undefined
        : `${leader.candidate.name} leads by its expected value, and gives up ${pointsText(leader.lossPpm)} of approval.`
  }
}

const routeValue = ({ fee }: Scored, approvalPpm: number, { minorUnits }: Money): RouteValue => {
  if (fee === undefined) return { fee: null, approvalPpm, expectedMicros: null }
  const net = minorUnits - fee.feeMinor
  return { fee, approvalPpm, expectedMicros: net * (net < 0 ? million : approvalPpm) }
}

const million = 1_000_000

/** As it is stored with the decision: with four digits. */
const ppmOf = (score: number): number => Math.round(score * 10_000) * 100

/** What each gives up of approval, in parts per million. `ranked`: at least one, the best score first. */
const losses = (ranked: ReadonlyArray<Scored>): ReadonlyArray<number> => {
  const all = ranked.map(
    (candidate): Weighed => ({ candidate, recent: recentRate(candidate), long: longRate(candidate) })
  )
  const [best] = all as [Weighed, ...ReadonlyArray<Weighed>]
  const bestLong = all.reduce((found, next) => (next.long.ppm > found.long.ppm ? next : found))
  return all.map((one) => {
    const recent = approvalLossPpm(best.recent, one.recent, alikeRecently)
    const known = least(best.long.outcomes, bestLong.long.outcomes, one.long.outcomes) - BigInt(1000 * presumedWeight)
    if (known < longFrom) return recent
    const long = approvalLossPpm(bestLong.long, one.long, alikeLately)
    return known < longAloneFrom ? Math.min(recent, long) : long
  })
}

const least = (...all: ReadonlyArray<bigint>): bigint => all.reduce((found, next) => (next < found ? next : found))

/**
 * In a segment with few outcomes the score is that of the whole connection, and so are the outcomes behind it.
 */
const recentRate = ({ score, scoredBy }: Scored): WeighedRate => ({
  ppm: ppmOf(score),
  outcomes: thousandths(Math.max(weightOf(scoredBy.segment), weightOf(scoredBy.connection)) + presumedWeight)
})

/** Of the outcomes in other segments, no more are behind it than the rate of the connection weighs. */
const longRate = ({ rates }: Scored): WeighedRate => {
  const [connection, segment] = [longOf(rates.connection), longOf(rates.segment)]
  const elsewhere = Math.max(0, weightOf(connection) - weightOf(segment))
  return {
    ppm: ppmOf(expectedRate({ connection, segment }, connectionWeight)),
    outcomes: thousandths(weightOf(segment) + Math.min(elsewhere, connectionWeight) + presumedWeight)
  }
}

/** As exact as stored rates are. */
const thousandths = (weight: number): bigint => BigInt(Math.round(weight * 1000))

/** How much of a difference may count as noise where as many outcomes are behind it, in parts per million. */
const noiseAtMost = 10_000n

/**
 * The difference of the rates, times h / (h + alike), where h is the harmonic mean of the outcomes behind them: what is
 * expected of it by the outcomes and the presumption. Of a great difference no more than alike / h points are taken off, so
 * that a connection which is far worse than presumed is not excused (a limited translation: Efron and Morris, "Limiting the
 * Risk of Bayes and Empirical Bayes Estimators", 1972). Rounded up, so that no bound is passed by rounding.
 */
const approvalLossPpm = (best: WeighedRate, other: WeighedRate, alikeWeight: bigint): number => {
  const difference = BigInt(best.ppm - other.ppm)
  const product = 2n * best.outcomes * other.outcomes
  const alike = alikeWeight * (best.outcomes + other.outcomes)
  const expected = (difference * product + product + alike - 1n) / (product + alike)
  const remaining = difference - (noiseAtMost * alike) / product
  return Number(expected > remaining ? expected : remaining)
}

/** `0.42 points`: of a hundred, as approval rates are given in percent. */
export const pointsText = (ppm: number): string => (ppm === 10_000 ? "1 point" : `${ppm / 10_000} points`)

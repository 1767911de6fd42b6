/**
 * The objective `value` of mode `auto`: of the connections whose success rates are about the best, the one that leaves the
 * merchant most leads. Decision 55 says why. Pure, in integers.
 *
 * - The expected value of a route is its approval × (amount − fee). Where a fee exceeds the amount, the loss counts in
 *   full, so that no connection leads because it approves less.
 * - The approval is the best score less what the candidate gives up: the difference of their scores as far as it is likely
 *   to be real. A rate covers about fifty outcomes, so that two connections which approve alike often measure five points
 *   apart; without this, that noise and not the fee would decide.
 * - A candidate may lead where it gives up no more than the merchant allows. All others follow by their scores.
 * - An unknown fee is never compared. Where that of the best connection by approval is unknown, approval alone decides; any
 *   other connection whose fee is unknown stays behind those that were compared.
 */
import type { RouteValue } from "../model/RouteValue.ts"
import { weightOf } from "../model/SuccessRate.ts"
import type { Money } from "../money/Money.ts"
import { presumedWeight, type Scored } from "./Scored.ts"

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
 * As many outcomes as the presumption weighs that connections approve alike, in thousandths. 170 says that true rates
 * about 92 % typically differ by 2 points. The simulation tried 100, 140, 160, 170, 175 and 200: decision 55.
 */
const alikeWeight = 170_000n

/** `ranked`: the best score first. Of equal expected values, the one with the better score is first. */
export const byValue = (
  ranked: ReadonlyArray<Scored>,
  money: Money,
  { maxApprovalLossPpm }: ValueObjective
): WeighedByValue => {
  const [best] = ranked
  if (best === undefined) return { ranked, values: {}, note: undefined }
  const weighed = ranked.map((candidate) => {
    const lossPpm = approvalLossPpm(best, candidate)
    return { candidate, lossPpm, value: routeValue(candidate, ppmOf(best.score) - lossPpm, money) }
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

/** How much of a difference may count as noise where as many outcomes are behind it, in parts per million. */
const noiseAtMost = 10_000n

/**
 * The difference of the scores, times h / (h + 170), where h is the harmonic mean of the outcomes behind them: what is
 * expected of it by the outcomes and the presumption. Of a great difference no more than 170 / h points are taken off, so
 * that a connection which is far worse than presumed is not excused (a limited translation: Efron and Morris, "Limiting the
 * Risk of Bayes and Empirical Bayes Estimators", 1972). Rounded up, so that no bound is passed by rounding.
 */
const approvalLossPpm = (best: Scored, other: Scored): number => {
  const difference = BigInt(ppmOf(best.score) - ppmOf(other.score))
  const [one, two] = [weightBehind(best), weightBehind(other)]
  const product = 2n * one * two
  const alike = alikeWeight * (one + two)
  const expected = (difference * product + product + alike - 1n) / (product + alike)
  const least = difference - (noiseAtMost * alike) / product
  return Number(expected > least ? expected : least)
}

/**
 * The outcomes behind a score, with those that are presumed, in thousandths: as exact as stored rates are. In a segment with
 * few outcomes the score is that of the whole connection, and so are the outcomes behind it.
 */
const weightBehind = ({ rates }: Scored): bigint =>
  BigInt(Math.round((Math.max(weightOf(rates.segment), weightOf(rates.connection)) + presumedWeight) * 1000))

/** `0.42 points`: of a hundred, as approval rates are given in percent. */
export const pointsText = (ppm: number): string => (ppm === 10_000 ? "1 point" : `${ppm / 10_000} points`)

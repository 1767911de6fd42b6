/**
 * How connections fared over time. Only the present estimate of a rate is stored, so the past is counted from stored
 * payments, and from a sample of them: the last hundred or two of each step, read along the ids, however many payments
 * there are. A quiet tenant is counted completely.
 */
import { Clock, Effect } from "effect"
import type { Payment } from "../../model/Payment.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { idsFrom } from "../../ports/Ids.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { isRouted } from "../../routing/Replay.ts"
import { type HistorySpan, type SuccessSeries, stepOf, successSeries } from "../../routing/SuccessHistory.ts"

export interface SuccessHistoryQuery {
  /** Milliseconds; at least 1. */
  readonly stepMillis: number
  /** The last one ends now. At most `historyStepsAtMost`. */
  readonly steps: number
}

export interface SuccessHistory {
  readonly span: HistorySpan
  /** Payments that were counted. */
  readonly payments: number
  /** Whether there may be payments in the span that were not counted. */
  readonly isSampled: boolean
  readonly series: ReadonlyArray<SuccessSeries>
}

/** A step of a plot that is narrower than this cannot be seen. */
export const historyStepsAtMost = 100

/** Rows read at once, and of one step before the rest of it is passed over: 95 of 100 are known to some five percent. */
const sample = 100

export const successHistory = Effect.fnUntraced(function* (tenant: Tenant, query: SuccessHistoryQuery) {
  const ledger = yield* Ledger
  const now = yield* Clock.currentTimeMillis
  const steps = Math.min(query.steps, historyStepsAtMost)
  const span: HistorySpan = { from: now - steps * query.stepMillis + 1, stepMillis: query.stepMillis, steps }
  const found: Array<Payment> = []
  let isSampled = false
  // The time of an id may differ from the payment's, by as much as a clock was corrected.
  let before = `${idsFrom(now + span.stepMillis)}~`
  let counted = { step: -1, payments: 0 }
  // Each read either ends a step or adds a hundred payments to one: two for each step are enough.
  for (let read = 0; read < 2 * steps + 1; read++) {
    const page = yield* ledger.payments(tenant, { before, limit: sample })
    found.push(...page.filter(({ createdAt }) => stepOf(span, createdAt) !== undefined))
    const last = page.at(-1)
    const step = last === undefined ? undefined : stepOf(span, last.createdAt)
    if (last === undefined || page.length < sample || last.createdAt < span.from) break
    before = last.id
    // Another server's clock may be ahead.
    if (step === undefined) continue
    const here = page.filter(({ createdAt }) => stepOf(span, createdAt) === step).length
    counted = { step, payments: here + (counted.step === step ? counted.payments : 0) }
    const begins = idsFrom(span.from + step * span.stepMillis)
    const isPassedOver = counted.payments >= sample && begins < last.id
    isSampled ||= isPassedOver
    if (isPassedOver) before = begins
  }
  return {
    span,
    payments: found.length,
    isSampled,
    series: successSeries(span, found.filter(isRouted))
  } satisfies SuccessHistory
})

/** How connections fared over time, counted from stored payments. Pure. */
import type { OutcomeCounts } from "../model/OutcomeCounts.ts"
import { segmentOf, wholeConnection } from "../model/SuccessRate.ts"
import { measuredAttempts } from "./MeasuredOutcome.ts"
import type { RoutedPayment } from "./Replay.ts"

/** Steps of the same length, the first of which begins at `from`. */
export interface HistorySpan {
  /** Epoch milliseconds. */
  readonly from: number
  /** Milliseconds. */
  readonly stepMillis: number
  readonly steps: number
}

/** How attempts at one connection ended, step by step. */
export interface SuccessSeries {
  readonly connectionId: string
  /** As `segmentOf` makes it; empty for the connection as a whole. */
  readonly segment: string
  /** One for each step of the span; whole numbers. */
  readonly steps: ReadonlyArray<OutcomeCounts>
}

/** A payment that was created outside of the span counts nowhere. */
export const stepOf = ({ from, stepMillis, steps }: HistorySpan, at: number): number | undefined => {
  const step = Math.floor((at - from) / stepMillis)
  return step >= 0 && step < steps ? step : undefined
}

/** By connection and segment, in that order. A payment counts at the time at which it was created. */
export const successSeries = (
  span: HistorySpan,
  payments: ReadonlyArray<RoutedPayment>
): ReadonlyArray<SuccessSeries> => {
  const series = new Map<string, SuccessSeries & { readonly steps: Array<{ succeeded: number; failed: number }> }>()
  for (const payment of payments) {
    const step = stepOf(span, payment.createdAt)
    if (step === undefined) continue
    for (const { connectionId, isSuccess } of measuredAttempts(payment)) {
      for (const segment of [wholeConnection, segmentOf(payment)]) {
        const key = JSON.stringify([connectionId, segment])
        const known = series.get(key) ?? {
          connectionId,
          segment,
          steps: Array.from({ length: span.steps }, () => ({ succeeded: 0, failed: 0 }))
        }
        series.set(key, known)
        const counts = known.steps[step]
        if (counts !== undefined) counts[isSuccess ? "succeeded" : "failed"]++
      }
    }
  }
  return [...series.values()].sort((a, b) => byText(a.connectionId, b.connectionId) || byText(a.segment, b.segment))
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

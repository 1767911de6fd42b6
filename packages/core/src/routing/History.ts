/**
 * Success rates as stored payments tell them, one after the other: what `auto` would have known, had it been there. It
 * knows how the connections fared that were asked, and of the others nothing.
 */

import { segmentOf } from "../model/Segment.ts"
import type { CandidateRates } from "../model/SuccessRate.ts"
import {
  faded,
  noRate,
  type OutcomeCounts,
  type SuccessRate,
  wholeConnection,
  withOutcomes
} from "../model/SuccessRate.ts"
import { measuredOutcome } from "./MeasuredOutcome.ts"
import type { RoutedPayment } from "./Replay.ts"

export interface History {
  readonly rates: (connectionId: string, payment: RoutedPayment) => CandidateRates
  readonly learn: (payment: RoutedPayment) => void
}

export const historyOf = (): History => {
  const rates = new Map<string, SuccessRate>()
  const keyOf = (connectionId: string, segment: string) => JSON.stringify([connectionId, segment])
  const weights = (connectionId: string, segment: string, now: number): OutcomeCounts => {
    const { failed, succeeded } = faded(rates.get(keyOf(connectionId, segment)) ?? noRate, now)
    return { succeeded, failed }
  }
  return {
    rates: (connectionId, payment) => ({
      connection: weights(connectionId, wholeConnection, payment.createdAt),
      segment: weights(connectionId, segmentOf(payment), payment.createdAt)
    }),
    learn: (payment) => {
      // As in routing: what is tried out teaches nothing.
      if (payment.tenant.environment !== "production") return
      const { attempts } = payment.routing
      for (const [index, { connectionId, outcome }] of attempts.entries()) {
        // Only the last decline is the payment's; those before it were soft.
        const declineCategory = index === attempts.length - 1 ? payment.declineCategory : null
        const isSuccess = measuredOutcome(null, { outcome, declineCategory })
        if (isSuccess === undefined) continue
        const counts = { succeeded: isSuccess ? 1 : 0, failed: isSuccess ? 0 : 1 }
        for (const segment of [wholeConnection, segmentOf(payment)]) {
          const key = keyOf(connectionId, segment)
          rates.set(key, withOutcomes(rates.get(key) ?? noRate, counts, payment.createdAt))
        }
      }
    }
  }
}

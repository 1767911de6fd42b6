/**
 * Success rates as stored payments tell them, one after the other: what `auto` would have known, had it been there. It
 * knows how the connections fared that were asked, and of the others nothing.
 */
import {
  type CandidateRates,
  type KnownRate,
  knownRate,
  noRate,
  type SuccessRate,
  segmentOf,
  wholeConnection,
  withOutcomes
} from "../model/SuccessRate.ts"
import { measuredAttempts } from "./MeasuredOutcome.ts"
import type { RoutedPayment } from "./Replay.ts"

export interface History {
  readonly rates: (connectionId: string, payment: RoutedPayment) => CandidateRates
  readonly learn: (payment: RoutedPayment) => void
}

export const historyOf = (): History => {
  const rates = new Map<string, SuccessRate>()
  const keyOf = (connectionId: string, segment: string) => JSON.stringify([connectionId, segment])
  const weights = (connectionId: string, segment: string, now: number): KnownRate =>
    knownRate(rates.get(keyOf(connectionId, segment)) ?? noRate, now)
  return {
    rates: (connectionId, payment) => ({
      connection: weights(connectionId, wholeConnection, payment.createdAt),
      segment: weights(connectionId, segmentOf(payment), payment.createdAt)
    }),
    learn: (payment) => {
      // As in routing: what is tried out teaches nothing.
      if (payment.tenant.environment !== "production") return
      for (const { connectionId, isSuccess } of measuredAttempts(payment)) {
        const counts = { succeeded: isSuccess ? 1 : 0, failed: isSuccess ? 0 : 1 }
        for (const segment of [wholeConnection, segmentOf(payment)]) {
          const key = keyOf(connectionId, segment)
          rates.set(key, withOutcomes(rates.get(key) ?? noRate, counts, payment.createdAt))
        }
      }
    }
  }
}

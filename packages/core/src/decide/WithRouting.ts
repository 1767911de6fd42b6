/** The stored routing decision, with how the attempts of its payment ended. */
import type { Attempt } from "../model/Attempt.ts"
import type { Payment } from "../model/Payment.ts"
import type { Exclusion, RoutingDecision } from "../model/RoutingDecision.ts"

export const withRouting = (payment: Payment, attempts: ReadonlyArray<Attempt>): Payment =>
  payment.routing === null ? payment : { ...payment, routing: withAttempts(payment.routing, attempts) }

export const withAttempts = (decision: RoutingDecision, attempts: ReadonlyArray<Attempt>): RoutingDecision => ({
  ...decision,
  attempts: attempts.map(({ id, connectionId, outcome, code }) => ({ attemptId: id, connectionId, outcome, code }))
})

/** Connections that were passed over before a further attempt are added to those that are known. */
export const withSkipped = (payment: Payment, skipped: ReadonlyArray<Exclusion>): Payment => {
  const { routing } = payment
  if (routing === null) return payment
  const known = routing.skipped ?? []
  const added = skipped.filter(({ connectionId }) => !known.some((one) => one.connectionId === connectionId))
  return added.length === 0 ? payment : { ...payment, routing: { ...routing, skipped: [...known, ...added] } }
}

/** The stored routing decision, with how the attempts of its payment ended. */
import type { Attempt } from "../model/Attempt.ts"
import type { Payment } from "../model/Payment.ts"
import type { RoutingDecision } from "../model/RoutingDecision.ts"

export const withRouting = (payment: Payment, attempts: ReadonlyArray<Attempt>): Payment =>
  payment.routing === null ? payment : { ...payment, routing: withAttempts(payment.routing, attempts) }

export const withAttempts = (decision: RoutingDecision, attempts: ReadonlyArray<Attempt>): RoutingDecision => ({
  ...decision,
  attempts: attempts.map(({ id, connectionId, outcome, code }) => ({ attemptId: id, connectionId, outcome, code }))
})

/** The stored routing decision, with how the attempts of its payment ended. */
import type { Attempt } from "../model/Attempt.ts"
import type { Payment } from "../model/Payment.ts"
import type { Exclusion, RoutingDecision } from "../model/RoutingDecision.ts"

export const withRouting = (payment: Payment, attempts: ReadonlyArray<Attempt>): Payment =>
  payment.routing === null ? payment : { ...payment, routing: withAttempts(payment.routing, attempts) }

export const withAttempts = (decision: RoutingDecision, attempts: ReadonlyArray<Attempt>): RoutingDecision => ({
  ...decision,
  attempts: attempts.map((attempt) => {
    const { id, connectionId, outcome, code } = attempt
    const decline = declineOf(decision, attempt)
    return { attemptId: id, connectionId, outcome, code, ...(decline === undefined ? {} : { decline }) }
  })
})

/** Of an attempt that was read, the decision has it. */
const declineOf = (decision: RoutingDecision, { code, decline, id, outcome }: Attempt) => {
  if (outcome !== "Declined") return undefined
  if (decline !== undefined) return decline
  const stored = decision.attempts.find(({ attemptId }) => attemptId === id)
  return stored?.outcome === outcome && stored.code === code ? stored.decline : undefined
}

/** Connections that were passed over before a further attempt are added to those that are known. */
export const withSkipped = (payment: Payment, skipped: ReadonlyArray<Exclusion>): Payment => {
  const { routing } = payment
  if (routing === null) return payment
  const known = routing.skipped ?? []
  const added = skipped.filter(({ connectionId }) => !known.some((one) => one.connectionId === connectionId))
  return added.length === 0 ? payment : { ...payment, routing: { ...routing, skipped: [...known, ...added] } }
}

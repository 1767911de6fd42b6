/** Core's payment in the words of the API (specification, Payment; decisions, section 2). */
import {
  type Exclusion,
  type Payment as PaymentRecord,
  type RoutingDecision as RoutingRecord,
  statusOf
} from "@pointsman/core"
import { DateTime } from "effect"
import type { Payment, RoutingDecision, RoutingExclusion } from "./api/Payment.ts"

export const paymentView = (payment: PaymentRecord): Payment => {
  const status = statusOf[payment.state]
  return {
    id: payment.id,
    payment_id: payment.id,
    reference: payment.reference,
    payment_status: status,
    status,
    environment: payment.tenant.environment,
    amount: payment.money.minorUnits,
    currency: payment.money.currency,
    country: payment.country,
    method: payment.method,
    card_brand: payment.cardBrand,
    initiator: payment.initiator,
    capture_method: payment.captureMethod,
    decline_category: payment.declineCategory,
    decline_reason: payment.declineReason,
    captured_amount: payment.capturedMinor,
    refunded_amount: payment.refundedMinor,
    refund_pending_amount: payment.refundPendingMinor,
    next_action: { type: "NONE" },
    created: timeView(payment.createdAt)
  }
}

/** The answer to a create, which alone tells how the payment was routed. */
export const createdView = (payment: PaymentRecord, debug: boolean): Payment =>
  payment.routing === null
    ? paymentView(payment)
    : { ...paymentView(payment), routing: routingView(payment.routing, debug) }

export const exclusionView = (exclusion: Exclusion): RoutingExclusion => ({
  providerId: exclusion.connectionId,
  name: exclusion.name,
  code: exclusion.code,
  reason: exclusion.reason
})

/** RFC 3339, UTC, milliseconds. */
export const timeView = (epochMillis: number): string => DateTime.formatIso(DateTime.makeUnsafe(epochMillis))

const routingView = (routing: RoutingRecord, debug: boolean): RoutingDecision => ({
  path: routing.path,
  strategy: routing.strategy,
  mode: routing.mode,
  rule: routing.rule,
  candidates: routing.candidates.map((candidate) => ({
    connection_id: candidate.connectionId,
    name: candidate.name,
    priority: candidate.priority
  })),
  attempts: routing.attempts.map((attempt) => ({
    attempt_id: attempt.attemptId,
    connection_id: attempt.connectionId,
    outcome: attempt.outcome === null ? null : snakeCase(attempt.outcome),
    code: attempt.code
  })),
  ...(debug
    ? {
        excluded: routing.excluded.map(exclusionView),
        eligibility_version: routing.eligibilityVersion,
        degraded: routing.degraded
      }
    : {})
})

/** `NeedsCustomer` is `needs_customer` on the wire. */
const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/gu, (letter, at: number) => `${at === 0 ? "" : "_"}${letter.toLowerCase()}`)

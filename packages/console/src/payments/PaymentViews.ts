/** Core's records as the API shows them. */
import { declineOfAttempt, type PaymentFile as Recorded, type RoutingDecision } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { timeOrNull } from "../api/Records.ts"
import { valueField } from "../api/RouteValue.ts"
import type { PaymentFile } from "./PaymentRecords.ts"

const { timeView } = InProcess

export const fileView = (file: Recorded, payment: PaymentFile["payment"]): PaymentFile => ({
  payment,
  authorized_amount: file.payment.authorizedMinor,
  connection_id: file.payment.connectionId,
  provider_reference: file.payment.providerRef,
  review:
    file.payment.review === null
      ? null
      : { since: timeView(file.payment.review.since), reasons: [...file.payment.review.reasons] },
  routing: file.payment.routing === null ? null : routingView(file.payment.routing),
  attempts: file.attempts.map((attempt) => ({
    id: attempt.id,
    number: attempt.number,
    connection_id: attempt.connectionId,
    amount: attempt.money.minorUnits,
    currency: attempt.money.currency,
    sent: timeView(attempt.sentAt),
    answered: timeOrNull(attempt.answeredAt),
    outcome: attempt.outcome,
    decline_category: attempt.declineCategory,
    ...declineOf(file, attempt.id),
    code: attempt.code,
    reason: attempt.reason,
    provider_reference: attempt.providerRef
  })),
  operations: file.operations.map((operation) => ({
    id: operation.id,
    kind: operation.kind,
    amount: operation.money.minorUnits,
    currency: operation.money.currency,
    connection_id: operation.connectionId,
    sent: timeView(operation.sentAt),
    answered: timeOrNull(operation.answeredAt),
    outcome: operation.outcome,
    code: operation.code,
    reason: operation.reason
  })),
  refunds: file.refunds.map((refund) => ({
    id: refund.id,
    origin: refund.origin,
    stage: refund.stage,
    amount: refund.money.minorUnits,
    currency: refund.money.currency,
    reason: refund.reason,
    connection_id: refund.connectionId,
    sent: timeView(refund.sentAt),
    settled: timeOrNull(refund.settledAt),
    failure_reason: refund.failureReason
  })),
  events: file.timeline.map(({ createdAt, id, type }) => ({ id, type, created: timeView(createdAt) }))
})

const declineOf = ({ payment }: Recorded, id: string) => {
  const attempt = payment.routing?.attempts.find(({ attemptId }) => attemptId === id)
  const decline = attempt === undefined ? undefined : declineOfAttempt(attempt)
  return decline === undefined ? {} : { decline }
}

const routingView = (routing: RoutingDecision): NonNullable<PaymentFile["routing"]> => ({
  mode: routing.mode,
  path: routing.path,
  rule: routing.rule,
  note: routing.note,
  candidates: routing.candidates.map(({ connectionId, name, score, value }) => ({
    connection_id: connectionId,
    name,
    score,
    ...valueField(value)
  })),
  excluded: [...routing.excluded, ...(routing.skipped ?? [])].map(({ code, connectionId, name, reason }) => ({
    connection_id: connectionId,
    name,
    code,
    reason
  }))
})

/** All that is recorded of one payment, for programs and for people. Programs get amounts in minor units of their currency. */
import {
  type Attempt,
  type Dispute,
  declineOfPayment,
  type Event,
  type Operation,
  type PaymentFile,
  type Refund,
  viewOfEvent
} from "@pointsman/core"
import { type Now, nextOf, reviewView } from "./ReviewView.ts"
import { facts, paragraphs, shortened, status, type Text, table } from "./Table.ts"
import { moneyText, timeOf, timeOrNull, wireWord } from "./Words.ts"

export const fileView = (file: PaymentFile, now: Now) => ({
  ...reviewView(file.payment, now),
  country: file.payment.country,
  method: file.payment.method,
  card_brand: file.payment.cardBrand,
  initiator: file.payment.initiator,
  capture_method: file.payment.captureMethod,
  decline_category: file.payment.declineCategory,
  /** The provider's own code. */
  decline_reason: file.payment.declineReason,
  /** `null` unless the payment is declined. */
  decline: declineOfPayment(file.payment) ?? null,
  attempts: file.attempts.map(attemptView),
  operations: file.operations.map(operationView),
  refunds: file.refunds.map(refundView),
  events: file.timeline.map(viewOfEvent)
})

export const disputeView = (dispute: Dispute) => ({
  id: dispute.id,
  status: dispute.status,
  connection_id: dispute.connectionId,
  amount: dispute.money?.minorUnits ?? null,
  currency: dispute.money?.currency ?? null,
  reason: dispute.reason,
  provider_dispute_id: dispute.providerDisputeId,
  provider_reason: dispute.providerReason,
  evidence_due_by: timeOrNull(dispute.evidenceDueBy),
  evidence_submitted_at: timeOrNull(dispute.evidenceSubmittedAt),
  created: timeOf(dispute.createdAt)
})

export const disputesText = (disputes: ReadonlyArray<ReturnType<typeof disputeView>>): Text =>
  table(
    ["DISPUTE", "STATUS", "AMOUNT", "REASON", "PROVIDER DISPUTE ID", "CREATED"],
    disputes.map((one) => [
      one.id,
      one.status,
      one.amount === null || one.currency === null ? null : moneyText(one.amount, one.currency),
      one.reason,
      one.provider_dispute_id,
      one.created
    ])
  )

export type FileView = ReturnType<typeof fileView>

const attemptView = (attempt: Attempt) => ({
  id: attempt.id,
  number: attempt.number,
  connection_id: attempt.connectionId,
  amount: attempt.money.minorUnits,
  currency: attempt.money.currency,
  sent_at: timeOf(attempt.sentAt),
  answered_at: timeOrNull(attempt.answeredAt),
  outcome: attempt.outcome === null ? null : wireWord(attempt.outcome),
  provider_reference: attempt.providerRef ?? attempt.checkout?.reference ?? null,
  checkout_expires_at: timeOrNull(attempt.checkout?.expiresAt ?? null),
  code: attempt.code,
  reason: attempt.reason
})

const operationView = (operation: Operation) => ({
  id: operation.id,
  kind: operation.kind,
  connection_id: operation.connectionId,
  amount: operation.money.minorUnits,
  currency: operation.money.currency,
  sent_at: timeOf(operation.sentAt),
  answered_at: timeOrNull(operation.answeredAt),
  outcome: operation.outcome === null ? null : wireWord(operation.outcome),
  provider_reference: operation.providerRef,
  code: operation.code,
  reason: operation.reason
})

const refundView = (refund: Refund) => ({
  id: refund.id,
  origin: refund.origin,
  state: wireWord(refund.stage),
  connection_id: refund.connectionId,
  amount: refund.money.minorUnits,
  currency: refund.money.currency,
  sent_at: timeOf(refund.sentAt),
  answered_at: timeOrNull(refund.answeredAt),
  settled_at: timeOrNull(refund.settledAt),
  provider_reference: refund.providerRef,
  provider_refund_id: refund.providerRefundId,
  code: refund.code,
  reason: refund.failureReason
})

export const fileText = (file: FileView): Text => {
  const { currency } = file
  const sections: Array<Text> = [
    facts([
      ["Payment", file.payment_id],
      ["Workspace", `${file.workspace_id} (${file.environment})`],
      ["Reference", file.reference],
      ["Status", status(file.status, ` (${file.state})`)],
      ...reviewFacts(file),
      ...declineFacts(file),
      ["Next", nextOf(file)],
      ["Amount", moneyText(file.amount, currency)],
      ["Authorized", moneyText(file.authorized_amount, currency)],
      ["Captured", moneyText(file.captured_amount, currency)],
      [
        "Refunded",
        `${moneyText(file.refunded_amount, currency)}, and ${moneyText(file.refund_pending_amount, currency)} pending`
      ],
      ["Connection", file.connection_id],
      ["Provider ref", file.provider_reference],
      ["Created", file.created]
    ])
  ]
  if (file.attempts.length > 0) {
    sections.push(
      table(
        ["ATTEMPT", "CONNECTION", "AMOUNT", "SENT", "OUTCOME", "PROVIDER REFERENCE", "CODE", shortened("REASON")],
        file.attempts.map((one) => [
          one.id,
          one.connection_id,
          moneyText(one.amount, one.currency),
          one.sent_at,
          status(one.outcome),
          one.provider_reference,
          one.code,
          one.reason
        ])
      )
    )
  }
  if (file.operations.length > 0) {
    sections.push(
      table(
        ["OPERATION", "KIND", "AMOUNT", "SENT", "OUTCOME", "CODE", shortened("REASON")],
        file.operations.map((one) => [
          one.id,
          one.kind,
          moneyText(one.amount, one.currency),
          one.sent_at,
          status(one.outcome),
          one.code,
          one.reason
        ])
      )
    )
  }
  if (file.refunds.length > 0) {
    sections.push(
      table(
        ["REFUND", "ORIGIN", "STATE", "AMOUNT", "SENT", "PROVIDER REFUND ID", "CODE", shortened("REASON")],
        file.refunds.map((one) => [
          one.id,
          one.origin,
          status(one.state),
          moneyText(one.amount, one.currency),
          one.sent_at,
          one.provider_refund_id,
          one.code,
          one.reason
        ])
      )
    )
  }
  sections.push(
    table(
      ["EVENT", "TYPE", "SAYS"],
      file.events.map((one) => [one.created, one.type, saysOf(one.data)])
    )
  )
  return paragraphs(...sections)
}

type Facts = Parameters<typeof facts>[0]

const reviewFacts = ({ review }: FileView): Facts =>
  review === null
    ? []
    : [
        ["Waiting since", review.since],
        ["Reasons", review.reasons.join(", ")]
      ]

const declineFacts = ({ decline, decline_category, decline_reason }: FileView): Facts =>
  decline_category === null
    ? []
    : [
        ["Declined", decline_reason === null ? decline_category : `${decline_category} (${decline_reason})`],
        ...(decline === null ? [] : [["Advice", decline.advice] as const])
      ]

/** What an event says besides what every event of the payment says. */
const saysOf = (data: Event["data"]): string =>
  entriesText(Object.fromEntries(Object.entries(data).filter(([name]) => !everywhere.has(name))), data)

const entriesText = (said: Event["data"], data: Event["data"]): string =>
  Object.entries(said)
    .map(([name, value]) => `${name}: ${valueText(name, value, data)}`)
    .join(", ")

/** A provider may have stated an amount in another currency than the payment's. */
const valueText = (name: string, value: Event["data"][string], data: Event["data"]): string => {
  if (typeof value === "string") return value
  const currency = (name === "stated_amount" ? data["stated_currency"] : undefined) ?? data["currency"]
  if (isAmount.test(name) && typeof value === "number" && typeof currency === "string") {
    return moneyText(value, currency)
  }
  return isObject(value) ? `{ ${entriesText(value, data)} }` : JSON.stringify(value)
}

const isAmount = /(?:^|_)(?:amount|total)$/u

const isObject = (value: Event["data"][string]): value is Event["data"] =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const everywhere: ReadonlySet<string> = new Set(["payment_id", "reference", "environment", "amount", "currency"])

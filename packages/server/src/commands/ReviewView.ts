/** Payments that wait for operations, for programs and for people. Amounts are in minor units of their currency. */
import {
  type Attempt,
  type CheckIntervals,
  type Event,
  nextCheckAt,
  type Operation,
  type Payment,
  type PaymentFile,
  type Refund,
  type ReviewReason,
  statusOf,
  viewOfEvent
} from "@pointsman/core"
import { facts, table } from "./Table.ts"
import { ageOf, timeOf, timeOrNull, wireWord } from "./Words.ts"

/** What the time of the next check follows from. */
export interface Now {
  /** Epoch milliseconds. */
  readonly now: number
  readonly checkIntervals: CheckIntervals
  readonly claimWindowMillis: number
}

/** Whether the checks of the background can bring an end to it. */
const endsByItself: Record<ReviewReason, boolean> = {
  unknown: true,
  refund_unknown: true,
  open_checkout: false,
  overdue: false,
  amount_mismatch: false,
  conflict: false,
  double_charge: false
}

export const reviewView = (payment: Payment, { checkIntervals, claimWindowMillis, now }: Now) => {
  const { review } = payment
  const checkAt = nextCheckAt(payment, [], checkIntervals, claimWindowMillis, now)
  const reasons = review?.reasons ?? []
  return {
    payment_id: payment.id,
    workspace_id: payment.tenant.workspaceId,
    environment: payment.tenant.environment,
    reference: payment.reference,
    status: statusOf[payment.state],
    /** Finer than the status. */
    state: wireWord(payment.state),
    review: review === null ? null : { since: timeOf(review.since), reasons },
    /** `true`: no check can end it, somebody has to look. */
    needs_operator: reasons.some((reason) => !endsByItself[reason] || checkAt === null),
    next_check_at: timeOrNull(checkAt),
    amount: payment.money.minorUnits,
    currency: payment.money.currency,
    authorized_amount: payment.authorizedMinor,
    captured_amount: payment.capturedMinor,
    refunded_amount: payment.refundedMinor,
    refund_pending_amount: payment.refundPendingMinor,
    // Nobody holds the money of an unanswered charge: the last one that was asked may.
    connection_id: payment.connectionId ?? payment.routing?.attempts.at(-1)?.connectionId ?? null,
    provider_reference: payment.providerRef,
    created: timeOf(payment.createdAt),
    updated: timeOf(payment.updatedAt)
  }
}

export type ReviewView = ReturnType<typeof reviewView>

export const fileView = (file: PaymentFile, now: Now) => ({
  ...reviewView(file.payment, now),
  attempts: file.attempts.map(attemptView),
  operations: file.operations.map(operationView),
  refunds: file.refunds.map(refundView),
  events: file.timeline.map(viewOfEvent)
})

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

const nextOf = ({ needs_operator, next_check_at }: ReviewView): string =>
  needs_operator ? "waits for an operator" : `checked again ${next_check_at}`

export const reviewsText = (
  payments: ReadonlyArray<{ readonly payment: Payment; readonly view: ReviewView }>,
  now: number
): string =>
  table(
    ["PAYMENT", "SINCE", "AGE", "STATUS", "REASONS", "MINOR UNITS", "CONNECTION", "WORKSPACE", "NEXT"],
    payments.map(({ payment, view }) => [
      view.payment_id,
      view.review?.since ?? null,
      payment.review === null ? null : ageOf(payment.review.since, now),
      view.status,
      view.review?.reasons.join(", ") ?? null,
      `${view.amount} ${view.currency}`,
      view.connection_id,
      `${view.workspace_id} (${view.environment})`,
      nextOf(view)
    ])
  )

export const fileText = (file: FileView): string => {
  const { currency } = file
  const sections: Array<string> = [
    facts([
      ["Payment", file.payment_id],
      ["Workspace", `${file.workspace_id} (${file.environment})`],
      ["Reference", file.reference],
      ["Status", `${file.status} (${file.state})`],
      ["Waits since", file.review?.since ?? null],
      ["Reasons", file.review?.reasons.join(", ") ?? null],
      ["Next", nextOf(file)],
      ["Amount", `${file.amount} ${currency}, in minor units as all that follow`],
      ["Authorized", file.authorized_amount],
      ["Captured", file.captured_amount],
      ["Refunded", `${file.refunded_amount}, and ${file.refund_pending_amount} pending`],
      ["Connection", file.connection_id],
      ["Provider's", file.provider_reference],
      ["Created", file.created]
    ])
  ]
  if (file.attempts.length > 0) {
    sections.push(
      table(
        ["ATTEMPT", "CONNECTION", "AMOUNT", "SENT", "OUTCOME", "PROVIDER'S REFERENCE", "CODE", "REASON"],
        file.attempts.map((one) => [
          one.id,
          one.connection_id,
          one.amount,
          one.sent_at,
          one.outcome,
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
        ["OPERATION", "KIND", "AMOUNT", "SENT", "OUTCOME", "CODE", "REASON"],
        file.operations.map((one) => [one.id, one.kind, one.amount, one.sent_at, one.outcome, one.code, one.reason])
      )
    )
  }
  if (file.refunds.length > 0) {
    sections.push(
      table(
        ["REFUND", "STATE", "AMOUNT", "SENT", "PROVIDER'S REFUND", "CODE", "REASON"],
        file.refunds.map((one) => [
          one.id,
          one.state,
          one.amount,
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
  return sections.join("\n\n")
}

/** What an event says besides what every event of the payment says. */
const saysOf = (data: Event["data"]): string =>
  Object.entries(data)
    .filter(([name]) => !everywhere.has(name))
    .map(([name, value]) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(", ")

const everywhere: ReadonlySet<string> = new Set(["payment_id", "reference", "environment", "amount", "currency"])

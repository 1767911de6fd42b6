/** Core's records as this package shows them. */
import type { Event } from "@pointsman/client/contract"
import * as Core from "@pointsman/core"
import type * as Ports from "@pointsman/core/ports"
import * as InProcess from "@pointsman/http/in-process"
import { Effect, Redacted } from "effect"
import type { Operator } from "./Operators.ts"
import type {
  Attempt,
  Circuit,
  ConnectionRecovery,
  CreatedApiKey,
  Delivery,
  DeliveryAttempt,
  DeliveryStatus,
  Operation,
  PaymentFile,
  RecordLoss,
  RecoveredAmount,
  Recovery,
  Refund,
  ReviewedPayment,
  SuccessRate
} from "./Records.ts"

export const { timeView } = InProcess

const timeOrNull = (epochMillis: number | null): string | null => (epochMillis === null ? null : timeView(epochMillis))

/** `GivenUp` is `given_up`. */
const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/gu, (letter, at: number) => `${at === 0 ? "" : "_"}${letter.toLowerCase()}`)

const statusOfDelivery = {
  Due: "due",
  Sending: "sending",
  Delivered: "delivered",
  Refused: "refused",
  GivenUp: "given_up"
} as const satisfies Record<Core.Delivery["state"], DeliveryStatus>

export const deliveryStateOf = (status: string): Core.Delivery["state"] | undefined =>
  Core.deliveryStates.find((state) => statusOfDelivery[state] === status)

export const deliveryStatuses: ReadonlyArray<string> = Object.values(statusOfDelivery)

export const answered = Effect.fnUntraced(function* ({ isReplay, payment }: Core.Answered) {
  const views = yield* InProcess.PaymentViews
  return { payment: yield* views.payment(payment), isReplay }
})

export const reviewed = Effect.fnUntraced(function* (payment: Core.Payment) {
  const views = yield* InProcess.PaymentViews
  const view: ReviewedPayment = {
    ...(yield* views.payment(payment)),
    workspace_id: payment.tenant.workspaceId,
    review: payment.review === null ? null : { since: timeView(payment.review.since), reasons: payment.review.reasons },
    // No connection is known to hold the money of an unanswered charge: the last one that was asked may.
    connection_id: payment.connectionId ?? payment.routing?.attempts.at(-1)?.connectionId ?? null,
    provider_reference: payment.providerRef
  }
  return view
})

export const filed = ({ attempts, operations, payment, refunds, timeline }: Core.PaymentFile) =>
  Effect.map(
    reviewed(payment),
    (view): PaymentFile => ({
      ...view,
      attempts: attempts.map(attemptView),
      operations: operations.map(operationView),
      refunds: refunds.map(refundView),
      events: timeline.map(eventView)
    })
  )

/** Core writes what the types say, and a test holds them against the contract. */
export const eventView = (event: Core.Event): Event => InProcess.eventView(event) as Event

const outcomes = {
  Authorized: "authorized",
  Captured: "captured",
  Pending: "pending",
  Declined: "declined",
  Rejected: "rejected",
  Canceled: "canceled",
  NeedsCustomer: "needs_customer",
  CheckoutOpened: "checkout_opened",
  Mismatched: "mismatched",
  NotSent: "not_sent"
} as const satisfies Record<Exclude<Core.Attempt["outcome"], "Unanswered" | "Abandoned" | null>, string>

const endOf = ({ answeredAt, id, outcome }: Core.Attempt) => {
  if (outcome === null) return { outcome, answered_at: null }
  if (outcome === "Unanswered") return { outcome: "unanswered", answered_at: null } as const
  if (outcome === "Abandoned") return { outcome: "abandoned", answered_at: null } as const
  if (answeredAt === null) throw new Error(`the attempt ${id} is ${outcome} and has no time of an answer`)
  return { outcome: outcomes[outcome], answered_at: timeView(answeredAt) }
}

export const attemptView = (attempt: Core.Attempt): Attempt => ({
  id: attempt.id,
  number: attempt.number,
  connection_id: attempt.connectionId,
  amount: attempt.money.minorUnits,
  currency: attempt.money.currency,
  sent_at: timeView(attempt.sentAt),
  ...endOf(attempt),
  provider_reference: attempt.providerRef ?? attempt.checkout?.reference ?? null,
  code: attempt.code,
  reason: attempt.reason
})

const operationOutcomes = {
  Confirmed: "confirmed",
  Accepted: "accepted",
  Refused: "refused",
  Conflicted: "conflicted",
  Unanswered: "unanswered",
  NotFound: "not_found",
  Abandoned: "abandoned",
  Failed: "failed"
} as const satisfies Record<NonNullable<Core.Operation["outcome"]>, string>

const operationView = (operation: Core.Operation): Operation => ({
  id: operation.id,
  kind: operation.kind,
  connection_id: operation.connectionId,
  amount: operation.money.minorUnits,
  currency: operation.money.currency,
  sent_at: timeView(operation.sentAt),
  answered_at: timeOrNull(operation.answeredAt),
  outcome: operation.outcome === null ? null : operationOutcomes[operation.outcome],
  provider_reference: operation.providerRef,
  code: operation.code,
  reason: operation.reason
})

const refundView = (refund: Core.Refund): Refund => ({
  id: refund.id,
  origin: refund.origin,
  state: snakeCase(refund.stage),
  connection_id: refund.connectionId,
  amount: refund.money.minorUnits,
  currency: refund.money.currency,
  sent_at: timeView(refund.sentAt),
  answered_at: timeOrNull(refund.answeredAt),
  settled_at: timeOrNull(refund.settledAt),
  provider_reference: refund.providerRef,
  provider_refund_id: refund.providerRefundId,
  code: refund.code,
  reason: refund.failureReason
})

export const deliveryView = (delivery: Core.Delivery): Delivery => ({
  id: delivery.id,
  environment: delivery.tenant.environment,
  status: statusOfDelivery[delivery.state],
  event_id: delivery.eventId,
  endpoint_id: delivery.endpointId,
  attempts: delivery.attempts,
  // While it is being sent its time is that of a lease.
  next_attempt_at: delivery.state === "Due" ? timeOrNull(delivery.dueAt) : null,
  created: timeView(delivery.createdAt)
})

export const deliveryAttemptView = ({ end, endedAt, number, sentAt }: Core.DeliveryAttempt): DeliveryAttempt => ({
  number,
  sent_at: timeView(sentAt),
  ended_at: timeOrNull(endedAt),
  ...(end === null
    ? { response_status: null, failure: null }
    : end._tag === "Answered"
      ? { response_status: end.status, failure: null }
      : { response_status: null, failure: snakeCase(end.failure) })
})

export const rateView = ({ connectionId, rate, segment }: Ports.StoredRate): SuccessRate => ({
  connection_id: connectionId,
  segment,
  succeeded: rate.succeeded,
  failed: rate.failed,
  at: timeView(rate.at)
})

export const circuitView = (circuit: Core.CircuitReading): Circuit => ({
  connection_id: circuit.connectionId,
  state: circuit.state,
  failures: circuit.failures,
  opened_at: timeOrNull(circuit.openedAt),
  probe_at: timeOrNull(circuit.probeAt)
})

export const apiKeyView = ({ apiKey, secret }: Core.CreatedApiKey): CreatedApiKey => ({
  secret: Redacted.value(secret),
  hash: apiKey.hash,
  environment: apiKey.environment,
  scopes: apiKey.scopes,
  name: apiKey.name,
  expires: timeOrNull(apiKey.expiresAt),
  networks: apiKey.networks
})

export const operatorView = ({
  active,
  createdAt,
  displayName,
  grants,
  id,
  login,
  passwordHash
}: Core.Operator): Operator => ({
  id,
  login,
  name: displayName,
  active,
  roles: grants.map(({ role, workspaceId }) => ({ role, workspace_id: workspaceId })),
  has_password: passwordHash !== null,
  created: timeView(createdAt)
})

const recoveryResults = { Complete: "complete", NoList: "no_list", Failed: "failed" } as const

const recoveredAmounts = (amounts: ReadonlyArray<Core.RecoveredAmount>): ReadonlyArray<RecoveredAmount> =>
  amounts.map(({ amountMinor, count, currency }) => ({ currency, count, amount: amountMinor }))

const connectionRecoveryView = (one: Core.ConnectionRecovery): ConnectionRecovery => ({
  connection_id: one.connectionId,
  workspace_id: one.tenant.workspaceId,
  environment: one.tenant.environment,
  result: recoveryResults[one.end._tag],
  reason: one.end._tag === "Failed" ? one.end.reason : null,
  unasked: one.unasked,
  listed: one.listed,
  payments: recoveredAmounts(one.payments),
  refunds: recoveredAmounts(one.refunds),
  disputes: recoveredAmounts(one.disputes),
  changed: recoveredAmounts(one.changed),
  reviewed: recoveredAmounts(one.reviewed),
  kept: one.kept
})

export const lossView = ({
  declaredAt,
  ended,
  reason,
  recovered,
  refundsWait,
  since
}: Ports.RecordLoss): RecordLoss => ({
  since: timeView(since),
  reason,
  declared: timeView(declaredAt),
  recovered,
  refunds_wait: refundsWait,
  ended: ended === null ? null : { outcome: ended.outcome, at: timeView(ended.at) }
})

export const recoveryView = ({ connections, loss, since }: Core.Recovery, isDryRun: boolean): Recovery => ({
  since: timeView(since),
  dry_run: isDryRun,
  connections: connections.map(connectionRecoveryView),
  loss: loss === null ? null : lossView(loss)
})

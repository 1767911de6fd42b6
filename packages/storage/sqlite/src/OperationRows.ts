/** How operations and refunds lie in their tables. */
import { columnOf, money, type Operation, type Refund, type Tenant } from "@pointsman/core"
import {
  bindJson,
  bindText,
  bindTextOrNull,
  type Row,
  readJson,
  readText,
  readTextOrNull,
  upsertInto
} from "./Database.ts"
import { bindTenant, tenantColumns, type Values } from "./PaymentRows.ts"

const key = [...tenantColumns, "payment_id", "id"]

// Operations.

export const upsertOperation = upsertInto(
  "operations",
  [
    ...key,
    "kind",
    "idempotency_key",
    "requested_minor",
    "amount_minor",
    "currency",
    "connection_id",
    "provider_ref",
    "timeout_millis",
    "sent_at",
    "answered_at",
    "outcome",
    "code",
    "reason",
    "reply"
  ],
  key
)

export const bindOperation = (tenant: Tenant, operation: Operation): Values => [
  ...bindTenant(tenant),
  bindText(operation.paymentId),
  bindText(operation.id),
  operation.kind,
  bindTextOrNull(operation.idempotencyKey),
  operation.requestedMinor,
  operation.money.minorUnits,
  operation.money.currency,
  bindText(operation.connectionId),
  bindText(operation.providerRef),
  operation.timeoutMillis,
  operation.sentAt,
  operation.answeredAt,
  operation.outcome,
  bindTextOrNull(operation.code),
  bindTextOrNull(operation.reason),
  bindJson(operation.reply)
]

export const readOperation = (row: Row): Operation => ({
  id: readText(row["id"]),
  paymentId: readText(row["payment_id"]),
  kind: row["kind"] as Operation["kind"],
  idempotencyKey: readTextOrNull(row["idempotency_key"]),
  requestedMinor: row["requested_minor"] as number | null,
  money: money(row["amount_minor"] as number, row["currency"] as string),
  connectionId: readText(row["connection_id"]),
  providerRef: readText(row["provider_ref"]),
  timeoutMillis: row["timeout_millis"] as number,
  sentAt: row["sent_at"] as number,
  answeredAt: row["answered_at"] as number | null,
  outcome: row["outcome"] as Operation["outcome"],
  code: readTextOrNull(row["code"]),
  reason: readTextOrNull(row["reason"]),
  reply: readJson(row["reply"])
})

// Refunds.

export const upsertRefund = upsertInto(
  "refunds",
  [
    ...key,
    "stage",
    "balance",
    "amount_minor",
    "currency",
    "requested_minor",
    "reason",
    "idempotency_key",
    "connection_id",
    "provider_ref",
    "provider_refund_id",
    "timeout_millis",
    "sent_at",
    "answered_at",
    "settled_at",
    "code",
    "failure_reason",
    "reply"
  ],
  key
)

export const bindRefund = (tenant: Tenant, refund: Refund): Values => [
  ...bindTenant(tenant),
  bindText(refund.paymentId),
  bindText(refund.id),
  refund.stage,
  columnOf[refund.stage],
  refund.money.minorUnits,
  refund.money.currency,
  refund.requestedMinor,
  bindTextOrNull(refund.reason),
  bindTextOrNull(refund.idempotencyKey),
  bindText(refund.connectionId),
  bindText(refund.providerRef),
  bindTextOrNull(refund.providerRefundId),
  refund.timeoutMillis,
  refund.sentAt,
  refund.answeredAt,
  refund.settledAt,
  bindTextOrNull(refund.code),
  bindTextOrNull(refund.failureReason),
  bindJson(refund.reply)
]

export const readRefund = (row: Row): Refund => ({
  id: readText(row["id"]),
  paymentId: readText(row["payment_id"]),
  stage: row["stage"] as Refund["stage"],
  money: money(row["amount_minor"] as number, row["currency"] as string),
  requestedMinor: row["requested_minor"] as number | null,
  reason: readTextOrNull(row["reason"]),
  idempotencyKey: readTextOrNull(row["idempotency_key"]),
  connectionId: readText(row["connection_id"]),
  providerRef: readText(row["provider_ref"]),
  providerRefundId: readTextOrNull(row["provider_refund_id"]),
  timeoutMillis: row["timeout_millis"] as number,
  sentAt: row["sent_at"] as number,
  answeredAt: row["answered_at"] as number | null,
  settledAt: row["settled_at"] as number | null,
  code: readTextOrNull(row["code"]),
  failureReason: readTextOrNull(row["failure_reason"]),
  reply: readJson(row["reply"])
})

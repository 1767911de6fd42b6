/** How operations and refunds lie in their tables. */
import { columnOf, money, type Operation, type Refund, type Tenant } from "@pointsman/core"
import { entryKey, tenantRow } from "./PaymentRows.ts"
import { bindJson, type LedgerRow, type Row, readJson, readText, readTextOrNull } from "./Rows.ts"

// Operations.

export const operationColumns: ReadonlyArray<string> = [
  ...entryKey,
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
]

export const operationRow = (tenant: Tenant, operation: Operation): LedgerRow => ({
  ...tenantRow(tenant),
  payment_id: operation.paymentId,
  id: operation.id,
  kind: operation.kind,
  idempotency_key: operation.idempotencyKey,
  requested_minor: operation.requestedMinor,
  amount_minor: operation.money.minorUnits,
  currency: operation.money.currency,
  connection_id: operation.connectionId,
  provider_ref: operation.providerRef,
  timeout_millis: operation.timeoutMillis,
  sent_at: operation.sentAt,
  answered_at: operation.answeredAt,
  outcome: operation.outcome,
  code: operation.code,
  reason: operation.reason,
  reply: bindJson(operation.reply)
})

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

export const refundColumns: ReadonlyArray<string> = [
  ...entryKey,
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
]

export const refundRow = (tenant: Tenant, refund: Refund): LedgerRow => ({
  ...tenantRow(tenant),
  payment_id: refund.paymentId,
  id: refund.id,
  stage: refund.stage,
  balance: columnOf[refund.stage],
  amount_minor: refund.money.minorUnits,
  currency: refund.money.currency,
  requested_minor: refund.requestedMinor,
  reason: refund.reason,
  idempotency_key: refund.idempotencyKey,
  connection_id: refund.connectionId,
  provider_ref: refund.providerRef,
  provider_refund_id: refund.providerRefundId,
  timeout_millis: refund.timeoutMillis,
  sent_at: refund.sentAt,
  answered_at: refund.answeredAt,
  settled_at: refund.settledAt,
  code: refund.code,
  failure_reason: refund.failureReason,
  reply: bindJson(refund.reply)
})

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

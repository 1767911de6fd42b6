/** How payments, attempts and claims lie in their tables. */
import { type Attempt, type Claim, type Event, money, type Payment, type Tenant } from "@pointsman/core"
import { bindJson, type LedgerRow, type Row, readJson, readText, readTextOrNull } from "./Rows.ts"

export const tenantKey = ["workspace_id", "environment"]

export const tenantRow = (tenant: Tenant): LedgerRow => ({
  workspace_id: tenant.workspaceId,
  environment: tenant.environment
})

export const readTenant = (row: Row): Tenant => ({
  workspaceId: readText(row["workspace_id"]),
  environment: row["environment"] as Tenant["environment"]
})

// Payments.

export const paymentRow = (payment: Payment, checkAt: number | null): LedgerRow => ({
  ...tenantRow(payment.tenant),
  id: payment.id,
  version: payment.version,
  state: payment.state,
  amount_minor: payment.money.minorUnits,
  currency: payment.money.currency,
  country: payment.country,
  method: payment.method,
  card_brand: payment.cardBrand,
  initiator: payment.initiator,
  capture_method: payment.captureMethod,
  reference: payment.reference,
  decline_category: payment.declineCategory,
  decline_reason: payment.declineReason,
  authorized_minor: payment.authorizedMinor,
  captured_minor: payment.capturedMinor,
  refunded_minor: payment.refundedMinor,
  refund_pending_minor: payment.refundPendingMinor,
  connection_id: payment.connectionId,
  provider_ref: payment.providerRef,
  idempotency_key: payment.idempotencyKey,
  hosted: bindJson(payment.hosted),
  page_token_hash: payment.hosted?.tokenHash ?? null,
  routing: bindJson(payment.routing),
  simulation: bindJson(payment.simulation),
  created_at: payment.createdAt,
  updated_at: payment.updatedAt,
  settled_at: payment.settledAt,
  review: bindJson(payment.review),
  review_since: payment.review?.since ?? null,
  check_at: checkAt
})

export const paymentColumns: ReadonlyArray<string> = [
  "workspace_id",
  "environment",
  "id",
  "version",
  "state",
  "amount_minor",
  "currency",
  "country",
  "method",
  "card_brand",
  "initiator",
  "capture_method",
  "reference",
  "decline_category",
  "decline_reason",
  "authorized_minor",
  "captured_minor",
  "refunded_minor",
  "refund_pending_minor",
  "connection_id",
  "provider_ref",
  "idempotency_key",
  "hosted",
  "page_token_hash",
  "routing",
  "simulation",
  "created_at",
  "updated_at",
  "settled_at",
  "review",
  "review_since",
  "check_at"
]

export const readPayment = (row: Row): Payment => ({
  id: readText(row["id"]),
  tenant: readTenant(row),
  version: row["version"] as number,
  state: row["state"] as Payment["state"],
  money: money(row["amount_minor"] as number, row["currency"] as string),
  country: row["country"] as string,
  method: row["method"] as Payment["method"],
  cardBrand: readTextOrNull(row["card_brand"]),
  initiator: row["initiator"] as Payment["initiator"],
  captureMethod: row["capture_method"] as Payment["captureMethod"],
  reference: readTextOrNull(row["reference"]),
  declineCategory: row["decline_category"] as Payment["declineCategory"],
  declineReason: readTextOrNull(row["decline_reason"]),
  authorizedMinor: row["authorized_minor"] as number,
  capturedMinor: row["captured_minor"] as number,
  refundedMinor: row["refunded_minor"] as number,
  refundPendingMinor: row["refund_pending_minor"] as number,
  connectionId: readTextOrNull(row["connection_id"]),
  providerRef: readTextOrNull(row["provider_ref"]),
  idempotencyKey: readTextOrNull(row["idempotency_key"]),
  hosted: readJson(row["hosted"]),
  routing: readJson(row["routing"]),
  simulation: readJson(row["simulation"]),
  createdAt: row["created_at"] as number,
  updatedAt: row["updated_at"] as number,
  settledAt: row["settled_at"] as number | null,
  review: readJson(row["review"])
})

// Attempts.

export const entryKey = [...tenantKey, "payment_id", "id"]

export const attemptRow = (tenant: Tenant, attempt: Attempt): LedgerRow => ({
  ...tenantRow(tenant),
  payment_id: attempt.paymentId,
  id: attempt.id,
  number: attempt.number,
  connection_id: attempt.connectionId,
  amount_minor: attempt.money.minorUnits,
  currency: attempt.money.currency,
  timeout_millis: attempt.timeoutMillis,
  sent_at: attempt.sentAt,
  answered_at: attempt.answeredAt,
  outcome: attempt.outcome,
  provider_ref: attempt.providerRef,
  decline_category: attempt.declineCategory,
  code: attempt.code,
  reason: attempt.reason,
  checkout: bindJson(attempt.checkout)
})

export const attemptColumns: ReadonlyArray<string> = [
  ...entryKey,
  "number",
  "connection_id",
  "amount_minor",
  "currency",
  "timeout_millis",
  "sent_at",
  "answered_at",
  "outcome",
  "provider_ref",
  "decline_category",
  "code",
  "reason",
  "checkout"
]

export const readAttempt = (row: Row): Attempt => ({
  id: readText(row["id"]),
  paymentId: readText(row["payment_id"]),
  number: row["number"] as number,
  connectionId: readText(row["connection_id"]),
  money: money(row["amount_minor"] as number, row["currency"] as string),
  timeoutMillis: row["timeout_millis"] as number,
  sentAt: row["sent_at"] as number,
  answeredAt: row["answered_at"] as number | null,
  outcome: row["outcome"] as Attempt["outcome"],
  providerRef: readTextOrNull(row["provider_ref"]),
  declineCategory: row["decline_category"] as Attempt["declineCategory"],
  code: readTextOrNull(row["code"]),
  reason: readTextOrNull(row["reason"]),
  checkout: readJson(row["checkout"])
})

// Events.

export const readEvent = (row: Row): Event => ({
  id: readText(row["id"]),
  type: row["type"] as Event["type"],
  paymentId: readText(row["payment_id"]),
  createdAt: row["created_at"] as number,
  data: readJson(row["data"])
})

// Claims.

export const claimRow = (tenant: Tenant, claim: Claim): LedgerRow => ({
  ...tenantRow(tenant),
  key: claim.key,
  version: claim.version,
  state: claim.state,
  fingerprint: claim.fingerprint,
  payment_id: claim.paymentId,
  claimed_at: claim.claimedAt,
  answered_at: claim.answeredAt,
  answer: bindJson(claim.answer)
})

export const claimColumns: ReadonlyArray<string> = [
  ...tenantKey,
  "key",
  "version",
  "state",
  "fingerprint",
  "payment_id",
  "claimed_at",
  "answered_at",
  "answer"
]

export const readClaim = (row: Row): Claim => ({
  key: readText(row["key"]),
  version: row["version"] as number,
  state: row["state"] as Claim["state"],
  fingerprint: row["fingerprint"] as string,
  paymentId: readText(row["payment_id"]),
  claimedAt: row["claimed_at"] as number,
  answeredAt: row["answered_at"] as number | null,
  answer: readJson(row["answer"])
})

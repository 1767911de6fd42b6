/** How payments, attempts, events and claims lie in their tables. */
import type { SQLInputValue } from "node:sqlite"
import { type Attempt, type Claim, type Event, money, type Payment, type Tenant } from "@pointsman/core"
import {
  bindJson,
  bindText,
  bindTextOrNull,
  insertInto,
  type Row,
  readJson,
  readText,
  readTextOrNull,
  upsertInto
} from "./Database.ts"

export type Values = Array<SQLInputValue>

export const tenantColumns = ["workspace_id", "environment"] as const
export const bindTenant = (tenant: Tenant): Values => [bindText(tenant.workspaceId), tenant.environment]

export const readTenant = (row: Row): Tenant => ({
  workspaceId: readText(row["workspace_id"]),
  environment: row["environment"] as Tenant["environment"]
})

// Payments.

const paymentKey = [...tenantColumns, "id"]
const paymentColumns = [
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
  "connection_id",
  "provider_ref",
  "idempotency_key",
  "hosted",
  "routing",
  "simulation",
  "created_at",
  "updated_at",
  "settled_at",
  "review",
  "check_at"
]

/** Binds the columns, then the key. Nothing is given back yet. */
export const insertPayment = `insert into payments
  (${[...paymentColumns, ...paymentKey, "refunded_minor", "refund_pending_minor"].join(", ")})
  values (${[...paymentColumns, ...paymentKey].map(() => "?").join(", ")}, 0, 0)
  on conflict (${paymentKey.join(", ")}) do nothing`
/** Binds the columns, then the key, then the version that must be stored; gives the totals that are stored. */
export const updatePayment = `update payments set ${paymentColumns.map((column) => `${column} = ?`).join(", ")}
  where workspace_id = ? and environment = ? and id = ? and version = ?
  returning refunded_minor, refund_pending_minor`
/**
 * Binds the totals, then the key. Written after the refunds: the database compares the totals with what the refunds
 * add up to.
 */
export const updateRefundTotals = `update payments set refunded_minor = ?, refund_pending_minor = ?
  where workspace_id = ? and environment = ? and id = ?`

export const bindPayment = (payment: Payment, checkAt: number | null): Values => [
  payment.version,
  payment.state,
  payment.money.minorUnits,
  payment.money.currency,
  payment.country,
  payment.method,
  bindTextOrNull(payment.cardBrand),
  payment.initiator,
  payment.captureMethod,
  bindTextOrNull(payment.reference),
  payment.declineCategory,
  bindTextOrNull(payment.declineReason),
  payment.authorizedMinor,
  payment.capturedMinor,
  bindTextOrNull(payment.connectionId),
  bindTextOrNull(payment.providerRef),
  bindTextOrNull(payment.idempotencyKey),
  bindJson(payment.hosted),
  bindJson(payment.routing),
  bindJson(payment.simulation),
  payment.createdAt,
  payment.updatedAt,
  payment.settledAt,
  bindJson(payment.review),
  checkAt,
  ...bindTenant(payment.tenant),
  bindText(payment.id)
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

export const upsertAttempt = upsertInto(
  "attempts",
  [
    ...tenantColumns,
    "payment_id",
    "id",
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
  ],
  [...tenantColumns, "payment_id", "id"]
)

export const bindAttempt = (tenant: Tenant, attempt: Attempt): Values => [
  ...bindTenant(tenant),
  bindText(attempt.paymentId),
  bindText(attempt.id),
  attempt.number,
  bindText(attempt.connectionId),
  attempt.money.minorUnits,
  attempt.money.currency,
  attempt.timeoutMillis,
  attempt.sentAt,
  attempt.answeredAt,
  attempt.outcome,
  bindTextOrNull(attempt.providerRef),
  attempt.declineCategory,
  bindTextOrNull(attempt.code),
  bindTextOrNull(attempt.reason),
  bindJson(attempt.checkout)
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

export const insertEvent = insertInto("events", [...tenantColumns, "id", "type", "payment_id", "created_at", "data"])

export const bindEvent = (tenant: Tenant, event: Event): Values => [
  ...bindTenant(tenant),
  event.id,
  event.type,
  bindText(event.paymentId),
  event.createdAt,
  bindJson(event.data)
]

export const readEvent = (row: Row): Event => ({
  id: readText(row["id"]),
  type: row["type"] as Event["type"],
  paymentId: readText(row["payment_id"]),
  createdAt: row["created_at"] as number,
  data: readJson(row["data"])
})

// Claims.

const claimColumns = ["version", "state", "fingerprint", "payment_id", "claimed_at", "answered_at", "answer"]

/** Binds the columns, then the key. */
export const insertClaim = `${insertInto("claims", [...claimColumns, ...tenantColumns, "key"])} on conflict do nothing`
/** Binds the columns, then the key, then the version that must be stored. */
export const updateClaim = `update claims set ${claimColumns.map((column) => `${column} = ?`).join(", ")}
  where workspace_id = ? and environment = ? and key = ? and version = ?`

export const bindClaim = (tenant: Tenant, claim: Claim): Values => [
  claim.version,
  claim.state,
  claim.fingerprint,
  bindText(claim.paymentId),
  claim.claimedAt,
  claim.answeredAt,
  bindJson(claim.answer),
  ...bindTenant(tenant),
  bindText(claim.key)
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

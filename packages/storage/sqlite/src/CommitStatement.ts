/** The statements of a commit, each with what it binds. */
import type { SQLInputValue } from "node:sqlite"
import type { Event } from "@pointsman/core"
import { type Columns, entryKey, list, type Owner, tenantKey, valuesOf } from "@pointsman/storage-sql"
import { bindText, insertInto, rows, upsertInto } from "./Rows.ts"

/** The columns in the order in which an update binds them: those of the key come last, in its condition. */
const keyLast = <A>(columns: Columns<A, SQLInputValue, Owner>, key: ReadonlyArray<string>): typeof columns =>
  Object.fromEntries(Object.entries(columns).sort(([a], [b]) => key.indexOf(a) - key.indexOf(b)))

const assignments = (columns: object, key: ReadonlyArray<string>): string =>
  list(
    Object.keys(columns)
      .filter((column) => !key.includes(column))
      .map((column) => `${column} = ?`)
  )

// Payments.

const paymentKey = [...tenantKey, "id"]
const payments = keyLast(rows.paymentColumns, paymentKey)
const paymentNames = Object.keys(payments)
/** SQLite writes the entries of an index anew wherever an update names one of its columns, also with an equal value. */
const { amount_minor: _a, created_at: _c, currency: _m, reference: _r, ...movedPayments } = payments
/** Of a payment that keeps its `createdFields`. */
const keptPayments: typeof payments = Object.fromEntries(
  Object.entries(payments).filter(([column]) => !rows.createdColumns.some((created) => created === column))
)

/** Nothing is given back yet. */
export const insertPayment = `insert into payments (refunded_minor, refund_pending_minor, ${list(paymentNames)})
  values (0, 0, ${list(paymentNames.map(() => "?"))}) on conflict (${list(paymentKey)}) do nothing`
/**
 * Binds the version that must be stored after the payment; gives the totals that are stored. Leaves the columns of indexes
 * that a payment keeps as they are and gives them: the caller compares them with the payment's.
 */
const updateOf = (columns: object) => `update payments set ${assignments(columns, paymentKey)}
  where workspace_id = ? and environment = ? and id = ? and version = ?
  returning refunded_minor, refund_pending_minor, created_at, amount_minor, currency, reference`
export const updatePayment = updateOf(movedPayments)
export const updateKeptPayment = updateOf(keptPayments)
/**
 * Binds the totals, then the key. Written after the refunds: the database compares the totals with what the refunds
 * add up to.
 */
export const updateRefundTotals = `update payments set refunded_minor = ?, refund_pending_minor = ?
  where workspace_id = ? and environment = ? and id = ?`
/** What a search by metadata finds payments by. */
export const insertMetadata = `insert into payment_metadata (workspace_id, environment, payment_id, name, value)
  values (?, ?, ?, ?, ?)`
/** The erasure of personal data alone changes it. */
export const updateReference = `update payments set reference = ?
  where workspace_id = ? and environment = ? and id = ?`
export const bindNewPayment = valuesOf(payments)
export const bindMovedPayment = valuesOf(movedPayments)
export const bindKeptPayment = valuesOf(keptPayments)

// Claims.

const claimKey = [...tenantKey, "key"]
const claims = keyLast(rows.claimColumns, claimKey)

export const insertClaim = `${insertInto("claims", Object.keys(claims))} on conflict do nothing`
/** Binds the version that must be stored after the claim. */
export const updateClaim = `update claims set ${assignments(claims, claimKey)}
  where workspace_id = ? and environment = ? and key = ? and version = ?`
export const bindClaim = valuesOf(claims)

// Attempts, operations and refunds.

export const upsertAttempt = upsertInto("attempts", Object.keys(rows.attemptColumns), entryKey)
export const bindAttempt = valuesOf(rows.attemptColumns)
export const upsertOperation = upsertInto("operations", Object.keys(rows.operationColumns), entryKey)
export const bindOperation = valuesOf(rows.operationColumns)
export const selectRefunds =
  "select * from refunds where workspace_id = ? and environment = ? and payment_id = ? order by sent_at, id"
export const upsertRefund = upsertInto("refunds", Object.keys(rows.refundColumns), entryKey)
export const bindRefund = valuesOf(rows.refundColumns)

// Disputes.

export const upsertDispute = upsertInto("disputes", Object.keys(rows.disputeColumns), entryKey)
export const bindDispute = valuesOf(rows.disputeColumns)
export const upsertEvidence = upsertInto("dispute_evidence", Object.keys(rows.evidenceColumns), entryKey)
export const bindEvidence = valuesOf(rows.evidenceColumns)

// Events.

const events: Columns<Event, SQLInputValue, Owner> = {
  ...rows.tenantColumns,
  id: ({ id }) => id,
  type: ({ type }) => type,
  payment_id: ({ paymentId }) => bindText(paymentId),
  created_at: ({ createdAt }) => createdAt,
  data: rows.bindData
}

export const selectLastEvent = "select max(id) as id from events where workspace_id = ? and environment = ?"
export const insertEvent = insertInto("events", Object.keys(events))
export const bindEvent = valuesOf(events)

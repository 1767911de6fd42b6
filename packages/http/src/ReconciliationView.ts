/**
 * Reports, their rows and balances as commands print them in JSON and as calls return them. Amounts are in minor units,
 * times RFC 3339 in UTC.
 */
import {
  type Payout,
  type PayoutStatus,
  payoutRest,
  type ReconciliationRun,
  type SettlementEntry,
  type SignedMoney
} from "@pointsman/core"
import type { BalanceRow } from "@pointsman/core/ports"
import { timeOrNull, timeView } from "./PaymentView.ts"

/** `null` as well where it ends before it begins. */
const periodView = (period: { readonly from: number; readonly until: number } | null) =>
  period === null || period.from > period.until ? null : { from: timeView(period.from), until: timeView(period.until) }

export const runView = (run: ReconciliationRun) => ({
  id: run.id,
  workspace_id: run.tenant.workspaceId,
  environment: run.tenant.environment,
  connection_id: run.connectionId,
  format: run.format,
  file: run.fileName,
  sha256: run.sha256,
  state: run.state,
  failure: run.failure,
  rows: run.rowsDone,
  rows_known: run.rowsKnown,
  rows_unreadable: run.rowsUnreadable,
  unreadable: run.unreadable,
  results: run.counts,
  sums: Object.fromEntries(
    Object.entries(run.sums).map(([currency, { feeMinor, grossMinor, netMinor }]) => [
      currency,
      { gross: grossMinor, fee: feeMinor, net: netMinor }
    ])
  ),
  period: periodView(run.period),
  missing_looked_for: periodView(run.missing),
  started_at: timeView(run.startedAt),
  ended_at: timeOrNull(run.endedAt)
})

const moneyView = (money: SignedMoney | null) =>
  money === null ? null : { amount: money.minorUnits, currency: money.currency }

const grossView = ({ currency, minorUnits }: SignedMoney) => ({ amount: minorUnits, currency })

export const entryView = (entry: SettlementEntry) => ({
  id: `${entry.connectionId}/${entry.rowId}`,
  workspace_id: entry.tenant.workspaceId,
  environment: entry.tenant.environment,
  connection_id: entry.connectionId,
  row_id: entry.rowId,
  run_id: entry.runId,
  row: entry.number === 0 ? null : entry.number,
  kind: entry.kind,
  result: entry.result,
  reason: entry.reason,
  expected: entry.expected,
  payment_id: entry.paymentId,
  suggested_payment_id: entry.suggestedPaymentId,
  refund_id: entry.refundId,
  dispute_id: entry.disputeId,
  provider_reference: entry.providerRef,
  gross: grossView(entry.gross),
  converted: moneyView(entry.converted),
  fee: moneyView(entry.fee),
  net: moneyView(entry.net),
  payout_id: entry.payoutId,
  occurred_at: timeView(entry.occurredAt),
  settled_at: timeOrNull(entry.settledAt),
  opened_at: timeOrNull(entry.openedAt),
  closed: entry.closed === null ? null : { by: entry.closed.by, note: entry.closed.note, at: timeView(entry.closed.at) }
})

export const balanceView = (row: BalanceRow) => ({
  connection_id: row.connectionId,
  day: timeView(row.day).slice(0, 10),
  currency: row.currency,
  rows: row.rows,
  charges: row.chargesMinor,
  refunds: row.refundsMinor,
  disputes: row.disputesMinor,
  fees: row.feesMinor,
  payouts: row.payoutsMinor,
  others: row.othersMinor
})

/** Of a payout itself, in a list. */
export const payoutEntryView = (entry: SettlementEntry, status: PayoutStatus | null) => ({
  ...entryView(entry),
  payout_status: status
})

export const payoutView = ({ connectionId, payoutId, period, settledAt, status, sums }: Payout) => ({
  connection_id: connectionId,
  payout_id: payoutId,
  status,
  from: timeView(period.from),
  until: timeView(period.until),
  settled_at: timeOrNull(settledAt),
  sums: sums.map((part) => ({
    currency: part.currency,
    rows: part.rows,
    charges: part.chargesMinor,
    refunds: part.refundsMinor,
    disputes: part.disputesMinor,
    fees: part.feesMinor,
    payouts: part.payoutsMinor,
    others: part.othersMinor,
    rest: payoutRest(part)
  }))
})

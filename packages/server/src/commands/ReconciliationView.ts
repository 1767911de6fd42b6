/** Runs of reconciliations, their differences and balances, for programs and for people. */
import { differenceResults, type ReconciliationRun, type SettlementEntry } from "@pointsman/core"
import type { SignedMoney } from "@pointsman/core/connector"
import type { BalanceRow } from "@pointsman/core/ports"
import { moneyText } from "./MoneyText.ts"
import { facts, paragraphs, printable, shortened, status, type Text, table } from "./Table.ts"
import { timeOf, timeOrNull } from "./Words.ts"

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
  period: run.period === null ? null : { from: timeOf(run.period.from), until: timeOf(run.period.until) },
  missing_looked_for:
    run.missing === null ? null : { from: timeOf(run.missing.from), until: timeOf(run.missing.until) },
  started_at: timeOf(run.startedAt),
  ended_at: timeOrNull(run.endedAt)
})

type RunView = ReturnType<typeof runView>

export const runsText = (runs: ReadonlyArray<RunView>): string | Text =>
  runs.length === 0
    ? "No report was reconciled."
    : table(
        ["RUN", "CONNECTION", shortened("FILE"), "STATE", "ROWS", "DIFFERENCES", "STARTED"],
        runs.map((run) => [
          run.id,
          run.connection_id,
          run.file,
          status(run.state),
          run.rows,
          differencesIn(run),
          run.started_at
        ])
      )

export const differencesIn = ({ results }: Pick<RunView, "results">): number =>
  differenceResults.reduce((sum, result) => sum + results[result], 0)

export const runText = (run: RunView): Text =>
  paragraphs(
    facts([
      ["Run", run.id],
      ["Connection", run.connection_id],
      ["File", run.file],
      ["Format", run.format],
      ["State", status(run.state, run.failure === null ? "" : ` (${run.failure})`)],
      ["Rows", run.rows],
      ["Known before", run.rows_known],
      ["Unreadable", run.rows_unreadable],
      ...Object.entries(run.results).map(([result, count]) => [result, count] as const),
      ["Period", run.period === null ? null : `${run.period.from} to ${run.period.until}`]
    ]),
    ...(Object.keys(run.sums).length === 0
      ? []
      : [
          table(
            ["CURRENCY", "GROSS", "FEES", "NET"],
            Object.entries(run.sums).map(([currency, { fee, gross, net }]) => [
              currency,
              moneyText(gross, currency),
              moneyText(fee, currency),
              moneyText(net, currency)
            ])
          )
        ]),
    ...run.unreadable.map(({ field, reason, row }) => `Row ${row}: ${printable(field)}: ${printable(reason)}.`)
  )

const moneyView = (money: SignedMoney | null) =>
  money === null ? null : { amount: money.minorUnits, currency: money.currency }

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
  refund_id: entry.refundId,
  dispute_id: entry.disputeId,
  provider_reference: entry.providerRef,
  gross: moneyView(entry.gross),
  converted: moneyView(entry.converted),
  fee: moneyView(entry.fee),
  net: moneyView(entry.net),
  payout_id: entry.payoutId,
  occurred_at: timeOf(entry.occurredAt),
  settled_at: timeOrNull(entry.settledAt),
  opened_at: timeOrNull(entry.openedAt),
  closed: entry.closed === null ? null : { by: entry.closed.by, note: entry.closed.note, at: timeOf(entry.closed.at) }
})

export const differencesText = (entries: ReadonlyArray<SettlementEntry>): string | Text =>
  entries.length === 0
    ? "No difference is open."
    : table(
        ["DIFFERENCE", "RESULT", "KIND", "AMOUNT", shortened("EXPECTED"), "PAYMENT", "FOUND"],
        entries.map((entry) => [
          `${entry.connectionId}/${entry.rowId}`,
          entry.result,
          entry.kind,
          moneyText(entry.gross.minorUnits, entry.gross.currency),
          entry.expected,
          entry.paymentId,
          timeOrNull(entry.openedAt)
        ])
      )

export const balanceView = (row: BalanceRow) => ({
  connection_id: row.connectionId,
  day: timeOf(row.day).slice(0, 10),
  currency: row.currency,
  rows: row.rows,
  charges: row.chargesMinor,
  refunds: row.refundsMinor,
  disputes: row.disputesMinor,
  fees: row.feesMinor,
  payouts: row.payoutsMinor,
  others: row.othersMinor
})

export const balanceText = (rows: ReadonlyArray<BalanceRow>): string | Text =>
  rows.length === 0
    ? "No row of a report is stored for this time."
    : table(
        ["DAY", "CONNECTION", "ROWS", "CHARGES", "REFUNDS", "DISPUTES", "FEES", "PAYOUTS", "OTHERS"],
        rows.map(({ connectionId, currency, day, rows: count, ...sums }) => [
          timeOf(day).slice(0, 10),
          connectionId,
          count,
          ...[
            sums.chargesMinor,
            sums.refundsMinor,
            sums.disputesMinor,
            sums.feesMinor,
            sums.payoutsMinor,
            sums.othersMinor
          ].map((minorUnits) => moneyText(minorUnits, currency))
        ])
      )

/** Runs of reconciliations, their differences and balances, for programs and for people. */
import { differenceResults, type SettlementEntry } from "@pointsman/core"
import type { BalanceRow } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { facts, paragraphs, shortened, status, type Text, table } from "./Table.ts"
import { moneyText, printable, timeOf, timeOrNull } from "./Words.ts"

export const { balanceView, entryView, runView } = InProcess

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
          entry.suggestedPaymentId === null ? entry.paymentId : `perhaps ${entry.suggestedPaymentId}`,
          timeOrNull(entry.openedAt)
        ])
      )

/** Rows of reports as they are stored. */
export const entriesText = (entries: ReadonlyArray<SettlementEntry>): Text =>
  table(
    ["MOVED", "ROW", "KIND", "RESULT", "AMOUNT", "PAYMENT"],
    entries.map((entry) => [
      timeOf(entry.occurredAt),
      entry.rowId,
      entry.kind,
      entry.result,
      moneyText(entry.gross.minorUnits, entry.gross.currency),
      entry.paymentId
    ])
  )

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

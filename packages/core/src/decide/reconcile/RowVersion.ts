/** Which version of a row counts: that of the report which the provider generated last, then that of the last run. Pure. */
import { Equal } from "effect"
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"
import type { ReportRow } from "../../model/ReportRow.ts"
import type { SettlementEntry } from "../../model/SettlementEntry.ts"
import { rowOfEntry } from "./OpenDifference.ts"

/** No report was generated after it was read: a clock that is ahead must not decide over all later reports. */
export const generatedAtOf = (
  { generatedAt }: ReportRow,
  { startedAt }: Pick<ReconciliationRun, "startedAt">
): number => Math.min(generatedAt ?? startedAt, startedAt)

/** Whether a row of the run counts instead of the newest entry of the row. */
export const countsInstead = (
  generatedAt: number,
  run: Pick<ReconciliationRun, "id">,
  newest: Pick<SettlementEntry, "generatedAt" | "runId">
): boolean => (generatedAt === newest.generatedAt ? run.id >= newest.runId : generatedAt > newest.generatedAt)

/** What a report leaves out it does not take back: one of all movements does not say which payout pays them. */
export const withKnownPayout = (row: ReportRow, { payoutId, settledAt }: SettlementEntry): ReportRow =>
  row.payoutId === null && payoutId !== null ? { ...row, payoutId, settledAt } : row

export const isUnchanged = (row: ReportRow, entry: SettlementEntry): boolean =>
  Equal.equals(rowOfEntry(entry, row.id), { ...row, generatedAt: entry.generatedAt })

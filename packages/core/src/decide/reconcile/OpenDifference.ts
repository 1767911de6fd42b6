/**
 * An open difference that is compared again: which ones are, the row that made its entry, and what the comparison means
 * for it. A difference that is still one stays as it is. An entry that belongs to a payment or a refund which was
 * recorded later is replaced by a further entry, and is not changed: the journal has posted what it said. Pure.
 */
import { Equal } from "effect"
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"
import type { ReportNames, ReportRow } from "../../model/ReportRow.ts"
import { placeRowId, type SettlementEntry, type SettlementResult } from "../../model/SettlementEntry.ts"
import { isWithoutPayment, type WeighedRow } from "./WeighRow.ts"

/**
 * Whether something that is recorded later may end the difference. A fee is compared with what the connection's rules said
 * when the row was read: rules that change later explain no older fee.
 */
export const mayEnd = ({ kind, reason, result }: SettlementEntry): boolean =>
  result !== "matched" && result !== "fee_differs" && reason !== "same_row" && !isWithoutPayment(kind)

/** `id`: the provider's id of the movement. Of an entry with a row, which has names. */
export const rowOfEntry = (entry: SettlementEntry, id: string): ReportRow => {
  const { converted, fee, generatedAt, gross, kind, net, occurredAt, payoutId, settledAt } = entry
  const names = entry.names as ReportNames
  return { id, kind, names, gross, converted, fee, net, payoutId, occurredAt, settledAt, generatedAt }
}

/** The row ids that the provider's own id of the movement may be, the shortest first. */
export const movementIds = (entry: Pick<SettlementEntry, "rowId" | "runId" | "number">): ReadonlyArray<string> => {
  const { rowId } = entry
  const suffix = placeRowId("", entry)
  return rowId.endsWith(suffix) && rowId.length > suffix.length
    ? [...movementIds({ ...entry, rowId: rowId.slice(0, -suffix.length) }), rowId]
    : [rowId]
}

/** Results of a row that belongs to a payment which was not recorded when it was read. */
const replacing: ReadonlySet<SettlementResult> = new Set(["matched", "status_differs", "amount_differs", "fee_differs"])

export type ComparedAgain = "Stays" | "Ends" | "Replaced"

export const comparedAgain = (entry: SettlementEntry, { paymentId, refundId, result }: WeighedRow): ComparedAgain => {
  if (paymentId === entry.paymentId && refundId === entry.refundId) return result === "matched" ? "Ends" : "Stays"
  const isOfOther = entry.paymentId !== null && entry.paymentId !== paymentId
  return paymentId === null || isOfOther || entry.refundId !== null || !replacing.has(result) ? "Stays" : "Replaced"
}

// Which version of a row counts: that of the report which the provider generated last, then that of the last run. Pure.

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

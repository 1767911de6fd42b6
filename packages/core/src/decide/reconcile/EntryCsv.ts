/** Entries of reports as CSV (RFC 4180). Times are RFC 3339 in UTC, amounts decimals of their currency. */
import { DateTime } from "effect"
import { csvField, csvRow } from "../../model/CsvField.ts"
import type { PayoutStatus } from "../../model/Payout.ts"
import type { SignedMoney } from "../../model/ReportRow.ts"
import type { SettlementEntry } from "../../model/SettlementEntry.ts"
import { decimalText } from "../../money/Money.ts"

const timeOf = (at: number | null): string => (at === null ? "" : DateTime.formatIso(DateTime.makeUnsafe(at)))

/** A negative amount is a number, and not a formula. */
const amountOf = (money: SignedMoney | null): string => (money === null ? "" : decimalText(money))
const currencyOf = (money: SignedMoney | null): string => money?.currency ?? ""

const columns: Readonly<Record<string, (entry: SettlementEntry) => string>> = {
  connection: ({ connectionId }) => csvField(connectionId),
  payout_id: ({ payoutId }) => csvField(payoutId ?? ""),
  row_id: ({ rowId }) => csvField(rowId),
  kind: ({ kind }) => kind,
  result: ({ result }) => result,
  occurred: ({ occurredAt }) => timeOf(occurredAt),
  settled: ({ settledAt }) => timeOf(settledAt),
  amount: ({ gross }) => amountOf(gross),
  currency: ({ gross }) => gross.currency,
  converted_amount: ({ converted }) => amountOf(converted),
  converted_currency: ({ converted }) => currencyOf(converted),
  fee: ({ fee }) => amountOf(fee),
  fee_currency: ({ fee }) => currencyOf(fee),
  net: ({ net }) => amountOf(net),
  net_currency: ({ net }) => currencyOf(net),
  payment_id: ({ paymentId }) => csvField(paymentId ?? ""),
  suggested_payment_id: ({ suggestedPaymentId }) => csvField(suggestedPaymentId ?? ""),
  refund_id: ({ refundId }) => csvField(refundId ?? ""),
  dispute_id: ({ disputeId }) => csvField(disputeId ?? ""),
  provider_reference: ({ providerRef }) => csvField(providerRef ?? ""),
  report: ({ runId }) => runId
}

export const entryCsvHeader = csvRow([...Object.keys(columns), "payout_status"])

const takers = Object.values(columns)

/** `status`: of the payout that is exported. */
export const entryCsvLine =
  (status: PayoutStatus) =>
  (entry: SettlementEntry): string =>
    csvRow([...takers.map((take) => take(entry)), status])

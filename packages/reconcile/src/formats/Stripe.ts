/**
 * Stripe's itemized reports. Their rows are balance transactions: amounts "in major units of the currency (e.g. dollars for
 * USD, yen for JPY)", in the currency of the balance, and negative where money leaves it
 * (https://docs.stripe.com/reports/report-types/balance, https://docs.stripe.com/reports/report-types/payout-reconciliation).
 */
import type { ReportRow, ReportRowKind } from "@pointsman/core/connector"
import { type Cells, openTable, signed } from "../Cells.ts"
import { type DocumentedFormat, day, optional, required } from "../ReportFormat.ts"

/**
 * https://docs.stripe.com/reports/reporting-categories. A capture of less than was authorized is "two balance transactions: one
 * for the full amount of the authorization, and another reversing the uncaptured portion".
 */
const kinds: ReadonlyMap<string, ReportRowKind> = new Map([
  ["charge", "charge"],
  ["charge_failure", "charge_failed"],
  ["partial_capture_reversal", "charge_failed"],
  ["refund", "refund"],
  ["refund_failure", "refund_failed"],
  ["dispute", "dispute"],
  ["dispute_reversal", "dispute_reversed"],
  ["fee", "fee"],
  ["network_cost", "fee"],
  ["payout", "payout"],
  ["payout_reversal", "payout_failed"]
])

const columns = [
  required("balance_transaction_id", "the id of the row"),
  required("created_utc", "when the money moved"),
  required("currency", "the currency of `gross`, `fee` and `net`"),
  required("gross", "the amount"),
  required("fee", "the fee"),
  required("net", "the amount without the fee; checked"),
  required("reporting_category", "the kind"),
  optional("source_id", "the refund, the dispute, or the payout itself"),
  optional("payment_intent_id", "the charge"),
  optional("customer_facing_amount", "the amount in the currency of the payment, where that is another one"),
  optional("customer_facing_currency", "the currency of the payment"),
  optional("payment_metadata[attempt_id]", "our attempt"),
  optional("payment_metadata[reference]", "the merchant's reference"),
  optional("refund_metadata[refund_id]", "our refund"),
  optional("available_on_utc", "when the money is available, where the row names no payout"),
  optional("automatic_payout_id", "the payout"),
  optional("automatic_payout_effective_at_utc", "when the payout arrives"),
  optional("automatic_payout_effective_at", "when the payout arrives, where the report has no such column of UTC")
]

/** In the currency of the payment, where the row has it and it is another one. Its sign is that of the row. */
const facing = (cells: Cells, gross: number, currency: string): Pick<ReportRow, "gross" | "converted"> => {
  const settled = signed(gross, currency)
  const other = cells.text("customer_facing_currency").toUpperCase()
  if (other === "" || other === currency) return { gross: settled, converted: null }
  const amount = cells.amount("customer_facing_amount", cells.currency("customer_facing_currency"))
  return { gross: signed(gross < 0 ? -Math.abs(amount) : Math.abs(amount), other), converted: settled }
}

const arrival = (cells: Cells): number | null =>
  cells.timeOrNull("automatic_payout_effective_at_utc") ??
  cells.timeOrNull("automatic_payout_effective_at") ??
  cells.timeOrNull("available_on_utc")

const read = (cells: Cells): ReportRow => {
  const kind = kinds.get(cells.needed("reporting_category")) ?? "adjustment"
  const currency = cells.currency("currency")
  const source = cells.orNull("source_id")
  const isPayout = kind === "payout" || kind === "payout_failed"
  return {
    id: cells.needed("balance_transaction_id"),
    kind,
    names: {
      attemptId: cells.orNull("payment_metadata[attempt_id]"),
      operationId: null,
      refundId: cells.orNull("refund_metadata[refund_id]"),
      providerRef: cells.orNull("payment_intent_id"),
      providerRefundId: kind === "refund" || kind === "refund_failed" ? source : null,
      disputeId: kind === "dispute" || kind === "dispute_reversed" ? source : null,
      reference: cells.orNull("payment_metadata[reference]")
    },
    ...facing(cells, cells.amount("gross", currency), currency),
    fee: signed(cells.amount("fee", currency), currency),
    net: signed(cells.amount("net", currency), currency),
    payoutId: isPayout ? source : cells.orNull("automatic_payout_id"),
    occurredAt: cells.time("created_utc"),
    settledAt: arrival(cells)
  }
}

const names = "Select the columns of metadata, which hold what Pointsman wrote there."

const notes = [
  "A capture of less than was authorized has two rows: `charge` of the whole authorization, and `charge_failed` of what was not captured. Together they match; the first one is a difference until the other one comes."
]

export const stripeBalance: DocumentedFormat = {
  name: "stripe-balance",
  kinds: ["stripe"],
  provider: "Stripe",
  report: "Balance change from activity, itemized",
  page: "https://docs.stripe.com/reports/report-types/balance",
  // "Data is available" by the next day in the Dashboard; a second day for a report that is made in the morning.
  delayMillis: 2 * day,
  delimiter: ",",
  columns,
  names,
  notes,
  open: openTable(columns, "net", () => read)
}

const payoutColumns = columns.map((column) =>
  column.name === "automatic_payout_id" ? { ...column, isRequired: true } : column
)

export const stripePayoutReconciliation: DocumentedFormat = {
  ...stripeBalance,
  name: "stripe-payout-reconciliation",
  report: "Payout reconciliation, itemized",
  page: "https://docs.stripe.com/reports/report-types/payout-reconciliation",
  // The first payout of an account comes after 7 to 14 days (https://docs.stripe.com/payouts).
  delayMillis: 14 * day,
  columns: payoutColumns,
  open: openTable(payoutColumns, "net", () => read)
}

/**
 * Adyen's settlement details report: what one batch pays out, with the costs of each transaction
 * (https://docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report).
 */
import type { ReportRow } from "@pointsman/core/connector"
import { type Cells, openTable, signed } from "../Cells.ts"
import { type DocumentedFormat, day, optional, required } from "../ReportFormat.ts"
import { repeatedIds } from "../RowIds.ts"
import { feeOf, idOf, kindOf, namesOf, ofBalance, wholeFees } from "./AdyenRows.ts"

const columns = [
  required("Merchant Account", "with the batch, the payout"),
  required("Psp Reference", "the charge"),
  required("Merchant Reference", "our attempt, or the merchant's reference"),
  required("Creation Date", "when the money moved"),
  required("TimeZone", "the time zone of the date"),
  required("Type", "the kind"),
  required("Modification Reference", "the refund or the dispute; with the type and the amount, the id of the row"),
  required("Gross Currency", "the currency of the payment"),
  required("Gross Debit (GC)", "the amount that leaves"),
  required("Gross Credit (GC)", "the amount that comes"),
  required("Net Currency", "the currency of the payout"),
  required("Net Debit (NC)", "what leaves, with the fees"),
  required("Net Credit (NC)", "what comes, without the fees"),
  required("Commission (NC)", "a fee"),
  required("Markup (NC)", "a fee"),
  required("Scheme Fees (NC)", "a fee"),
  required("Interchange (NC)", "a fee"),
  required("Batch Number", "the payout"),
  optional("Modification Merchant Reference", "our operation or refund")
]

const fees = ["Commission (NC)", "Markup (NC)", "Scheme Fees (NC)", "Interchange (NC)"]
const modification = "Modification Reference"

type Amounts = Pick<ReportRow, "converted" | "fee" | "gross" | "net">

const amountsOf = (cells: Cells): Amounts => {
  const hasNet = cells.text("Net Debit (NC)") !== "" || cells.text("Net Credit (NC)") !== ""
  const hasGross = cells.text("Gross Debit (GC)") !== "" || cells.text("Gross Credit (GC)") !== ""
  if (!hasGross && !hasNet) cells.refuse("Net Credit (NC)", "expected an amount")
  const netCurrency = hasNet ? cells.currency("Net Currency") : ""
  const net = signed(cells.balance("Net Debit (NC)", "Net Credit (NC)", netCurrency) ?? 0, netCurrency)
  if (!hasGross) return ofBalance(net)
  const currency = cells.currency("Gross Currency")
  const gross = signed(cells.balance("Gross Debit (GC)", "Gross Credit (GC)", currency) ?? 0, currency)
  // Paid out by another party, which keeps its fees.
  if (!hasNet) return { gross, converted: null, fee: null, net: null }
  if (currency === netCurrency) return { gross, converted: null, fee: feeOf(cells, fees, { before: gross, net }), net }
  const fee = wholeFees(cells, fees, netCurrency)
  return { gross, converted: signed(net.minorUnits + fee, netCurrency), fee: signed(fee, netCurrency), net }
}

const start = () => {
  const repeated = repeatedIds()
  return (cells: Cells): ReportRow => {
    const type = cells.needed("Type")
    const kind = kindOf(type) ?? "adjustment"
    const amounts = amountsOf(cells)
    const batch = cells.text("Batch Number")
    const occurredAt = cells.time("Creation Date", cells.text("TimeZone"))
    return {
      id: repeated(idOf(cells, { type, modification, column: "Creation Date" }, amounts.gross)),
      kind,
      names: namesOf({ cells, kind, modification }),
      ...amounts,
      payoutId: batch === "" ? null : `${cells.text("Merchant Account")}/${batch}`,
      occurredAt,
      settledAt: kind === "payout" ? occurredAt : null
    }
  }
}

export const adyenSettlementDetails: DocumentedFormat = {
  name: "adyen-settlement-details",
  kinds: ["adyen"],
  provider: "Adyen",
  report: "Settlement details",
  page: "https://docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report",
  // Batches close by the payout frequency of the account, weekly at the most in Adyen's examples; and the delay of the sale.
  delayMillis: 10 * day,
  delimiter: ",",
  columns,
  names: "Select the column `Modification Merchant Reference`.",
  notes: [
    "The payout is written as the merchant account, a slash and the batch.",
    "A row in another currency than the payout's has no amount in that currency before fees: it is the net amount with the fees, each to the nearest minor unit.",
    "Rows that another party pays out have no fee and no net amount."
  ],
  open: openTable(columns, "Net Credit (NC)", start)
}

/**
 * Adyen's payment accounting report: every change of a payment's status, with costs
 * (https://docs.adyen.com/reporting/invoice-reconciliation/payment-accounting-report). Money moves in the rows that change what
 * is payable: `Payable (SC)`, which is what is left after the fees beside it.
 */
import type { ReportRow } from "@pointsman/core/connector"
import { type Cells, openTable, signed } from "../Cells.ts"
import { partsOf } from "../DecimalText.ts"
import { type DocumentedFormat, day, optional, required } from "../ReportFormat.ts"
import { repeatedIds } from "../RowIds.ts"
import { feeOf, idOf, kindOf, namesOf, ofBalance, wholeFees } from "./AdyenRows.ts"

const columns = [
  required("Merchant Account", "with the batch, the payout"),
  required("Psp Reference", "the charge"),
  required("Merchant Reference", "our attempt, or the merchant's reference"),
  required("Booking Date", "when the money moved"),
  required("TimeZone", "the time zone of the date"),
  required("Record Type", "the kind"),
  required("Payment Currency", "the currency of the payment"),
  required("Captured (PC)", "the amount, without regard to its sign"),
  required("Settlement Currency", "the currency of the payout"),
  required("Payable (SC)", "what the balance gains or loses, after fees"),
  required("Commission (SC)", "a fee"),
  required("Markup (SC)", "a fee"),
  required("Scheme Fees (SC)", "a fee"),
  required("Interchange (SC)", "a fee"),
  optional("Modification Psp Reference", "the refund or the dispute; with the type and the amount, the id of the row"),
  optional("Modification Merchant Reference", "our operation or refund"),
  optional("Batch Number", "the payout")
]

const fees = ["Commission (SC)", "Markup (SC)", "Scheme Fees (SC)", "Interchange (SC)"]
const modification = "Modification Psp Reference"

type Amounts = Pick<ReportRow, "converted" | "fee" | "gross" | "net">

const amountsOf = (cells: Cells): Amounts => {
  const settlement = cells.currency("Settlement Currency")
  const net = signed(cells.amount("Payable (SC)", settlement), settlement)
  if (cells.text("Psp Reference") === "") return ofBalance(net)
  const fee = wholeFees(cells, fees, settlement)
  // A chargeback has no amount of the payment's own, only what it costs with its fees.
  const isWithoutAmount = cells.text("Captured (PC)") === ""
  const before = signed(net.minorUnits + fee, settlement)
  const currency = isWithoutAmount ? settlement : cells.currency("Payment Currency")
  if (isWithoutAmount) return { gross: before, converted: null, fee: signed(fee, settlement), net }
  const captured = Math.abs(cells.amount("Captured (PC)", currency))
  const gross = signed(before.minorUnits < 0 ? -captured : captured, currency)
  if (currency === settlement) return { gross, converted: null, fee: feeOf(cells, fees, { before: gross, net }), net }
  return { gross, converted: before, fee: signed(fee, settlement), net }
}

/** A status that moves no money: nothing is payable by it, and no type of money has it. */
const isStatus = (cells: Cells, type: string): boolean => {
  const payable = cells.text("Payable (SC)")
  return kindOf(type) === undefined && (payable === "" || partsOf(payable) === 0n)
}

/** Of a payment that another party pays out: nothing is payable by Adyen. */
const ofOthers = (cells: Cells, isOut: boolean): Amounts => {
  const currency = cells.currency("Payment Currency")
  const captured = Math.abs(cells.amount("Captured (PC)", currency))
  return { gross: signed(isOut ? -captured : captured, currency), converted: null, fee: null, net: null }
}

const start = () => {
  const repeated = repeatedIds()
  return (cells: Cells): ReportRow | undefined => {
    const type = cells.needed("Record Type")
    if (isStatus(cells, type)) return undefined
    const kind = kindOf(type) ?? "adjustment"
    const isOut = kind === "refund" || kind === "dispute" || kind === "charge_failed"
    const amounts = cells.text("Payable (SC)") === "" ? ofOthers(cells, isOut) : amountsOf(cells)
    const batch = cells.text("Batch Number")
    return {
      id: repeated(idOf(cells, { type, modification, column: "Booking Date" }, amounts.gross)),
      kind,
      names: namesOf({ cells, kind, modification }),
      ...amounts,
      payoutId: batch === "" ? null : `${cells.text("Merchant Account")}/${batch}`,
      occurredAt: cells.time("Booking Date", cells.text("TimeZone")),
      settledAt: null
    }
  }
}

export const adyenPaymentAccounting: DocumentedFormat = {
  name: "adyen-payment-accounting",
  kinds: ["adyen"],
  provider: "Adyen",
  report: "Payment accounting",
  page: "https://docs.adyen.com/reporting/invoice-reconciliation/payment-accounting-report",
  // A day's report has what is settled on that day, which is days after the capture for some methods.
  delayMillis: 7 * day,
  delimiter: ",",
  columns,
  names:
    "Select the columns `Modification Merchant Reference` and `Batch Number`: without the latter, the payout is not known.",
  notes: [
    "Rows of a status that moves no money (`Received`, `Authorised`, `SentForSettle` and the like) are passed over.",
    "The processing fees of `Processing Fee (FC)` are not read: Adyen invoices them.",
    "Another record type that changes what is payable is an `adjustment`."
  ],
  open: openTable(columns, "Payable (SC)", start)
}

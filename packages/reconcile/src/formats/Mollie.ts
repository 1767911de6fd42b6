/**
 * Mollie's settlement report as CSV (https://docs.mollie.com/docs/settlement-report): one row for each payment, capture, refund
 * and chargeback of a payout, and one for the fees of each invoice. "Costs and rolling reserves data will be aggregated per
 * settlement", so that a row of a payment has no fee.
 */
import type { ReportNames, ReportRow, ReportRowKind } from "@pointsman/core/connector"
import { type Cells, openTable, signed } from "../Cells.ts"
import { nameIn, noNames } from "../OurNames.ts"
import { type DocumentedFormat, day, required } from "../ReportFormat.ts"
import { fingerprintOf, repeatedIds } from "../RowIds.ts"

const columns = [
  required("Date", "when the money moved"),
  required("Payment method", "the kind: `refund` and `chargeback` are methods here"),
  required("Currency", "the currency of the payment"),
  required("Amount", "the amount, negative where it leaves"),
  required("ID", "the payment, capture, refund or chargeback"),
  required("Description", "the merchant's reference; the payment of a capture; what a row without an id is"),
  required("Settlement currency", "the currency of the payout"),
  required("Settlement amount", "the amount in that currency"),
  required("Settlement reference", "the payout")
]

/** By the prefixes of Mollie's ids (https://docs.mollie.com/reference/common-data-types). */
const kindById = (id: string, method: string): ReportRowKind => {
  if (id.startsWith("re_") || method === "refund") return "refund"
  if (id.startsWith("chb_") || method === "chargeback") return "dispute"
  return id.startsWith("tr_") || id.startsWith("cpt_") ? "charge" : "adjustment"
}

/** Money that comes back: "refunds that couldn't be processed and were returned", "chargebacks that were resolved in your favor". */
const returned: Readonly<Partial<Record<ReportRowKind, ReportRowKind>>> = {
  refund: "refund_failed",
  dispute: "dispute_reversed"
}

const kindOf = (cells: Cells, gross: number): ReportRowKind => {
  const id = cells.text("ID")
  // "Withheld transaction fees" and an invoice (https://help.mollie.com/hc/en-us/articles/360012614100).
  if (id === "") return /\bfees?\b/iu.test(cells.text("Description")) ? "fee" : "adjustment"
  const kind = kindById(id, cells.text("Payment method").toLowerCase())
  if (kind === "charge") return gross < 0 ? "charge_failed" : kind
  return gross > 0 ? (returned[kind] ?? kind) : kind
}

const namesOf = (cells: Cells, kind: ReportRowKind): ReportNames => {
  const id = cells.text("ID")
  const description = cells.text("Description")
  const [, original] = /^Original payment: (tr_[0-9A-Za-z]+)/u.exec(description) ?? []
  // What the connector sends where the merchant gave no reference.
  const ours = id.startsWith("tr_") && description !== "Payment" ? nameIn(description) : {}
  const isRefund = kind === "refund" || kind === "refund_failed"
  const isDispute = kind === "dispute" || kind === "dispute_reversed"
  return {
    ...noNames,
    ...ours,
    providerRef: id.startsWith("tr_") ? id : (original ?? null),
    providerRefundId: isRefund && id.startsWith("re_") ? id : null,
    disputeId: isDispute && id.startsWith("chb_") ? id : null
  }
}

/** Mollie's own id where one movement has it; with the kind where it is that of the payment. */
const idOf = (cells: Cells, kind: ReportRowKind): string => {
  const id = cells.text("ID")
  if (id === "") {
    const texts = ["Date", "Description", "Currency", "Amount", "Settlement reference"].map((column) =>
      cells.text(column)
    )
    return `${kind}.${fingerprintOf(texts)}`
  }
  return kindById(id, "") === kind ? id : `${id}.${kind}`
}

/** A time without an offset is of Amsterdam, where Mollie's days begin. */
const zone = "Europe/Amsterdam"

const start = () => {
  const repeated = repeatedIds()
  return (cells: Cells): ReportRow => {
    const currency = cells.currency("Currency")
    const gross = cells.amount("Amount", currency)
    const kind = kindOf(cells, gross)
    const isSettled = cells.text("Settlement amount") !== ""
    const settlement = isSettled ? cells.currency("Settlement currency") : currency
    return {
      id: repeated(idOf(cells, kind)),
      kind,
      names: namesOf(cells, kind),
      gross: signed(gross, currency),
      converted: settlement === currency ? null : signed(cells.amount("Settlement amount", settlement), settlement),
      fee: null,
      net: null,
      payoutId: cells.orNull("Settlement reference"),
      occurredAt: cells.time("Date", zone),
      settledAt: null
    }
  }
}

export const mollieSettlement: DocumentedFormat = {
  name: "mollie-settlement",
  kinds: ["mollie"],
  provider: "Mollie",
  report: "Settlement report, CSV",
  page: "https://docs.mollie.com/docs/settlement-report",
  // Mollie pays out monthly at the most, and some methods with a delay.
  delayMillis: 35 * day,
  delimiter: ",",
  columns,
  names: "A capture names its payment in the description; a refund and a chargeback have only ids of their own.",
  notes: [
    "Rows have no fees: the fees of an invoice are a row without an id.",
    "A time without an offset is of Europe/Amsterdam.",
    "A row whose settlement amount is empty is paid out by another party.",
    "A row without an id that is not about fees is an `adjustment`."
  ],
  open: openTable(columns, "Settlement amount", start)
}

/**
 * PayPal's settlement report (https://developer.paypal.com/docs/reports/sftp-reports/settlement-report/): records of several
 * kinds, which the first cell names. `CH` holds the columns of the `SB` records behind it, the bodies; `RH`, `FH`, `SH`, `SF`,
 * `SC`, `RF`, `RC` and `FF` are headers, sums and counts.
 *
 * "Money amount fields are unsigned, with no currency symbol, decimal separator, or
 * other punctuation", and another column says whether money comes (`CR`) or leaves (`DR`).
 *
 * The second cell of `RH` is when the report was generated, as in the sample of that page; Magento takes it as the time of the
 * report too (`Model/Report/Settlement.php` of https://github.com/magento/magento2, module Paypal).
 */
import type { ReportNames, ReportRow, ReportRowKind } from "@pointsman/core/connector"
import { Cells, positionsOf, signed } from "../Cells.ts"
import { nameIn, noNames } from "../OurNames.ts"
import { type DocumentedFormat, day, optional, type ReadRecord, required } from "../ReportFormat.ts"
import { timeOf } from "../ReportTime.ts"

const columns = [
  required("Transaction ID", "the id of the row; of a refund, the refund"),
  required("Invoice ID", "our attempt or operation"),
  required("PayPal Reference ID", "the order, where its type says so"),
  required("PayPal Reference ID Type", "`ODR` for an order"),
  required("Transaction Event Code", "the kind"),
  required("Transaction Initiation Date", "when the money moved, with its offset"),
  required("Transaction Completion Date", "when the money is available"),
  required("Transaction Debit or Credit", "`CR` where money comes, `DR` where it leaves"),
  required("Gross Transaction Amount", "the amount, in the smallest unit"),
  required("Gross Transaction Currency", "its currency"),
  required("Fee Debit or Credit", "`DR` for a cost"),
  required("Fee Amount", "the fee, in the smallest unit"),
  required("Fee Currency", "the currency of the fee"),
  optional("Custom Field", "our attempt or refund")
]

/**
 * Kinds where money leaves, and where it comes (https://developer.paypal.com/docs/reports/reference/tcodes/). Other codes go by
 * their group, and what neither names is an adjustment.
 */
const codes: ReadonlyMap<string, { readonly DR: ReportRowKind; readonly CR: ReportRowKind }> = new Map([
  // A payment that PayPal reverses, the end of a dispute.
  ["T1106", { DR: "dispute", CR: "dispute_reversed" }],
  ["T1107", { DR: "refund", CR: "refund_failed" }],
  ["T1108", { DR: "fee", CR: "fee" }],
  ["T1109", { DR: "fee", CR: "fee" }],
  // A hold for the time of a dispute, and its end: no verdict. "If a buyer files a dispute, claim, or chargeback against you,
  // the funds will be held in your account" (https://www.paypal.com/in/smarthelp/article/my-buyer-filed-a-dispute,-claim,-or-
  // chargeback,-and-the-payment-is-on-hold-in-my-paypal-account.-what-should-i-do-faq665).
  ["T1110", { DR: "adjustment", CR: "adjustment" }],
  ["T1111", { DR: "adjustment", CR: "adjustment" }],
  ["T1201", { DR: "dispute", CR: "dispute_reversed" }],
  ["T1202", { DR: "dispute", CR: "dispute_reversed" }],
  // A withdrawal to a bank that came back.
  ["T1101", { DR: "payout", CR: "payout_failed" }]
])

const groups: ReadonlyMap<string, { readonly DR: ReportRowKind; readonly CR: ReportRowKind }> = new Map([
  ["T00", { DR: "adjustment", CR: "charge" }],
  ["T01", { DR: "fee", CR: "fee" }],
  ["T04", { DR: "payout", CR: "payout_failed" }]
])

/** Authorizations hold the customer's money and move none. */
const authorizations = "T13"

/** Without decimals at PayPal, and with two in ISO 4217 (https://developer.paypal.com/api/rest/reference/currency-codes/). */
const wholeAtPayPal: ReadonlySet<string> = new Set(["HUF", "TWD"])

type Direction = "CR" | "DR"

const amountOf = (cells: Cells, column: string, currency: string): number => {
  const text = cells.text(column)
  const units = Number(text) * (wholeAtPayPal.has(currency) ? 100 : 1)
  if (/^[0-9]{1,15}$/u.test(text) && Number.isSafeInteger(units)) return units
  cells.refuse(column, "expected digits, in the smallest unit of the currency")
  return 0
}

const directionOf = (cells: Cells, column: string): Direction => {
  const text = cells.text(column)
  if (text === "CR" || text === "DR") return text
  cells.refuse(column, "expected CR or DR")
  return "DR"
}

/** What PayPal keeps: negative where it gives a fee back. Without a fee, all cells of it are empty. */
const feeOf = (cells: Cells, currency: string): number => {
  if (cells.text("Fee Amount") === "") return 0
  const amount = amountOf(cells, "Fee Amount", currency)
  if (amount === 0) return 0
  if (cells.currency("Fee Currency") !== currency) cells.refuse("Fee Currency", "expected the currency of the amount")
  return directionOf(cells, "Fee Debit or Credit") === "DR" ? amount : -amount
}

const namesOf = (cells: Cells, id: string, kind: ReportRowKind): ReportNames => ({
  ...noNames,
  ...nameIn(cells.text("Invoice ID")),
  ...nameIn(cells.text("Custom Field")),
  providerRef: cells.text("PayPal Reference ID Type") === "ODR" ? cells.orNull("PayPal Reference ID") : null,
  providerRefundId: kind === "refund" ? id : null
})

const read = (cells: Cells): ReportRow | undefined => {
  const code = cells.needed("Transaction Event Code")
  if (code.startsWith(authorizations)) return undefined
  const direction = directionOf(cells, "Transaction Debit or Credit")
  const kind = (codes.get(code) ?? groups.get(code.slice(0, 3)))?.[direction] ?? "adjustment"
  const currency = cells.currency("Gross Transaction Currency")
  const amount = amountOf(cells, "Gross Transaction Amount", currency)
  const gross = direction === "CR" || amount === 0 ? amount : -amount
  const fee = feeOf(cells, currency)
  const id = cells.needed("Transaction ID")
  return {
    id,
    kind,
    names: namesOf(cells, id, kind),
    gross: signed(gross, currency),
    converted: null,
    fee: signed(fee, currency),
    net: signed(gross - fee, currency),
    payoutId: kind === "payout" || kind === "payout_failed" ? id : null,
    occurredAt: cells.time("Transaction Initiation Date"),
    settledAt: cells.timeOrNull("Transaction Completion Date")
  }
}

/** Records that may begin a file: the first of a report, of a file, of a section, or the columns. */
const beginnings: ReadonlySet<string> = new Set(["RH", "FH", "SH", "CH"])
/** Headers, sums and counts. */
const others: ReadonlySet<string> = new Set(["RH", "FH", "SH", "SF", "SC", "RF", "RC", "FF"])

const unreadable = (row: number, field: string, reason: string) =>
  ({ _tag: "Unreadable", unreadable: { row, field, reason } }) as const

const reader = (first: ReadonlyArray<string>): ReadRecord => {
  let section: Cells | { readonly missing: string } = { missing: "CH" }
  const generatedAt = first[0]?.trim() === "RH" ? timeOf(first[1]?.trim() ?? "") : undefined
  const readGenerated = (cells: Cells): ReportRow | undefined => {
    const found = read(cells)
    return found === undefined || generatedAt === undefined ? found : { ...found, generatedAt }
  }
  const begin = (header: ReadonlyArray<string>) => {
    const positions = positionsOf(header, columns)
    section = "missing" in positions ? { missing: String(positions.missing) } : new Cells(positions, header)
  }
  if (first[0] === "CH") begin(first)
  return (record, row) => {
    const kind = record[0]?.trim() ?? ""
    if (others.has(kind)) return undefined
    if (kind === "CH") {
      begin(record)
      return undefined
    }
    if (kind !== "SB") return unreadable(row, "column 1", "expected the kind of record, such as SB")
    return section instanceof Cells
      ? section.entry(record, row, readGenerated, "Fee Amount")
      : unreadable(row, section.missing, "expected this column in a record of columns (CH) before the row")
  }
}

export const payPalSettlement: DocumentedFormat = {
  name: "paypal-settlement",
  kinds: ["paypal"],
  provider: "PayPal",
  report: "Settlement report (STL)",
  page: "https://developer.paypal.com/docs/reports/sftp-reports/settlement-report/",
  // "On a 24-hour basis"; a second day for a report that is late.
  delayMillis: 2 * day,
  delimiter: ",",
  columns,
  names: "Amounts of HUF and TWD are taken for whole units, as in the rest of PayPal's interfaces.",
  notes: [
    "The report does not say which withdrawal pays a row.",
    "A hold for a dispute and its end are an `adjustment`: neither says who won.",
    "The report names no dispute, so that its rows are compared with the disputes of the payment, and open or win none.",
    "Authorizations (`T13nn`) are passed over."
  ],
  open: (header) => (beginnings.has(header[0]?.trim() ?? "") ? reader(header) : { missing: "RH" })
}

/**
 * Checkout.com's financial actions report
 * (https://www.checkout.com/docs/funds-management/retrieve-financial-reports/settlement-reports/financial-actions-by-payout-id-report):
 * one row for each part of each action of a payment, its money and each fee. The types of parts:
 * https://www.checkout.com/docs/funds-management/reconcile-with-checkout-com/breakdown-types.
 *
 * Amounts in the holding currency may have more decimals than money has, and the
 * payout is their sum. So the fractions of a minor unit are carried to the next row of the payout: no row is off by a whole
 * unit, and the rows up to any of them are off by less than one.
 */
import {
  type ReportNames,
  type ReportRow,
  type ReportRowKind,
  type SignedMoney,
  scaleOf
} from "@pointsman/core/connector"
import { type Cells, openTable, signed } from "../Cells.ts"
import { partsOf, partsPerUnit } from "../DecimalText.ts"
import { nameInCheckout, noNames } from "../OurNames.ts"
import { type DocumentedFormat, day, optional, required } from "../ReportFormat.ts"
import { repeatedIds } from "../RowIds.ts"

const columns = [
  required("Action Type", "whether a row of an unknown part is of a refund or a dispute"),
  required("Action ID", "with the part, the id of the row; of a refund, the refund"),
  required("Payment ID", "the charge"),
  required("Processed On", "when the money moved"),
  required("Processing Currency", "the currency of the payment"),
  required("Holding Currency", "the currency of the payout"),
  required("Payout ID", "the payout"),
  required("Breakdown Type", "the kind"),
  required("Processing Currency Amount", "the amount of a capture, refund or chargeback"),
  required("Holding Currency Amount", "the amount in the currency of the payout"),
  optional("Reference", "our attempt, operation or refund"),
  optional("Processed On UTC", "when the money moved, in UTC"),
  optional("Timezone", "the time zone of `Processed On`; UTC without it"),
  optional("Available On", "when the money is available")
]

interface Kinds {
  /** Money comes. */
  readonly in: ReportRowKind
  /** Money leaves. */
  readonly out: ReportRowKind
}

const kinds: ReadonlyMap<string, Kinds> = new Map([
  ["Capture", { in: "charge", out: "charge_failed" }],
  ["Partial Capture", { in: "charge", out: "charge_failed" }],
  ["Refund", { in: "refund_failed", out: "refund" }],
  ["Partial Refund", { in: "refund_failed", out: "refund" }],
  ["Payout", { in: "payout_failed", out: "payout" }]
])

const disputes: Kinds = { in: "dispute_reversed", out: "dispute" }
const fees: Kinds = { in: "fee", out: "fee" }

/** "Chargeback (…)" of a dispute; every fee and every tax on one is called so at the end. */
const kindsOf = (part: string): Kinds | undefined => {
  if (/ (?:Fee|Tax)$/u.test(part) || part === "Fee") return fees
  return kinds.get(part) ?? (/^Chargeback(?: \(|$)/u.test(part) ? disputes : undefined)
}

/** Kinds whose rows have an amount in the currency of the payment. */
const ofPayment: ReadonlySet<ReportRowKind> = new Set([
  "charge",
  "charge_failed",
  "refund",
  "refund_failed",
  "dispute",
  "dispute_reversed"
])

/** Payouts whose fractions are carried. A report has one or a few; the oldest is closed when others begin. */
const payoutsAtMost = 1_000

const inRange = (cells: Cells, units: bigint): number => {
  if (!Number.isSafeInteger(Number(units))) {
    cells.refuse("Holding Currency Amount", "expected an amount that can be counted exactly")
  }
  return Number(units)
}

/** Whole minor units of the amounts of a payout, whose fractions are carried from one to the next. */
const wholeUnits = () => {
  const carried = new Map<string, bigint>()
  return (cells: Cells, currency: string): number => {
    const parts = partsOf(cells.text("Holding Currency Amount"))
    const scale = scaleOf(currency)
    if (parts === undefined || scale === undefined) {
      cells.refuse("Holding Currency Amount", "expected a decimal amount")
      return 0
    }
    const unit = partsPerUnit(scale)
    if (parts % unit === 0n) return inRange(cells, parts / unit)
    const key = `${cells.text("Payout ID")} ${currency}`
    const sum = (carried.get(key) ?? 0n) + parts
    const units = sum / unit
    carried.set(key, sum - units * unit)
    if (carried.size > payoutsAtMost) carried.delete(carried.keys().next().value ?? "")
    return inRange(cells, units)
  }
}

const namesOf = (cells: Cells, kind: ReportRowKind): ReportNames => {
  const action = cells.text("Action ID")
  return {
    ...noNames,
    ...nameInCheckout(cells.text("Reference")),
    providerRef: cells.orNull("Payment ID"),
    providerRefundId: kind === "refund" || kind === "refund_failed" ? action : null,
    disputeId: action.startsWith("dsp_") ? action : null
  }
}

const timeOf = (cells: Cells): number =>
  cells.text("Processed On UTC") === ""
    ? cells.time("Processed On", cells.text("Timezone") || "UTC")
    : cells.time("Processed On UTC")

const isNegative = (text: string): boolean => text.startsWith("-")

type Amounts = Pick<ReportRow, "converted" | "fee" | "gross" | "net">

/** The fee of a payment is in rows of its own: its money says nothing about it, and not that there is none. */
const amountsOf = (cells: Cells, kind: ReportRowKind, held: SignedMoney): Amounts => {
  if (!ofPayment.has(kind)) return { gross: held, converted: null, fee: signed(0, held.currency), net: held }
  const currency = cells.currency("Processing Currency")
  const gross = signed(cells.amount("Processing Currency Amount", currency), currency)
  // In one currency both columns say the same; a carried unit of an earlier fee would make them differ.
  return currency === held.currency
    ? { gross, converted: null, fee: null, net: gross }
    : { gross, converted: held, fee: null, net: held }
}

/** In one currency, both amounts of a row must be the same. */
const checkAmounts = (cells: Cells): void => {
  const isOne = cells.text("Processing Currency").toUpperCase() === cells.text("Holding Currency").toUpperCase()
  if (isOne && partsOf(cells.text("Processing Currency Amount")) !== partsOf(cells.text("Holding Currency Amount"))) {
    cells.refuse("Holding Currency Amount", "expected the amount of the other column, in the same currency")
  }
}

const start = () => {
  const repeated = repeatedIds()
  const whole = wholeUnits()
  return (cells: Cells): ReportRow | undefined => {
    const part = cells.needed("Breakdown Type")
    const text = cells.text("Holding Currency Amount")
    const found = kindsOf(part)
    // A void, or an authorization, moves no money.
    if (found === undefined && partsOf(text) === 0n) return undefined
    const kind = found?.[isNegative(text) ? "out" : "in"] ?? "adjustment"
    const currency = cells.currency("Holding Currency")
    if (ofPayment.has(kind)) checkAmounts(cells)
    const held = signed(whole(cells, currency), currency)
    return {
      id: repeated(`${cells.needed("Action ID")}.${part}`),
      kind,
      names: namesOf(cells, kind),
      ...amountsOf(cells, kind, held),
      payoutId: cells.orNull("Payout ID"),
      occurredAt: timeOf(cells),
      settledAt: cells.timeOrNull("Available On")
    }
  }
}

export const checkoutFinancialActions: DocumentedFormat = {
  name: "checkout-financial-actions",
  kinds: ["checkout"],
  provider: "Checkout.com",
  report: "Financial actions, by payout ID or by date range",
  page: "https://www.checkout.com/docs/funds-management/retrieve-financial-reports/settlement-reports/financial-actions-by-payout-id-report",
  // A settlement comes daily or weekly, by the schedule of the account.
  delayMillis: 10 * day,
  delimiter: ",",
  columns,
  names: "Select the column `Reference`: that of the last action.",
  notes: [
    "A payment has several rows: its money has no fee, and each fee is a row of its own.",
    "Fees in fractions of a minor unit are carried to the next row of the payout, so that the sum of a payout is exact. A row may thereby differ by one minor unit between a report by payout and one by date: read one of them."
  ],
  open: openTable(columns, "Holding Currency Amount", start)
}

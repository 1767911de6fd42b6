/** What Adyen's two reports have in common: types of records, references, fees, and ids of rows. */
import type { ReportNames, ReportRow, ReportRowKind, SignedMoney } from "@pointsman/core/connector"
import { scaleOf } from "@pointsman/core/connector"
import { type Cells, signed } from "../Cells.ts"
import { partsOf, partsPerUnit } from "../DecimalText.ts"
import { nameInAdyen } from "../OurNames.ts"
import { fingerprintOf } from "../RowIds.ts"

/**
 * Types of the journal (https://docs.adyen.com/reporting/settlement-reconciliation/transaction-level/settlement-details-report,
 * "Journal types" in its older form). The types in "Externally" are of money that another party pays out.
 */
const kinds: ReadonlyMap<string, ReportRowKind> = new Map([
  ["Settled", "charge"],
  ["SettledBulk", "charge"],
  ["BulkSettlement", "charge"],
  ["SettledInstallment", "charge"],
  ["SettledExternally", "charge"],
  ["SettledExternallyWithInfo", "charge"],
  ["SettledReversed", "charge_failed"],
  ["Refunded", "refund"],
  ["RefundedBulk", "refund"],
  ["RefundedInstallment", "refund"],
  ["RefundedExternally", "refund"],
  ["RefundedExternallyWithInfo", "refund"],
  ["RefundedReversed", "refund_failed"],
  ["Chargeback", "dispute"],
  ["SecondChargeback", "dispute"],
  ["ChargebackExternally", "dispute"],
  ["ChargebackExternallyWithInfo", "dispute"],
  ["ChargebackReversed", "dispute_reversed"],
  ["ChargebackReversedExternallyWithInfo", "dispute_reversed"],
  ["Fee", "fee"],
  ["MiscCosts", "fee"],
  ["PaymentCost", "fee"],
  ["InvoiceDeduction", "fee"],
  ["MerchantPayout", "payout"],
  ["BankInstructionReturned", "payout_failed"]
])

export const kindOf = (type: string): ReportRowKind | undefined => kinds.get(type)

interface Named {
  readonly cells: Cells
  readonly kind: ReportRowKind
  /** The column of Adyen's reference of a capture, a refund or a dispute. */
  readonly modification: string
}

/** A row of the merchant account itself, such as a payout, has no reference of a payment. */
export const namesOf = ({ cells, kind, modification }: Named): ReportNames => {
  const ours = nameInAdyen(cells.text("Merchant Reference"))
  const ofModification = nameInAdyen(cells.text("Modification Merchant Reference"))
  const providerRef = cells.orNull("Psp Reference")
  const reference = providerRef === null ? null : cells.orNull(modification)
  return {
    attemptId: ours.attemptId ?? ofModification.attemptId ?? null,
    operationId: kind === "charge" || kind === "charge_failed" ? (ofModification.operationId ?? null) : null,
    refundId: ofModification.refundId ?? null,
    providerRef,
    providerRefundId: kind === "refund" || kind === "refund_failed" ? reference : null,
    disputeId: kind === "dispute" || kind === "dispute_reversed" ? reference : null,
    reference: ours.reference ?? null
  }
}

/**
 * Of a payment: its references, which are unique with the type and the amount. Of the account itself, where the reference is a
 * text such as "Transaction Fees June": what the row says.
 */
export const idOf = (
  cells: Cells,
  { column, modification, type }: { readonly column: string; readonly modification: string; readonly type: string },
  { currency, minorUnits }: SignedMoney
): string => {
  const payment = cells.text("Psp Reference")
  const texts = [cells.text("Merchant Account"), type, cells.text(modification), cells.text(column)]
  return payment === ""
    ? `${type}.${fingerprintOf([...texts, currency, String(minorUnits), cells.text("Batch Number")])}`
    : `${type}.${cells.text(modification) || payment}.${currency}${minorUnits}`
}

/** Fees may have more decimals than their currency: how many parts of 10⁻¹² they are together. */
const partsOfFees = (cells: Cells, columns: ReadonlyArray<string>): bigint =>
  columns.reduce((sum, column) => {
    const text = cells.text(column)
    if (text === "") return sum
    const parts = partsOf(text)
    if (parts === undefined) cells.refuse(column, "expected a decimal amount")
    return sum + (parts ?? 0n)
  }, 0n)

/**
 * What Adyen keeps of `before`, given what is left of it. The columns of fees must say the same, but for what is less than a
 * minor unit: a fee of a share of the amount has more decimals than money has.
 */
export const feeOf = (
  cells: Cells,
  columns: ReadonlyArray<string>,
  { before, net }: { readonly before: SignedMoney; readonly net: SignedMoney }
): SignedMoney => {
  const fee = before.minorUnits - net.minorUnits
  const scale = scaleOf(net.currency)
  if (scale === undefined || !columns.some((column) => cells.text(column) !== "")) return signed(fee, net.currency)
  const unit = partsPerUnit(scale)
  const apart = partsOfFees(cells, columns) - BigInt(fee) * unit
  if (apart >= unit || apart <= -unit) cells.refuse(columns[0] ?? "", "expected fees that make up the difference")
  return signed(fee, net.currency)
}

/** Fees in whole minor units, where the report does not say the amount before them in the currency of the payout. */
export const wholeFees = (cells: Cells, columns: ReadonlyArray<string>, currency: string): number => {
  const scale = scaleOf(currency)
  if (scale === undefined) return 0
  const unit = partsPerUnit(scale)
  const parts = partsOfFees(cells, columns)
  // The nearest whole number: the amount before fees is a whole number of minor units, and so is the net amount.
  return Number((parts + (parts < 0n ? -unit : unit) / 2n) / unit)
}

/** A row without an amount of a payment: all of it is what the balance gains or loses. */
export const ofBalance = (net: SignedMoney): Pick<ReportRow, "converted" | "fee" | "gross" | "net"> => ({
  gross: net,
  converted: null,
  fee: signed(0, net.currency),
  net
})

/** Payments as CSV (RFC 4180). Times are RFC 3339 in UTC, amounts decimals of the payment's currency. */
import { type Payment, statusOf } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { decimalText } from "./Amounts.ts"

const { timeView } = InProcess

const amount = (minorUnits: (payment: Payment) => number) => (payment: Payment) =>
  decimalText(minorUnits(payment), payment.money.currency)

const columns: Readonly<Record<string, (payment: Payment) => string | null>> = {
  payment_id: ({ id }) => id,
  created: ({ createdAt }) => timeView(createdAt),
  updated: ({ updatedAt }) => timeView(updatedAt),
  status: ({ state }) => statusOf[state],
  amount: amount(({ money }) => money.minorUnits),
  currency: ({ money }) => money.currency,
  authorized_amount: amount(({ authorizedMinor }) => authorizedMinor),
  captured_amount: amount(({ capturedMinor }) => capturedMinor),
  refunded_amount: amount(({ refundedMinor }) => refundedMinor),
  refund_pending_amount: amount(({ refundPendingMinor }) => refundPendingMinor),
  reference: ({ reference }) => reference,
  method: ({ method }) => method,
  card_brand: ({ cardBrand }) => cardBrand,
  country: ({ country }) => country,
  connection: ({ connectionId }) => connectionId,
  provider_reference: ({ providerRef }) => providerRef,
  decline_category: ({ declineCategory }) => declineCategory,
  decline_reason: ({ declineReason }) => declineReason,
  metadata: ({ metadata }) => (metadata === null ? null : JSON.stringify(metadata))
}

/** A spreadsheet runs a cell that begins with one of these (CWE-1236); some take the full-width forms for the same. */
const beginsFormula = /^[\s"]*[=+\-@＝＋－＠]/u

/**
 * Where fields are separated by `;` or a tab, as in many languages, a spreadsheet begins a cell inside of our field too,
 * and does not see the quotes: there a line break begins one as well.
 */
const cellBegin = /([;\t\r\n])/u

/** A text that a spreadsheet would run begins with an apostrophe, which spreadsheets show as text. */
export const csvField = (text: string): string => {
  const cells = text.split(cellBegin).map((cell) => (beginsFormula.test(cell) ? `'${cell}` : cell))
  const harmless = `${/^[\t\r\n]/u.test(text) ? "'" : ""}${cells.join("")}`
  return /[",;\r\n]/u.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}

const line = (fields: ReadonlyArray<string>): string => `${fields.join(",")}\r\n`

export const csvHeader = line(Object.keys(columns))

const takers = Object.values(columns)

export const csvLine = (payment: Payment): string => line(takers.map((take) => csvField(take(payment) ?? "")))

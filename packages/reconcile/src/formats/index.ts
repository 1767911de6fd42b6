/** The formats of reports that Pointsman reads. */
import type { DocumentedFormat } from "../ReportFormat.ts"
import { adyenPaymentAccounting } from "./AdyenPaymentAccounting.ts"
import { adyenSettlementDetails } from "./AdyenSettlementDetails.ts"
import { checkoutFinancialActions } from "./CheckoutFinancialActions.ts"
import { httpReport } from "./Http.ts"
import { mollieSettlement } from "./Mollie.ts"
import { payPalSettlement } from "./PayPal.ts"
import { stripeBalance, stripePayoutReconciliation } from "./Stripe.ts"

export const reportFormats: ReadonlyArray<DocumentedFormat> = [
  stripeBalance,
  stripePayoutReconciliation,
  adyenSettlementDetails,
  adyenPaymentAccounting,
  payPalSettlement,
  mollieSettlement,
  checkoutFinancialActions,
  httpReport
]

export const formatNamed = (name: string): DocumentedFormat | undefined =>
  reportFormats.find((format) => format.name === name)

/** The formats that the provider of a kind of connection writes. */
export const formatsOf = (kind: string): ReadonlyArray<DocumentedFormat> =>
  reportFormats.filter(({ kinds }) => kinds.includes(kind))

const isOpened = (format: DocumentedFormat, header: ReadonlyArray<string>): boolean =>
  !("missing" in format.open(header))

const requiredOf = ({ columns }: DocumentedFormat): ReadonlyArray<string> =>
  columns.flatMap(({ isRequired, name }) => (isRequired ? [name] : []))

/** Whether one needs every column of another, and more. */
const isStricter = (one: DocumentedFormat, other: DocumentedFormat): boolean =>
  requiredOf(one).length > requiredOf(other).length && requiredOf(other).every((name) => requiredOf(one).includes(name))

/**
 * The format that a report's first record has: the only one that can read it, or the one that needs most of its columns.
 * `undefined` where that is not clear.
 */
export const formatOfHeader = (
  header: ReadonlyArray<string>,
  formats: ReadonlyArray<DocumentedFormat> = reportFormats
): DocumentedFormat | undefined => {
  const possible = formats.filter((format) => isOpened(format, header))
  return possible.find((one) => possible.every((other) => other === one || isStricter(one, other)))
}

/** Payments as CSV (RFC 4180). Times are RFC 3339 in UTC, amounts decimals of the payment's currency. */
import { type Payment, statusOf } from "@pointsman/core"
import { csvField, csvRow, decimalText } from "@pointsman/core/internal"
import { InProcess } from "@pointsman/http"

const { timeView } = InProcess

const amount = (minorUnits: (payment: Payment) => number) => (payment: Payment) =>
  decimalText({ minorUnits: minorUnits(payment), currency: payment.money.currency })

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

export const csvHeader = csvRow(Object.keys(columns))

const takers = Object.values(columns)

export const csvLine = (payment: Payment): string => csvRow(takers.map((take) => csvField(take(payment) ?? "")))

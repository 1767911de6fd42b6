/** Amounts and statuses as the pages show them. */
import type { DeclineCategory, PaymentStatus } from "@pointsman/core"
import { amountText } from "@pointsman/core/internal"
import { InProcess } from "@pointsman/http"
import type { Html } from "../frame/Layout.ts"

const { html } = InProcess

/** In the manner of the pages' language. */
export const money = (minorUnits: number, currency: string): string => amountText({ minorUnits, currency }, "en")

/** With a word, because some readers do not see colours. `pendingMinor`: what refunds without a result hold. */
export const statusView = (status: PaymentStatus, pendingMinor = 0): Html =>
  html`<span class="status ${tones[status]}">${statusText(status)}</span>${
    pendingMinor === 0 ? undefined : html` <span class="status wait">Refund open</span>`
  }`

export const statusText = (status: string): string =>
  `${status.charAt(0)}${status.slice(1).toLowerCase().replaceAll("_", " ")}`

const tones: Readonly<Record<PaymentStatus, "good" | "bad" | "wait" | "unsure" | "soft">> = {
  CREATED: "wait",
  PENDING: "wait",
  REQUIRES_ACTION: "wait",
  AUTHORIZED: "wait",
  CAPTURED: "good",
  SETTLED: "good",
  DECLINED: "bad",
  FAILED: "bad",
  UNKNOWN: "unsure",
  CHARGEBACK: "bad",
  CANCELLED: "soft",
  REFUNDED: "soft",
  PARTIALLY_REFUNDED: "soft"
}

export const declineNames: Readonly<Record<DeclineCategory, string>> = {
  insufficient_funds: "Insufficient funds",
  do_not_honor: "Not honored by the bank",
  expired_card: "Expired card",
  invalid_card: "Invalid card details",
  lost_or_stolen: "Lost or stolen card",
  suspected_fraud: "Suspected fraud",
  limit_exceeded: "Limit exceeded",
  authentication_failed: "Authentication failed",
  not_permitted: "Not permitted",
  issuer_unavailable: "Bank not available",
  invalid_request: "Invalid request",
  cancelled_by_customer: "Cancelled by the customer",
  other: "Another reason"
}

/** `Insufficient funds (51)`: the provider's code is left out where it says the same. */
export const declineText = (category: DeclineCategory, code: string | null): string =>
  code === null || code === category ? declineNames[category] : `${declineNames[category]} (${code})`

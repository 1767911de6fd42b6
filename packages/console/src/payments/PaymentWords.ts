/** Amounts and statuses as the pages show them. */
import type { PaymentStatus } from "@pointsman/core"
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

/** Reviews and statements in words. */
import {
  type Attempt,
  type Event,
  isCurrency,
  type OperatorStatement,
  type Payment,
  type ReviewFile,
  type ReviewReason,
  statusOf
} from "@pointsman/core"
import { money, statusText } from "../payments/PaymentWords.ts"

export const reasonTexts: Readonly<Record<ReviewReason, string>> = {
  unknown: "The provider’s result is unknown. Background checks ask the provider again and may settle it first.",
  refund_unknown:
    "The result of a refund is unknown. Background checks ask the provider again and may settle it first.",
  open_checkout: "The customer may still pay on the provider’s page: the provider names no end of it.",
  overdue: "The provider accepted a request long ago and has not finished it.",
  amount_mismatch: "The provider states another amount than was requested.",
  conflict: "A statement of the provider contradicts the record.",
  double_charge: "The provider reported a second charge for this payment.",
  reversal: "A refund failed after it had succeeded.",
  capture_failed: "The capture failed and could not be taken back here. Refunds are closed until the review.",
  refund_excess: "The provider refunded more than is captured here. Refunds are closed until the review.",
  reference_reused: "The provider stated one reference for two payments.",
  correction: "An operator proposed a correction or a refund. A second person approves or rejects it."
}

/** For the list. */
export const reasonNames: Readonly<Record<ReviewReason, string>> = {
  unknown: "Unknown result",
  refund_unknown: "Unknown refund",
  open_checkout: "Open checkout",
  overdue: "Overdue",
  amount_mismatch: "Another amount",
  conflict: "Contradiction",
  double_charge: "Second charge",
  reversal: "Reversed refund",
  capture_failed: "Failed capture",
  refund_excess: "Excess refund",
  reference_reused: "Reused reference",
  correction: "Waits for a second person"
}

const chargeNames = {
  captured: "Captured",
  authorized: "Authorized",
  declined: "Declined",
  canceled: "Cancelled",
  capture_failed: "Capture failed",
  void_failed: "Void failed",
  never_received: "Never received"
} as const

const refundNames = { succeeded: "Refunded", failed: "Refund failed", never_received: "Refund never received" } as const

export const statementName = (stated: OperatorStatement): string => {
  switch (stated._tag) {
    case "Charge":
      return chargeNames[stated.says]
    case "Refund":
      return refundNames[stated.says]
    case "NothingToChange":
      return "As recorded"
  }
}

const chargeShows = {
  captured: "the charge as captured, paid, succeeded or settled.",
  authorized: "the charge as authorized, reserved or uncaptured.",
  declined: "the charge as declined, refused or failed.",
  canceled: "the charge as cancelled, voided or expired.",
  capture_failed: "the capture as failed or returned.",
  void_failed: "the cancellation as failed: the authorization is still open.",
  never_received: "no charge. Search for its id, and for its amount around the time it was sent."
} as const

const refundShows = {
  succeeded: "the refund as succeeded or paid out.",
  failed: "the refund as failed, refused or returned.",
  never_received: "no refund. Search for its id, and for its amount around the time it was sent."
} as const

/** What the operator compares with the provider's own page: it "shows …". */
export const providerShows = (stated: OperatorStatement): string => {
  switch (stated._tag) {
    case "Charge":
      return chargeShows[stated.says]
    case "Refund":
      return refundShows[stated.says]
    case "NothingToChange":
      return "what is recorded here, or the difference was corrected by other means."
  }
}

/** `Captured, €19.99 captured. Under review: …`, of the payment after a statement of the whole amount. */
export const becomesText = ({
  authorizedMinor,
  capturedMinor,
  money: { currency },
  refundedMinor,
  review,
  state
}: Payment) => {
  const amounts = [
    ...(capturedMinor === 0 && authorizedMinor > 0 ? [`${money(authorizedMinor, currency)} authorized`] : []),
    ...(capturedMinor > 0 ? [`${money(capturedMinor, currency)} captured`] : []),
    ...(refundedMinor > 0 ? [`${money(refundedMinor, currency)} refunded`] : [])
  ]
  const left = review?.reasons.map((reason) => reasonNames[reason].toLowerCase()).join(", ")
  return `${[statusText(statusOf[state]), ...amounts].join(", ")}${left === undefined ? "" : `. Still under review: ${left}`}`
}

/** What a statement is about. */
export const subjectText = (stated: OperatorStatement, { attempts, refunds }: ReviewFile): string => {
  if (stated._tag === "Refund") {
    const refund = refunds.find(({ id }) => id === stated.refundId)
    return refund === undefined
      ? "Refund"
      : `Refund of ${money(refund.money.minorUnits, refund.money.currency)}, ${refund.id}`
  }
  const attempt = stated._tag === "Charge" ? attempts.find(({ id }) => id === stated.attemptId) : undefined
  return attempt === undefined ? "The whole payment" : attemptText(attempt)
}

export const attemptText = ({ connectionId, number }: Attempt): string => `Charge ${number}, at ${connectionId}`

/** What an event says besides what every event of a payment says. */
export const eventText = ({ data }: Event): string => entriesText(data, data)

const everywhere: ReadonlySet<string> = new Set(["payment_id", "reference", "environment", "amount", "currency"])

const entriesText = (said: Event["data"], data: Event["data"]): string =>
  Object.entries(said)
    .filter(([name, value]) => value !== null && !(said === data && everywhere.has(name)))
    .map(([name, value]) => `${name.replaceAll("_", " ")}: ${valueText(name, value, data)}`)
    .join(", ")

/** A provider may have stated an amount in another currency than the payment's. */
const valueText = (name: string, value: Event["data"][string], data: Event["data"]): string => {
  if (typeof value === "string") return value
  const currency = (name === "stated_amount" ? data["stated_currency"] : undefined) ?? data["currency"]
  if (
    /(?:^|_)(?:amount|total)$/u.test(name) &&
    typeof value === "number" &&
    typeof currency === "string" &&
    isCurrency(currency)
  ) {
    return money(value, currency)
  }
  return isObject(value) ? entriesText(value, data) : JSON.stringify(value)
}

const isObject = (value: Event["data"][string]): value is Event["data"] =>
  typeof value === "object" && value !== null && !Array.isArray(value)

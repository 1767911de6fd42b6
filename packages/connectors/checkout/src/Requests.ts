/**
 * What is sent to Checkout.com. Every object carries our id twice: as its `reference`, by which a payment and an action are
 * found again, and as metadata, which its messages bring back. What else the metadata says of a payment shows in the
 * Dashboard and its reports: the merchant's reference, country, card brand and initiator.
 *
 * The key of a charge, capture, void or refund is derived, so that it is
 * the same after a loss of records (decision 30). Checkout.com answers a known key with its first answer, and does not
 * say whether it compares the bodies (https://www.checkout.com/docs/payments/manage-payments/retry-a-payment). So
 * nothing that is drawn goes here, the payment's id included.
 */
import {
  type CaptureRequest,
  type ChargeRequest,
  type CheckoutRequest,
  type ProviderMethods,
  providerNameOf,
  type RefundRequest,
  type VoidRequest
} from "@pointsman/core/connector"
import { Redacted } from "effect"
import type { Credentials } from "./Credentials.ts"
import { referenceOf } from "./Reference.ts"

/** A stored instrument, and the payment that began its series. */
export interface Instrument {
  readonly source: string
  readonly previousPayment: string | null
}

/**
 * `src_…`, or `src_…/pay_…`; `undefined` for what is neither. Ids have 26 letters and digits
 * (https://api-reference.checkout.com/tag/Payments, as `RequestIdSource.cs` of the SDK has it).
 */
export const instrumentOf = (token: Redacted.Redacted<string>): Instrument | undefined => {
  const found = /^(src_\w{26})(?:\/(pay_\w{26}))?$/.exec(Redacted.value(token))
  return found?.[1] === undefined ? undefined : { source: found[1], previousPayment: found[2] ?? null }
}

/** The texts of a token that must not be shown: the whole, and its parts. */
export const secretsOf = (token: Redacted.Redacted<string>): ReadonlyArray<Redacted.Redacted<string>> => [
  token,
  ...Redacted.value(token)
    .split("/")
    .map((part) => Redacted.make(part))
]

/** "Each value must not exceed 255 characters", and there may be 20 (`PaymentRequest.cs` of the SDK). */
const metadataAtMost = 255

const metadataOf = (marks: Readonly<Record<string, string | null>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(marks).flatMap(([mark, text]) =>
      text === null || text === "" ? [] : [[mark, [...text.toWellFormed()].slice(0, metadataAtMost).join("")]]
    )
  )

/** `isOnPage`: on a page the customer may try again, so that a refusal there is not the last word. */
const marksOf = (
  { attemptId, capture, cardBrand, country, initiator, reference }: Omit<CheckoutRequest, "returnUrl">,
  isOnPage: boolean
) =>
  metadataOf({
    attempt_id: attemptId,
    // Its messages say by it whether Checkout.com captures by itself.
    capture: capture ? "automatic" : "manual",
    page: String(isOnPage),
    reference,
    country,
    card_brand: cardBrand,
    initiator
  })

const channelOf = ({ processingChannelId }: Credentials) =>
  processingChannelId === null ? {} : { processing_channel_id: processingChannelId }

/**
 * A direct charge of a stored instrument (https://api-reference.checkout.com/tag/Payments, and
 * https://www.checkout.com/docs/payments/accept-payments/pay-with-stored-card-details/unscheduled-payments-with-stored-card-details).
 * No customer is there who could authenticate: 3D Secure is off. A payment on the merchant's own initiative must say so, and
 * must not be `Regular`; which of them are on a fixed schedule is not known here.
 */
export const payment = (
  request: ChargeRequest,
  amount: number,
  { previousPayment, source }: Instrument,
  credentials: Credentials
) => ({
  source: { type: "id", id: source },
  amount,
  currency: request.money.currency,
  ...(request.initiator === "mit"
    ? {
        merchant_initiated: true,
        payment_type: "Unscheduled",
        ...(previousPayment === null ? {} : { previous_payment_id: previousPayment })
      }
    : { payment_type: "Regular" }),
  capture: request.capture,
  "3ds": { enabled: false },
  reference: referenceOf({ kind: "charge", id: request.attemptId }),
  ...channelOf(credentials),
  metadata: marksOf(request, false)
})

/** Of a page, in seconds. Checkout.com takes 1 to 5,184,000 (https://api-reference.checkout.com/tag/Payment-Links). */
const pageSeconds = 60 * 60

/** A page on which one payment is made, by card (https://api-reference.checkout.com/tag/Payment-Links). */
export const paymentLink = (request: CheckoutRequest, amount: number, credentials: Credentials) => ({
  amount,
  currency: request.money.currency,
  billing: { address: { country: request.country } },
  allow_payment_methods: [providerNameOf(namedMethods, request.paymentMethod) ?? "card"],
  capture: request.capture,
  expires_in: pageSeconds,
  return_url: request.returnUrl,
  reference: referenceOf({ kind: "charge", id: request.attemptId }),
  ...channelOf(credentials),
  metadata: marksOf(request, true)
})

/** `Final`: what is not captured is released (https://www.checkout.com/docs/payments/manage-payments/capture-a-payment). */
export const capture = ({ attemptId, operationId }: CaptureRequest, amount: number) => ({
  amount,
  capture_type: "Final",
  reference: referenceOf({ kind: "capture", id: operationId }),
  metadata: metadataOf({ attempt_id: attemptId, operation_id: operationId })
})

export const voiding = ({ attemptId, operationId }: VoidRequest) => ({
  reference: referenceOf({ kind: "void", id: operationId }),
  metadata: metadataOf({ attempt_id: attemptId, operation_id: operationId })
})

export const refund = ({ attemptId, reason, refundId }: RefundRequest, amount: number) => ({
  amount,
  reference: referenceOf({ kind: "refund", id: refundId }),
  metadata: metadataOf({ attempt_id: attemptId, refund_id: refundId, reason })
})

/**
 * Payment methods as `allow_payment_methods` of a page names them (https://api-reference.checkout.com/tag/Payment-Links, and
 * `PaymentSourceType.cs` of the SDK): cards, and the wallets that are cards. iDEAL takes a reference of at most 35
 * letters and digits, which cannot hold the id of an attempt, by which a payment is found.
 */
export const namedMethods: ProviderMethods = {
  card: { providerName: "card" },
  apple_pay: { providerName: "applepay" },
  google_pay: { providerName: "googlepay" }
}

/**
 * Every documented message about money of every connector, with our ids removed and the provider's own kept.
 *
 * The lists of types are the providers' own: Stripe's is read from its library, the others cite the page. A type that is listed
 * and says nothing about money is named in `quiet`, so that a new one is tested until somebody says that it says nothing.
 */
import { readFileSync } from "node:fs"
import type { TransportAnswer } from "@pointsman/core/connector"
import * as CheckoutCom from "../../../connectors/checkout/test/Checkout.ts"
import * as Mollie from "../../../connectors/mollie/test/Mollie.ts"
import * as PayPal from "../../../connectors/paypal/test/PayPal.ts"
import * as Stripe from "../../../connectors/stripe/test/Stripe.ts"
import { adyenConnection, webhook } from "./AdyenWorld.ts"
import { connectionToPayPal } from "./journeys/PayPalStandIn.ts"
import { type Asked, messageTo, signedByMollie, timed } from "./journeys/StandIn.ts"

/** A message as it is posted. */
export type Sent = Parameters<typeof messageTo>[1]

export interface TalkingProvider {
  readonly connectors?: ReadonlyArray<string> | undefined
  readonly connection: (url: string) => Readonly<Record<string, unknown>>
  readonly token: string
  /** What it answers to requests: a charge of 12.34 EUR is taken. */
  readonly answer: (asked: Asked) => TransportAnswer
  /** Its types of messages about payments. */
  readonly types: ReadonlyArray<string>
  /** Those that say nothing about money, or name no charge. */
  readonly quiet: ReadonlyArray<string>
  /**
   * A message of the type about the charge, without an id of ours. `nth`: its own id is made of it. Signed with the secret of
   * the connection unless another is given.
   */
  readonly message: (type: string, nth: number, key?: string) => Sent
}

export const secret = "whsec_made_up_0123456789"
const now = () => new Date().toISOString()
const json = (status: number, body: unknown): TransportAnswer => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})
const production = { environment: "production", webhookSecret: secret, timeout: "5 seconds" }

// Stripe.

/** https://docs.stripe.com/api/events/types, as Stripe's library lists it. */
const stripeTypes = () => {
  const file = new URL("../../../../node_modules/stripe/esm/resources/WebhookEndpoints.d.ts", import.meta.url)
  const named = readFileSync(file, "utf8").matchAll(
    /'((?:charge|checkout\.session|payment_intent|refund)\.[a-z_.]+)'/gu
  )
  return [...new Set([...named].map(([, type = ""]) => type))].sort()
}

const stripePayment = { id: "pi_ours", livemode: true, amount: 1234, metadata: {} }

/** https://docs.stripe.com/payments/paymentintents/lifecycle */
const stripeStatus: Readonly<Record<string, object>> = {
  "payment_intent.amount_capturable_updated": { status: "requires_capture", amount_capturable: 1234 },
  "payment_intent.canceled": { status: "canceled" },
  "payment_intent.payment_failed": {
    ...{ status: "requires_payment_method" },
    last_payment_error: { type: "card_error", code: "card_declined" }
  },
  "payment_intent.processing": { status: "processing" },
  "payment_intent.requires_action": { status: "requires_action" }
}

const stripeObject = (type: string, nth: number) => {
  const of = { payment_intent: stripePayment.id, metadata: {} }
  if (type.startsWith("charge.dispute.")) return Stripe.dispute({ ...of, id: `du_${nth}` })
  if (type.startsWith("refund.") || type === "charge.refund.updated")
    return Stripe.refund({ ...of, id: `re_${nth}`, amount: 1 })
  if (type.startsWith("charge.")) return Stripe.charge({ ...of, captured: type !== "charge.expired" })
  if (type.startsWith("checkout.")) {
    return Stripe.session({ ...of, client_reference_id: null, status: "complete", payment_status: "paid" })
  }
  return Stripe.paymentIntent({ ...stripePayment, amount_received: 1234, ...stripeStatus[type] })
}

const stripe: TalkingProvider = {
  connection: (baseUrl) => ({
    ...{ ...production, id: "stripe", connector: "stripe" },
    credentials: { secretKey: "sk_live_made_up_0123456789", baseUrl }
  }),
  token: "cus_1/pm_1",
  answer: ({ body, method, path }) => {
    if (path.at(-1) === "refunds")
      return Stripe.answer(200, { object: "list", url: "/v1/refunds", data: [], has_more: false })
    const attempt_id = method === "POST" ? new URLSearchParams(body).get("metadata[attempt_id]") : undefined
    const metadata = attempt_id == null ? {} : { attempt_id }
    return Stripe.answer(200, Stripe.paymentIntent({ ...stripePayment, amount_received: 1234, metadata }))
  },
  types: stripeTypes(),
  // That it was created moves nothing.
  quiet: ["payment_intent.created"],
  message: (type, nth, key = secret) =>
    timed("stripe-signature", Stripe.event(type, stripeObject(type, nth), { id: `evt_${nth}`, livemode: true }), key)
}

// Adyen.

/** `webhooks` of `json/Webhooks-v1.json` of https://github.com/Adyen/adyen-openapi. */
const adyenQuiet = [
  ...["ACH_NOTIFICATION_OF_CHANGE", "AUTORESCUE", "CANCEL_AUTORESCUE", "DIRECT_DEBIT_NOTICE_OF_CHANGE_NOTIFICATION"],
  ...["INFORMATION_SUPPLIED", "ISSUER_COMMENTS", "MANUAL_REVIEW_ACCEPT", "MANUAL_REVIEW_REJECT"],
  ...["NOTIFICATION_OF_FRAUD", "ORDER_CLOSED", "ORDER_OPENED", "PAIDOUT_REVERSED", "PAYOUT_DECLINE", "PAYOUT_EXPIRE"],
  ...["PAYOUT_THIRDPARTY", "RECURRING_CONTRACT", "REPORT_AVAILABLE", "REQUEST_FOR_INFORMATION"]
]
const adyenTypes = [
  ...["AUTHORISATION", "AUTHORISATION_ADJUSTMENT", "CANCELLATION", "CANCEL_OR_REFUND", "CAPTURE", "CAPTURE_FAILED"],
  ...["CHARGEBACK", "CHARGEBACK_REVERSED", "DISPUTE_DEFENSE_PERIOD_ENDED", "EXPIRE"],
  ...["ISSUER_RESPONSE_TIMEFRAME_EXPIRED", "NOTIFICATION_OF_CHARGEBACK", "OFFER_CLOSED", "POSTPONED_REFUND"],
  ...["PREARBITRATION_ACCEPTED", "PREARBITRATION_DECLINED", "PREARBITRATION_ISSUER_WITHDRAWN", "PREARBITRATION_LOST"],
  ...["PREARBITRATION_OPEN", "PREARBITRATION_WON", "REFUND", "REFUNDED_REVERSED", "REFUND_FAILED", "REFUND_WITH_DATA"],
  ...["SCHEME_ARBITRATION", "SCHEME_ARBITRATION_LOST", "SCHEME_ARBITRATION_WON", "SECOND_CHARGEBACK"],
  ...["TECHNICAL_CANCEL", "VOID_PENDING_REFUND"]
]

const adyen: TalkingProvider = {
  connection: (url) => ({ ...adyenConnection({ url }) }),
  token: "shopper-1/M5N7TQ4TG5PFWR50",
  answer: ({ body }) =>
    json(200, { pspReference: "PSPOURS", resultCode: "Authorised", merchantReference: JSON.parse(body).reference }),
  types: [...adyenTypes, ...adyenQuiet],
  quiet: adyenQuiet,
  message: (eventCode, nth, key) => {
    const isPayment = eventCode === "AUTHORISATION" || eventCode === "OFFER_CLOSED"
    const named = isPayment ? { pspReference: "PSPOURS" } : { pspReference: `PSP${nth}`, originalReference: "PSPOURS" }
    const event = { eventCode, ...named, merchantReference: "", value: 1, at: nth }
    return { body: JSON.stringify(webhook(event, key)) }
  }
}

// Checkout.com.

const checkout: TalkingProvider = {
  connection: (baseUrl) => ({
    ...{ ...production, id: "checkout", connector: "checkout" },
    credentials: { secretKey: "sk_made_up_0123456789", prefix: CheckoutCom.prefix, baseUrl }
  }),
  token: CheckoutCom.instrument,
  answer: ({ body, path }) => {
    if (path.at(-1) === "actions") return json(200, [CheckoutCom.action({ type: "Capture" })])
    const balances = { total_authorized: 1234, total_captured: 1234 }
    const { reference } = body === "" ? { reference: undefined } : JSON.parse(body)
    return CheckoutCom.answer(body === "" ? 200 : 201, CheckoutCom.payment({ reference, status: "Captured", balances }))
  },
  /**
   * https://www.checkout.com/docs/developer-resources/event-notifications/event-types and
   * https://www.checkout.com/docs/reporting-and-insights/events-api/event-types
   */
  types: [
    ...[
      "payment_approved",
      "payment_pending",
      "payment_declined",
      "payment_expired",
      "payment_voided",
      "payment_canceled"
    ],
    ...["payment_void_declined", "payment_captured", "payment_capture_declined", "payment_capture_pending"],
    ...["payment_refunded", "payment_refund_declined", "payment_refund_pending", "payment_returned", "payment_paid"],
    ...["payment_authorization_incremented", "payment_authorization_increment_declined"],
    ...["dispute_received", "dispute_accepted", "dispute_canceled", "dispute_evidence_required", "dispute_expired"],
    ...["dispute_evidence_submitted", "dispute_evidence_acknowledged_by_scheme", "dispute_lost", "dispute_resolved"],
    ...["dispute_won", "dispute_arbitration_won", "dispute_arbitration_lost", "dispute_arbitration_sent_to_scheme"],
    ...["dispute_arbitration_evidence_submitted", "payment_retry_scheduled", "payment_instrument_created"]
  ],
  quiet: ["payment_retry_scheduled", "payment_instrument_created"],
  message: (type, nth, key = secret) => {
    const data = type.startsWith("dispute_")
      ? CheckoutCom.dispute({ id: `dsp_${nth}`, payment_reference: undefined })
      : CheckoutCom.told({
          action_id: `act_${nth}`,
          amount: 1,
          reference: undefined,
          metadata: {},
          balances: { total_authorized: 1234, total_captured: 1234 }
        })
    const event = CheckoutCom.event(type, data, { id: `evt_${nth}`, created_on: now(), _links: undefined })
    return CheckoutCom.signed(JSON.stringify(event), key)
  }
}

// Mollie.

const mollieOf = { mode: "live", metadata: null }
const mollieEntity = (type: string, nth: number) => {
  const [kind, word] = type.split(".")
  const amount = { currency: "EUR", value: "0.01" }
  if (kind === "payment") return Mollie.payment({ ...mollieOf, status: word })
  if (kind === "capture") return Mollie.capture({ ...mollieOf, id: `cpt_${nth}`, status: word })
  if (kind === "refund") return Mollie.refund({ ...mollieOf, id: `re_${nth}`, amount, status: word })
  return Mollie.chargeback({ id: `chb_${nth}`, amount, ...(word === "reversed" ? { reversedAt: now() } : {}) })
}

const mollie: TalkingProvider = {
  connection: (baseUrl) => ({
    ...{ ...production, id: "mollie", connector: "mollie" },
    credentials: { apiKey: "live_made_up_0123456789012345678901", baseUrl }
  }),
  token: "cst_8wmqcHMN4U/mdt_h3gAaD5zP",
  answer: ({ body, method }) =>
    Mollie.answer(
      method === "POST" ? 201 : 200,
      Mollie.payment({ ...mollieOf, ...(method === "POST" ? { metadata: JSON.parse(body).metadata } : {}) })
    ),
  /** https://docs.mollie.com/reference/payments-api-webhooks, and the same pages of captures, refunds and chargebacks. */
  types: [
    ...["authorized", "canceled", "expired", "failed", "paid", "pending"].map((word) => `payment.${word}`),
    ...["failed", "succeeded"].map((word) => `capture.${word}`),
    ...["canceled", "failed", "pending", "processing", "queued", "refunded"].map((word) => `refund.${word}`),
    ...["received", "reversed"].map((word) => `chargeback.${word}`)
  ],
  quiet: [],
  message: (type, nth, key = secret) =>
    signedByMollie(Mollie.event(type, mollieEntity(type, nth), { id: `event_${nth}`, createdAt: now() }), key)
}

// PayPal.

const paypalResource = (type: string, nth: number) => {
  const links = (path: string) => [{ href: `https://api-m.paypal.com${path}`, rel: "up", method: "GET" }]
  const amount = PayPal.amount("0.01")
  if (type === "PAYMENT.CAPTURE.REFUNDED") {
    return PayPal.refund({ id: `REFUND${nth}`, amount, links: links(`/v2/payments/captures/${PayPal.captureId}`) })
  }
  if (type.startsWith("PAYMENT.CAPTURE.")) return PayPal.capture({ ...PayPal.related, status: type.split(".")[2] })
  if (type.startsWith("PAYMENT.AUTHORIZATION.")) {
    return PayPal.authorization({ ...PayPal.related, status: type.split(".")[2] })
  }
  if (type.startsWith("CUSTOMER.DISPUTE.")) return PayPal.dispute(undefined, { dispute_id: `PP-${nth}` })
  if (type === "CHECKOUT.PAYMENT-APPROVAL.REVERSED") return { order_id: PayPal.orderId, purchase_units: [] }
  return PayPal.order("", type.endsWith("APPROVED") ? undefined : { captures: [PayPal.capture()] }, {
    status: type.endsWith("APPROVED") ? "APPROVED" : "COMPLETED"
  })
}

const payPal: TalkingProvider = {
  ...(({ connection, connectors }) => ({
    connectors,
    connection: (baseUrl: string) => ({
      ...connection,
      credentials: { ...(connection["credentials"] as object), baseUrl }
    })
  }))(connectionToPayPal("")),
  token: PayPal.vaultId,
  answer: ({ body, method, path }) => {
    const at = path.join("/")
    if (at === "v1/oauth2/token") return PayPal.answer(200, PayPal.token())
    if (at === "v1/identity/oauth2/userinfo") return PayPal.answer(200, { payer_id: "WDJJHEBZ4X2LY" })
    const id = method === "POST" ? JSON.parse(body).purchase_units[0].custom_id : ""
    return PayPal.answer(method === "POST" ? 201 : 200, PayPal.order(id, { captures: [PayPal.capture()] }))
  },
  /**
   * https://developer.paypal.com/api/rest/webhooks/event-names/: payments v2, checkout buyer approval, orders and disputes. The
   * capture comes first: what names nothing else is of one that is on record.
   */
  types: [
    ...["COMPLETED", "PENDING", "DECLINED", "DENIED", "REFUNDED", "REVERSED"].map((word) => `PAYMENT.CAPTURE.${word}`),
    ...["PAYMENT.AUTHORIZATION.CREATED", "PAYMENT.AUTHORIZATION.VOIDED", "CHECKOUT.ORDER.APPROVED"],
    ...["CHECKOUT.ORDER.COMPLETED", "CHECKOUT.PAYMENT-APPROVAL.REVERSED", "CUSTOMER.DISPUTE.CREATED"],
    ...["CUSTOMER.DISPUTE.UPDATED", "CUSTOMER.DISPUTE.RESOLVED"]
  ],
  quiet: [],
  message: (type, nth, key = PayPal.webhookId) => {
    const told = PayPal.event(type, paypalResource(type, nth), { id: `WH-${nth}`, create_time: now() })
    return PayPal.signed(JSON.stringify(told), key, Date.now(), PayPal.liveCertificateUrl)
  }
}

// The provider protocol.

const http: TalkingProvider = {
  connection: (baseUrl) => ({
    ...{ ...production, id: "http", connector: "http" },
    credentials: { apiKey: "pk_made_up_0123456789", baseUrl }
  }),
  token: "tok_1",
  answer: () => json(200, { provider_reference: "ch_1", status: "captured" }),
  /** The table of `docs/guides/provider-messages.md`. */
  types: [
    ...["charge.updated", "operation.updated", "refund.updated", "charge.settled"],
    ...["dispute.opened", "dispute.updated", "dispute.won", "dispute.lost"]
  ],
  // It is about a capture or a void of ours, by our id alone.
  quiet: ["operation.updated"],
  message: (type, nth, key = secret) => {
    const refund = { provider_refund_id: `rf_${nth}`, status: "succeeded", amount: 1, currency: "EUR" }
    const of = type === "refund.updated" ? refund : type.startsWith("dispute.") ? { dispute_id: `dp_${nth}` } : {}
    const named = type === "operation.updated" ? {} : { provider_reference: "ch_1" }
    const data = { ...named, status: "captured", ...of }
    return timed("x-service-signature", { id: `msg_${nth}`, type, created: now(), data }, key)
  }
}

export const talkingProviders = { stripe, adyen, checkout, mollie, "pay-pal": payPal, http }

/** Posts a message, and gives the answer. */
export const tellServer = (url: string, connection: unknown, sent: Sent): Promise<Response> => {
  const { body, headers, path } = messageTo(String(connection), sent)
  return fetch(`${url}${path}`, { method: "POST", headers, body })
}

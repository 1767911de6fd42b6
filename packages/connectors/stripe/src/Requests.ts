/**
 * What is sent to Stripe, as forms. Every object is given our id as metadata, by which it is found again and its
 * messages are understood: `attempt_id`, and of a refund `refund_id`. What else the metadata says of a payment is for
 * recovery, which reads it from Stripe's lists: the reference, country, method, card brand and initiator.
 *
 * Stripe "compares incoming parameters to those of the original request
 * and errors if they're not the same", for at least 24 hours (https://docs.stripe.com/api/idempotent_requests), and the
 * key of a charge, capture, void or refund is derived, so that it is the same after a loss of records (decision 30).
 * Nothing that is drawn goes here, the payment's id included: the payment is found by its attempt. The opening of a
 * page is the exception: its addresses name the payment, and its end is the clock's. Opened again under a known key, it
 * is refused as another request's, which is an unknown result.
 */
import {
  type ChargeRequest,
  type CheckoutRequest,
  type PaymentMethod,
  type ProviderMethods,
  providerNameOf,
  type RefundRequest
} from "@pointsman/core/connector"
import { Redacted } from "effect"

/** Names and values, in the order in which they are written. */
export type Form = ReadonlyArray<readonly [string, string]>

/** `URLSearchParams` writes the replacement character for half a surrogate pair, which has no encoding. */
export const encode = (form: Form): string =>
  new URLSearchParams(form.map(([name, value]): [string, string] => [name, value])).toString()

/** A stored payment method, and the customer that it is attached to. */
export interface Instrument {
  readonly customer: string | null
  readonly paymentMethod: string
}

/** `pm_…`, or `cus_…/pm_…`; `undefined` for what is neither. Ids of older kinds (`card_…`) are passed on like them. */
export const instrumentOf = (token: Redacted.Redacted<string>): Instrument | undefined => {
  const found = /^(?:([0-9A-Za-z_]+)\/)?([0-9A-Za-z_]+)$/.exec(Redacted.value(token))
  return found?.[2] === undefined ? undefined : { customer: found[1] ?? null, paymentMethod: found[2] }
}

/** The texts of a token that must not be shown: the whole, and its parts. */
export const secretsOf = (token: Redacted.Redacted<string>): ReadonlyArray<Redacted.Redacted<string>> => [
  token,
  ...Redacted.value(token)
    .split("/")
    .map((part) => Redacted.make(part))
]

/** Longer values of metadata are refused (https://docs.stripe.com/api/metadata). */
const metadataAtMost = 500

const ofAttempt = (name: string, request: Omit<CheckoutRequest, "returnUrl">): Form => {
  const { attemptId, cardBrand, country, initiator, method, reference } = request
  const marks = { attempt_id: attemptId, reference, country, method, card_brand: cardBrand, initiator }
  return Object.entries(marks).flatMap(([mark, text]) =>
    text === null ? [] : [[`${name}[${mark}]`, [...text].slice(0, metadataAtMost).join("")] as const]
  )
}

const captureMethod = (capture: boolean): string => (capture ? "automatic" : "manual")

/**
 * Created and confirmed in one request (https://docs.stripe.com/api/payment_intents/create). No customer is there who
 * could act: a payment that would need one fails instead of waiting (`off_session`, `error_on_requires_action`), and
 * none that redirects is begun.
 */
export const paymentIntent = (request: ChargeRequest, amount: number, instrument: Instrument): Form => [
  ["amount", String(amount)],
  ["currency", request.money.currency.toLowerCase()],
  ["payment_method", instrument.paymentMethod],
  ...(instrument.customer === null ? [] : [["customer", instrument.customer] as const]),
  ["confirm", "true"],
  ["capture_method", captureMethod(request.capture)],
  request.initiator === "mit" ? ["off_session", "true"] : ["error_on_requires_action", "true"],
  ["automatic_payment_methods[enabled]", "true"],
  ["automatic_payment_methods[allow_redirects]", "never"],
  ...ofAttempt("metadata", request)
]

/**
 * What the page offers for a card payment: cards, and the wallets that are cards. For the other methods it is what the
 * account's settings allow for the payment, because which of them are banks or wallets changes by country and month.
 */
const methodsOnPage: Readonly<Record<PaymentMethod, ReadonlyArray<string>>> = {
  card: ["card"],
  bank: [],
  wallet: [],
  crypto: []
}

const offered = ({ method, paymentMethod }: CheckoutRequest): Form => {
  const named = providerNameOf(namedMethods, paymentMethod)
  const types = named === undefined ? methodsOnPage[method] : [named]
  return types.map((type, index) => [`allowed_payment_method_types[${index}]`, type] as const)
}

/**
 * A page with one line, for the amount and nothing else: no other currency than the one that was asked for
 * (https://docs.stripe.com/api/checkout/sessions/create). `expiresAt`: Unix time in seconds.
 */
export const checkoutSession = (request: CheckoutRequest, amount: number, expiresAt: number): Form => [
  ["mode", "payment"],
  ["line_items[0][quantity]", "1"],
  ["line_items[0][price_data][currency]", request.money.currency.toLowerCase()],
  ["line_items[0][price_data][unit_amount]", String(amount)],
  // The customer reads it.
  ["line_items[0][price_data][product_data][name]", request.reference?.trim() || "Payment"],
  ...offered(request),
  ["adaptive_pricing[enabled]", "false"],
  ["success_url", request.returnUrl],
  ["cancel_url", request.returnUrl],
  ["expires_at", String(expiresAt)],
  ["client_reference_id", request.attemptId],
  ["payment_intent_data[capture_method]", captureMethod(request.capture)],
  ...ofAttempt("payment_intent_data[metadata]", request),
  // This distinguishes its messages from those of a direct charge: a refusal on the page is not final.
  ["payment_intent_data[metadata][checkout]", "true"],
  ...ofAttempt("metadata", request)
]

/** https://docs.stripe.com/api/payment_intents/capture; what is not captured is released. */
export const capture = (amount: number): Form => [["amount_to_capture", String(amount)]]

/** Stripe's own words for a reason; any other text goes along as metadata. */
const refundReasons: ReadonlySet<string> = new Set(["duplicate", "fraudulent", "requested_by_customer"])

/** https://docs.stripe.com/api/refunds/create */
export const refund = (request: RefundRequest, amount: number): Form => [
  ["payment_intent", request.providerRef],
  ["amount", String(amount)],
  ...(request.reason === null
    ? []
    : refundReasons.has(request.reason)
      ? [["reason", request.reason] as const]
      : [["metadata[reason]", [...request.reason].slice(0, metadataAtMost).join("")] as const]),
  ["metadata[refund_id]", request.refundId],
  ["metadata[attempt_id]", request.attemptId]
]

const atOnce = { manualCapture: false } as const

/**
 * Payment methods as `allowed_payment_method_types` of a page names them, which took the place of `payment_method_types`
 * (https://docs.stripe.com/changelog/endive/2026-09-30/remove-payment-method-types-checkout-sessions), with the currencies of https://docs.stripe.com/payments/payment-methods/payment-method-support. Apple Pay and Google Pay belong to
 * `card`, so that no page offers them alone. A bank's payment cannot be captured later
 * (https://docs.stripe.com/payments/place-a-hold-on-a-payment-method).
 */
export const namedMethods: ProviderMethods = {
  card: { providerName: "card" },
  paypal: { providerName: "paypal" },
  bancontact: { providerName: "bancontact", currencies: ["EUR"], ...atOnce },
  blik: { providerName: "blik", currencies: ["PLN"], ...atOnce },
  eps: { providerName: "eps", currencies: ["EUR"], ...atOnce },
  ideal: { providerName: "ideal", currencies: ["EUR"], ...atOnce },
  przelewy24: { providerName: "p24", currencies: ["EUR", "PLN"], ...atOnce },
  sepa_debit: { providerName: "sepa_debit", currencies: ["EUR"], ...atOnce }
}

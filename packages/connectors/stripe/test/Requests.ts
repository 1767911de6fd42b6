/** Every request in every form that it has: ours, and the same by Stripe's own client. */
import { type Ask, noMethod } from "@pointsman/contracts/connector"
import type { PaymentMethodName } from "@pointsman/core/connector"
import { Redacted } from "effect"
import type Stripe from "stripe"
import { asking, asks } from "./Calls.ts"

const ofAttempt: Stripe.MetadataParam = {
  attempt_id: "att_1",
  reference: "order 1",
  country: "NL",
  method: "card",
  card_brand: "visa",
  initiator: "mit"
}

const payment: Stripe.PaymentIntentCreateParams = {
  amount: 1234,
  currency: "eur",
  payment_method: "pm_1",
  customer: "cus_1",
  confirm: true,
  capture_method: "automatic",
  automatic_payment_methods: { enabled: true, allow_redirects: "never" },
  metadata: ofAttempt
}

const page: Stripe.Checkout.SessionCreateParams = {
  mode: "payment",
  line_items: [{ quantity: 1, price_data: { currency: "eur", unit_amount: 1234, product_data: { name: "order 1" } } }],
  allowed_payment_method_types: ["card"],
  adaptive_pricing: { enabled: false },
  success_url: "https://pay.example/hosted/t/return",
  cancel_url: "https://pay.example/hosted/t/return",
  expires_at: 3600,
  client_reference_id: "att_1",
  payment_intent_data: { capture_method: "automatic", metadata: { ...ofAttempt, checkout: "true" } },
  metadata: ofAttempt
}

const refunded: Stripe.RefundCreateParams = {
  payment_intent: "pi_1",
  amount: 1234,
  metadata: { refund_id: "rf_1", attempt_id: "att_1" }
}

/** In Stripe's own words, which its types list. */
const methodsOfPages: ReadonlyArray<readonly [PaymentMethodName, AllowedType]> = [
  ["card", "card"],
  ["paypal", "paypal"],
  ["bancontact", "bancontact"],
  ["blik", "blik"],
  ["eps", "eps"],
  ["ideal", "ideal"],
  ["przelewy24", "p24"],
  ["sepa_debit", "sepa_debit"]
]

type AllowedType = NonNullable<Stripe.Checkout.SessionCreateParams["allowed_payment_method_types"]>[number]

const window = { createdFrom: 1_000, createdBefore: 9_000 }
const key = { idempotencyKey: "att_1" }
const refundKey = { idempotencyKey: "rf_1" }
const listed = { created: { gte: 1, lt: 9 }, limit: 100 }

type Pair = readonly [name: string, ours: Ask, theirs: (stripe: Stripe) => Promise<unknown>]

export const pairs: ReadonlyArray<Pair> = [
  [
    "a charge that the merchant starts",
    asks.charge,
    (stripe) => stripe.paymentIntents.create({ ...payment, off_session: true }, key)
  ],
  [
    "a charge that the customer starts, to be captured later",
    asking("charge", { initiator: "cit", capture: false }),
    (stripe) =>
      stripe.paymentIntents.create(
        {
          ...payment,
          ...{ error_on_requires_action: true, capture_method: "manual", metadata: { ...ofAttempt, initiator: "cit" } }
        },
        key
      )
  ],
  ["a checkout", asks.openCheckout, (stripe) => stripe.checkout.sessions.create(page, key)],
  ...[null, " "].map(
    (reference): Pair => [
      `a checkout of a bank payment, to be captured later, with ${reference} for a reference`,
      asking("openCheckout", { method: "bank", capture: false, reference }),
      (stripe) => {
        const { allowed_payment_method_types: _, ...others } = page
        const { reference: __, ...unreferenced } = ofAttempt
        const marks = { ...unreferenced, method: "bank", ...(reference === null ? {} : { reference }) }
        const params: Stripe.Checkout.SessionCreateParams = {
          ...others,
          line_items: [
            { quantity: 1, price_data: { currency: "eur", unit_amount: 1234, product_data: { name: "Payment" } } }
          ],
          payment_intent_data: { capture_method: "manual", metadata: { ...marks, checkout: "true" } },
          metadata: marks
        }
        return stripe.checkout.sessions.create(params, key)
      }
    ]
  ),
  [
    "a checkout of a bank payment for iDEAL by name",
    asking("openCheckout", { method: "bank", paymentMethod: "ideal" }),
    (stripe) => {
      const metadata = { ...ofAttempt, method: "bank" }
      const intent = { ...page.payment_intent_data, metadata: { ...metadata, checkout: "true" } }
      return stripe.checkout.sessions.create(
        { ...page, allowed_payment_method_types: ["ideal"], payment_intent_data: intent, metadata },
        key
      )
    }
  ],
  ...methodsOfPages.map(
    ([paymentMethod, type]): Pair => [
      `a checkout for ${paymentMethod}`,
      asking("openCheckout", { paymentMethod }),
      (stripe) => stripe.checkout.sessions.create({ ...page, allowed_payment_method_types: [type] }, key)
    ]
  ),
  [
    "a charge of a method without a customer",
    asking("charge", { instrument: Redacted.make("pm_1") }),
    (stripe) => {
      const { customer: _, ...ofNobody } = payment
      return stripe.paymentIntents.create({ ...ofNobody, off_session: true }, key)
    }
  ],
  [
    "a charge with a reference of 600 characters",
    asking("charge", { reference: "ä".repeat(600) }),
    (stripe) => {
      const metadata = { ...ofAttempt, reference: "ä".repeat(500) }
      return stripe.paymentIntents.create({ ...payment, off_session: true, metadata }, key)
    }
  ],
  [
    "a refund with a reason of the merchant's own",
    asks.refund,
    (stripe) =>
      stripe.refunds.create(
        { ...refunded, metadata: { refund_id: "rf_1", attempt_id: "att_1", reason: "broken" } },
        refundKey
      )
  ],
  [
    "a capture",
    asks.capture,
    (stripe) => stripe.paymentIntents.capture("pi_1", { amount_to_capture: 1234 }, { idempotencyKey: "op_1" })
  ],
  ["a void", asks.void, (stripe) => stripe.paymentIntents.cancel("pi_1", {}, { idempotencyKey: "op_2" })],
  ...([null, "requested_by_customer", "duplicate"] as const).map(
    (reason): Pair => [
      `a refund, ${reason}`,
      asking("refund", { reason }),
      (stripe) => stripe.refunds.create({ ...refunded, ...(reason && { reason }) }, refundKey)
    ]
  ),
  [
    "a lookup by reference",
    asking("lookUpCharge", { providerRef: "pi_1" }),
    (stripe) => stripe.paymentIntents.retrieve("pi_1", { expand: ["latest_charge"] }, key)
  ],
  [
    "a lookup without a reference",
    asks.lookUpCharge,
    (stripe) => stripe.paymentIntents.list({ created: { gte: 1_795_258_800, lte: 1_795_266_000 }, limit: 100 }, key)
  ],
  [
    "a lookup of a checkout",
    asking("lookUpCharge", { checkoutReference: "cs_1" }),
    (stripe) => stripe.checkout.sessions.retrieve("cs_1", { expand: ["payment_intent.latest_charge"] }, key)
  ],
  [
    "a lookup of a refund",
    asks.lookUpRefund,
    (stripe) => stripe.refunds.list({ payment_intent: "pi_1", limit: 100 }, refundKey)
  ],
  [
    "a lookup of a refund by reference",
    asking("lookUpRefund", { providerRefundId: "re_1" }),
    (stripe) => stripe.refunds.retrieve("re_1", {}, refundKey)
  ],
  ...[null, "pi_1"].map(
    (cursor): Pair => [
      `a list of charges from ${cursor} on`,
      (connector) => connector.listCharges?.({ ...window, cursor }) ?? noMethod,
      (stripe) => stripe.paymentIntents.list({ ...listed, ...(cursor && { ending_before: cursor }) })
    ]
  ),
  [
    "the next page of refunds",
    (connector) => connector.listRefunds?.({ ...window, cursor: "re_1" }) ?? noMethod,
    (stripe) => stripe.refunds.list({ ...listed, ending_before: "re_1" })
  ],
  ["the account", (connector) => connector.account?.() ?? noMethod, (stripe) => stripe.accounts.retrieveCurrent()]
]

/**
 * The same requests as Stripe's own client sends, at a real socket: names and values in Stripe's own types, the form in
 * Stripe's own encoding, and the version that the client is made for. What the types no longer have does not compile.
 */

import { assert, describe } from "@effect/vitest"
import { StripeConnector } from "@pointsman/connector-stripe"
import { httpAnswer, type SeenRequest, socketProvider } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { type Connector, money, type PaymentMethodName } from "@pointsman/core/connector"
import { make } from "@pointsman/transport-node"
import { Effect, Result } from "effect"
import Stripe from "stripe"
import { sample } from "./Calls.ts"
import { secretKey } from "./Stripe.ts"

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

/** Of each number of decimals, with those of https://docs.stripe.com/currencies#special-cases. */
const amounts: ReadonlyArray<readonly [currency: string, minorUnits: number, amount: number]> = [
  ["JPY", 500, 500],
  ["USD", 1999, 1999],
  ["KWD", 5120, 5120],
  ["ISK", 5, 500],
  ["UGX", 5, 500]
]

type AllowedType = NonNullable<Stripe.Checkout.SessionCreateParams["allowed_payment_method_types"]>[number]

type Pair = readonly [
  name: string,
  ours: (connector: Connector) => Effect.Effect<unknown, unknown> | undefined,
  theirs: (stripe: Stripe) => Promise<unknown>
]

const pairs: ReadonlyArray<Pair> = [
  [
    "a charge that the merchant starts",
    (connector) => connector.charge(sample.charge),
    (stripe) => stripe.paymentIntents.create({ ...payment, off_session: true }, { idempotencyKey: "att_1" })
  ],
  [
    "a charge that the customer starts, to be captured later",
    (connector) => connector.charge({ ...sample.charge, initiator: "cit", capture: false }),
    (stripe) =>
      stripe.paymentIntents.create(
        {
          ...payment,
          ...{ error_on_requires_action: true, capture_method: "manual", metadata: { ...ofAttempt, initiator: "cit" } }
        },
        { idempotencyKey: "att_1" }
      )
  ],
  [
    "a checkout",
    (connector) => connector.openCheckout?.(sample.openCheckout),
    (stripe) => stripe.checkout.sessions.create(page, { idempotencyKey: "att_1" })
  ],
  ...[null, " "].map(
    (reference): Pair => [
      `a checkout of a bank payment, to be captured later, with ${reference} for a reference`,
      (connector) => connector.openCheckout?.({ ...sample.openCheckout, method: "bank", capture: false, reference }),
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
        return stripe.checkout.sessions.create(params, { idempotencyKey: "att_1" })
      }
    ]
  ),
  [
    "a checkout of a bank payment for iDEAL by name",
    (connector) => connector.openCheckout?.({ ...sample.openCheckout, method: "bank", paymentMethod: "ideal" }),
    (stripe) => {
      const metadata = { ...ofAttempt, method: "bank" }
      const intent = { ...page.payment_intent_data, metadata: { ...metadata, checkout: "true" } }
      return stripe.checkout.sessions.create(
        { ...page, allowed_payment_method_types: ["ideal"], payment_intent_data: intent, metadata },
        { idempotencyKey: "att_1" }
      )
    }
  ],
  ...methodsOfPages.map(
    ([paymentMethod, type]): Pair => [
      `a checkout for ${paymentMethod}`,
      (connector) => connector.openCheckout?.({ ...sample.openCheckout, paymentMethod }),
      (stripe) =>
        stripe.checkout.sessions.create({ ...page, allowed_payment_method_types: [type] }, { idempotencyKey: "att_1" })
    ]
  ),
  ...amounts.map(
    ([currency, minorUnits, amount]): Pair => [
      `a charge of ${minorUnits} minor units of ${currency}`,
      (connector) => connector.charge({ ...sample.charge, money: money(minorUnits, currency) }),
      (stripe) =>
        stripe.paymentIntents.create(
          { ...payment, off_session: true, currency: currency.toLowerCase(), amount },
          { idempotencyKey: "att_1" }
        )
    ]
  ),
  [
    "a refund with a reason of the merchant's own",
    (connector) => connector.refund?.({ ...sample.refund, reason: "broken" }),
    (stripe) =>
      stripe.refunds.create(
        { ...refunded, metadata: { refund_id: "rf_1", attempt_id: "att_1", reason: "broken" } },
        { idempotencyKey: "rf_1" }
      )
  ],
  [
    "a capture",
    (connector) => connector.capture?.(sample.capture),
    (stripe) => stripe.paymentIntents.capture("pi_1", { amount_to_capture: 1234 }, { idempotencyKey: "op_1" })
  ],
  [
    "a void",
    (connector) => connector.void?.(sample.void),
    (stripe) => stripe.paymentIntents.cancel("pi_1", {}, { idempotencyKey: "op_2" })
  ],
  ...(["requested_by_customer", "duplicate"] as const).map(
    (reason): Pair => [
      `a refund, ${reason}`,
      (connector) => connector.refund?.({ ...sample.refund, reason }),
      (stripe) => stripe.refunds.create({ ...refunded, reason }, { idempotencyKey: "rf_1" })
    ]
  ),
  [
    "a lookup by reference",
    (connector) => connector.lookUpCharge({ ...sample.lookUpCharge, providerRef: "pi_1" }),
    (stripe) => stripe.paymentIntents.retrieve("pi_1", { expand: ["latest_charge"] }, { idempotencyKey: "att_1" })
  ],
  [
    "a lookup without a reference",
    (connector) => connector.lookUpCharge(sample.lookUpCharge),
    (stripe) =>
      stripe.paymentIntents.list(
        { created: { gte: 1_795_258_800, lte: 1_795_266_000 }, limit: 100 },
        { idempotencyKey: "att_1" }
      )
  ],
  [
    "a lookup of a checkout",
    (connector) => connector.lookUpCharge({ ...sample.lookUpCharge, checkoutReference: "cs_1" }),
    (stripe) =>
      stripe.checkout.sessions.retrieve(
        "cs_1",
        { expand: ["payment_intent.latest_charge"] },
        { idempotencyKey: "att_1" }
      )
  ],
  [
    "a lookup of a refund",
    (connector) => connector.lookUpRefund?.(sample.lookUpRefund),
    (stripe) => stripe.refunds.list({ payment_intent: "pi_1", limit: 100 }, { idempotencyKey: "rf_1" })
  ],
  [
    "a lookup of a refund by reference",
    (connector) => connector.lookUpRefund?.({ ...sample.lookUpRefund, providerRefundId: "re_1" }),
    (stripe) => stripe.refunds.retrieve("re_1", {}, { idempotencyKey: "rf_1" })
  ],
  [
    "a list of charges",
    (connector) => connector.listCharges?.({ createdFrom: 1_000, createdBefore: 9_000, cursor: null }),
    (stripe) => stripe.paymentIntents.list({ created: { gte: 1, lt: 9 }, limit: 100 })
  ],
  [
    "the next page of refunds",
    (connector) => connector.listRefunds?.({ createdFrom: 1_000, createdBefore: 9_000, cursor: "re_1" }),
    (stripe) => stripe.refunds.list({ created: { gte: 1, lt: 9 }, limit: 100, ending_before: "re_1" })
  ],
  ["the account", (connector) => connector.account?.(), (stripe) => stripe.accounts.retrieveCurrent()]
]

/** What Stripe would read of a request. */
const read = ({ body, headers, method, path }: SeenRequest) => {
  const url = new URL(path, "http://stripe.example")
  const form = [...url.searchParams, ...new URLSearchParams(body)]
  return {
    method,
    path: url.pathname,
    form: form.toSorted(([one], [other]) => (one < other ? -1 : 1)),
    version: headers["stripe-version"],
    key: headers["idempotency-key"],
    authorization: headers["authorization"],
    type: body === "" ? undefined : headers["content-type"]
  }
}

describe("Stripe's own client", () => {
  for (const [what, ours, theirs] of pairs) {
    itRuns(`the client's request of ${what} and ours are read alike`, function* () {
      const at = yield* socketProvider({
        onRequest: (socket) => socket.write(httpAnswer(200, JSON.stringify({ id: "x", object: "x", data: [] })))
      })
      const { hostname: host, port } = new URL(at.url)
      const stripe = new Stripe(secretKey, {
        ...{ host, port, protocol: "http", maxNetworkRetries: 0, telemetry: false }
      })
      yield* Effect.promise(() => theirs(stripe))
      const transport = yield* make()
      const account = { connectionId: "main", environment: "sandbox" as const, timeoutMillis: 5_000 }
      const connected = StripeConnector.definition.connect(
        { ...account, credentials: { secretKey, baseUrl: at.url } },
        transport
      )
      yield* Effect.exit(ours(Result.getOrThrow(connected)) ?? Effect.die("no such method"))
      const [client, connector, ...more] = at.requests.map(read)
      assert.deepStrictEqual(connector, client)
      assert.isEmpty(more)
    })
  }
})

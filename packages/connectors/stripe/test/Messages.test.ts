/** Stripe's webhooks, event by event; signed by Stripe's own code. */

import { assert, describe } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { Effect, Redacted, Result } from "effect"
import { connected, eur } from "./Calls.ts"
import { signed, stripe } from "./Signing.ts"
import { charge, dispute, event, paymentIntent, refund, session } from "./Stripe.ts"

const secret = "whsec_0123456789abcdef"
const receivedAt = Date.UTC(2026, 10, 21, 12, 0, 0)
const providerRef = paymentIntent().id
const providerRefundId = refund().id
const onPage = { metadata: { attempt_id: "att_1", checkout: "true" } }
const stated = eur

const read = (message: unknown, options: Parameters<typeof connected>[1] = {}) => {
  const { connector } = connected([], options)
  const raw = signed(JSON.stringify(message), secret, receivedAt)
  const reading = connector.readMessage?.({ ...raw, secret: Redacted.make(secret), receivedAt })
  return Effect.result(reading ?? Effect.die("no messages"))
}

/** The same message as it is stored. */
const readKept = (message: unknown, options: Parameters<typeof connected>[1] = {}) => {
  const { connector } = connected([], options)
  const { data, ...head } = message as { readonly data: { readonly object: object } }
  const personal = { client_secret: "pi_secret", billing_details: { name: "Ada", email: "ada@shop.example" } }
  const text = JSON.stringify({ ...head, data: { ...data, object: { ...data.object, ...personal } } })
  const body = Buffer.from(connector.keptOfMessage?.(text) ?? "")
  assert.notMatch(body.toString(), /pi_secret|Ada|ada@/u)
  const reading = connector.readStored?.({ body, secret: Redacted.make(secret) })
  return Effect.result(reading ?? Effect.die("no stored messages"))
}

/** What a message is about, with the state that it tells. */
const told = (message: unknown, options: Parameters<typeof connected>[1] = {}) => statedBy(read(message, options))

const statedBy = Effect.fnUntraced(function* (reading: ReturnType<typeof read> | ReturnType<typeof readKept>) {
  const result = yield* reading
  if (Result.isFailure(result)) return `${result.failure._tag}: ${result.failure.reason}`
  const { about } = result.success
  return about._tag === "Charge" || about._tag === "Refund" || about._tag === "UnnamedRefund"
    ? { ...about, state: about.state(eur) }
    : about
})

const ofCharge = (state: unknown) => ({ _tag: "Charge", charge: { attemptId: "att_1" }, state })
const ofRefund = (state: unknown) => ({ _tag: "Refund", refundId: "rf_1", state })
const ofUnnamed = (state: unknown) => ({ _tag: "UnnamedRefund", charge: { providerRef }, providerRefundId, state })
const ofDispute = (verdict: string | null, status: string) => ({
  ...{ _tag: "Dispute", charge: { providerRef }, disputeId: dispute().id, verdict, status },
  ...{ money: { minorUnits: 1234, currency: "EUR" }, reason: "other", providerReason: "general" }
})
/** The charge that it names is looked up. */
const changed = (reason: string, charge: object = { attemptId: "att_1" }) => ({ _tag: "Changed", charge, reason })
const unreadable = (reason: string) => `pointsman/MessageUnreadable: ${reason}`

const cardDeclined = { type: "card_error", code: "card_declined", decline_code: "do_not_honor" }
const declined = {
  _tag: "Declined",
  providerRef,
  category: "do_not_honor",
  normalized: "do_not_honor",
  code: "do_not_honor",
  soft: true
}

const rows: ReadonlyArray<readonly [type: string, object: unknown, expected: unknown]> = [
  [
    "payment_intent.succeeded",
    paymentIntent({ status: "succeeded", amount_received: 1234 }),
    ofCharge({ _tag: "Captured", providerRef, stated })
  ],
  [
    "payment_intent.amount_capturable_updated",
    paymentIntent({ status: "requires_capture", amount_capturable: 1234 }),
    ofCharge({ _tag: "Authorized", providerRef, stated })
  ],
  [
    "payment_intent.payment_failed",
    paymentIntent({ status: "requires_payment_method", last_payment_error: cardDeclined }),
    ofCharge(declined)
  ],
  // On the page the customer may try again: this is no refusal yet.
  [
    "payment_intent.payment_failed",
    paymentIntent({ ...onPage, status: "requires_payment_method", last_payment_error: cardDeclined }),
    ofCharge({ _tag: "NeedsCustomer", providerRef })
  ],
  ["payment_intent.canceled", paymentIntent({ status: "canceled" }), ofCharge({ _tag: "Canceled", providerRef })],
  [
    "payment_intent.processing",
    paymentIntent({ status: "processing" }),
    ofCharge({ _tag: "Pending", providerRef, stated })
  ],
  [
    "payment_intent.requires_action",
    paymentIntent({ status: "requires_action" }),
    ofCharge({ _tag: "NeedsCustomer", providerRef })
  ],
  // Reported late: the object contains its state, whatever the event's name is.
  [
    "payment_intent.processing",
    paymentIntent({ status: "succeeded", amount_received: 1000 }),
    ofCharge({ _tag: "Captured", providerRef, stated: { minorUnits: 1000, currency: "EUR" } })
  ],
  [
    "payment_intent.payment_failed",
    paymentIntent({ status: "requires_payment_method" }),
    changed("it is not to be understood at data.object.last_payment_error")
  ],
  [
    "payment_intent.succeeded",
    paymentIntent({ metadata: {}, status: "succeeded", amount_received: 1234 }),
    { _tag: "Charge", charge: { providerRef }, state: { _tag: "Captured", providerRef, stated } }
  ],
  // On a page the customer may try again; without our mark it does not say whether it is on one.
  [
    "payment_intent.payment_failed",
    paymentIntent({ metadata: {}, status: "requires_payment_method", last_payment_error: cardDeclined }),
    changed("without our id it does not say whether the customer may try again, at data.object.metadata", {
      providerRef
    })
  ],
  ["payment_intent.succeeded", paymentIntent({ status: "of_tomorrow" }), changed("it is not as documented at status")],
  [
    "checkout.session.completed",
    session({ status: "complete", payment_status: "paid", payment_intent: providerRef }),
    ofCharge({ _tag: "Captured", providerRef, stated })
  ],
  // Held, or on its way: the payment's own messages say which.
  [
    "checkout.session.completed",
    session({ status: "complete", payment_status: "unpaid", payment_intent: providerRef }),
    ofCharge({ _tag: "Pending", providerRef, stated })
  ],
  [
    "checkout.session.completed",
    session({ status: "complete", payment_status: "no_payment_required" }),
    changed("it has no payment at data.object.payment_intent")
  ],
  [
    "checkout.session.async_payment_succeeded",
    session({ status: "complete", payment_status: "paid", payment_intent: providerRef }),
    ofCharge({ _tag: "Captured", providerRef, stated })
  ],
  [
    "checkout.session.async_payment_failed",
    session({ status: "complete", payment_intent: providerRef }),
    ofCharge({ _tag: "Declined", providerRef, category: "other", code: "async_payment_failed", soft: false })
  ],
  ["checkout.session.expired", session({ status: "expired" }), ofCharge({ _tag: "Canceled", providerRef: null })],
  ["refund.created", refund({ status: "pending" }), ofRefund({ _tag: "RefundPending", providerRefundId, stated })],
  [
    "refund.updated",
    refund({ status: "requires_action" }),
    ofRefund({ _tag: "RefundPending", providerRefundId, stated })
  ],
  ["refund.updated", refund(), ofRefund({ _tag: "Succeeded", providerRefundId, stated })],
  ["charge.refund.updated", refund(), ofRefund({ _tag: "Succeeded", providerRefundId, stated })],
  [
    "refund.failed",
    refund({ status: "failed", failure_reason: "lost_or_stolen_card" }),
    ofRefund({ _tag: "RefundFailed", providerRefundId, reason: "lost_or_stolen_card" })
  ],
  // Some of them weeks after they succeeded.
  ...["refund.updated", "charge.refund.updated"].map(
    (type) =>
      [
        type,
        refund({ status: "failed", failure_reason: "expired_or_canceled_card" }),
        ofRefund({ _tag: "RefundFailed", providerRefundId, reason: "expired_or_canceled_card" })
      ] as const
  ),
  [
    "refund.updated",
    refund({ status: "canceled" }),
    ofRefund({ _tag: "RefundFailed", providerRefundId, reason: null })
  ],
  // Made on the dashboard, as https://docs.stripe.com/api/refunds/object shows it, or by another program.
  ...[{}, null, { order: "1" }, { refund_id: "8151" }, { refund_id: "" }].flatMap((metadata): typeof rows => [
    [
      "refund.created",
      refund({ metadata, status: "pending", amount: 400 }),
      ofUnnamed({ _tag: "RefundPending", providerRefundId, stated: { minorUnits: 400, currency: "EUR" } })
    ],
    ["refund.updated", refund({ metadata }), ofUnnamed({ _tag: "Succeeded", providerRefundId, stated })],
    ["charge.refund.updated", refund({ metadata }), ofUnnamed({ _tag: "Succeeded", providerRefundId, stated })],
    [
      "refund.failed",
      refund({ metadata, status: "failed", failure_reason: "lost_or_stolen_card" }),
      ofUnnamed({ _tag: "RefundFailed", providerRefundId, reason: "lost_or_stolen_card" })
    ]
  ]),
  // Of a charge of no payment, as the older API of charges makes them.
  [
    "refund.created",
    refund({ metadata: {}, payment_intent: null }),
    unreadable("it has no payment at data.object.payment_intent")
  ],
  [
    "refund.created",
    refund({ metadata: {}, amount: 550, currency: "isk" }),
    changed("it is not to be understood at data.object.amount", { providerRef })
  ],
  // A total, without the ids of its refunds (https://docs.stripe.com/api/charges/object).
  ["charge.refunded", charge({ amount_refunded: 400 }), changed("its type is not supported")],
  ["charge.expired", charge({ metadata: {} }), changed("its type is not supported", { providerRef })],
  ["payment_intent.created", paymentIntent(), unreadable("its type is not supported")],
  ["charge.dispute.created", dispute(), ofDispute("opened", "needs_response")],
  ["charge.dispute.updated", dispute({ status: "under_review" }), ofDispute("opened", "under_review")],
  ["charge.dispute.funds_withdrawn", dispute(), ofDispute("opened", "needs_response")],
  ["charge.dispute.closed", dispute({ status: "won" }), ofDispute("won", "won")],
  ["charge.dispute.funds_reinstated", dispute({ status: "won" }), ofDispute("won", "won")],
  ["charge.dispute.closed", dispute({ status: "lost" }), ofDispute("lost", "lost")],
  ["charge.dispute.updated", dispute({ status: "appeal_under_review" }), ofDispute("opened", "under_review")],
  // Inquiries.
  ["charge.dispute.created", dispute({ status: "warning_needs_response" }), ofDispute(null, "warning")],
  ["charge.dispute.updated", dispute({ status: "warning_under_review" }), ofDispute(null, "under_review")],
  ["charge.dispute.closed", dispute({ status: "warning_closed" }), ofDispute(null, "won")],
  [
    "charge.dispute.created",
    dispute({
      amount: 1000,
      currency: "jpy",
      reason: "product_not_received",
      evidence_details: { due_by: 1680651737 }
    }),
    {
      ...ofDispute("opened", "needs_response"),
      ...{ money: { minorUnits: 1000, currency: "JPY" }, dueBy: 1680651737000 },
      ...{ reason: "not_received", providerReason: "product_not_received" }
    }
  ],
  // What ended before it began: blocked, it moved no money; resolved, Stripe gave the money back.
  ...(
    [
      ["block", null, "won"],
      ["resolution", "lost", "lost"],
      [undefined, "lost", "lost"]
    ] as const
  ).map(
    ([case_type, verdict, status]) =>
      [
        "charge.dispute.created",
        dispute({ status: "prevented", amount: 500, payment_method_details: { type: "card", card: { case_type } } }),
        { ...ofDispute(verdict, status), money: { minorUnits: 500, currency: "EUR" } }
      ] as const
  ),
  [
    "charge.dispute.created",
    dispute({ status: "of_tomorrow" }),
    changed("it has no final status yet, at data.object.status", { providerRef })
  ],
  [
    "charge.dispute.created",
    dispute({ payment_intent: null }),
    unreadable("it has no payment at data.object.payment_intent")
  ],
  // Less than was held, and more: what was captured is stated.
  ...[1000, 1300].flatMap((amount_received): typeof rows => [
    [
      "payment_intent.succeeded",
      paymentIntent({ status: "succeeded", amount_received }),
      ofCharge({ _tag: "Captured", providerRef, stated: { minorUnits: amount_received, currency: "EUR" } })
    ],
    [
      "charge.captured",
      // What is not captured is released, and counts as refunded.
      charge({ amount_captured: amount_received, amount_refunded: Math.max(0, 1234 - amount_received) }),
      ofCharge({ _tag: "Captured", providerRef, stated: { minorUnits: amount_received, currency: "EUR" } })
    ]
  ]),
  ["charge.captured", charge(), ofCharge({ _tag: "Captured", providerRef, stated })],
  [
    "charge.captured",
    charge({ metadata: {} }),
    { _tag: "Charge", charge: { providerRef }, state: { _tag: "Captured", providerRef, stated } }
  ],
  [
    "charge.captured",
    charge({ amount_captured: 550, currency: "isk" }),
    changed("it is not to be understood at data.object.amount_captured")
  ],
  ["charge.captured", charge({ captured: false }), changed("it is not as documented at captured")],
  // A charge of no payment, as the older API of charges makes them.
  ["charge.captured", charge({ payment_intent: null }), changed("it is not as documented at payment_intent")],
  ["charge.captured", charge({ amount_captured: undefined }), changed("it is not as documented at amount_captured")],
  ["charge.updated", charge(), changed("its type is not supported")],
  ["payout.paid", { id: "po_1", object: "payout" }, unreadable("its type is not supported")],
  ["customer.created", { id: "cus_1" }, unreadable("its type is not supported")]
]

describe("events", () => {
  for (const [index, [type, object, expected]] of rows.entries()) {
    itRuns(`${type} (${index + 1}) is ${tagOf(expected)}`, function* () {
      assert.deepStrictEqual<unknown>(yield* told(event(type, object)), expected)
      if (typeof expected !== "string") {
        const [whole, kept] = [yield* read(event(type, object)), yield* readKept(event(type, object))]
        assert.deepStrictEqual<unknown>(yield* statedBy(readKept(event(type, object))), expected)
        assert.deepStrictEqual(
          Result.map(kept, ({ at, id }) => [id, at]),
          Result.map(whole, ({ at, id }) => [id, at])
        )
      }
    })
  }

  itRuns("an event has its own id and the time when it was written", function* () {
    const message = event("refund.updated", refund(), { id: "evt_77", created: 1_686_089_970 })
    const { at, id } = Result.getOrThrow(yield* read(message))
    assert.deepStrictEqual({ at, id }, { at: 1_686_089_970_000, id: "evt_77" })
  })

  // "Partially capturing or canceling payments no longer creates a Refund"
  // (https://docs.stripe.com/changelog/basil/2025-03-31/remove-refund-from-partial-capture-and-payment-cancellation-flow).
  itRuns("a version that refunds what is not captured counts its refund only by our id", function* () {
    const tags = (api_version: string | null, fields: Parameters<typeof refund>[0]) =>
      Effect.map(told(event("refund.updated", refund(fields), { api_version })), (about) =>
        typeof about === "string" ? about : about._tag
      )
    for (const version of ["2025-03-31.basil", "2025-09-30.clover"]) {
      assert.strictEqual(yield* tags(version, { metadata: {} }), "UnnamedRefund")
    }
    for (const version of ["2025-02-24.acacia", "2020-08-27", null]) {
      assert.strictEqual(yield* tags(version, { metadata: {} }), "Changed")
      assert.strictEqual(yield* tags(version, {}), "Refund")
    }
  })

  itRuns("a refund in another unit than ours is stated in ours", function* () {
    const about = yield* told(event("refund.updated", refund({ amount: 500, currency: "isk" })))
    const isk = { minorUnits: 5, currency: "ISK" }
    assert.deepStrictEqual<unknown>(about, ofRefund({ _tag: "Succeeded", providerRefundId, stated: isk }))
  })
})

function tagOf(expected: unknown): string {
  if (typeof expected === "string") return expected
  const { _tag, state, verdict } = expected as { _tag: string; state?: { _tag: string }; verdict?: string }
  return `${_tag} ${state?._tag ?? verdict}`
}

describe("accounts and modes", () => {
  const platform = { secretKey: "sk_test_0123456789" }
  const connectedAccount = { ...platform, account: "acct_ours" }
  const paid = (fields: Readonly<Record<string, unknown>>) => event("payment_intent.succeeded", paymentIntent(), fields)
  const others = unreadable("it belongs to another account, at account")
  const cases: ReadonlyArray<readonly [string, unknown, unknown, string]> = [
    ["of a connected account to a connection of the key's own", platform, paid({ account: "acct_other" }), others],
    ["of another connected account", connectedAccount, paid({ account: "acct_other" }), others],
    ["of the platform to a connection of a connected account", connectedAccount, paid({}), others]
  ]
  for (const [what, credentials, message, expected] of cases) {
    itRuns(`an event ${what} is not believed`, function* () {
      assert.strictEqual<unknown>(yield* told(message, { credentials }), expected)
    })
  }
  itRuns("an event of the connection's connected account is read", function* () {
    const about = yield* told(paid({ account: "acct_ours" }), { credentials: connectedAccount })
    assert.strictEqual(typeof about === "string" ? about : about._tag, "Charge")
  })
  itRuns("a test payment to a connection of production is not believed", function* () {
    const live = { environment: "production", credentials: { secretKey: "sk_live_0123456789" } } as const
    const refused = unreadable("it belongs to the other mode, at livemode")
    assert.strictEqual<unknown>(yield* told(paid({ livemode: false }), live), refused)
    assert.strictEqual<unknown>(yield* told(paid({ livemode: true })), refused)
    const about = yield* told(paid({ livemode: true }), live)
    assert.strictEqual(typeof about === "string" ? about : about._tag, "Charge")
  })
})

describe("signatures, against Stripe's own code", () => {
  const body = new TextEncoder().encode(JSON.stringify(event("refund.updated", refund())))
  const text = new TextDecoder().decode(body)
  const seconds = receivedAt / 1000
  const header = (over: Partial<Parameters<typeof stripe.webhooks.generateTestHeaderString>[0]> = {}) =>
    stripe.webhooks.generateTestHeaderString({ payload: text, secret, timestamp: seconds, ...over })
  const tagOfHeader = (value: string) => value.slice(value.indexOf("v1=") + 3)
  const verify = (value: string | undefined, bytes: Uint8Array = body) => {
    const { connector } = connected([])
    const headers = value === undefined ? {} : { "stripe-signature": value }
    const raw = { headers, body: bytes, secret: Redacted.make(secret), receivedAt }
    return Effect.result(connector.readMessage?.(raw) ?? Effect.die("no messages"))
  }
  const ofStripe = (value: string): boolean => {
    try {
      stripe.webhooks.constructEvent(text, value, secret, 300, undefined, receivedAt)
      return true
    } catch {
      return false
    }
  }
  const other = header({ secret: "whsec_another" })
  const cases: ReadonlyArray<readonly [string, string, boolean]> = [
    ["Stripe's", header(), true],
    ["of another secret", other, false],
    ["of another text", header({ payload: `${text} ` }), false],
    ["while the secret is rolled, the old one first", `${other},v1=${tagOfHeader(header())}`, true],
    ["while the secret is rolled, the old one last", `${header()},v1=${tagOfHeader(other)}`, true],
    ["with a part of an older scheme", `${header()},v0=${"0".repeat(64)}`, true],
    ["of an older scheme alone", header().replace("v1=", "v0="), false],
    ["300 seconds old", header({ timestamp: seconds - 300 }), true],
    ["301 seconds old", header({ timestamp: seconds - 301 }), false],
    ["with another time than was signed", header().replace(`t=${seconds}`, `t=${seconds - 1}`), false],
    ["without a time", header().slice(header().indexOf("v1=")), false]
  ]
  for (const [what, value, isGenuine] of cases) {
    itRuns(`a signature ${what} is ${isGenuine ? "read" : "unverified"}, as in Stripe's code`, function* () {
      const result = yield* verify(value)
      const tag = Result.isFailure(result) ? result.failure._tag : "read"
      assert.strictEqual(tag, isGenuine ? "read" : "pointsman/MessageUnverified")
      assert.strictEqual(ofStripe(value), isGenuine)
    })
  }
  itRuns("no header, or our own, is unverified", function* () {
    for (const value of [undefined, "", "t=,v1="]) assert.isTrue(Result.isFailure(yield* verify(value)))
    const { connector } = connected([])
    const headers = { "x-service-signature": header() }
    const raw = { headers, body, secret: Redacted.make(secret), receivedAt }
    const result = yield* Effect.result(connector.readMessage?.(raw) ?? Effect.die("no messages"))
    assert.strictEqual(Result.isFailure(result) ? result.failure._tag : "read", "pointsman/MessageUnverified")
  })
})

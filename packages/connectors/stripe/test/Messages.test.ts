/** Stripe's webhooks, event by event; signed by Stripe's own code. */

import { assert, describe } from "@effect/vitest"
import { readBy, readKept, toldOf } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { money } from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { connected, declinedSoftly, eur } from "./Calls.ts"
import { signed, stripe } from "./Signing.ts"
import { charge, dispute, doNotHonor, event, type Fields, paymentIntent, refund, session } from "./Stripe.ts"

const secret = "whsec_0123456789abcdef"
const receivedAt = Date.UTC(2026, 10, 21, 12, 0, 0)
const providerRef = paymentIntent().id
const providerRefundId = refund().id
const onPage = { metadata: { attempt_id: "att_1", checkout: "true" } }
const stated = eur
const eurOf = (minorUnits: number) => money(minorUnits, "EUR")

type Connecting = Parameters<typeof connected>[1]

const read = (message: unknown, options?: Connecting) =>
  readBy(connected([], options).connector, signed(JSON.stringify(message), secret, receivedAt), secret, receivedAt)

/** The same message as it is stored, of a customer who is named in it. */
const kept = ({ data, ...head }: ReturnType<typeof event>) => {
  const { connector } = connected([])
  const personal = { client_secret: "pi_secret", billing_details: { name: "Ada", email: "ada@shop.example" } }
  const text = JSON.stringify({ ...head, data: { object: { ...(data.object as object), ...personal } } })
  assert.notMatch(connector.keptOfMessage?.(text) ?? "", /pi_secret|Ada|ada@/u)
  return readKept(connector, text)
}

/** What a message is about, with the state that it tells. */
const told = (message: unknown, options?: Connecting) => Effect.map(read(message, options), statedBy)

const statedBy = (result: Effect.Success<ReturnType<typeof read | typeof kept>>): unknown =>
  Result.isSuccess(result) ? toldOf(result.success) : `${result.failure._tag}: ${result.failure.reason}`

const ofCharge = (state: unknown) => ({ _tag: "Charge", charge: { attemptId: "att_1" }, state })
const ofRefund = (state: unknown) => ({ _tag: "Refund", refundId: "rf_1", state })
const ofUnnamed = (state: unknown) => ({ _tag: "UnnamedRefund", charge: { providerRef }, providerRefundId, state })
const ofDispute = (verdict: string | null, status: string) => ({
  ...{ _tag: "Dispute", charge: { providerRef }, disputeId: dispute().id, verdict, status },
  ...{ money: eur, reason: "other", providerReason: "general" }
})
/** The charge that it names is looked up. */
const changed = (reason: string, charge: object = { attemptId: "att_1" }) => ({ _tag: "Changed", charge, reason })
const unreadable = (reason: string) => `pointsman/MessageUnreadable: ${reason}`

type Row = readonly [type: string, object: unknown, expected: unknown]

const intent = (type: string, fields: Fields, state: Fields): Row => [
  `payment_intent.${type}`,
  paymentIntent(fields),
  ofCharge({ providerRef, ...state })
]
const page = (type: string, fields: Fields, state: Fields): Row => [
  `checkout.session.${type}`,
  session({ status: "complete", payment_intent: providerRef, ...fields }),
  ofCharge({ providerRef, ...state })
]
const refunded = (type: string, fields: Fields, state: Fields, of: (state: unknown) => unknown = ofRefund): Row => [
  type,
  refund(fields),
  of({ providerRefundId, ...state })
]
const notGivenBack = { status: "failed", failure_reason: "lost_card" }
const refundFailed = { _tag: "RefundFailed", reason: "lost_card" }
const disputed = (type: string, fields: Fields, expected: unknown): Row => [
  `charge.dispute.${type}`,
  dispute(fields),
  expected
]
const goods = { reason: "product_not_received", evidence_details: { due_by: 1680651737 } }
const ofGoods = { amount: 1000, currency: "jpy", ...goods }
const failed = { status: "requires_payment_method", last_payment_error: doNotHonor }

const rows: ReadonlyArray<Row> = [
  intent("succeeded", { status: "succeeded", amount_received: 1234 }, { _tag: "Captured", stated }),
  intent(
    "amount_capturable_updated",
    { status: "requires_capture", amount_capturable: 1234 },
    { _tag: "Authorized", stated }
  ),
  intent("payment_failed", failed, declinedSoftly),
  // On the page the customer may try again: this is no refusal yet.
  intent("payment_failed", { ...onPage, ...failed }, { _tag: "NeedsCustomer" }),
  intent("canceled", { status: "canceled" }, { _tag: "Canceled" }),
  intent("processing", { status: "processing" }, { _tag: "Pending", stated }),
  intent("requires_action", { status: "requires_action" }, { _tag: "NeedsCustomer" }),
  // Reported late: the object contains its state, whatever the event's name is.
  intent("processing", { status: "succeeded", amount_received: 1000 }, { _tag: "Captured", stated: eurOf(1000) }),
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
    paymentIntent({ metadata: {}, ...failed }),
    changed("without our id it does not say whether the customer may try again, at data.object.metadata", {
      providerRef
    })
  ],
  ["payment_intent.succeeded", paymentIntent({ status: "of_tomorrow" }), changed("it is not as documented at status")],
  page("completed", { payment_status: "paid" }, { _tag: "Captured", stated }),
  // Held, or on its way: the payment's own messages say which.
  page("completed", { payment_status: "unpaid" }, { _tag: "Pending", stated }),
  [
    "checkout.session.completed",
    session({ status: "complete", payment_status: "no_payment_required" }),
    changed("it has no payment at data.object.payment_intent")
  ],
  page("async_payment_succeeded", { payment_status: "paid" }, { _tag: "Captured", stated }),
  page("async_payment_failed", {}, { _tag: "Declined", category: "other", code: "async_payment_failed", soft: false }),
  page("expired", { status: "expired", payment_intent: null }, { _tag: "Canceled", providerRef: null }),
  refunded("refund.created", { status: "pending" }, { _tag: "RefundPending", stated }),
  refunded("refund.updated", { status: "requires_action" }, { _tag: "RefundPending", stated }),
  refunded("refund.failed", notGivenBack, refundFailed),
  refunded("refund.updated", { amount: 500, currency: "isk" }, { _tag: "Succeeded", stated: money(5, "ISK") }),
  refunded("refund.updated", { status: "canceled" }, { _tag: "RefundFailed", reason: null }),
  ...["refund.updated", "charge.refund.updated"].flatMap((type) => [
    refunded(type, {}, { _tag: "Succeeded", stated }),
    // Some of them weeks after they succeeded.
    refunded(type, notGivenBack, refundFailed)
  ]),
  // Made on the dashboard, as https://docs.stripe.com/api/refunds/object shows it, or by another program.
  ...[{}, null, { order: "1" }, { refund_id: "8151" }, { refund_id: "" }].flatMap((metadata) => [
    refunded(
      "refund.created",
      { metadata, status: "pending", amount: 400 },
      { _tag: "RefundPending", stated: eurOf(400) },
      ofUnnamed
    ),
    refunded("refund.updated", { metadata }, { _tag: "Succeeded", stated }, ofUnnamed),
    refunded("charge.refund.updated", { metadata }, { _tag: "Succeeded", stated }, ofUnnamed),
    refunded("refund.failed", { metadata, ...notGivenBack }, refundFailed, ofUnnamed)
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
  disputed("created", {}, ofDispute("opened", "needs_response")),
  disputed("updated", { status: "under_review" }, ofDispute("opened", "under_review")),
  disputed("funds_withdrawn", {}, ofDispute("opened", "needs_response")),
  disputed("closed", { status: "won" }, ofDispute("won", "won")),
  disputed("funds_reinstated", { status: "won" }, ofDispute("won", "won")),
  disputed("closed", { status: "lost" }, ofDispute("lost", "lost")),
  disputed("updated", { status: "appeal_under_review" }, ofDispute("opened", "under_review")),
  // Inquiries.
  disputed("created", { status: "warning_needs_response" }, ofDispute(null, "warning")),
  disputed("updated", { status: "warning_under_review" }, ofDispute(null, "under_review")),
  disputed("closed", { status: "warning_closed" }, ofDispute(null, "won")),
  disputed("created", ofGoods, {
    ...{ ...ofDispute("opened", "needs_response"), money: money(1000, "JPY"), dueBy: 1680651737000 },
    ...{ reason: "not_received", providerReason: "product_not_received" }
  }),
  // What ended before it began: blocked, it moved no money; resolved, Stripe gave the money back.
  ...(
    [
      ["block", null, "won"],
      ["resolution", "lost", "lost"],
      [undefined, "lost", "lost"]
    ] as const
  ).map(([case_type, verdict, status]) => {
    const payment_method_details = { type: "card", card: { case_type } }
    const fields = { status: "prevented", amount: 500, payment_method_details }
    return disputed("created", fields, { ...ofDispute(verdict, status), money: eurOf(500) })
  }),
  disputed(
    "created",
    { status: "of_tomorrow" },
    changed("it has no final status yet, at data.object.status", { providerRef })
  ),
  disputed("created", { payment_intent: null }, unreadable("it has no payment at data.object.payment_intent")),
  // Less than was held, and more: what was captured is stated.
  ...[1000, 1300].flatMap((amount_received): typeof rows => {
    const state = { _tag: "Captured", providerRef, stated: eurOf(amount_received) }
    // What is not captured is released, and counts as refunded.
    const released = Math.max(0, 1234 - amount_received)
    return [
      intent("succeeded", { status: "succeeded", amount_received }, state),
      ["charge.captured", charge({ amount_captured: amount_received, amount_refunded: released }), ofCharge(state)]
    ]
  }),
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
      const whole = yield* read(event(type, object))
      assert.deepStrictEqual(statedBy(whole), expected)
      if (Result.isFailure(whole)) return
      const again = yield* kept(event(type, object))
      assert.deepStrictEqual(statedBy(again), expected)
      const { at, id } = Result.getOrThrow(again)
      assert.deepStrictEqual([id, at], [whole.success.id, whole.success.at])
    })
  }

  // "Partially capturing or canceling payments no longer creates a Refund"
  // (https://docs.stripe.com/changelog/basil/2025-03-31/remove-refund-from-partial-capture-and-payment-cancellation-flow).
  itRuns("a version that refunds what is not captured counts its refund only by our id", function* () {
    const tags = (api_version: string | null, fields: Fields) =>
      tagOfRead(event("refund.updated", refund(fields), { api_version }))
    for (const version of ["2025-03-31.basil", "2025-09-30.clover"]) {
      assert.strictEqual(yield* tags(version, { metadata: {} }), "UnnamedRefund")
    }
    for (const version of ["2025-02-24.acacia", "2020-08-27", null]) {
      assert.strictEqual(yield* tags(version, { metadata: {} }), "Changed")
      assert.strictEqual(yield* tags(version, {}), "Refund")
    }
  })
})

function tagOfRead(...message: Parameters<typeof read>) {
  return Effect.map(read(...message), (result) => (Result.isSuccess(result) ? result.success.about._tag : "unreadable"))
}

function tagOf(expected: unknown): string {
  if (typeof expected === "string") return expected
  const { _tag, state, verdict } = expected as { _tag: string; state?: { _tag: string }; verdict?: string }
  return `${_tag} ${state?._tag ?? verdict}`
}

describe("accounts and modes", () => {
  const platform = { secretKey: "sk_test_0123456789" }
  const connectedAccount = { ...platform, account: "acct_ours" }
  const paid = (fields: Fields) => event("payment_intent.succeeded", paymentIntent(), fields)
  for (const [what, credentials, fields] of [
    ["of a connected account to a connection of the key's own", platform, { account: "acct_other" }],
    ["of another connected account", connectedAccount, { account: "acct_other" }],
    ["of the platform to a connection of a connected account", connectedAccount, {}]
  ] as const) {
    itRuns(`an event ${what} is not believed`, function* () {
      const refused = unreadable("it belongs to another account, at account")
      assert.strictEqual(yield* told(paid(fields), { credentials }), refused)
    })
  }
  itRuns("an event of the connection's connected account is read", function* () {
    assert.strictEqual(yield* tagOfRead(paid({ account: "acct_ours" }), { credentials: connectedAccount }), "Charge")
  })
  itRuns("a test payment to a connection of production is not believed", function* () {
    const live = { environment: "production", credentials: { secretKey: "sk_live_0123456789" } } as const
    const refused = unreadable("it belongs to the other mode, at livemode")
    assert.strictEqual(yield* told(paid({ livemode: false }), live), refused)
    assert.strictEqual(yield* told(paid({ livemode: true })), refused)
    assert.strictEqual(yield* tagOfRead(paid({ livemode: true }), live), "Charge")
  })
})

describe("signatures, against Stripe's own code", () => {
  const body = new TextEncoder().encode(JSON.stringify(event("refund.updated", refund())))
  const text = new TextDecoder().decode(body)
  const seconds = receivedAt / 1000
  const header = (over: Partial<Parameters<typeof stripe.webhooks.generateTestHeaderString>[0]> = {}) =>
    stripe.webhooks.generateTestHeaderString({ payload: text, secret, timestamp: seconds, ...over })
  const tagOfHeader = (value: string) => value.slice(value.indexOf("v1=") + 3)
  const verify = (headers: Readonly<Record<string, string>>) =>
    Effect.map(readBy(connected([]).connector, { headers, body }, secret, receivedAt), (result) =>
      Result.isFailure(result) ? result.failure._tag : "read"
    )
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
      assert.strictEqual(ofStripe(value), isGenuine)
      const expected = isGenuine ? "read" : "pointsman/MessageUnverified"
      assert.strictEqual(yield* verify({ "stripe-signature": value }), expected)
    })
  }
  itRuns("no header, or our own, is unverified", function* () {
    const ours = { "x-service-signature": header() }
    for (const headers of [ours, {}, { "stripe-signature": "" }, { "stripe-signature": "t=,v1=" }]) {
      assert.strictEqual(yield* verify(headers), "pointsman/MessageUnverified")
    }
  })
})

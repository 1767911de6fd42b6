/** Stripe's API, request by request and answer by answer. The other requests are in `StripeClient.test.ts`. */

import { assert, describe, it } from "@effect/vitest"
import { StripeConnector } from "@pointsman/connector-stripe"
import { type Ask, moneyOperations, noMethod, scriptedTransport } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import type { Connector, TransportAnswer } from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  answersWith,
  asking,
  asks,
  connected,
  declinedSoftly,
  eur,
  formOf,
  requestOf,
  sample,
  sentAt,
  tagOf,
  timeoutMillis,
  unanswers
} from "./Calls.ts"
import {
  account,
  answer,
  decline,
  doNotHonor,
  failure,
  keyReused,
  list,
  paymentIntent,
  refund,
  refundList,
  searched,
  secretKey,
  session,
  charge as stripeCharge
} from "./Stripe.ts"

const providerRef = paymentIntent().id
const providerRefundId = refund().id
const checkoutReference = session().id

const operations = moneyOperations.map((name) => [name, asks[name]] as const)
const lookUps = {
  "a charge that nobody answered": asks.lookUpCharge,
  "a charge by its reference": asking("lookUpCharge", { providerRef }),
  "a checkout": asking("lookUpCharge", { checkoutReference }),
  "a refund that nobody answered": asks.lookUpRefund,
  "a refund by its reference": asking("lookUpRefund", { providerRefundId })
} satisfies Record<string, Ask>

const all: ReadonlyArray<readonly [string, Ask]> = [...operations, ...Object.entries(lookUps)]

const day = 24 * 60 * 60 * 1000
const dated = (millis: number) => ({ date: new Date(millis).toUTCString() })

describe("requests", () => {
  const headers = {
    ...{ authorization: `Bearer ${secretKey}`, accept: "application/json", "stripe-version": "2026-10-28.endive" },
    "idempotency-key": "att_1"
  }
  itRuns("a charge and a lookup have Stripe's address, these headers and no other", function* () {
    const charge = yield* requestOf(asks.charge)
    assert.strictEqual(charge.url, "https://api.stripe.com/v1/payment_intents")
    assert.deepStrictEqual(charge.headers, { ...headers, "content-type": "application/x-www-form-urlencoded" })
    assert.deepStrictEqual((yield* requestOf(asks.lookUpCharge)).headers, headers)
  })
  itRuns("another payment id changes no parameter of a request but those of a page", function* () {
    const another = yield* requestOf(asking("charge", { paymentId: "pay_2" }))
    assert.deepStrictEqual(another, yield* requestOf(asks.charge))
  })
  itRuns("a page ends an hour from now by the clock", function* () {
    yield* TestClock.setTime(1_700_000_000_900)
    assert.strictEqual(formOf(yield* requestOf(asks.openCheckout)).get("expires_at"), "1700003600")
  })
  itRuns("every request of a connected account is for it", function* () {
    for (const [, operation] of all) {
      const { connector, requests } = connected([answer(500, {})], {
        credentials: { secretKey, account: "acct_1032D82eZvKYlo2C" }
      })
      yield* Effect.flip(operation(connector))
      assert.strictEqual(requests[0]?.headers["stripe-account"], "acct_1032D82eZvKYlo2C")
    }
  })
  itRuns("references that are no words stay one part of the path", function* () {
    const { url } = yield* requestOf(asking("void", { providerRef: "../a b?c#\ud800" }))
    assert.strictEqual(url, "https://api.stripe.com/v1/payment_intents/..%2Fa%20b%3Fc%23%EF%BF%BD/cancel")
  })
  for (const token of [null, "", "pm_1&amount=1", "cus_1/pm_1/x", "/pm_1", "cus_1/"]) {
    itRuns(`the instrument ${JSON.stringify(token)} is Rejected, and Stripe is not asked`, function* () {
      const instrument = token === null ? null : Redacted.make(token)
      const state = yield* asking("charge", { instrument })(connected([]).connector)
      assert.nestedPropertyVal(state, "code", token === null ? "instrument_missing" : "instrument_malformed")
    })
  }
})

describe("errors of Stripe", () => {
  const rateLimited = { "stripe-rate-limited-reason": "global-rate" }
  const nothingDone: ReadonlyArray<readonly [string, TransportAnswer]> = [
    ["400 of the content", failure(400, { code: "parameter_missing" })],
    ["400 without a code", failure(400, {})],
    ["401 of the key", failure(401, {})],
    ["401 in the older form", failure(401, { type: "authentication_error" })],
    ["403", failure(403, { code: "account_invalid" })],
    ["404", failure(404, { code: "resource_missing" })],
    ["404 of a wrong path", failure(404, { message: "Unrecognized request URL (GET: /v1/charge)." })],
    ["429 of a limiter, by its header", failure(429, { code: null }, rateLimited)],
    ["429 of a limiter, by its code", failure(429, { code: "rate_limit" })],
    ["429 of a limiter, in the older form", failure(429, { type: "rate_limit_error" })]
  ]
  const nobodyKnows: ReadonlyArray<readonly [string, TransportAnswer]> = [
    ["400 as an error of the API", failure(400, { type: "api_error" })],
    ["400 in no form of Stripe's", answer(400, { message: "Bad request" })],
    ["400 as a page", { status: 400, headers: {}, body: "<html>Bad request</html>" }],
    ["404 as a page", { status: 404, headers: {}, body: "<html>Not found</html>" }],
    ["402 that is no card error", failure(402, { code: "x" })],
    ["408", failure(408, {})],
    ["409", failure(409, {})],
    ["424", failure(424, { type: "api_error" })],
    ["429 of a lock", failure(429, { code: "lock_timeout" })],
    ["429 of a lock with a limiter's header", failure(429, { code: "lock_timeout" }, rateLimited)],
    ["429 that says no more", failure(429, {})],
    ["500 with a refusal in it", failure(500, { code: "parameter_missing" })],
    ["500 of an earlier request", failure(500, { type: "api_error" }, { "idempotent-replayed": "true" })],
    ["502", failure(502, {})],
    ["503 that says to try again", failure(503, { type: "api_error" }, { "stripe-should-retry": "true" })]
  ]
  for (const [what, given] of nothingDone) {
    itRuns(`${what} is Rejected, whatever was asked`, function* () {
      for (const [name, operation] of operations) {
        assert.strictEqual(yield* tagOf(operation, given), "Rejected", name)
      }
    })
  }
  for (const [what, given] of nobodyKnows) {
    itRuns(`${what} is Unanswered, whatever was asked`, function* () {
      for (const [, operation] of all) yield* unanswers(operation, given)
    })
  }
  for (const [at, given] of keyReused("att_1").entries()) {
    itRuns(`a key used before (${at}) is Unanswered, and says that its key was used`, function* () {
      for (const [, operation] of operations) assert.isTrue((yield* unanswers(operation, given)).isKeyUsed)
      for (const lookUp of Object.values(lookUps)) yield* unanswers(lookUp, given)
    })
  }
  itRuns("any error to a lookup is Unanswered; it says nothing of what is looked for", function* () {
    const byReference = ["a charge by its reference", "a checkout", "a refund by its reference"]
    for (const [what, given] of nothingDone) {
      for (const [name, operation] of Object.entries(lookUps)) {
        const isNotHere = given.body.includes("resource_missing") && byReference.includes(name)
        const expected = isNotHere ? "NotFound" : "pointsman/Unanswered"
        assert.strictEqual(yield* tagOf(operation, given), expected, `${what}, ${name}`)
      }
    }
  })
  itRuns("a refusal is Rejected if its payment is as before, and Unanswered if not", function* () {
    const as = (status: string) => failure(400, { code: "x", payment_intent: paymentIntent({ status }) })
    for (const [name, before] of [
      ["charge", "requires_payment_method"],
      ["capture", "requires_capture"],
      ["void", "requires_capture"],
      ["refund", "succeeded"]
    ] as const) {
      assert.strictEqual(yield* tagOf(asks[name], as(before)), "Rejected", name)
    }
    for (const status of ["processing", "requires_capture", "succeeded", "of_tomorrow"]) {
      yield* unanswers(asks.charge, as(status))
    }
  })
  itRuns("a message with a key, the token or control characters is made fit to be shown", function* () {
    const message = `No such PaymentMethod: 'pm_1234' of cus_1234; key sk_test_***************lmn, ${secretKey}\n`
    const given = failure(400, { code: "resource_missing", message: message.padEnd(2_000) })
    yield* answersWith(asking("charge", { instrument: Redacted.make("cus_1234/pm_1234") }), given, {
      ...{ _tag: "Rejected", code: "resource_missing" },
      message: "No such PaymentMethod: '***' of ***; key ***, *** ".padEnd(1_000)
    })
  })
  itRuns("the secret of a payment, of a page or of a webhook is not shown", function* () {
    for (const secret of [
      `${providerRef}_secret_YrKJUKrib`,
      `${checkoutReference}_secret_fidwbEhq`,
      "whsec_0123456789"
    ]) {
      const given = failure(400, { code: "resource_missing", message: `No such: '${secret}'` })
      const expected = { _tag: "Rejected", code: "resource_missing", message: "No such: '***'" }
      yield* answersWith(asks.charge, given, expected)
    }
  })
  itRuns("the error of an unreadable answer names the field and shows no value", function* () {
    const error = yield* unanswers(asks.charge, answer(200, paymentIntent({ status: "secret_4242" })))
    assert.strictEqual(error.reason, "Stripe's answer (status 200) is not to be understood at status")
  })
})

describe("the state of a payment", () => {
  const received = { minorUnits: 1000, currency: "EUR" }
  itRuns("the amount of a part is stated, whether it is answered or found", function* () {
    for (const [fields, _tag] of [
      [{ status: "succeeded", amount_received: 1000 }, "Captured"],
      [{ status: "requires_capture", amount_capturable: 1000 }, "Authorized"]
    ] as const) {
      const state = { _tag, providerRef, stated: received }
      const [object, found] = [paymentIntent(fields), { _tag: "Found", state }]
      for (const ask of [asks.charge, asks.capture, asks.void]) yield* answersWith(ask, answer(200, object), state)
      yield* answersWith(lookUps["a charge by its reference"], answer(200, object), found)
      yield* answersWith(lookUps["a charge that nobody answered"], answer(200, list([object])), found)
    }
  })
  for (const fields of [
    ...["requires_confirmation", "requires_payment_method", "of_tomorrow"].map((status) => ({ status })),
    ...[{ amount: -1 }, { amount: 12.5 }, { amount_received: "1234" }, { currency: null }],
    ...["", "..", "pi_\u0000"].map((id) => ({ id }))
  ]) {
    itRuns(`${JSON.stringify(fields)} is Unanswered`, function* () {
      const given = answer(200, paymentIntent({ amount_received: 1234, ...fields }))
      yield* unanswers(asks.charge, given)
      yield* unanswers(lookUps["a charge by its reference"], given)
    })
  }

  const unexpected = (fields: Readonly<Record<string, unknown>>) =>
    failure(400, { code: "payment_intent_unexpected_state", payment_intent: paymentIntent(fields) })
  for (const operation of ["capture", "void"] as const) {
    itRuns(`a ${operation} of a payment that was over before has how it ended`, function* () {
      const ask = asks[operation]
      const captured = unexpected({ status: "succeeded", amount_received: 1000 })
      yield* answersWith(ask, captured, { _tag: "Captured", providerRef, stated: received })
      for (const given of [unexpected({ status: "canceled" }), decline("expired_card", { status: "canceled" })]) {
        yield* answersWith(ask, given, { _tag: "Canceled", providerRef })
      }
      assert.strictEqual(yield* tagOf(ask, unexpected({ status: "requires_capture" })), "Rejected")
      yield* unanswers(ask, unexpected({ status: "processing" }))
    })
  }
  it.effect("a charge that was over before is Unanswered: it is another request's", () =>
    unanswers(asks.charge, unexpected({ status: "succeeded", amount_received: 1234 }))
  )
})

describe("the state of a refund", () => {
  const reason = "charge_for_pending_refund_disputed"
  for (const [fields, told] of [
    [{ status: "requires_action" }, { _tag: "RefundPending", stated: eur }],
    [
      { status: "failed", failure_reason: reason },
      { _tag: "RefundFailed", reason }
    ],
    [{ status: "canceled" }, { _tag: "RefundFailed", reason: null }]
  ] as const) {
    itRuns(`${JSON.stringify(fields)} means ${JSON.stringify(told)}, answered or found`, function* () {
      const given = answer(200, refund(fields))
      const state = { ...told, providerRefundId }
      const found = { _tag: "Found", state }
      yield* answersWith(asks.refund, given, state)
      yield* answersWith(lookUps["a refund by its reference"], given, found)
      const listed = refundList([refund({ metadata: {} }), refund(fields)])
      yield* answersWith(lookUps["a refund that nobody answered"], answer(200, listed), found)
    })
  }
  itRuns("a 402 to a refund is Unanswered", function* () {
    yield* unanswers(asks.refund, decline("do_not_honor"))
  })
})

describe("a checkout", () => {
  const found = (state: unknown) => ({ _tag: "Found", state })
  const notYet = { _tag: "NotFound", conclusive: false }
  const failed = { status: "requires_payment_method", last_payment_error: doNotHonor }
  const held = { status: "requires_capture", amount_capturable: 1234 }
  const declined = { ...declinedSoftly, providerRef }
  const captured = { _tag: "Captured", providerRef, stated: eur }
  const paid = { status: "succeeded", amount_received: 1234 }
  const canceled = { _tag: "Canceled", providerRef }
  const pending = { _tag: "Pending", providerRef, stated: eur }
  const cases: ReadonlyArray<readonly [string, Readonly<Record<string, unknown>> | null, unknown]> = [
    ["open", null, notYet],
    ["open", { status: "requires_payment_method" }, notYet],
    // The customer may try again there.
    ["open", failed, notYet],
    ["open", { status: "requires_confirmation" }, notYet],
    ["open", { status: "requires_action" }, found({ _tag: "NeedsCustomer", providerRef })],
    ["open", { status: "processing" }, found(pending)],
    ["open", paid, found(captured)],
    ["complete", paid, found(captured)],
    ["complete", held, found({ _tag: "Authorized", providerRef, stated: eur })],
    ["complete", { status: "processing" }, found(pending)],
    ["complete", failed, found(declined)],
    ["complete", { status: "canceled" }, found(canceled)],
    ["expired", null, found({ _tag: "Canceled", providerRef: null })],
    ["expired", failed, found(canceled)],
    ["expired", { status: "canceled" }, found(canceled)],
    ["expired", paid, found(captured)]
  ]
  for (const [status, fields, expected] of cases) {
    const intent = fields === null ? null : paymentIntent(fields)
    it.effect(`${status} and ${JSON.stringify(fields)} are ${JSON.stringify(expected)}`, () =>
      answersWith(lookUps["a checkout"], answer(200, session({ status, payment_intent: intent })), expected)
    )
  }
  itRuns("complete without a payment or with its name alone, or unknown, is Unanswered", function* () {
    for (const fields of [
      { status: "complete", payment_intent: null },
      { status: "complete", payment_intent: "pi_1" },
      { status: "of_tomorrow" }
    ]) {
      yield* unanswers(lookUps["a checkout"], answer(200, session(fields)))
    }
  })
  itRuns("a checkout with a known payment is asked, which tells both", function* () {
    const { url } = yield* requestOf(asking("lookUpCharge", { checkoutReference, providerRef }))
    assert.match(url, /\/v1\/checkout\/sessions\/cs_test_a1/)
  })
})

describe("an answer about something else", () => {
  const other = { metadata: { attempt_id: "att_2" }, amount_received: 1234 }
  itRuns("another attempt of ours is Unanswered, which passes that one on", function* () {
    for (const [operation, given] of [
      [asks.charge, answer(200, paymentIntent(other))],
      [lookUps["a charge by its reference"], answer(200, paymentIntent(other))],
      [lookUps["a checkout"], answer(200, session({ status: "complete", payment_intent: paymentIntent(other) }))]
    ] as const) {
      const state = { _tag: "Captured", providerRef, stated: eur }
      const { ofAnother } = yield* unanswers(operation, given)
      assert.deepStrictEqual<unknown>(ofAnother, { attemptId: "att_2", state })
    }
  })
  itRuns("an object under another id than was asked for is Unanswered", function* () {
    for (const [operation, given] of [
      [lookUps["a charge by its reference"], answer(200, paymentIntent({ id: "pi_2" }))],
      [lookUps["a checkout"], answer(200, session({ id: "cs_2", status: "expired" }))],
      [lookUps["a refund by its reference"], answer(200, refund({ id: "re_2" }))],
      [lookUps["a refund by its reference"], answer(200, refund({ metadata: { refund_id: "rf_2" } }))]
    ] as const) {
      yield* unanswers(operation, given)
    }
  })
  itRuns("an object without our id, erased or made by hand, counts by its id", function* () {
    const erased = answer(200, paymentIntent({ metadata: {} }))
    assert.strictEqual(yield* tagOf(lookUps["a charge by its reference"], erased), "Found")
    for (const metadata of [{}, null, { order: "1" }, { refund_id: "8151" }]) {
      const given = answer(200, refund({ metadata }))
      assert.strictEqual(yield* tagOf(lookUps["a refund by its reference"], given), "Found")
    }
  })
})

describe("looking for what nobody answered", () => {
  const others = (from: number, count = 100) =>
    Array.from({ length: count }, (_, index) =>
      paymentIntent({ id: `pi_${from + index}`, metadata: { shop: "other" } })
    )
  const ours = paymentIntent({ id: "pi_ours", status: "processing" })
  const found = { _tag: "Found", state: { _tag: "Pending", providerRef: "pi_ours", stated: eur } }
  const search = lookUps["a charge that nobody answered"]
  const searchRefund = lookUps["a refund that nobody answered"]

  for (const [what, headers, conclusive] of [
    ["an hour later", dated(sentAt + 60 * 60 * 1000), false],
    ["a second before a day has passed by Stripe's clock", dated(sentAt + day - 1000), false],
    ["a day later by Stripe's clock", dated(sentAt + day), true],
    ["at no time", {}, false],
    ["at an invalid time", { date: "soon" }, false]
  ] as const) {
    itRuns(`nothing of ours ${what} is NotFound, ${conclusive ? "" : "not "}conclusive`, function* () {
      for (const [operation, listOf] of [
        [search, list],
        [searchRefund, refundList]
      ] as const) {
        yield* answersWith(operation, answer(200, listOf(others(0, 3)), headers), { _tag: "NotFound", conclusive })
      }
    })
  }
  itRuns("pages after the first are read from the last id on", function* () {
    const { connector, requests } = connected([
      answer(200, list(others(0), true)),
      answer(200, list([...others(100, 50), ours], true))
    ])
    assert.deepStrictEqual<unknown>(yield* search(connector), found)
    const urls = requests.map(({ url }) => new URL(url).searchParams.get("starting_after"))
    assert.deepStrictEqual(urls, [null, "pi_99"])
  })
  it.effect("all pages without it are NotFound", () =>
    answersWith(
      search,
      [true, false].map((hasMore, at) => answer(200, list(others(100 * at), hasMore), dated(sentAt + 2 * day))),
      { _tag: "NotFound", conclusive: true }
    )
  )
  itRuns("a page that fails, says that there is more, or is another list denies nothing", function* () {
    yield* unanswers(search, [answer(200, list(others(0), true)), failure(429, {})])
    yield* unanswers(search, answer(200, list([], true)))
    const empty = (fields: object) => answer(200, { ...list([]), ...fields }, dated(sentAt + 2 * day))
    for (const fields of [{ url: "/v1/charges" }, { url: undefined }, { object: undefined }, { object: "account" }]) {
      yield* unanswers(search, empty(fields))
      yield* unanswers(searchRefund, empty({ url: "/v1/refunds", ...fields }))
    }
    yield* unanswers(searchRefund, empty({}))
  })

  const twenty = (listOf: typeof refundList) =>
    Array.from({ length: 20 }, (_, page) => answer(200, listOf(others(100 * page), true), dated(sentAt + 2 * day)))
  const twentyPages = twenty(list)
  itRuns("the search is believed where it finds, beyond the pages that may be asked for", function* () {
    const { connector, requests } = connected([...twentyPages, answer(200, searched([ours]))])
    assert.deepStrictEqual<unknown>(yield* search(connector), found)
    const last = new URL(requests.at(-1)?.url ?? "")
    assert.strictEqual(last.pathname, "/v1/payment_intents/search")
    assert.strictEqual(last.searchParams.get("query"), 'metadata["attempt_id"]:"att_1"')
  })
  itRuns("a search that finds nothing, or another's, leaves nothing known", function* () {
    for (const data of [[], [paymentIntent({ metadata: { attempt_id: "ATT_1" } })]]) {
      const script = [...twentyPages, answer(200, searched(data), dated(sentAt + 2 * day))]
      yield* answersWith(search, script, { _tag: "NotFound", conclusive: false })
    }
  })
  it.effect("more refunds of a payment than may be asked for leave nothing known", () =>
    answersWith(searchRefund, twenty(refundList), { _tag: "NotFound", conclusive: false })
  )
  itRuns("ours counts beside others that are unreadable", function* () {
    const strange = paymentIntent({ status: "of_tomorrow", amount: "?", metadata: null })
    yield* answersWith(search, answer(200, list([strange, ours])), found)
  })
  for (const theirs of ["", "x".repeat(300), "two\nlines", "\ud800"]) {
    itRuns(`our object is found among others with our field names (${theirs.length})`, function* () {
      const strange = { metadata: { attempt_id: theirs, refund_id: theirs, checkout: 7 } }
      yield* answersWith(search, answer(200, list([paymentIntent(strange), ours])), found)
      const refunds = answer(200, refundList([refund(strange)]), dated(sentAt + day))
      yield* answersWith(searchRefund, refunds, { _tag: "NotFound", conclusive: true })
    })
  }
  itRuns("all of a charge's day is searched, and denied a day after it", function* () {
    const sentBefore = sentAt + day
    const { url } = yield* requestOf(asking("lookUpCharge", { sentBefore }))
    const created = ["created[gte]", "created[lte]"].map((name) => Number(new URL(url).searchParams.get(name)))
    assert.deepStrictEqual(created, [sentAt / 1000 - 3600, sentBefore / 1000 + 3600])
    for (const [at, conclusive] of [
      [sentBefore + day - 1000, false],
      [sentBefore + day, true]
    ] as const) {
      const none = { _tag: "NotFound", conclusive }
      yield* answersWith(asking("lookUpCharge", { sentBefore }), answer(200, list([]), dated(at)), none)
      yield* answersWith(asking("lookUpRefund", { sentBefore }), answer(200, refundList([]), dated(at)), none)
    }
  })
  itRuns("a charge that was sent at the beginning of time has no time before it", function* () {
    const { url } = yield* requestOf(asking("lookUpCharge", { sentAt: 0 }))
    assert.strictEqual(new URL(url).searchParams.get("created[gte]"), "0")
  })
})

describe("the account", () => {
  const connectedAccount = "acct_1032D82eZvKYlo2C"
  const of = (id: string, credentials: unknown, environment: "sandbox" | "production" = "sandbox") => {
    const { connector, requests } = connected([answer(200, account({ id }))], { credentials, environment })
    return Effect.map(Effect.result(connector.account?.() ?? noMethod), (result) => ({ requests, result }))
  }
  itRuns("a key is read by GET account without an idempotency key, with its mode", function* () {
    for (const [secretKey, environment, mode] of [
      ["rk_test_0123456789", "sandbox", "test"],
      ["sk_live_0123456789", "production", "live"],
      ["sk_of_no_mode", "sandbox", "test"],
      ["sk_of_no_mode", "production", "live"]
    ] as const) {
      const { requests, result } = yield* of("acct_1", { secretKey }, environment)
      assert.deepStrictEqual(Result.getOrThrow(result), { id: "acct_1", mode })
      const [request] = requests
      assert.strictEqual(`${request?.method} ${request?.url}`, "GET https://api.stripe.com/v1/account")
      assert.isUndefined(request?.headers["idempotency-key"])
      assert.isUndefined(request?.headers["stripe-account"])
    }
  })
  itRuns("the answer of a connected account is about that one, or there is none", function* () {
    const ours = yield* of(connectedAccount, { secretKey, account: connectedAccount })
    assert.deepStrictEqual(Result.getOrThrow(ours.result), { id: connectedAccount, mode: "test" })
    assert.strictEqual(ours.requests[0]?.headers["stripe-account"], connectedAccount)
    const platform = yield* of("acct_platform", { secretKey, account: connectedAccount })
    assert.isTrue(Result.isFailure(platform.result) && platform.result.failure._tag === "pointsman/Unanswered")
  })
  itRuns("an object that is no account is Unanswered", function* () {
    for (const fields of [{ object: "customer" }, { id: "cus_1" }, { id: null }, { id: "acct_1/x" }]) {
      yield* unanswers((connector) => connector.account?.() ?? noMethod, answer(200, account(fields)))
    }
  })
})

describe("credentials", () => {
  it.each(["sk", "rk"])("a key %s_… connects in the environment of its mode, and in no other", (kind) => {
    const refusalOf = (mode: string, environment: "sandbox" | "production") => {
      const account = { connectionId: "main", environment, timeoutMillis }
      const credentials = { secretKey: `${kind}_${mode}_0123456789` }
      const { transport } = scriptedTransport([])
      const result = StripeConnector.definition.connect({ ...account, credentials }, transport)
      return Result.isFailure(result) ? result.failure.replace("credentials.secretKey: ", "") : undefined
    }
    assert.isUndefined(refusalOf("test", "sandbox"))
    assert.isUndefined(refusalOf("live", "production"))
    const [isTest, isLive] = ["but this is a test key", "but this is a live key"]
    assert.strictEqual(refusalOf("live", "sandbox"), `expected a test key in the sandbox, ${isLive}`)
    assert.strictEqual(refusalOf("test", "production"), `expected a live key in production, ${isTest}`)
  })
  for (const [baseUrl, url] of [
    ["https://stripe.example/", "https://stripe.example/v1/payment_intents"],
    ["https://stripe.example/mock//", "https://stripe.example/mock/v1/payment_intents"],
    ["http://127.0.0.1:12111", "http://127.0.0.1:12111/v1/payment_intents"],
    ["http://localhost:12111", "http://localhost:12111/v1/payment_intents"],
    ["http://[::1]:12111", "http://[::1]:12111/v1/payment_intents"]
  ] as const) {
    itRuns(`the base URL ${baseUrl} gives ${url}`, function* () {
      const { connector, requests } = connected([answer(500, {})], { credentials: { secretKey, baseUrl } })
      yield* Effect.flip(asks.charge(connector))
      assert.strictEqual(requests[0]?.url, url)
    })
  }
})

describe("the refunds of a charge that is looked up", () => {
  const asked = { ...sample.lookUpCharge, providerRef }
  const refunded = (fields: object = {}) => {
    const latest_charge = stripeCharge({ amount_refunded: 400, ...fields })
    return answer(200, paymentIntent({ latest_charge, amount_received: 1234 }))
  }
  const byHand = (id: string, amount: number) => refund({ id, amount, metadata: {} })
  const tagsIn = (found: Effect.Success<ReturnType<Connector["lookUpCharge"]>>) =>
    found._tag === "Found" &&
    found.refunds?.map(({ refundId, state }) => [refundId, state.providerRefundId, state._tag])

  itRuns("all refunds are listed page by page, and the dashboard's have no id of ours", function* () {
    const pages = [answer(200, refundList([byHand("re_hand", 400)], true)), answer(200, refundList([refund()]))]
    const { connector, requests } = connected([refunded(), ...pages])
    assert.deepStrictEqual(tagsIn(yield* connector.lookUpCharge(asked)), [
      [null, "re_hand", "Succeeded"],
      ["rf_1", providerRefundId, "Succeeded"]
    ])
    const url = `https://api.stripe.com/v1/refunds?payment_intent=${providerRef}&limit=100`
    assert.deepStrictEqual(
      requests.slice(1).map((request) => request.url),
      [url, `${url}&starting_after=re_hand`]
    )
  })
  itRuns("the refunds of a checkout that was refunded in part are listed", function* () {
    const payment_intent = JSON.parse(refunded().body)
    const page = answer(200, session({ status: "complete", payment_intent }))
    const { connector } = connected([page, answer(200, refundList([byHand("re_hand", 400)]))])
    const found = yield* connector.lookUpCharge({ ...sample.lookUpCharge, checkoutReference })
    assert.deepStrictEqual(tagsIn(found), [[null, "re_hand", "Succeeded"]])
  })
  itRuns("nothing refunded, or a charge that is not shown, asks for no refunds", function* () {
    for (const shown of [refunded({ amount_refunded: 0 }), answer(200, paymentIntent())]) {
      const { connector, requests } = connected([shown])
      assert.isFalse(tagsIn(yield* connector.lookUpCharge(asked)) ?? false)
      assert.lengthOf(requests, 1)
    }
  })
  itRuns("the Refund of an old version for what a capture leaves is left out", function* () {
    const shown = refunded({ amount_captured: 834 })
    const refunds = refundList([byHand("re_left", 400), byHand("re_hand", 100), refund({ amount: 400 })])
    const { connector } = connected([shown, answer(200, refunds)])
    assert.deepStrictEqual(tagsIn(yield* connector.lookUpCharge(asked)), [
      [null, "re_hand", "Succeeded"],
      ["rf_1", providerRefundId, "Succeeded"]
    ])
  })
  itRuns("an unreadable refund, or an unanswered list, leaves nothing known", function* () {
    for (const listed of [answer(200, refundList([refund({ currency: "xxx" })])), answer(500, {})]) {
      yield* unanswers(lookUps["a charge by its reference"], [refunded(), listed])
    }
  })
})

/** The provider protocol, line by line. */

import { assert, describe, it } from "@effect/vitest"
import {
  asksOf,
  endsOver,
  moneyOperations,
  noMethod,
  type Operation,
  paymentRequests
} from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { type Money, money, type TransportAnswer } from "@pointsman/core/connector"
import { Effect, Tracer } from "effect"
import { answer, apiKey, asks, connect, ends, eur, neverReceived, refusal, sample } from "./Provider.ts"

/** What each lookup asks for, as the protocol names it. */
const idsOfLookUps = {
  lookUpCharge: ["attempt_id", "att_1"],
  lookUpOperation: ["operation_id", "op_1"],
  lookUpRefund: ["refund_id", "rf_1"]
} as const
const lookUps = ["lookUpCharge", "lookUpOperation", "lookUpRefund"] as const satisfies ReadonlyArray<Operation>

const answersWith = (operation: Operation, answered: TransportAnswer, expected: unknown) =>
  ends.answersWith(asks[operation], answered, expected)
const unanswers = (operation: Operation, answered: TransportAnswer) => ends.unanswers(asks[operation], answered)

const charged = (more: object): TransportAnswer => answer(200, { provider_reference: "ch_1", ...more })
const refunded = (more: object): TransportAnswer => answer(200, { provider_refund_id: "re_1", ...more })

describe("requests", () => {
  const authorization = `Bearer ${apiKey}`
  const payment = {
    attempt_id: "att_1",
    payment_id: "pay_1",
    amount: 1000,
    currency: "EUR",
    country: "NL",
    method: "card",
    card_brand: "visa",
    initiator: "mit",
    capture: true,
    reference: "order 1"
  }
  const table = [
    ["charge", "POST", "/charges", "att_1", { ...payment, instrument: "tok_12345678" }],
    [
      "openCheckout",
      "POST",
      "/checkouts",
      "att_1",
      { ...payment, instrument: null, return_url: "https://pay.example/hosted/t/return" }
    ],
    ["capture", "POST", "/charges/ch_1/capture", "op_1", { operation_id: "op_1", amount: 1000 }],
    ["void", "POST", "/charges/ch_1/void", "op_2", { operation_id: "op_2" }],
    ["refund", "POST", "/charges/ch_1/refunds", "rf_1", { refund_id: "rf_1", amount: 1000, reason: "broken" }],
    ["lookUpCharge", "GET", "/charges?attempt_id=att_1", "att_1", undefined],
    ["lookUpOperation", "GET", "/operations?operation_id=op_1", "op_1", undefined],
    ["lookUpRefund", "GET", "/refunds?refund_id=rf_1", "rf_1", undefined]
  ] as const satisfies ReadonlyArray<readonly [Operation, string, string, string, object | undefined]>

  for (const [operation, method, path, id, body] of table) {
    itRuns(`${operation} is ${method} ${path}, word for word`, function* () {
      const request = yield* Effect.provideService(ends.requestOf(asks[operation]), Tracer.DisablePropagation, true)
      assert.strictEqual(`${request.method} ${request.url}`, `${method} https://provider.example/v1${path}`)
      assert.strictEqual(request.timeoutMillis, 2_000)
      assert.deepStrictEqual(request.headers, {
        authorization,
        accept: "application/json",
        "idempotency-key": id,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      })
      assert.deepStrictEqual(request.body === undefined ? undefined : JSON.parse(request.body), body)
    })
  }

  itRuns("a lookup of a refund with a known id at the provider names both", function* () {
    const known = { ...sample.lookUpRefund, providerRefundId: "re/1" }
    const { url } = yield* ends.requestOf((connector) => connector.lookUpRefund?.(known) ?? noMethod)
    assert.strictEqual(url, "https://provider.example/v1/refunds?refund_id=rf_1&provider_refund_id=re%2F1")
  })

  itRuns("the body of a checkout of a method has its name", function* () {
    const named = { ...sample.openCheckout, paymentMethod: "ideal" } as const
    const { body } = yield* ends.requestOf((connector) => connector.openCheckout?.(named) ?? noMethod)
    assert.deepInclude(JSON.parse(body ?? ""), { method: "card", payment_method: "ideal" })
  })

  itRuns("optional fields without a value are null on the wire", function* () {
    const without = { ...sample.charge, cardBrand: null, reference: null, instrument: null, capture: false }
    const charged = yield* ends.requestOf((connector) => connector.charge(without))
    const nothing = { card_brand: null, reference: null, instrument: null, capture: false }
    assert.deepInclude(JSON.parse(charged.body ?? ""), nothing)
    const unreasoned = { ...sample.refund, reason: null }
    const refunded = yield* ends.requestOf((connector) => connector.refund?.(unreasoned) ?? noMethod)
    assert.isNull(JSON.parse(refunded.body ?? "").reason)
  })

  for (const [baseUrl, url] of [
    ["http://127.0.0.1:9001", "http://127.0.0.1:9001/charges"],
    ["http://127.0.0.1:9001/", "http://127.0.0.1:9001/charges"],
    ["https://provider.example/a/b//", "https://provider.example/a/b/charges"]
  ] as const) {
    itRuns(`the base URL ${baseUrl} gives ${url}`, function* () {
      const { requestOf } = endsOver((script) => connect(script, baseUrl))
      assert.strictEqual((yield* requestOf(asks.charge)).url, url)
    })
  }

  for (const [providerRef, encoded] of [
    ["a/b?c#d", "a%2Fb%3Fc%23d"],
    ["../charges", "..%2Fcharges"],
    ["ä ö%", "%C3%A4%20%C3%B6%25"],
    ["half \ud800", "half%20%EF%BF%BD"]
  ] as const) {
    itRuns(`the reference ${JSON.stringify(providerRef)} is ${encoded} in the path`, function* () {
      const ask = asksOf(paymentRequests({ providerRef, instrument: "tok_1" }))
      for (const [operation, name] of [
        ["capture", "capture"],
        ["void", "void"],
        ["refund", "refunds"]
      ] as const) {
        const { url } = yield* ends.requestOf(ask[operation])
        assert.strictEqual(url, `https://provider.example/v1/charges/${encoded}/${name}`)
        // What a server makes of the URL: no part of the reference has become a part of the path.
        assert.strictEqual(new URL(url).pathname, `/v1/charges/${encoded}/${name}`)
      }
    })
  }

  itRuns("no trace is sent of spans that are not collected", function* () {
    const { headers } = yield* ends.requestOf(asks.charge).pipe(Effect.withSpan("a request"))
    assert.isUndefined(headers["traceparent"])
  })

  itRuns("a span's trace is sent", function* () {
    const span = Tracer.externalSpan({ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" })
    const { headers } = yield* ends.requestOf(asks.charge).pipe(Effect.withParentSpan(span))
    assert.match(headers["traceparent"] ?? "", /^00-0af7651916cd43dd8448eb211c80319c-[0-9a-f]{16}-01$/)
  })
})

describe("refusals", () => {
  for (const status of [400, 401, 403, 404, 405, 413, 415, 422, 429]) {
    for (const operation of moneyOperations) {
      it.effect(`${status} with code and message to ${operation} is Rejected`, () =>
        answersWith(operation, refusal(status, "nope", "Not today."), {
          _tag: "Rejected",
          code: "nope",
          message: "Not today."
        })
      )
      itRuns(`a bare ${status} to ${operation} is Unanswered`, function* () {
        for (const body of ["", "{}", "Bad Request", '{"error":"nope"}', '{"error":{"code":"nope"}}', "[]"]) {
          yield* unanswers(operation, { status, headers: {}, body })
        }
        yield* unanswers(operation, refusal(status, "", "a message without a code"))
        yield* unanswers(operation, answer(status, { provider_reference: "ch_1", status: "captured" }))
      })
    }
  }
  for (const status of [301, 402, 406, 407, 408, 409, 410, 412, 418, 423, 424, 425, 428, 431, 451, 499, 500, 503]) {
    itRuns(`${status} with code and message is Unanswered, whatever was asked`, function* () {
      for (const operation of [...moneyOperations, ...lookUps])
        yield* unanswers(operation, refusal(status, "nope", "No."))
    })
  }
  itRuns("409 of a key used before with other parameters is Unanswered, never a refusal", function* () {
    for (const operation of moneyOperations) {
      const used = refusal(409, "idempotency_key_reused", "The key was used with another body.")
      assert.isTrue((yield* unanswers(operation, used)).isKeyUsed)
      assert.isUndefined((yield* unanswers(operation, refusal(408, "timeout", "Too slow."))).isKeyUsed)
    }
  })
  it.effect("a message with control characters and no end is made fit to be stored", () =>
    answersWith("charge", refusal(400, "a\u0000b", `c\nd \ud800 ${"x".repeat(2_000)}`), {
      _tag: "Rejected",
      code: "a b",
      message: `c d \ufffd ${"x".repeat(994)}`
    })
  )
})

describe("the state of a charge", () => {
  const state = (tag: string, stated?: Money) => ({ _tag: tag, providerRef: "ch_1", ...(stated ? { stated } : {}) })
  const usd = (minorUnits: number) => money(minorUnits, "USD")

  const table: ReadonlyArray<readonly [Operation, object, object]> = [
    ["charge", { status: "authorized" }, state("Authorized")],
    ["charge", { status: "authorized", amount: 1000 }, state("Authorized", eur)],
    ["charge", { status: "authorized", amount: 900, currency: "USD" }, state("Authorized", usd(900))],
    ["charge", { status: "authorized", currency: "USD" }, state("Authorized", usd(1000))],
    ["charge", { status: "authorized", captured_amount: 0 }, state("Authorized")],
    ["charge", { status: "captured" }, state("Captured")],
    ["charge", { status: "captured", captured_amount: 600 }, state("Captured", money(600, "EUR"))],
    ["charge", { status: "captured", captured_amount: 600, amount: 1000 }, state("Captured", money(600, "EUR"))],
    ["charge", { status: "captured", captured_amount: 600, currency: "USD" }, state("Captured", usd(600))],
    ["charge", { status: "captured", amount: 2000 }, state("Captured", money(2000, "EUR"))],
    ["charge", { status: "captured", captured_amount: 0 }, state("Captured", money(0, "EUR"))],
    ["charge", { status: "captured", captured_amount: null, currency: null, decline: null }, state("Captured")],
    ["charge", { status: "captured", novelty: { of: "a later version" } }, state("Captured")],
    // The amount of a charge says nothing about a capture of a part of it.
    ["capture", { status: "captured", amount: 5000 }, state("Captured")],
    ["capture", { status: "captured", amount: 5000, captured_amount: 1000 }, state("Captured", eur)],
    ["capture", { status: "captured", amount: 5000, captured_amount: 2000 }, state("Captured", money(2000, "EUR"))],
    ["capture", { status: "captured", currency: "USD" }, state("Captured", usd(1000))],
    ["void", { status: "captured", captured_amount: 1000 }, state("Captured")],
    ["void", { status: "authorized" }, state("Authorized")]
  ]
  for (const [operation, body, expected] of table) {
    it.effect(`${JSON.stringify(body)} to ${operation} is ${JSON.stringify(expected)}`, () =>
      answersWith(operation, charged(body), expected)
    )
  }

  for (const [decline, category, soft] of [
    [{ code: "05" }, "other", false],
    [{ code: "05", category: null, soft: null }, "other", false],
    [{ code: "05", category: "made_up" }, "other", false],
    [{ code: "05", category: "made_up", soft: true }, "other", true],
    [{ code: "05", category: "do_not_honor" }, "do_not_honor", true],
    [{ code: "05", category: "issuer_unavailable" }, "issuer_unavailable", true],
    [{ code: "05", category: "limit_exceeded" }, "limit_exceeded", true],
    [{ code: "05", category: "insufficient_funds" }, "insufficient_funds", false]
  ] as const) {
    for (const operation of ["charge", "capture", "void"] as const) {
      it.effect(`${JSON.stringify(decline)} declines ${operation} as ${category}, soft ${soft}`, () =>
        answersWith(operation, charged({ status: "declined", decline }), {
          _tag: "Declined",
          providerRef: "ch_1",
          category,
          code: "05",
          soft
        })
      )
    }
  }

  const spoilt: ReadonlyArray<object> = [
    { status: "settled" },
    { status: "Captured" },
    { status: null },
    {},
    { status: "declined" },
    { status: "declined", decline: null },
    { status: "declined", decline: {} },
    { status: "declined", decline: { code: 5 } },
    { status: "declined", decline: { code: "05", category: 7 } },
    { status: "declined", decline: { code: "05", soft: "yes" } },
    { status: "captured", captured_amount: -1 },
    { status: "captured", captured_amount: 10.5 },
    { status: "captured", captured_amount: "1000" },
    { status: "captured", captured_amount: 2 ** 53 },
    { status: "captured", amount: 1e300 },
    { status: "authorized", amount: -1 },
    { status: "captured", currency: 978 },
    { status: "captured", currency: "" },
    ...[null, "", 17, ".", "..", "a\u0000b", "half \ud800", ["ch_1"], { id: "ch_1" }].map((reference) => ({
      status: "captured",
      provider_reference: reference
    }))
  ]
  for (const body of spoilt) {
    itRuns(`${JSON.stringify(body)} is Unanswered`, function* () {
      for (const operation of ["charge", "capture", "void", "lookUpCharge"] as const) {
        yield* unanswers(operation, charged(body))
      }
    })
  }

  for (const status of ["declined", "canceled", "requires_authentication", "pending"]) {
    it.effect(`${status} without a reference is Unanswered: no lookup could find it`, () =>
      unanswers("charge", answer(200, { status, decline: { code: "05" } }))
    )
  }
  it.effect("201 with a charge counts as 200", () =>
    answersWith("charge", { ...charged({ status: "captured" }), status: 201 }, state("Captured"))
  )
})

describe("a checkout", () => {
  const url = "https://pay.provider.example/c/1?a=b#c"
  const ofLength = (length: number) => `${url}${"x".repeat(length - url.length)}`
  const opened = (more: object) => answer(200, { checkout_reference: "co_1", url, ...more })
  const usable: ReadonlyArray<readonly [what: string, more: object, expected: object]> = [
    ["no end", {}, {}],
    ["null for an end", { expires_at: null }, {}],
    [
      "an end elsewhere",
      { expires_at: "2026-11-21T12:00:00.250+01:00" },
      { expiresAt: Date.UTC(2026, 10, 21, 11, 0, 0, 250) }
    ],
    ["HTTP in capitals", { url: "HTTP://provider.example/1" }, { url: "HTTP://provider.example/1" }],
    ["the longest address", { url: ofLength(4_096) }, { url: ofLength(4_096) }],
    ["an unknown field", { status: "open" }, {}]
  ]
  for (const [what, more, expected] of usable) {
    it.effect(`${what} is CheckoutOpened`, () =>
      answersWith("openCheckout", opened(more), {
        _tag: "CheckoutOpened",
        reference: "co_1",
        url,
        expiresAt: null,
        ...expected
      })
    )
  }
  const unusable: ReadonlyArray<readonly [what: string, more: object]> = [
    ["no reference", { checkout_reference: null }],
    ["an empty reference", { checkout_reference: "" }],
    ["a reference that would vanish", { checkout_reference: ".." }],
    ["a number for a reference", { checkout_reference: 1 }],
    ["no address", { url: null }],
    ["an address with a space", { url: "https://pay.provider.example/a b" }],
    ["an address with a line's end", { url: "https://pay.provider.example/\r\nset-cookie: a" }],
    ["an address of another scheme", { url: "data:text/html,x" }],
    ["an address too long for a header", { url: ofLength(4_097) }],
    ["a number for an end", { expires_at: 1_700_000_000 }],
    ["a day for an end", { expires_at: "2026-11-21" }],
    ["an end in the thirteenth month", { expires_at: "2026-13-21T12:00:00Z" }]
  ]
  for (const [what, more] of unusable) {
    it.effect(`${what} is Unanswered: it may be open, without an address`, () =>
      unanswers("openCheckout", opened(more))
    )
  }
})

describe("the state of a refund", () => {
  const state = (tag: string, more: object = {}) => ({ _tag: tag, providerRefundId: "re_1", ...more })
  const table: ReadonlyArray<readonly [object, object]> = [
    [{ status: "succeeded" }, state("Succeeded")],
    [{ status: "succeeded", amount: 1000 }, state("Succeeded", { stated: eur })],
    [{ status: "succeeded", amount: 500, currency: "USD" }, state("Succeeded", { stated: money(500, "USD") })],
    [{ status: "pending" }, state("RefundPending")],
    [{ status: "requires_action", amount: 1000 }, state("RefundPending", { stated: eur })],
    [{ status: "failed" }, state("RefundFailed", { reason: null })],
    [{ status: "failed", failure_reason: "closed account" }, state("RefundFailed", { reason: "closed account" })],
    [{ status: "canceled", failure_reason: null }, state("RefundFailed", { reason: null })]
  ]
  for (const [body, state] of table) {
    itRuns(`${JSON.stringify(body)} is ${JSON.stringify(state)}, answered or found`, function* () {
      yield* answersWith("refund", refunded(body), state)
      yield* answersWith("lookUpRefund", refunded(body), { _tag: "Found", state })
    })
  }
  for (const body of [
    { status: "captured" },
    {},
    { status: "succeeded", amount: -1 },
    { status: "succeeded", amount: "1000" },
    { status: "failed", failure_reason: 5 },
    { status: "succeeded", provider_refund_id: null },
    { status: "failed", provider_refund_id: "" }
  ]) {
    itRuns(`${JSON.stringify(body)} is Unanswered, answered or found`, function* () {
      yield* unanswers("refund", refunded(body))
      yield* unanswers("lookUpRefund", refunded(body))
    })
  }
})

describe("the state of an operation", () => {
  const operation = (more: object): TransportAnswer =>
    answer(200, { operation_id: "op_1", kind: "capture", updated: "2026-11-21T12:00:00Z", ...more })
  const confirmed = (stated?: Money) => ({ _tag: "OperationConfirmed", ...(stated ? { stated } : {}) })
  const failed = (reason: string | null, stated?: Money) => ({
    ...{ _tag: "OperationFailed", isFinal: true, reason },
    ...(stated ? { stated } : {})
  })
  const table: ReadonlyArray<readonly [object, object]> = [
    [{ status: "confirmed" }, confirmed()],
    [{ status: "confirmed", amount: null, currency: null, failure_reason: null }, confirmed()],
    [{ status: "confirmed", amount: 600 }, confirmed(money(600, "EUR"))],
    [{ status: "confirmed", amount: 600, currency: "USD" }, confirmed(money(600, "USD"))],
    [{ status: "confirmed", currency: "USD" }, confirmed(money(1000, "USD"))],
    [{ status: "confirmed", novelty: { of: "a later version" } }, confirmed()],
    [{ status: "pending" }, { _tag: "OperationPending" }],
    [{ status: "pending", amount: 600 }, { _tag: "OperationPending" }],
    [{ status: "failed" }, failed(null)],
    [{ status: "failed", failure_reason: "" }, failed(null)],
    [{ status: "failed", failure_reason: `no ${apiKey}\u0000`, amount: 600 }, failed("no *** ", money(600, "EUR"))]
  ]
  for (const [body, state] of table) {
    it.effect(`${JSON.stringify(body)} is ${JSON.stringify(state)}`, () =>
      answersWith("lookUpOperation", operation(body), { _tag: "Found", state })
    )
  }
  for (const [what, body] of [
    ["another operation", { status: "confirmed", operation_id: "op_2" }],
    ["another kind", { status: "confirmed", kind: "void" }],
    ["a kind of tomorrow", { status: "confirmed", kind: "reversal" }],
    ["no kind", { status: "confirmed", kind: undefined }],
    ["no status", {}],
    ["a status of tomorrow", { status: "paused" }],
    ["the status of a charge", { status: "captured" }],
    ["no time", { status: "confirmed", updated: undefined }],
    ["an invalid time", { status: "failed", updated: "soon" }],
    ["half a unit", { status: "confirmed", amount: 0.5 }],
    ["a reason that is no text", { status: "failed", failure_reason: 5 }]
  ] as const) {
    it.effect(`${what} is Unanswered`, () => unanswers("lookUpOperation", operation(body)))
  }
  itRuns("an adapter without a lookup of operations (501) is Unanswered, for that reason", function* () {
    for (const answered of [answer(501, {}), refusal(501, "nope", "No."), { status: 501, headers: {}, body: "" }]) {
      assert.deepInclude(yield* unanswers("lookUpOperation", answered), {
        reason: "the adapter has no lookup of operations (status 501)",
        isUnsupported: true
      })
    }
  })
})

describe("looking up", () => {
  const pending = { _tag: "RefundPending", providerRefundId: "re_1" }
  const expectedRefund = { refund: pending, lookUpRefund: { _tag: "Found", state: pending } }
  it.effect("a charge is Found with what it states", () =>
    answersWith("lookUpCharge", charged({ status: "captured", captured_amount: 700 }), {
      _tag: "Found",
      state: { _tag: "Captured", providerRef: "ch_1", stated: money(700, "EUR") }
    })
  )
  itRuns("a charge's refunds made by hand have no id of ours", function* () {
    const ours = { refund_id: "rf_1", provider_refund_id: "re_1", status: "succeeded", amount: 100, currency: "EUR" }
    const byHand = { provider_refund_id: "re_2", status: "pending", amount: 40, currency: "EUR" }
    const captured = { status: "captured", captured_amount: 700 }
    yield* answersWith("lookUpCharge", charged({ ...captured, refunds: [ours, byHand] }), {
      _tag: "Found",
      state: { _tag: "Captured", providerRef: "ch_1", stated: money(700, "EUR") },
      refunds: [
        { refundId: "rf_1", state: { _tag: "Succeeded", providerRefundId: "re_1", stated: money(100, "EUR") } },
        { refundId: null, state: { _tag: "RefundPending", providerRefundId: "re_2", stated: money(40, "EUR") } }
      ]
    })
    const showing = { ...byHand, provider_refund_id: apiKey }
    yield* unanswers("lookUpCharge", charged({ ...captured, refunds: [showing] }))
  })
  for (const operation of ["charge", "lookUpCharge"] as const) {
    itRuns(`${operation} with our attempt's id counts`, function* () {
      for (const attempt_id of ["att_1", null]) {
        const tag = yield* ends.tagOf(asks[operation], charged({ status: "captured", attempt_id }))
        assert.include(["Captured", "Found"], tag)
      }
    })
    itRuns(`${operation} with another attempt's id is Unanswered, which passes that one on`, function* () {
      const body = { status: "captured", amount: 700, currency: "EUR", attempt_id: "att_2" }
      assert.deepStrictEqual((yield* unanswers(operation, charged(body))).ofAnother, {
        attemptId: "att_2",
        state: { _tag: "Captured", providerRef: "ch_1", stated: money(700, "EUR") }
      })
      yield* unanswers(operation, charged({ status: "captured", attempt_id: 7 }))
      yield* unanswers(operation, charged({ status: "captured", attempt_id: apiKey }))
    })
  }
  for (const operation of ["refund", "lookUpRefund"] as const) {
    itRuns(`${operation} with another refund's id is Unanswered`, function* () {
      yield* unanswers(operation, refunded({ status: "succeeded", refund_id: "rf_2" }))
      yield* answersWith(operation, refunded({ status: "pending", refund_id: "rf_1" }), expectedRefund[operation])
    })
  }
  for (const operation of lookUps) {
    const [name, id] = idsOfLookUps[operation]
    for (const [more, conclusive] of [
      [{}, true],
      [{ conclusive: true }, true],
      [{ conclusive: null }, true],
      [{ conclusive: false }, false],
      [{ novelty: "of a later version" }, true]
    ] as const) {
      it.effect(`${operation} never received ${JSON.stringify(more)} is NotFound as it says`, () =>
        answersWith(operation, neverReceived({ [name]: id, ...more }), { _tag: "NotFound", conclusive })
      )
    }
    for (const [what, body] of [
      ["a text", "no such route"],
      ["a list", "[]"],
      ["a refusal", '{"error":{"code":"not_found","message":"Never received."}}'],
      ["nothing but conclusive", '{"conclusive":true}'],
      ["nothing but found", '{"found":false}'],
      ["the id without found", JSON.stringify({ [name]: id })],
      ["found as true", JSON.stringify({ found: true, [name]: id })],
      ["found as a text", JSON.stringify({ found: "false", [name]: id })],
      ["found as null", JSON.stringify({ found: null, [name]: id })],
      ["another id", JSON.stringify({ found: false, [name]: `${id}0` })],
      ["the id in capitals", JSON.stringify({ found: false, [name]: id.toUpperCase() })],
      ["the id under another name", JSON.stringify({ found: false, id })],
      ["conclusive as a text", JSON.stringify({ found: false, [name]: id, conclusive: "false" })]
    ] as const) {
      it.effect(`404 with ${what} to ${operation} is Unanswered: it is not the adapter's word`, () =>
        unanswers(operation, { status: 404, headers: {}, body })
      )
    }
    itRuns(`never received with another status to ${operation} is Unanswered`, function* () {
      for (const status of [200, 204, 400, 405, 409, 410, 422, 500, 501, 503]) {
        yield* unanswers(operation, { ...neverReceived({ [name]: id }), status })
      }
    })
    itRuns(`never received of something else to ${operation} is Unanswered`, function* () {
      for (const other of Object.values(idsOfLookUps)) {
        if (other[0] !== name) yield* unanswers(operation, neverReceived({ [other[0]]: other[1] }))
      }
    })
    itRuns(`a refusal to ${operation} is Unanswered: it says nothing of what was looked for`, function* () {
      for (const status of [400, 401, 403, 405, 413, 415, 422, 429]) {
        yield* unanswers(operation, refusal(status, "nope", "No."))
      }
    })
  }
})

describe("the account", () => {
  itRuns("an account is read by GET /account without an idempotency key, its id as it is", function* () {
    const { connector, requests } = connect([answer(200, { account: "Acme EU/7 (live)", more: 1 })])
    assert.deepStrictEqual(yield* connector.account?.() ?? noMethod, { id: "Acme EU/7 (live)", mode: null })
    assert.strictEqual(`${requests[0]?.method} ${requests[0]?.url}`, "GET https://provider.example/v1/account")
    assert.isUndefined(requests[0]?.headers["idempotency-key"])
  })
  itRuns("501 is unsupported, and any other answer without an account only Unanswered", function* () {
    for (const [answered, isUnsupported] of [
      [{ status: 501, headers: {}, body: "" }, true],
      [refusal(404, "not_found", "No such route."), undefined],
      [refusal(501, "none", "None."), true],
      [answer(200, { account: "" }), undefined],
      [answer(200, { account: 7 }), undefined],
      [answer(200, { account: "x".repeat(256) }), undefined],
      [answer(200, { account: apiKey }), undefined]
    ] as const) {
      const failure = yield* ends.unanswers((connector) => connector.account?.() ?? noMethod, answered)
      assert.strictEqual(failure.isUnsupported, isUnsupported)
    }
  })
})

describe("errors", () => {
  itRuns("the error of an unreadable answer names the field and shows no value", function* () {
    const failure = yield* unanswers("charge", charged({ status: "captured", captured_amount: "12345678" }))
    assert.include(failure.reason, "captured_amount")
    assert.notInclude(JSON.stringify(failure), "12345678")
    const shown = charged({ status: "captured", provider_reference: `ch_${btoa(apiKey)}` })
    const { reason } = yield* unanswers("charge", shown)
    assert.match(reason, /\(status 200\) is not as the protocol says at provider_reference$/u)
  })
})

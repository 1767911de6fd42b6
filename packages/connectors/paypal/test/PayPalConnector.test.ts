import { assert, describe, it } from "@effect/vitest"
import { type Ask, noMethod, playedConnector } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { BeginBy, money, NotSent, type TransportAnswer, Unanswered } from "@pointsman/core/connector"
import { Effect, Fiber, Redacted } from "effect"
import { TestClock } from "effect/testing"
import {
  answersWith,
  asking,
  asks,
  attemptId,
  bodyOf,
  connected,
  eur,
  isNotSent,
  operationId,
  refundId,
  requestOf,
  sample,
  tagOf,
  timeoutMillis,
  unanswers
} from "./Calls.ts"
import {
  accessToken,
  amount,
  answer,
  authorization,
  authorizationId,
  baseUrl,
  capture,
  captureId,
  clientSecret,
  credentials,
  definition,
  type Fields,
  failure,
  isTokenRequest,
  order,
  orderId,
  refund,
  refundReference,
  token,
  tokenRefused
} from "./PayPal.ts"

const given = answer(200, token())
const captured = answer(201, order(attemptId, { captures: [capture()] }))
const authorized = answer(200, order(attemptId, { authorizations: [authorization()] }))
const taken = answer(200, order(attemptId, { captures: [capture()] }))

const changing = ["capture", "void", "refund"] as const
const { openCheckout: _, completeCheckout: __, ...existing } = asks
const all: Readonly<Record<string, Ask>> = {
  ...existing,
  account: (connector) => connector.account?.() ?? noMethod
}

describe("the access token", () => {
  itRuns("calls in sequence make one token request, as PayPal documents it", function* () {
    const { connector, requests } = connected([given, captured, captured])
    yield* connector.charge(sample.charge)
    yield* connector.charge(sample.charge)
    const [asked, first, second] = requests
    assert.strictEqual(requests.length, 3)
    assert.strictEqual(asked?.url, `${baseUrl}/v1/oauth2/token`)
    assert.strictEqual(asked?.body, "grant_type=client_credentials")
    const { clientId } = credentials
    assert.strictEqual(asked?.headers["authorization"], `Basic ${btoa(`${clientId}:${clientSecret}`)}`)
    for (const one of [first, second]) assert.strictEqual(one?.headers["authorization"], `Bearer ${accessToken}`)
  })
  itRuns("twenty calls at once share one request for a token", function* () {
    const { connector, requests } = slowly(Effect.delay(Effect.succeed(given), "1 second"))
    const twenty = Effect.replicateEffect(connector.charge(sample.charge), 20, { concurrency: "unbounded" })
    const calls = yield* Effect.forkChild(twenty)
    yield* TestClock.adjust("2 seconds")
    yield* Fiber.join(calls)
    assert.strictEqual(requests.filter(isTokenRequest).length, 1)
    assert.strictEqual(requests.length, 21)
  })
  itRuns("the others get the token when the call that asked for it is interrupted", function* () {
    const { connector, requests } = slowly(Effect.delay(Effect.succeed(given), "1 second"))
    const first = yield* Effect.forkChild(connector.charge(sample.charge), { startImmediately: true })
    const second = yield* Effect.forkChild(connector.charge(sample.charge), { startImmediately: true })
    yield* Fiber.interrupt(first)
    yield* TestClock.adjust("2 seconds")
    assert.deepInclude(yield* Fiber.join(second), { _tag: "Captured" })
    assert.strictEqual(requests.filter(isTokenRequest).length, 1)
  })
  itRuns("a token of an hour is used for 59 minutes, and another one requested then", function* () {
    const hour = answer(200, token({ expires_in: 3_600 }))
    const { connector, requests } = connected([hour, captured, captured, hour, captured])
    yield* connector.charge(sample.charge)
    yield* TestClock.adjust(59 * 60_000 - 1)
    yield* connector.charge(sample.charge)
    assert.strictEqual(requests.filter(isTokenRequest).length, 1)
    yield* TestClock.adjust(1)
    yield* connector.charge(sample.charge)
    assert.strictEqual(requests.filter(isTokenRequest).length, 2)
  })
  const bad: Readonly<Record<string, Effect.Effect<TransportAnswer, NotSent | Unanswered>>> = {
    "401": Effect.succeed(answer(401, { error: "invalid_client" })),
    "429": Effect.succeed(failure(429)),
    "500": Effect.succeed(answer(500, "")),
    "a page": Effect.succeed(answer(200, "<html>")),
    "a token that no header can hold": Effect.succeed(answer(200, token({ access_token: "a\r\nb: c" }))),
    "a token of another type": Effect.succeed(answer(200, token({ token_type: "MAC" }))),
    "no life": Effect.succeed(answer(200, token({ expires_in: -1 }))),
    silence: Effect.fail(new Unanswered({ reason: "reset" })),
    "a refused connection": Effect.fail(new NotSent({ reason: "refused" }))
  }
  for (const [what, tokenAnswer] of Object.entries(bad)) {
    itRuns(`${what} to the token request makes every call NotSent`, function* () {
      for (const [name, ask] of Object.entries(all)) {
        const { connector, requests } = slowly(tokenAnswer)
        const failed = yield* Effect.flip(ask(connector))
        assert.instanceOf(failed, NotSent, name)
        assert.strictEqual(requests.length, 1, name)
        assert.notInclude(failed.reason, clientSecret)
      }
    })
  }
  itRuns("the next call asks again after a failed request for a token", function* () {
    const { connector, requests } = connected([answer(500, ""), given, captured])
    yield* Effect.flip(connector.charge(sample.charge))
    yield* connector.charge(sample.charge)
    assert.strictEqual(requests.length, 3)
  })
  itRuns("a 401 for the token asks for one more, and repeats the request with its id", function* () {
    const other = answer(200, token({ access_token: "A21AAother" }))
    const { connector, requests } = connected([given, tokenRefused, other, captured, captured])
    assert.deepInclude(yield* connector.charge(sample.charge), { _tag: "Captured" })
    const [, first, , second] = requests
    assert.strictEqual(requests.length, 4)
    assert.strictEqual(second?.headers["authorization"], "Bearer A21AAother")
    assert.deepStrictEqual([second?.body, second?.url], [first?.body, first?.url])
    for (const one of [first, second]) assert.strictEqual(one?.headers["paypal-request-id"], attemptId)
    // The other token is kept.
    yield* connector.charge(sample.charge)
    assert.strictEqual(requests.length, 5)
  })
  it.effect("a 401 for the second token too makes no third request, and nothing is known", () =>
    unanswers(asks.charge, [tokenRefused, given, tokenRefused])
  )
  it.effect("a 401 for the token and no other token is NotSent: PayPal executed nothing", () =>
    isNotSent(asks.charge, [tokenRefused, answer(503, "")])
  )
  const notOfToken = [answer(401, ""), answer(401, "<html>"), failure(401, "INVALID_ACCOUNT_STATUS"), captured]
  for (const [at, one] of notOfToken.entries()) {
    it.effect(`a 401 that does not say that the token ended (${at}) makes no second request`, () =>
      tagOf(asks.charge, { ...one, status: 401 })
    )
  }
  itRuns("the next call asks for another token after a 401 about something else", function* () {
    const { connector, requests } = connected([given, failure(401), given, captured])
    yield* connector.charge(sample.charge)
    assert.deepInclude(yield* connector.charge(sample.charge), { _tag: "Captured" })
    assert.strictEqual(requests.filter(isTokenRequest).length, 2)
  })
  itRuns("the token of a charge that must begin by a time need not", function* () {
    const seen: Array<number> = []
    const { connector } = over((request) =>
      Effect.gen(function* () {
        seen.push(yield* BeginBy)
        return isTokenRequest(request) ? given : captured
      })
    )
    yield* Effect.provideService(connector.charge(sample.charge), BeginBy, 5_000)
    assert.deepStrictEqual(seen, [Number.POSITIVE_INFINITY, 5_000])
  })
  itRuns("the token is not shown in PayPal's texts", function* () {
    const echo = failure(422, "PAYEE_ACCOUNT_INVALID", `The token ${accessToken} of ${clientSecret} is bad.`)
    const { connector } = connected([given, echo])
    const said = JSON.stringify(yield* connector.charge(sample.charge))
    assert.notInclude(said, accessToken)
    assert.notInclude(said, clientSecret)
  })
})

/** A connection whose requests for tokens end so, and whose charges are captured. */
function slowly(tokenAnswer: Effect.Effect<TransportAnswer, NotSent | Unanswered>) {
  return over((request) => (isTokenRequest(request) ? tokenAnswer : Effect.succeed(captured)))
}

function over(answerTo: Parameters<typeof playedConnector>[1]) {
  return playedConnector(definition, answerTo, { credentials, timeoutMillis })
}

describe("what it declares", () => {
  it("the definition says how a process with another copy of Effect makes its secrets", () => {
    assert.strictEqual(definition.redact, Redacted.make)
  })
  itRuns("a declared method's order names PayPal's source for it, captured now or later", function* () {
    const kinds = { card: "card", paypal: "wallet" } as const
    assert.deepStrictEqual<unknown>(definition.supports.paymentMethods, {
      card: { providerName: "card" },
      paypal: { providerName: "paypal" }
    })
    for (const [name, method] of Object.entries(kinds)) {
      for (const [capture, intent] of [
        [true, "CAPTURE"],
        [false, "AUTHORIZE"]
      ] as const) {
        const body = bodyOf(yield* requestOf(asking("charge", { method, capture })))
        assert.deepStrictEqual([Object.keys(body["payment_source"] as Fields), body["intent"]], [[name], intent])
      }
    }
  })
})

describe("charges", () => {
  itRuns("an account in production has PayPal's own address", function* () {
    const { baseUrl: _, ...live } = credentials
    const { connector, requests } = connected([given, captured], { environment: "production", credentials: live })
    yield* connector.charge(sample.charge)
    assert.deepStrictEqual(
      requests.map(({ url }) => url),
      ["https://api-m.paypal.com/v1/oauth2/token", "https://api-m.paypal.com/v2/checkout/orders"]
    )
  })
  itRuns("our id is a charge's key and names, and the payment's id is not sent", function* () {
    const request = yield* requestOf(asks.charge)
    const body = bodyOf(request)
    assert.strictEqual(request.headers["paypal-request-id"], attemptId)
    assert.strictEqual(request.headers["prefer"], "return=representation")
    const [unit] = body["purchase_units"] as ReadonlyArray<Fields>
    assert.deepInclude(unit, { custom_id: attemptId, invoice_id: attemptId, description: "order 1" })
    assert.notInclude(JSON.stringify(body), sample.charge.paymentId)
  })
  for (const instrument of [null, "", "two words", "../x", "ä", "a".repeat(256)]) {
    itRuns(`the instrument ${JSON.stringify(instrument)?.slice(0, 20)} is rejected, unsent`, function* () {
      const token = instrument === null ? null : Redacted.make(instrument)
      const state = yield* asking("charge", { instrument: token })(connected([]).connector)
      assert.nestedPropertyVal(state, "code", "instrument_unusable")
    })
  }
  itRuns("another attempt's order says nothing of this one, and its state is passed on", function* () {
    const failed = yield* unanswers(asks.charge, answer(200, order("att_other", { captures: [capture()] })))
    assert.deepInclude(failed.ofAnother, { attemptId: "att_other" })
    assert.strictEqual(failed.ofAnother?.state._tag, "Captured")
  })
  const ofUnit = (payments: Fields, custom_id: string | undefined = attemptId) => ({
    purchase_units: [{ custom_id, payments }]
  })
  const usd = { amount: amount("1.00", "USD") }
  const unknown: Readonly<Record<string, Fields>> = {
    "two units": { purchase_units: [{ custom_id: attemptId }, { custom_id: attemptId }] },
    "no unit": { purchase_units: [] },
    "no name of ours": { purchase_units: [{ payments: { captures: [capture()] } }] },
    "a name of another program": ofUnit({ captures: [capture()] }, "order 7"),
    "a capture of an unknown status": ofUnit({ captures: [capture({ status: "SETTLED" })] }),
    "a capture without an amount": ofUnit({ captures: [capture({ amount: undefined })] }),
    "captures of two currencies": ofUnit({ captures: [capture(), capture(usd)] }),
    "two authorizations": ofUnit({ authorizations: [authorization(), authorization()] })
  }
  for (const [what, fields] of Object.entries(unknown)) {
    it.effect(`an order with ${what} leaves nothing known`, () =>
      unanswers(asks.charge, answer(201, order(attemptId, undefined, fields)))
    )
  }
  itRuns("several captures sum up those that took money", function* () {
    const captures = [capture(), capture({ status: "REFUNDED" }), capture({ status: "DECLINED" })]
    const state = { _tag: "Captured", providerRef: orderId, stated: money(2468, "EUR") }
    yield* answersWith(asks.lookUpCharge, answer(200, order(attemptId, { captures })), { _tag: "Found", state })
  })
  itRuns("a declined capture of an authorization leaves the authorization", function* () {
    const shown = { authorizations: [authorization()], captures: [capture({ status: "DECLINED" })] }
    const state = { _tag: "Authorized", providerRef: orderId, stated: eur }
    yield* answersWith(asks.lookUpCharge, answer(200, order(attemptId, shown)), { _tag: "Found", state })
  })
  itRuns("a used invoice id leaves nothing known but that the key was used", function* () {
    assert.isTrue((yield* unanswers(asks.charge, failure(422, "DUPLICATE_INVOICE_ID"))).isKeyUsed)
  })
  it.effect("a 422 of another name leaves nothing known", () =>
    unanswers(asks.charge, failure(422, "INSTRUMENT_DECLINED", "", { name: "INTERNAL_SERVER_ERROR" }))
  )
})

describe("captures, voids and refunds", () => {
  itRuns("a capture is the last one of the order's authorization", function* () {
    const { connector, requests } = connected([
      given,
      authorized,
      answer(201, capture({ invoice_id: operationId, amount: amount("3.00") }))
    ])
    const state = yield* asks.capture(connector)
    assert.include(JSON.stringify(state), '"minorUnits":300')
    const [, read, sent] = requests
    assert.strictEqual(read?.url, `${baseUrl}/v2/checkout/orders/${orderId}`)
    assert.strictEqual(read?.headers["paypal-request-id"], undefined)
    assert.strictEqual(sent?.url, `${baseUrl}/v2/payments/authorizations/${authorizationId}/capture`)
    assert.strictEqual(sent?.headers["paypal-request-id"], operationId)
    assert.deepInclude(bodyOf(sent), { invoice_id: operationId, final_capture: true })
  })
  itRuns("a void is of the order's authorization, without a body", function* () {
    const { connector, requests } = connected([given, authorized, answer(200, authorization({ status: "VOIDED" }))])
    assert.deepStrictEqual(yield* asks.void(connector), { _tag: "Canceled", providerRef: orderId })
    assert.strictEqual(requests[2]?.url, `${baseUrl}/v2/payments/authorizations/${authorizationId}/void`)
    assert.strictEqual(requests[2]?.body, undefined)
    assert.strictEqual(requests[2]?.headers["content-type"], "application/json")
  })
  itRuns("a refund is of the order's capture, with our id and without the reason", function* () {
    const { connector, requests } = connected([given, taken, answer(201, refund({ custom_id: refundId }))])
    assert.deepInclude(yield* asks.refund(connector), { _tag: "Succeeded" })
    assert.strictEqual(requests[2]?.url, `${baseUrl}/v2/payments/captures/${captureId}/refund`)
    assert.deepStrictEqual(bodyOf(requests[2]), { amount: amount(), custom_id: refundId })
  })
  const two = { authorizations: [authorization(), authorization()], captures: [capture(), capture()] }
  const nothingTaken = [capture({ status: "PENDING" }), capture({ status: "DECLINED" })]
  const orders: Readonly<Record<string, TransportAnswer>> = {
    "500": answer(500, ""),
    "404": failure(404, "INVALID_RESOURCE_ID"),
    "a page": answer(200, "<html>"),
    "the order of another id": answer(200, order(attemptId, { captures: [capture()] }, { id: "OTHER" })),
    "an order without payments": answer(200, order(attemptId, undefined)),
    "two of what is needed": answer(200, order(attemptId, two)),
    "captures that took nothing": answer(200, order(attemptId, { captures: nothingTaken }))
  }
  for (const [what, shown] of Object.entries(orders)) {
    itRuns(`${what} where the order is read is NotSent, and nothing that moves money is sent`, function* () {
      // After the token and the order, no third request.
      for (const name of changing) yield* isNotSent(asks[name], shown)
    })
  }
  itRuns("no answer where the order is read is NotSent: reading moves no money", function* () {
    for (const name of changing) {
      const { connector } = over((request) =>
        isTokenRequest(request) ? Effect.succeed(given) : Effect.fail(new Unanswered({ reason: "reset" }))
      )
      assert.instanceOf(yield* Effect.flip(asks[name](connector)), NotSent, name)
    }
  })
  itRuns("an answer about another capture, void or refund leaves nothing known", function* () {
    const others = {
      capture: [authorized, answer(201, capture({ invoice_id: "op_other" }))],
      void: [authorized, answer(200, authorization({ id: "OTHER", status: "VOIDED" }))],
      refund: [taken, answer(201, refund({ custom_id: "rf_other" }))]
    }
    for (const name of changing) yield* unanswers(asks[name], others[name])
  })
  for (const issue of ["AUTHORIZATION_ALREADY_CAPTURED", "PREVIOUSLY_VOIDED", "CAPTURE_FULLY_REFUNDED"]) {
    itRuns(`${issue} leaves nothing known: it was done before`, function* () {
      for (const name of changing) {
        yield* unanswers(asks[name], [name === "refund" ? taken : authorized, failure(422, issue)])
      }
    })
  }
})

describe("lookups", () => {
  itRuns("a charge whose order is not known sends nothing, and nothing is known", function* () {
    const found = yield* asking("lookUpCharge", { providerRef: null })(connected([]).connector)
    assert.deepStrictEqual(found, { _tag: "NotFound", conclusive: false })
  })
  itRuns("refunds of PayPal's pages in a looked-up order have no id of ours", function* () {
    const byHand = refund({ id: "R2", custom_id: attemptId, amount: amount("4.00") })
    const refunds = [refund({ id: "R1", custom_id: refundId }), byHand]
    const _tag = "Succeeded"
    yield* answersWith(asks.lookUpCharge, answer(200, order(attemptId, { captures: [capture()], refunds })), {
      ...{ _tag: "Found", state: { _tag: "Captured", providerRef: orderId, stated: eur } },
      refunds: [
        { refundId, state: { _tag, providerRefundId: "R1", stated: eur } },
        { refundId: null, state: { _tag, providerRefundId: "R2", stated: money(400, "EUR") } }
      ]
    })
  })
  it.effect("an order that PayPal does not know settles nothing", () =>
    unanswers(asks.lookUpCharge, failure(404, "INVALID_RESOURCE_ID"))
  )
  for (const [whose, id] of [
    ["the attempt", attemptId],
    ["another attempt", "att_other"]
  ] as const) {
    itRuns(`the order of ${whose} without payments settles nothing`, function* () {
      for (const status of ["CREATED", "SAVED", "APPROVED", "PAYER_ACTION_REQUIRED"]) {
        const failed = yield* unanswers(asks.lookUpCharge, answer(200, order(id, undefined, { status })))
        assert.include(failed.reason, "purchase_units.0.payments")
        assert.isUndefined(failed.ofAnother)
      }
    })
  }
  itRuns("our captures and refunds are found by our names among others in the order", function* () {
    const shown = answer(
      200,
      order(attemptId, {
        captures: [capture({ invoice_id: "op_other" }), capture({ invoice_id: operationId, status: "PENDING" })],
        refunds: [refund({ id: "R1", custom_id: "rf_other" }), refund({ id: "R2", custom_id: refundId })]
      })
    )
    yield* answersWith(asks.lookUpOperation, shown, { _tag: "Found", state: { _tag: "OperationPending" } })
    const state = { _tag: "Succeeded", providerRefundId: "R2", stated: eur }
    yield* answersWith(asks.lookUpRefund, shown, { _tag: "Found", state })
  })
  itRuns("a refund by PayPal's id is asked for by that, whatever id of ours it has", function* () {
    const lookUp = asking("lookUpRefund", { providerRefundId: refundReference })
    const { connector, requests } = connected([given, answer(200, refund({ custom_id: attemptId }))])
    const state = { _tag: "Succeeded", providerRefundId: refundReference, stated: eur }
    assert.deepStrictEqual(yield* lookUp(connector), { _tag: "Found", state })
    assert.strictEqual(requests[1]?.url, `${baseUrl}/v2/payments/refunds/${refundReference}`)
    const others = [refund({ id: "R2" }), refund({ id: undefined }), refund({ status: "HELD" })]
    for (const other of [...others.map((one) => answer(200, one)), failure(404, "INVALID_RESOURCE_ID"), failure(500)]) {
      yield* unanswers(lookUp, other)
    }
  })
})

/** What is asked of Checkout.com, and what its answers mean, beyond what the suite of all connectors knows. */

import { assert, describe, it } from "@effect/vitest"
import { type Ask, asksOf, noMethod, paymentRequests } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { type ChargeState, money } from "@pointsman/core/connector"
import { Redacted } from "effect"
import {
  answersWith,
  asks,
  attemptId,
  bodyOf,
  captureReference,
  connected,
  eur,
  isNotSent,
  operationId,
  reference,
  refundId,
  refundReference,
  requestOf,
  sample,
  timeoutMillis,
  unanswers,
  voidLookup,
  voidReference
} from "./Calls.ts"
import {
  accepted,
  acceptedPayment,
  action,
  answer,
  authorization,
  capturedPayment,
  channel,
  failure,
  instrument,
  link,
  list,
  openedLink,
  payment,
  paymentId,
  prefix,
  secretKey
} from "./Checkout.ts"

const linkId = "pl_ok1itj8ykm3eyk1toywr6uwlwe"
const onPage = { ...sample.lookUpCharge, checkoutReference: linkId }
const ours = { reference }
const notYet = { _tag: "NotFound", conclusive: false } as const
const captured: ChargeState = { _tag: "Captured", providerRef: paymentId, stated: eur }
const found = (state: object) => ({ _tag: "Found", state })
const byName: Ask = (connector) => connector.lookUpCharge({ ...sample.lookUpCharge, providerRef: paymentId })

describe("what is asked", () => {
  itRuns("a direct charge is one request with the key, the account's address and reference", function* () {
    const { connector, requests } = connected([answer(201, payment(ours))], {
      credentials: { secretKey, prefix, processingChannelId: channel }
    })
    yield* connector.charge(sample.charge)
    const [request] = requests
    if (request === undefined) return assert.fail("nothing was sent")
    assert.strictEqual(request.url, `https://${prefix}.api.sandbox.checkout.com/payments`)
    assert.deepStrictEqual(request.headers, {
      accept: "application/json",
      authorization: `Bearer ${secretKey}`,
      "cko-idempotency-key": attemptId,
      "content-type": "application/json"
    })
    assert.strictEqual(request.timeoutMillis, timeoutMillis)
    assert.deepStrictEqual(bodyOf(request), {
      source: { type: "id", id: instrument },
      amount: 1234,
      currency: "EUR",
      payment_type: "Regular",
      capture: true,
      "3ds": { enabled: false },
      reference,
      processing_channel_id: channel,
      metadata: {
        attempt_id: attemptId,
        capture: "automatic",
        page: "false",
        reference: "order 1",
        country: "NL",
        card_brand: "visa",
        initiator: "cit"
      }
    })
  })
  itRuns("a connection in production has the live address", function* () {
    const { connector, requests } = connected([answer(201, payment(ours))], {
      environment: "production",
      credentials: { secretKey: "sk_o2nulev2arguvyf6w7sc5fkznas", prefix }
    })
    yield* connector.charge(sample.charge)
    assert.strictEqual(requests[0]?.url, `https://${prefix}.api.checkout.com/payments`)
    assert.deepStrictEqual(yield* connector.account?.() ?? noMethod, { id: prefix, mode: "live" })
  })
  itRuns("a payment that the merchant starts says so, with the one that began the series", function* () {
    const { connector, requests } = connected([answer(201, payment(ours)), answer(201, payment(ours))])
    const token = `${instrument}/${paymentId}`
    yield* connector.charge({ ...sample.charge, initiator: "mit", capture: false, instrument: Redacted.make(token) })
    const body = bodyOf(requests[0])
    assert.deepStrictEqual(
      [body["merchant_initiated"], body["payment_type"], body["previous_payment_id"], body["capture"]],
      [true, "Unscheduled", paymentId, false]
    )
    yield* connector.charge({ ...sample.charge, instrument: Redacted.make(token) })
    assert.notProperty(bodyOf(requests[1]), "previous_payment_id")
  })
  itRuns("a charge of another payment id is the very same request", function* () {
    const { connector, requests } = connected([answer(201, payment(ours)), answer(201, payment(ours))])
    yield* connector.charge(sample.charge)
    yield* connector.charge({ ...sample.charge, paymentId: "pay_2" })
    assert.deepStrictEqual(requests[0], requests[1])
  })
  itRuns("instruments that are none of Checkout.com's send nothing", function* () {
    const { connector, requests } = connected([])
    for (const token of [
      "",
      "src_1",
      "tok_wmlfc3zyhqzehihu7giusaaawu",
      `${instrument}/`,
      `${instrument}/x`,
      `x${instrument}`
    ]) {
      const end = yield* connector.charge({ ...sample.charge, instrument: Redacted.make(token) })
      assert.strictEqual(end._tag === "Rejected" ? end.code : end._tag, "instrument_unusable", token)
    }
    const end = yield* connector.charge({ ...sample.charge, instrument: null })
    assert.strictEqual(end._tag, "Rejected")
    assert.isEmpty(requests)
  })
  itRuns("a page is one payment link for an hour, by card, with its end", function* () {
    const { connector, requests } = connected([answer(201, openedLink())])
    const opened = yield* connector.openCheckout?.({ ...sample.openCheckout, cardBrand: null, reference: null }) ??
      noMethod
    assert.deepStrictEqual(opened, {
      _tag: "CheckoutOpened",
      reference: linkId,
      url: `https://pay.sandbox.checkout.com/page/${linkId}`,
      expiresAt: Date.UTC(2026, 10, 21, 13, 0, 0, 501)
    })
    assert.strictEqual(requests[0]?.url, "https://checkout.example/payment-links")
    assert.deepStrictEqual(bodyOf(requests[0]), {
      amount: 1234,
      currency: "EUR",
      billing: { address: { country: "NL" } },
      allow_payment_methods: ["card"],
      capture: true,
      expires_in: 3600,
      return_url: "https://pay.example/hosted/t/return",
      reference,
      metadata: { attempt_id: attemptId, capture: "automatic", page: "true", country: "NL", initiator: "cit" }
    })
  })
  itRuns("a page offers only the named method, by Checkout.com's name", function* () {
    const { connector, requests } = connected([answer(201, openedLink())])
    yield* connector.openCheckout?.({ ...sample.openCheckout, paymentMethod: "apple_pay" }) ?? noMethod
    assert.deepInclude(bodyOf(requests[0]) as object, { allow_payment_methods: ["applepay"] })
  })
  itRuns("a capture, a void and a refund are each named by our id", function* () {
    const { connector, requests } = connected([
      answer(202, accepted({ reference: captureReference })),
      answer(202, accepted({ reference: voidReference })),
      answer(202, accepted({ reference: refundReference }))
    ])
    const pending = { _tag: "Pending", providerRef: paymentId }
    assert.deepStrictEqual<unknown>(yield* connector.capture?.(sample.capture) ?? noMethod, pending)
    assert.deepStrictEqual<unknown>(yield* connector.void?.(sample.void) ?? noMethod, pending)
    assert.deepStrictEqual<unknown>(yield* connector.refund?.(sample.refund) ?? noMethod, {
      _tag: "RefundPending",
      providerRefundId: "act_gefycn3jcvuupboxfmqrhk2aym"
    })
    assert.deepStrictEqual(
      requests.map(({ url }) => url.slice(url.indexOf("/payments"))),
      ["captures", "voids", "refunds"].map((what) => `/payments/${paymentId}/${what}`)
    )
    assert.deepStrictEqual(requests.map(bodyOf), [
      {
        amount: 1234,
        capture_type: "Final",
        reference: captureReference,
        metadata: { attempt_id: attemptId, operation_id: operationId }
      },
      { reference: voidReference, metadata: { attempt_id: attemptId, operation_id: operationId } },
      {
        amount: 1234,
        reference: refundReference,
        metadata: { attempt_id: attemptId, refund_id: refundId, reason: "broken" }
      }
    ])
  })
  itRuns("texts longer than metadata may be are cut between characters", function* () {
    const { connector, requests } = connected([answer(201, payment(ours))])
    yield* connector.charge({ ...sample.charge, reference: "😀".repeat(300) })
    const { reference: sent } = bodyOf(requests[0])["metadata"] as { readonly reference: string }
    assert.strictEqual(sent, "😀".repeat(255))
  })
  itRuns("amounts that Checkout.com cannot express send nothing", function* () {
    for (const odd of [
      money(1_234, "KWD"),
      money(1_000_000_000, "EUR"),
      money(0, "EUR"),
      money(100, "CLP"),
      money(1, "CLF")
    ]) {
      const ask = asksOf(paymentRequests({ attemptId, providerRef: paymentId, instrument, money: odd }))
      for (const name of ["charge", "openCheckout", "capture", "refund"] as const) yield* isNotSent(ask[name], [])
    }
  })
})

describe("what an answer to a charge means", () => {
  const states: ReadonlyArray<readonly [string, unknown, unknown]> = [
    ["no balances", payment({ balances: undefined }), ["Authorized", 1234]],
    [
      "a part that was captured",
      capturedPayment(1234, { status: "Partially Captured", balances: { total_captured: 200 } }),
      ["Captured", 200]
    ],
    ["a refund of all", capturedPayment(1234, { status: "Refunded" }), ["Captured", 1234]],
    [
      "statuses in lower case, as the search writes them",
      capturedPayment(1234, { status: "captured" }),
      ["Captured", 1234]
    ]
  ]
  for (const [what, body, expected] of states) {
    itRuns(`${what} is ${JSON.stringify(expected)}`, function* () {
      const end = yield* connected([answer(201, body)]).connector.charge(sample.charge)
      assert.deepStrictEqual([end._tag, "stated" in end ? end.stated?.minorUnits : undefined], expected)
    })
  }
  it.effect("a 202 with a redirect needs neither amount nor reference", () =>
    answersWith(asks.charge, answer(202, acceptedPayment()), { _tag: "NeedsCustomer", providerRef: paymentId })
  )
  itRuns("a 202 to another attempt under our key is passed on as that attempt's", function* () {
    const given = answer(202, acceptedPayment({ reference: "a0000000000000000000000001" }))
    assert.deepStrictEqual((yield* unanswers(asks.charge, given)).ofAnother, {
      attemptId: "att_00000000-0000-0000-0000-000000000001",
      state: { _tag: "NeedsCustomer", providerRef: paymentId }
    })
  })
  const unknown: ReadonlyArray<readonly [string, ReturnType<typeof answer>]> = [
    ["a 202 that is not pending", answer(202, acceptedPayment({ status: "Authorized" }))],
    ["a 202 without an id", answer(202, acceptedPayment({ id: undefined }))],
    ["captured money of no stated amount", answer(201, payment({ status: "Captured", balances: undefined }))],
    ["a payout", answer(201, payment({ status: "Paid" }))],
    ["a returned bank payment", answer(201, payment({ status: "Returned" }))],
    ["a currency that it does not take", answer(201, payment({ currency: "XXX" }))],
    ["a fraction", answer(201, payment({ amount: 12.5 }))],
    ["a 400", failure(400, ["request_malformed"])],
    ["a 404", failure(404, ["resource_not_found"])],
    ["a 422 without a body", answer(422, "")],
    ["a gateway's 403", answer(403, "<html>403 Forbidden</html>")]
  ]
  for (const [what, given] of unknown) {
    it.effect(`${what} has an unknown result`, () => unanswers(asks.charge, given))
  }
  itRuns("a key without the right did nothing", function* () {
    for (const [given, code] of [
      [failure(401, [], "authentication_error"), "authentication_error"],
      [failure(403, ["capture_not_allowed"], "action_not_allowed"), "capture_not_allowed"],
      [failure(422, ["amount_invalid", "currency_invalid"]), "amount_invalid"]
    ] as const) {
      const end = yield* connected([given]).connector.charge(sample.charge)
      assert.strictEqual(end._tag === "Rejected" ? end.code : end._tag, code)
    }
  })
  itRuns("an answer to another attempt under our key is passed on as that attempt's", function* () {
    const another = answer(201, capturedPayment(1234, { reference: "a0000000000000000000000001" }))
    assert.deepStrictEqual((yield* unanswers(asks.charge, another)).ofAnother, {
      attemptId: "att_00000000-0000-0000-0000-000000000001",
      state: captured
    })
    const strange = answer(201, payment({ reference: "ORD-1" }))
    assert.isUndefined((yield* unanswers(asks.charge, strange)).ofAnother)
  })
  itRuns("an answer to another operation under our key is unknown", function* () {
    const other = answer(202, accepted({ reference: "c0000000000000000000000001" }))
    for (const name of ["capture", "void", "refund"] as const) yield* unanswers(asks[name], other)
  })
})

describe("what is looked up", () => {
  for (const [what, ask, answered, path] of [
    [
      "without an answer",
      asks.lookUpCharge,
      list(capturedPayment(1234, ours)),
      `?limit=100&skip=0&reference=${reference}`
    ],
    ["that Checkout.com named", byName, capturedPayment(1234, ours), `/${paymentId}`]
  ] as const) {
    itRuns(`a charge ${what} is asked for by our reference or that name`, function* () {
      yield* answersWith(ask, answer(200, answered), found(captured))
      const { body, url } = yield* requestOf(ask)
      assert.deepStrictEqual([url, body], [`https://checkout.example/payments${path}`, undefined])
    })
  }
  itRuns("the actions of a charge name its refunds, also those of the Dashboard", function* () {
    const balances = { total_authorized: 1234, total_captured: 1234, total_refunded: 1234 }
    const shown = answer(200, capturedPayment(1234, { ...ours, balances }))
    const refunds = [
      action({ id: "act_ours", type: "Refund", amount: 834, reference: refundReference }),
      action({ id: "act_hand", type: "Refund", amount: 400, reference }),
      action({ id: "act_refused", type: "Refund", amount: 400, reference, approved: false })
    ]
    const { connector, requests } = connected([shown, answer(200, [...refunds, action()])])
    const looked = yield* connector.lookUpCharge({ ...sample.lookUpCharge, providerRef: paymentId })
    assert.deepStrictEqual(
      looked._tag === "Found" &&
        looked.refunds?.map((one) => [one.refundId, one.state.providerRefundId, one.state._tag]),
      [
        [refundId, "act_ours", "Succeeded"],
        [null, "act_hand", "Succeeded"],
        [null, "act_refused", "RefundFailed"]
      ]
    )
    assert.strictEqual(requests[1]?.url, `https://checkout.example/payments/${paymentId}/actions`)
  })
  itRuns("the payment that is alive counts among those that ended", function* () {
    const declined = payment({ ...ours, id: "pay_a", status: "Declined", response_code: "20005" })
    const all = list(declined, capturedPayment(1234, ours), declined)
    yield* answersWith(asks.lookUpCharge, answer(200, all), found(captured))
    const ended = yield* connected([answer(200, list(declined))]).connector.lookUpCharge(sample.lookUpCharge)
    assert.strictEqual(ended._tag === "Found" ? ended.state._tag : ended._tag, "Declined")
  })
  const unsettled: ReadonlyArray<readonly [string, unknown]> = [
    ["a payment with another reference", list(capturedPayment(1234, { reference: "ORD-1" }))],
    ["a payment without a reference", list(capturedPayment(1234))],
    ["more payments than it shows", { ...list(), total_count: 1 }],
    ["an entry that is not understood", list(capturedPayment(1234, { ...ours, amount: "12.34" }))]
  ]
  for (const [what, body] of unsettled) {
    it.effect(`${what} leaves nothing known`, () => unanswers(asks.lookUpCharge, answer(200, body)))
  }
  itRuns("a payment may still be there, however late, if none has our reference", function* () {
    const late = { date: "Tue, 01 Dec 2026 12:00:00 GMT" }
    yield* answersWith(asks.lookUpCharge, answer(200, list(), late), notYet)
  })
  itRuns("a payment on a page with a lost record is found by its attempt's reference", function* () {
    const paidOnPage = capturedPayment(1234, { reference, metadata: { attempt_id: attemptId, page: "true" } })
    const refusedBefore = payment({ reference, id: "pay_b", status: "Declined", response_code: "20005" })
    const { connector, requests } = connected([answer(201, openedLink()), answer(200, list(paidOnPage, refusedBefore))])
    yield* connector.openCheckout?.(sample.openCheckout) ?? noMethod
    assert.deepStrictEqual<unknown>(yield* connector.lookUpCharge(sample.lookUpCharge), found(captured))
    assert.strictEqual(new URL(requests[1]?.url ?? "").searchParams.get("reference"), bodyOf(requests[0])["reference"])
  })
  itRuns("another payment than was asked for, or none, leaves nothing known", function* () {
    const asked = { ...sample.lookUpCharge, providerRef: "pay_another" }
    for (const given of [answer(200, capturedPayment(1234, ours)), failure(404, ["resource_not_found"], "not_found")]) {
      yield* unanswers((connector) => connector.lookUpCharge(asked), given)
    }
  })

  const lookUpPage: Ask = (connector) => connector.lookUpCharge(onPage)
  const page = (fields: Readonly<Record<string, unknown>>) => answer(200, link({ reference, ...fields }))
  const paid = answer(200, capturedPayment(1234, { reference }))
  const declined = answer(200, payment({ reference, status: "Declined", response_code: "20005" }))
  itRuns("a paid page has its payment after a second request", function* () {
    const { connector, requests } = connected([page({ status: "Payment Received", payment_id: paymentId }), paid])
    assert.deepStrictEqual<unknown>(yield* connector.lookUpCharge(onPage), found(captured))
    assert.deepStrictEqual(
      requests.map(({ url }) => url),
      [`https://checkout.example/payment-links/${linkId}`, `https://checkout.example/payments/${paymentId}`]
    )
  })
  itRuns("a refusal on a page is final only once the page has ended", function* () {
    const over = connected([page({ status: "Expired", payment_id: paymentId }), declined])
    const looked = yield* over.connector.lookUpCharge(onPage)
    assert.strictEqual(looked._tag === "Found" ? looked.state._tag : looked._tag, "Declined")
  })
  it.effect("the money of a page that is paid while active counts", () =>
    answersWith(lookUpPage, [page({ payment_id: paymentId }), paid], found(captured))
  )
  itRuns("another page's record, or one of an unnamed payment, leaves it unknown", function* () {
    for (const fields of [
      { id: "pl_another", status: "Expired" },
      { reference: "ORD-1", status: "Expired" },
      { status: "Payment Received" },
      { status: "Cancelled" }
    ]) {
      yield* unanswers(lookUpPage, page(fields))
    }
  })

  itRuns("each operation is found by its reference in a payment's actions", function* () {
    const actions = answer(200, [
      action({ id: "act_r", type: "Refund", amount: 500, reference: refundReference }),
      action({ id: "act_v", type: "Void", reference: voidReference, approved: false, response_summary: undefined }),
      action({ id: "act_c", amount: 1000, reference: captureReference }),
      authorization
    ])
    const taken = { _tag: "OperationConfirmed", stated: money(1000, "EUR"), captureId: "act_c" }
    yield* answersWith(asks.lookUpOperation, actions, found(taken))
    const failed = { _tag: "OperationFailed", isFinal: true, reason: "10000" }
    yield* answersWith((connector) => connector.lookUpOperation?.(voidLookup) ?? noMethod, actions, found(failed))
    const refunded = { _tag: "Succeeded", providerRefundId: "act_r", stated: money(500, "EUR") }
    yield* answersWith(asks.lookUpRefund, actions, found(refunded))
    for (const name of ["lookUpOperation", "lookUpRefund"] as const) {
      const { url } = yield* requestOf(asks[name])
      assert.strictEqual(url, `https://checkout.example/payments/${paymentId}/actions`)
    }
  })
  itRuns("an action of the kind without a name may be ours, and nothing is known", function* () {
    yield* unanswers(asks.lookUpOperation, answer(200, [action(), authorization]))
    // One that somebody made by hand, with a reference of their own, is not ours.
    const byHand = answer(200, [action({ reference: "by hand" }), authorization])
    yield* answersWith(asks.lookUpOperation, byHand, notYet)
  })
  itRuns("a refund that Checkout.com named is found by that name among ours", function* () {
    const ofPayment = { reference, metadata: { attempt_id: attemptId } }
    const actions = answer(200, [
      action({ id: "act_o", type: "Refund", amount: 700, reference: refundReference }),
      action({ id: "act_r", type: "Refund", amount: 500, ...ofPayment }),
      authorization
    ])
    const byHand = { ...sample.lookUpRefund, refundId: "rf_of_no_request", providerRefundId: "act_r" }
    const refunded = { _tag: "Succeeded", providerRefundId: "act_r", stated: money(500, "EUR") }
    yield* answersWith((connector) => connector.lookUpRefund?.(byHand) ?? noMethod, actions, found(refunded))
  })
})

/** What goes to Adyen and what its answers mean, line by line. */

import { assert, describe, it } from "@effect/vitest"
import { AdyenConnector } from "@pointsman/connector-adyen"
import { asksOf, moneyOperations, noMethod, type Operation, paymentRequests } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { adviceOf, type ChargeRequest, declineDetail, money, type TransportRequest } from "@pointsman/core/connector"
import { Effect, Redacted, Result } from "effect"
import { deviations, fromAdyen, toAdyen } from "../src/Amounts.ts"
import { meaningOf, reasons } from "../src/Declines.ts"
import { answer, apiKey, credentials, merchantAccount, serviceError } from "./Adyen.ts"
import {
  answersWith,
  asks,
  attemptId,
  connect,
  isNotSent,
  linkId,
  providerRef,
  requestOf,
  sample,
  unanswers
} from "./Requests.ts"

const bodyOf = ({ body }: TransportRequest): Readonly<Record<string, unknown>> => JSON.parse(body ?? "null")

describe("requests", () => {
  const common = { merchantAccount, amount: { value: 1000, currency: "EUR" } }
  const begun = { countryCode: "NL" }
  const table = [
    [
      "charge",
      "POST",
      "/payments",
      attemptId,
      {
        ...common,
        ...begun,
        reference: `${attemptId}.taken`,
        shopperReference: "shopper-1",
        paymentMethod: { type: "scheme", storedPaymentMethodId: "M5N7TQ4TG5PFWR50" },
        shopperInteraction: "ContAuth",
        recurringProcessingModel: "CardOnFile",
        captureDelayHours: 0,
        returnUrl: "https://example.com/"
      }
    ],
    [
      "openCheckout",
      "POST",
      "/paymentLinks",
      attemptId,
      {
        ...common,
        ...begun,
        reference: `${attemptId}.taken.page`,
        allowedPaymentMethods: ["scheme"],
        reusable: false,
        captureDelayHours: 0,
        returnUrl: "https://pay.example/hosted/t/return"
      }
    ],
    [
      "capture",
      "POST",
      `/payments/${providerRef}/captures`,
      "op_1",
      { ...common, reference: `${attemptId}.take.op_1` }
    ],
    [
      "void",
      "POST",
      `/payments/${providerRef}/cancels`,
      "op_2",
      { merchantAccount, reference: `${attemptId}.void.op_2` }
    ],
    ["refund", "POST", `/payments/${providerRef}/refunds`, "rf_1", { ...common, reference: "rf_1" }],
    ["lookUpCharge", "GET", "/paymentLinks/PLE83C39B0A0DE0C1E", attemptId, null]
  ] as const satisfies ReadonlyArray<readonly [Operation, string, string, string, object | null]>

  for (const [operation, method, path, id, body] of table) {
    itRuns(`${operation} is ${method} ${path}, word for word`, function* () {
      const request = yield* requestOf(asks[operation])
      assert.strictEqual(`${request.method} ${request.url}`, `${method} https://checkout-test.adyen.com/v72${path}`)
      assert.strictEqual(request.timeoutMillis, 2_000)
      assert.deepStrictEqual(request.headers, {
        "x-api-key": apiKey,
        accept: "application/json",
        "idempotency-key": id,
        ...(body === null ? {} : { "content-type": "application/json" })
      })
      assert.deepStrictEqual(bodyOf(request), body)
    })
  }

  const charged = (more: Partial<ChargeRequest>) =>
    requestOf((connector) => connector.charge({ ...sample.charge, ...more }))
  const bodyOfCharge = (more: Partial<ChargeRequest>) => Effect.map(charged(more), bodyOf)
  itRuns("a charge with another payment id is the same request", function* () {
    const another = yield* charged({ paymentId: "01a1fe08-9228-7603-b126-ec7b725f9999" })
    assert.deepStrictEqual(another, yield* charged({}))
  })
  itRuns("a charge to be held says so in its request, whatever the account's setting", function* () {
    const body = yield* bodyOfCharge({ capture: false })
    assert.deepStrictEqual(body["additionalData"], { manualCapture: "true" })
    assert.strictEqual(body["reference"], `${attemptId}.held`)
    assert.notProperty(body, "captureDelayHours")
    const held = { ...sample.openCheckout, capture: false }
    const link = bodyOf(yield* requestOf((connector) => connector.openCheckout?.(held) ?? noMethod))
    assert.strictEqual(link["manualCapture"], true)
    assert.strictEqual(link["reference"], `${attemptId}.held.page`)
    assert.notProperty(link, "captureDelayHours")
  })
  itRuns("a charge that the merchant starts is an unscheduled one on stored details", function* () {
    const body = yield* bodyOfCharge({ initiator: "mit" })
    assert.strictEqual(body["shopperInteraction"], "ContAuth")
    assert.strictEqual(body["recurringProcessingModel"], "UnscheduledCardOnFile")
  })
  itRuns("Adyen's part of a shopper's reference with slashes is behind the last one", function* () {
    const body = yield* bodyOfCharge({ instrument: Redacted.make("a/b/c/8415") })
    assert.strictEqual(body["shopperReference"], "a/b/c")
    assert.deepStrictEqual(body["paymentMethod"], { type: "scheme", storedPaymentMethodId: "8415" })
  })
  for (const token of [
    null,
    "",
    "8415",
    "/8415",
    "ab/8415",
    "shopper/",
    "shopper/84 15",
    `shopper/${"8".repeat(65)}`
  ]) {
    itRuns(`${token === null ? "no token" : `the token "${token}"`} is Rejected and unsent`, function* () {
      const { connector, requests } = connect([])
      const instrument = token === null ? null : Redacted.make(token)
      const said = yield* connector.charge({ ...sample.charge, instrument })
      assert.deepStrictEqual(said, {
        _tag: "Rejected",
        code: "instrument_unusable",
        message:
          "Nothing was sent to Adyen: a direct charge requires an instrument, " +
          "<shopperReference>/<storedPaymentMethodId>."
      })
      assert.isEmpty(requests)
    })
  }
  itRuns("no part of a reference with slashes and spaces becomes a part of the path", function* () {
    const odd = asksOf({
      ...paymentRequests({ providerRef: "../a b?c", instrument: "" }),
      lookUpCharge: { ...sample.lookUpCharge, checkoutReference: "../a b?c" }
    })
    for (const [operation, path] of [
      ["capture", "/v72/payments/..%2Fa%20b%3Fc/captures"],
      ["void", "/v72/payments/..%2Fa%20b%3Fc/cancels"],
      ["refund", "/v72/payments/..%2Fa%20b%3Fc/refunds"],
      ["lookUpCharge", "/v72/paymentLinks/..%2Fa%20b%3Fc"]
    ] as const) {
      assert.strictEqual(new URL((yield* requestOf(odd[operation])).url).pathname, path)
    }
  })
})

describe("where Adyen is", () => {
  const { liveUrlPrefix, ...withoutPrefix } = credentials
  const urlOf = Effect.fnUntraced(function* (environment: "sandbox" | "production", account: object) {
    const { connector, requests } = connect([answer(500, {})], { environment, account })
    yield* Effect.exit(connector.charge(sample.charge))
    return requests[0]?.url
  })
  for (const [environment, account, url] of [
    ["sandbox", withoutPrefix, "https://checkout-test.adyen.com/v72/payments"],
    ["sandbox", credentials, "https://checkout-test.adyen.com/v72/payments"],
    ["production", credentials, `https://${liveUrlPrefix}-checkout-live.adyenpayments.com/checkout/v72/payments`],
    ["production", { ...withoutPrefix, baseUrl: "https://adyen.example/x//" }, "https://adyen.example/x/v72/payments"],
    ["sandbox", { ...credentials, baseUrl: "http://127.0.0.1:9001" }, "http://127.0.0.1:9001/v72/payments"],
    ["sandbox", { ...credentials, baseUrl: "http://localhost:9001/" }, "http://localhost:9001/v72/payments"],
    ["sandbox", { ...credentials, baseUrl: "http://[::1]:9001/" }, "http://[::1]:9001/v72/payments"]
  ] as const) {
    itRuns(`${environment} and ${Object.keys(account).join(", ")} give ${url}`, function* () {
      assert.strictEqual(yield* urlOf(environment, account), url)
    })
  }
  it("production without a prefix does not connect, and says what is missing", () => {
    const connected = AdyenConnector.definition.connect(
      { connectionId: "main", environment: "production", credentials: withoutPrefix, timeoutMillis: 1 },
      { send: () => Effect.die("nothing is sent") }
    )
    assert.include(Result.isFailure(connected) ? connected.failure : "", "credentials.liveUrlPrefix: expected")
  })
})

describe("amounts", () => {
  it("the four currencies in which Adyen deviates convert both ways", () => {
    assert.deepStrictEqual([...deviations.keys()], ["CLP", "CVE", "IDR", "ISK"])
    for (const [ours, theirs] of [
      [money(1234, "CLP"), { value: 123_400, currency: "CLP" }],
      [money(1200, "CVE"), { value: 12, currency: "CVE" }],
      [money(1_000_000, "IDR"), { value: 10_000, currency: "IDR" }],
      [money(50, "ISK"), { value: 5_000, currency: "ISK" }],
      [money(1234, "EUR"), { value: 1234, currency: "EUR" }],
      [money(500, "JPY"), { value: 500, currency: "JPY" }],
      [money(1230, "KWD"), { value: 1230, currency: "KWD" }]
    ] as const) {
      assert.deepStrictEqual(toAdyen(ours), theirs)
      assert.deepStrictEqual(fromAdyen(theirs), ours)
    }
  })
  it("an amount that the other side cannot express is refused", () => {
    assert.isUndefined(toAdyen(money(1234, "IDR")))
    assert.isUndefined(toAdyen(money(1, "CVE")))
    assert.isUndefined(fromAdyen({ value: 123_450, currency: "ISK" }))
    assert.isUndefined(fromAdyen({ value: 1, currency: "CLP" }))
    assert.isUndefined(toAdyen(money(Number.MAX_SAFE_INTEGER, "CLP")))
  })
  for (const operation of ["charge", "openCheckout", "capture", "refund"] as const) {
    itRuns(`${operation} of sen of a rupiah is NotSent, and nothing is sent`, function* () {
      const odd = paymentRequests({ providerRef, instrument: "shopper-1/1", money: money(123_450_7, "IDR") })
      const failure = yield* isNotSent(asksOf(odd)[operation], [])
      assert.strictEqual(failure.reason, "nothing was sent: Adyen cannot represent 1234507 minor units of IDR")
    })
  }
  itRuns("Adyen's hundredths of ISK go out and come back as ours", function* () {
    const body = { resultCode: "Authorised", pspReference: providerRef, amount: { value: 5_000, currency: "ISK" } }
    const { connector, requests } = connect([answer(200, body)])
    const said = yield* connector.charge({ ...sample.charge, money: money(50, "ISK") })
    assert.deepStrictEqual(said, { _tag: "Captured", providerRef, stated: money(50, "ISK") })
    assert.deepStrictEqual(
      requests.map((request) => bodyOf(request)["amount"]),
      [{ value: 5_000, currency: "ISK" }]
    )
  })
})

describe("result codes", () => {
  const said = (resultCode: string, more: object = {}) =>
    answer(200, { resultCode, pspReference: providerRef, ...more })
  const declined = (code: string, category: string, normalized = category, soft = false) => ({
    ...{ _tag: "Declined", providerRef, category, normalized, code, soft }
  })
  const table: ReadonlyArray<readonly [string, object, object]> = [
    ["Authorised", {}, { _tag: "Captured", providerRef }],
    [
      "Authorised",
      { amount: { value: 2000, currency: "USD" } },
      { _tag: "Captured", providerRef, stated: money(2000, "USD") }
    ],
    ["RedirectShopper", {}, { _tag: "NeedsCustomer", providerRef }],
    [
      "Refused",
      { refusalReason: "Refused", refusalReasonCode: "2", pspReference: undefined },
      { ...declined("2", "do_not_honor", "do_not_honor", true), providerRef: null }
    ],
    // The raw answer of the acquirer is not read.
    [
      "Refused",
      { refusalReasonCode: "2", additionalData: { refusalReasonRaw: "51 : Insufficient funds/over credit limit" } },
      declined("2", "do_not_honor", "do_not_honor", true)
    ],
    ["Refused", {}, declined("refused", "other")],
    ["Refused", { refusalReasonCode: "99", refusalReason: "New" }, declined("99", "other")],
    // The issuer was out of reach as seen by the acquirer: whether it heard of the payment is not known.
    [
      "Error",
      { refusalReason: "Issuer Unavailable", refusalReasonCode: "9" },
      declined("9", "other", "result_uncertain")
    ],
    ["Error", { refusalReason: "Acquirer Error", refusalReasonCode: "4" }, declined("4", "other", "result_uncertain")],
    ["Error", { refusalReason: "FRAUD", refusalReasonCode: "20" }, declined("20", "suspected_fraud")]
  ]
  for (const [code, more, expected] of table) {
    it.effect(`${code} with ${JSON.stringify(more)} is ${JSON.stringify(expected)}`, () =>
      answersWith(asks.charge, said(code, more), expected)
    )
  }
  for (const [what, answered] of [
    ["AuthenticationFinished", said("AuthenticationFinished")],
    ["Success", said("Success")],
    ["a result code of tomorrow", said("Postponed")],
    ["no result code", answer(200, { pspReference: providerRef })],
    ["Pending without a reference", said("Pending", { pspReference: "" })],
    ["PartiallyAuthorised without an amount", said("PartiallyAuthorised")],
    ["Authorised for another reference", said("Authorised", { merchantReference: "order 1" })],
    ["Authorised for our attempt, but only held", said("Authorised", { merchantReference: `${attemptId}.held` })],
    ["an amount with a fraction", said("Authorised", { amount: { value: 10.5, currency: "EUR" } })],
    ["an amount that ISK does not have", said("Authorised", { amount: { value: 1050, currency: "ISK" } })]
  ] as const) {
    it.effect(`${what} is Unanswered`, () => unanswers(asks.charge, answered))
  }
  itRuns("Authorised for another attempt of ours is Unanswered, which passes that one on", function* () {
    const said = answer(200, { resultCode: "Authorised", pspReference: providerRef, merchantReference: "att_2.held" })
    const { ofAnother } = yield* unanswers(asks.charge, said)
    assert.deepStrictEqual(ofAnother, { attemptId: "att_2", state: { _tag: "Authorized", providerRef } })
  })
})

describe("refusal reasons", () => {
  for (const entry of reasons) {
    const { code, reason, soft } = entry
    const { category, normalized } = meaningOf(entry)
    itRuns(`${code}, ${reason} is ${category}`, function* () {
      const body = { resultCode: "Refused", pspReference: providerRef }
      for (const more of [
        { refusalReasonCode: code, refusalReason: reason },
        { refusalReason: reason.toUpperCase() }
      ]) {
        const isSoft = soft ?? ["do_not_honor", "issuer_unavailable", "limit_exceeded"].includes(category)
        const declined = { _tag: "Declined", providerRef, category, normalized, code, soft: isSoft }
        yield* answersWith(asks.charge, answer(200, { ...body, ...more }), declined)
      }
    })
  }
  it("the list has no code or reason twice, and only these ask another connection", () => {
    assert.strictEqual(new Set(reasons.map(({ code }) => code)).size, reasons.length)
    assert.strictEqual(new Set(reasons.map(({ reason }) => reason.toLowerCase())).size, reasons.length)
    const softCategories = ["do_not_honor", "issuer_unavailable", "limit_exceeded"]
    assert.deepStrictEqual(
      reasons.flatMap((entry) =>
        (entry.soft ?? softCategories.includes(meaningOf(entry).category)) ? [entry.code] : []
      ),
      ["2", "3", "9", "28", "29"]
    )
  })
  itRuns("Error of any reason asks no other connection, and nothing is to charge again", function* () {
    for (const code of [...reasons.map((reason) => reason.code), "99", undefined]) {
      const body = { resultCode: "Error", pspReference: providerRef, refusalReasonCode: code }
      const { connector } = connect([answer(200, body)])
      const declined = yield* connector.charge(sample.charge)
      if (declined._tag !== "Declined") return assert.fail(declined._tag)
      assert.isFalse(declined.soft)
      assert.strictEqual(adviceOf(declineDetail(declined)), "do_not_retry")
    }
  })
})

describe("errors", () => {
  const rejected = { _tag: "Rejected", code: "901", message: "Invalid Merchant Account" }
  for (const status of [400, 401, 403, 422]) {
    for (const errorType of ["validation", "security", "configuration"]) {
      itRuns(`${status} of type ${errorType} is Rejected, whatever was asked`, function* () {
        for (const operation of moneyOperations) {
          const said = serviceError(status, "901", "Invalid Merchant Account", errorType)
          yield* answersWith(asks[operation], said, rejected)
        }
      })
    }
    itRuns(`${status} of type internal, or of none, or without a code, is Unanswered`, function* () {
      for (const operation of moneyOperations) {
        yield* unanswers(asks[operation], serviceError(status, "901", "No.", "internal"))
        yield* unanswers(asks[operation], serviceError(status, "901", "No.", "unknown"))
        yield* unanswers(asks[operation], serviceError(status, "", "No."))
        yield* unanswers(asks[operation], answer(status, { errorCode: "901", message: "No." }))
        yield* unanswers(asks[operation], { status, headers: {}, body: "<html>Bad Request</html>" })
      }
    })
    itRuns(`${status} with a transient error, or of a key at work, is Unanswered`, function* () {
      for (const operation of moneyOperations) {
        const transient = { "transient-error": "true" }
        yield* unanswers(asks[operation], serviceError(status, "901", "No.", "validation", transient))
        const used = serviceError(status, "704", "request already processed or in progress")
        assert.isTrue((yield* unanswers(asks[operation], used)).isKeyUsed)
        const unavailable = serviceError(status, "703", "required resource temporarily unavailable")
        assert.isFalse((yield* unanswers(asks[operation], unavailable)).isKeyUsed)
        yield* answersWith(
          asks[operation],
          serviceError(status, "901", "Invalid Merchant Account", "validation", { "transient-error": "false" }),
          rejected
        )
      }
    })
  }
  for (const status of [404, 405, 406, 408, 409, 413, 429, 500, 502, 503, 504]) {
    itRuns(`${status} is Unanswered, whatever was asked`, function* () {
      for (const operation of [...moneyOperations, "lookUpCharge"] as const) {
        yield* unanswers(
          asks[operation],
          serviceError(status, "905", "Payment details are not supported", "configuration")
        )
      }
    })
  }
  itRuns("a refused lookup of a page is Unanswered: nothing is known of the payment", function* () {
    for (const status of [400, 401, 403, 404, 422]) {
      yield* unanswers(asks.lookUpCharge, serviceError(status, "904", "Payment link not found"))
    }
  })
})

describe("captures, cancels and refunds", () => {
  const received = { paymentPspReference: providerRef, pspReference: "993617894906488A", status: "received" }
  it.effect("a received refund without an amount states none", () =>
    answersWith(asks.refund, answer(201, received), {
      _tag: "RefundPending",
      providerRefundId: "993617894906488A"
    })
  )
  for (const operation of ["capture", "void", "refund"] as const) {
    it.effect(`an answer to ${operation} of another payment is Unanswered`, () =>
      unanswers(asks[operation], answer(201, { ...received, paymentPspReference: "993617894903480B" }))
    )
  }
})

describe("pages", () => {
  const link = {
    ...{ id: linkId, reference: `${attemptId}.taken.page`, merchantAccount: "PointsmanNL", status: "active" }
  }
  const url = "https://test.adyen.link/PLE83C39B0A0DE0C1E"
  itRuns("an expiry is reported if there is one", function* () {
    const opened = { _tag: "CheckoutOpened", reference: link.id, url }
    yield* answersWith(asks.openCheckout, answer(201, { ...link, url }), { ...opened, expiresAt: null })
    yield* answersWith(asks.openCheckout, answer(201, { ...link, url, expiresAt: "2026-11-22T13:00:00+01:00" }), {
      ...opened,
      expiresAt: Date.UTC(2026, 10, 22, 12)
    })
  })
  itRuns("another payment's page, or one that is over, is Unanswered", function* () {
    yield* unanswers(asks.openCheckout, answer(201, { ...link, url, reference: "att_another.taken.page" }))
    yield* unanswers(asks.openCheckout, answer(201, { ...link, url, status: "completed" }))
  })
  // Somebody paid: the payment's reference comes with its message.
  it.effect("a page that is completed is NotFound, not conclusive", () =>
    answersWith(asks.lookUpCharge, answer(200, { ...link, url, status: "completed" }), {
      _tag: "NotFound",
      conclusive: false
    })
  )
  itRuns("the record of another page is Unanswered", function* () {
    for (const other of [
      { id: "PL0000000000000000" },
      { reference: "att_another.taken.page" },
      { reference: "order 1" },
      { reference: undefined },
      { merchantAccount: "PointsmanDE" },
      { merchantAccount: undefined }
    ]) {
      yield* unanswers(asks.lookUpCharge, answer(200, { ...link, url, status: "expired", ...other }))
    }
  })
})

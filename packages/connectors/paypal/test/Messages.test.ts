import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { playedConnector, readBy, readKept, toldOf } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { type Environment, money, type TransportAnswer } from "@pointsman/core/connector"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { rootsOfNode } from "../src/Certificates.ts"
import { attemptId, connected, eur, operationId, refundId } from "./Calls.ts"
import {
  amount,
  answer,
  authorization,
  authorizationId,
  capture,
  captureId,
  certificateUrl,
  chains,
  crc,
  credentials,
  definition,
  dispute,
  event,
  type Fields,
  order,
  orderId,
  refund,
  refundReference,
  related,
  signed,
  webhookId
} from "./PayPal.ts"

const noon = Date.UTC(2026, 10, 21, 12, 0, 0)
const day = 86_400_000
const chain = answer(200, chains.good)
const unknown = (times: number, status = 404) => Array.from({ length: times }, () => answer(status, ""))

const ours = { custom_id: attemptId, invoice_id: attemptId, ...related }
const completed = event("PAYMENT.CAPTURE.COMPLETED", capture(ours))

interface Hearing {
  readonly certificates?: ReadonlyArray<TransportAnswer>
  readonly environment?: Environment
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly url?: string
  readonly receivedAt?: number
  readonly secret?: string
}

const heard = (message: unknown, hearing: Hearing = {}) => {
  const {
    certificates = [chain],
    environment = "sandbox",
    headers,
    receivedAt = noon,
    secret = webhookId,
    url
  } = hearing
  const { connector, requests } = connected(certificates, { environment })
  const raw = signed(JSON.stringify(message), webhookId, noon, url)
  const read = (at = receivedAt, more: Hearing["headers"] = headers) =>
    readBy(connector, { ...raw, headers: { ...raw.headers, ...more } }, secret, at)
  return { requests, result: read(), connector, read }
}

/** It is refused as not PayPal's, after so many requests for certificates. */
const isRefused = Effect.fnUntraced(function* (hearing: Hearing, asked: number) {
  const { requests, result } = heard(completed, hearing)
  const read = yield* result
  assert.strictEqual(Result.isFailure(read) ? read.failure._tag : "read", "pointsman/MessageUnverified")
  assert.lengthOf(requests, asked)
})

describe("signatures", () => {
  it("computes the check value of CRC-32 (ISO 3309)", () => {
    assert.strictEqual(crc(new TextEncoder().encode("123456789")), 0xcbf43926)
  })
  itRuns("a message of PayPal is believed, its certificate fetched without credentials", function* () {
    const { requests, result } = heard(completed)
    assert.isTrue(Result.isSuccess(yield* result))
    assert.deepStrictEqual(
      requests.map(({ headers, method, url }) => [method, url, headers]),
      [["GET", certificateUrl, {}]]
    )
  })
  itRuns("one certificate of many messages is fetched once, and again after a day", function* () {
    const { read, requests } = heard(completed, { certificates: [chain, chain] })
    yield* read()
    const all = yield* Effect.all(
      [noon, noon + 1, noon + day - 1].map((at) => read(at)),
      { concurrency: "unbounded" }
    )
    assert.isTrue(all.every(Result.isSuccess))
    assert.strictEqual(requests.length, 1)
    assert.isTrue(Result.isSuccess(yield* read(noon + day)))
    assert.strictEqual(requests.length, 2)
  })
  itRuns("an unknown certificate of messages at once is fetched once", function* () {
    const slowly = () => Effect.delay(Effect.succeed(chain), "1 second")
    const { connector, requests } = playedConnector(definition, slowly, { credentials })
    const one = readBy(connector, signed(JSON.stringify(completed), webhookId, noon), webhookId, noon)
    const all = yield* Effect.forkChild(Effect.replicateEffect(one, 10, { concurrency: "unbounded" }))
    yield* TestClock.adjust("20 seconds")
    assert.isTrue((yield* Fiber.join(all)).every(Result.isSuccess))
    assert.strictEqual(requests.length, 1)
  })
  const invented = (number: number) => ({ "paypal-cert-url": `${certificateUrl}${number}` })
  itRuns("invented addresses ask PayPal ten times in a minute and no more", function* () {
    const { read, requests } = heard(completed, { certificates: [...unknown(10), chain] })
    for (let number = 0; number < 30; number++) assert.isTrue(Result.isFailure(yield* read(noon, invented(number))))
    assert.strictEqual(requests.length, 10)
    yield* read(noon + 60_000, invented(1))
    assert.strictEqual(requests.length, 11)
  })
  itRuns("a day-old verified certificate is fetched again despite invented addresses", function* () {
    const { read, requests } = heard(completed, { certificates: [chain, ...unknown(10), chain] })
    yield* read()
    for (let number = 0; number < 30; number++)
      assert.isTrue(Result.isFailure(yield* read(noon + day, invented(number))))
    assert.strictEqual(requests.length, 11)
    assert.isTrue(Result.isSuccess(yield* read(noon + day)))
    assert.strictEqual(requests.length, 12)
  })
  itRuns("a certificate that PayPal does not give again is asked for ten times a minute", function* () {
    const { read, requests } = heard(completed, { certificates: [chain, ...unknown(11, 503)] })
    yield* read()
    for (let time = 0; time < 30; time++) assert.isTrue(Result.isFailure(yield* read(noon + day)))
    assert.strictEqual(requests.length, 11)
  })

  const withoutAsking: Readonly<Record<string, Hearing>> = {
    "of another account's webhook, or of none": { secret: "" },
    "with a certificate of another host": {
      url: "https://api.sandbox.paypal.com.evil.example/v1/notifications/certs/CERT-1"
    },
    "with a certificate of a host that only looks like PayPal's": {
      url: "https://evilpaypal.com/v1/notifications/certs/CERT-1"
    },
    "with a user in the address": { url: "https://api.sandbox.paypal.com@evil.example/v1/notifications/certs/CERT-1" },
    "with another path": { url: "https://api.sandbox.paypal.com/v1/notifications/certs/../../x" },
    "with a query": { url: `${certificateUrl}?x=1` },
    "with plain http": { url: certificateUrl.replace("https", "http") },
    "with a certificate of the other environment": { url: certificateUrl.replace(".sandbox", "") },
    "in production with a certificate of the sandbox": { environment: "production" },
    "with another algorithm": { headers: { "paypal-auth-algo": "SHA1withRSA" } },
    "without its time": { headers: { "paypal-transmission-time": undefined } },
    "with a day that there is not": { headers: { "paypal-transmission-time": "2026-99-21T12:00:00Z" } },
    "with a signature that is not Base64": { headers: { "paypal-transmission-sig": "====" } },
    "that is older than four days": { receivedAt: noon + 4 * day + 1 },
    "that is more than five minutes of the future": { receivedAt: noon - 300_001 }
  }
  for (const [what, hearing] of Object.entries(withoutAsking)) {
    it.effect(`a message ${what} is refused, and PayPal is not asked`, () => isRefused(hearing, 0))
  }
  const others: Readonly<Record<string, Hearing>> = {
    "for another webhook": { secret: "9XL90610J3647323C" },
    "with another time": { headers: { "paypal-transmission-time": "2026-11-21T12:00:01.000Z" } },
    "with another transmission": { headers: { "paypal-transmission-id": "d938e770-8046-11e6-8103-6b62a8a99ac4" } },
    "with another signature": { headers: { "paypal-transmission-sig": "AAAA".repeat(85) } },
    "whose certificate PayPal does not know": { certificates: [answer(404, "")] },
    "whose certificate is no certificate": {
      certificates: [answer(200, "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----")]
    },
    "whose certificate is a page": { certificates: [answer(200, "<html>")] },
    "whose chain is incomplete": { certificates: [answer(200, chains.withoutIntermediate)] },
    "whose certificate has another name": { certificates: [answer(200, chains.ofAnotherName)] },
    "whose certificate expired": { certificates: [answer(200, chains.expired)] },
    "whose certificate is of another root": { certificates: [answer(200, chains.ofAnotherRoot)] },
    "whose certificate was issued by one that is no authority": { certificates: [answer(200, chains.byNoAuthority)] }
  }
  for (const [what, hearing] of Object.entries(others)) {
    it.effect(`a message ${what} is refused`, () => isRefused(hearing, 1))
  }
  itRuns("a refused certificate is not kept, and the next message asks again", function* () {
    const { read, requests } = heard(completed, { certificates: [...unknown(1, 503), chain] })
    assert.isTrue(Result.isFailure(yield* read()))
    assert.isTrue(Result.isSuccess(yield* read()))
    assert.strictEqual(requests.length, 2)
  })
})

describe("trusted roots", () => {
  it("authorities of Node count once each beside others that it trusts only", () => {
    const usual = getCACertificates("default")
    const [own = ""] = getCACertificates("bundled")
    try {
      setDefaultCACertificates([own])
      const roots = rootsOfNode()
      assert.includeMembers([...roots], getCACertificates("bundled"))
      assert.strictEqual(new Set(roots).size, roots.length)
    } finally {
      setDefaultCACertificates(usual)
    }
  })
})

/** https://developer.paypal.com/docs/api/payments/v2/#captures_get */
const up = (path: string) => ({
  links: [
    { href: `https://api-m.paypal.com/v2/payments/captures/${captureId}`, rel: "self", method: "GET" },
    { href: `https://api-m.paypal.com${path}`, rel: "up", method: "GET" }
  ]
})

const ofCapture = up(`/v2/payments/captures/${captureId}`)

const charge = { attemptId }
const stated = eur

type Row = readonly [what: string, type: string, resource: Fields, told: unknown]

const ofCharge = (state: Fields, named: Fields = charge) => ({
  ...{ _tag: "Charge", charge: named },
  state: { providerRef: orderId, ...state }
})
const ofOperation = (state: Fields) => ({ _tag: "Operation", operationId, state })
const needsResponse = { status: "needs_response" }
const ofDispute = (verdict: string, more: Fields = {}) => ({
  ...{ _tag: "Dispute", charge, disputeId: "PP-000-042-663-135", verdict, money: stated },
  ...more
})
const taken = ofCharge({ _tag: "Captured", capture: { id: captureId, money: stated } })
const refundOf = (_tag: string) => ({ _tag, providerRefundId: refundReference, stated })
const byHand = (what: string, fields: Fields, named: Fields, tag = "Succeeded"): Row => [
  `a refund that a person made, ${what}`,
  "PAYMENT.CAPTURE.REFUNDED",
  refund({ ...ofCapture, ...fields }),
  { _tag: "UnnamedRefund", charge: named, providerRefundId: refundReference, state: refundOf(tag) }
]
const disputed = (what: string, event: string, custom: string | undefined, fields: Fields, told: unknown): Row => [
  `a dispute ${what}`,
  `CUSTOMER.DISPUTE.${event}`,
  dispute(custom, fields),
  told
]
const declinedByBuyer = { status: "DECLINED", status_details: { reason: "BUYER_COMPLAINT" } }
const authorized = (what: string, type: string, fields: Fields, told: unknown): Row => [
  `an authorization ${what}`,
  `PAYMENT.AUTHORIZATION.${type}`,
  authorization({ ...ours, ...fields }),
  told
]
const captured = (what: string, type: string, fields: Fields, told: unknown): Row => [
  `a capture ${what}`,
  `PAYMENT.CAPTURE.${type}`,
  capture({ ...ours, ...fields }),
  told
]
const ofAnother = { custom_id: "order 7", invoice_id: undefined }
const onlyLinked = { invoice_id: undefined, supplementary_data: undefined, ...up(`/v2/checkout/orders/${orderId}`) }
const insufficient = { category: "insufficient_funds", normalized: "insufficient_funds", soft: false }
const refusedBy = { status: "DECLINED", processor_response: { response_code: "5120" } }
const confirmed = ofOperation({ _tag: "OperationConfirmed", stated, captureId })
const declined = ofOperation({ _tag: "OperationFailed", isFinal: true, reason: "BUYER_COMPLAINT" })
const held = { _tag: "Authorized", stated }

const messages: ReadonlyArray<Row> = [
  authorized("of a charge", "CREATED", {}, ofCharge(held)),
  authorized("that was voided", "VOIDED", { status: "VOIDED" }, ofCharge({ _tag: "Canceled" })),
  authorized("of another program", "CREATED", ofAnother, ofCharge(held, { providerRef: orderId })),
  captured("of a charge", "COMPLETED", {}, taken),
  captured("that names its order by a link alone", "COMPLETED", onlyLinked, taken),
  captured("whose link names another order", "COMPLETED", up("/v2/checkout/orders/8MC585209K746392H"), taken),
  captured("that waits", "PENDING", { status: "PENDING" }, ofCharge({ _tag: "Pending", stated })),
  captured("that was declined", "DENIED", refusedBy, ofCharge({ _tag: "Declined", code: "5120", ...insufficient })),
  captured("of an operation", "COMPLETED", { invoice_id: operationId }, confirmed),
  captured("of an operation, declined", "DECLINED", { invoice_id: operationId, ...declinedByBuyer }, declined),
  [
    "a refund",
    "PAYMENT.CAPTURE.REFUNDED",
    refund({ custom_id: refundId }),
    { _tag: "Refund", refundId, state: refundOf("Succeeded") }
  ],
  // Made at PayPal: with the names of the capture, and a link to it.
  byHand("with its attempt", { custom_id: attemptId, invoice_id: attemptId }, charge),
  byHand("of a capture of an operation", { custom_id: attemptId, invoice_id: operationId }, charge),
  byHand("with an id of its own, and the capture's invoice", { custom_id: "gift", invoice_id: attemptId }, charge),
  byHand("with its order", related, { providerRef: orderId }),
  byHand("with a link to its order", up(`/v2/checkout/orders/${orderId}`), { providerRef: orderId }),
  byHand("with a link to its capture", ofCapture, { providerRef: captureId }),
  byHand(
    "that waits",
    { custom_id: attemptId, status: "PENDING", status_details: { reason: "ECHECK" } },
    charge,
    "RefundPending"
  ),
  [
    "an order",
    "CHECKOUT.ORDER.COMPLETED",
    order(attemptId, { captures: [capture(ours)] }),
    ofCharge({ _tag: "Captured", stated })
  ],
  [
    "an order that is approved",
    "CHECKOUT.ORDER.APPROVED",
    order(attemptId, undefined, { status: "APPROVED" }),
    ofCharge({ _tag: "Approved" })
  ],
  [
    "an order that was approved, and is captured already",
    "CHECKOUT.ORDER.APPROVED",
    order(attemptId, { captures: [capture(ours)] }, { status: "APPROVED" }),
    ofCharge({ _tag: "Captured", stated })
  ],
  ["a dispute", "CUSTOMER.DISPUTE.CREATED", dispute(attemptId), ofDispute("opened")],
  disputed(
    "about a part, with a deadline",
    "UPDATED",
    attemptId,
    { dispute_amount: amount("500", "JPY"), seller_response_due_date: "2026-12-01T10:00:00.000Z" },
    ofDispute("opened", { ...needsResponse, money: money(500, "JPY"), dueBy: Date.UTC(2026, 11, 1, 10) })
  ),
  disputed(
    "whose amount and deadline are not as documented",
    "UPDATED",
    attemptId,
    { dispute_amount: amount("1,5"), seller_response_due_date: "soon" },
    { _tag: "Dispute", charge, disputeId: "PP-000-042-663-135", verdict: "opened", ...needsResponse }
  ),
  disputed(
    "that names PayPal's capture alone",
    "UPDATED",
    undefined,
    {},
    ofDispute("opened", { ...needsResponse, charge: { providerRef: captureId } })
  ),
  ...(
    [
      ["WAITING_FOR_BUYER_RESPONSE", {}, ofDispute("opened", { status: "under_review" })],
      ["UNDER_REVIEW", {}, ofDispute("opened", { status: "under_review" })],
      ["RESOLVED", { dispute_outcome: { outcome_code: "ACCEPTED" } }, ofDispute("lost")],
      ["RESOLVED", {}, ofDispute("opened", { isContinued: true })],
      ["OTHER", {}, ofDispute("opened", { isContinued: true })]
    ] as const
  ).map(([status, more, told]) =>
    disputed(`updated to the status ${status}`, "UPDATED", attemptId, { status, ...more }, told)
  ),
  ...(
    [
      ["RESOLVED_BUYER_FAVOUR", "2.00", ofDispute("lost", { money: money(200, "EUR") })],
      ["RESOLVED_BUYER_FAVOUR", "2,00", { _tag: "Dispute", charge, disputeId: "PP-000-042-663-135", verdict: "lost" }],
      ["RESOLVED_WITH_PAYOUT", "2.00", ofDispute("won")],
      ["RESOLVED_BUYER_FAVOUR", undefined, ofDispute("lost")],
      ["ACCEPTED", undefined, ofDispute("lost")],
      ["RESOLVED_SELLER_FAVOUR", undefined, ofDispute("won")],
      ["RESOLVED_WITH_PAYOUT", undefined, ofDispute("won")],
      ["CANCELED_BY_BUYER", undefined, ofDispute("won")],
      ["DENIED", undefined, ofDispute("won")]
    ] as const
  ).map(([outcome_code, refunded, told]) => {
    const dispute_outcome = { outcome_code, ...(refunded && { amount_refunded: amount(refunded) }) }
    const what = `that ended as ${outcome_code} with ${refunded ?? "nothing"} refunded`
    return disputed(what, "RESOLVED", attemptId, { status: "RESOLVED", dispute_outcome }, told)
  })
]

const created = "CUSTOMER.DISPUTE.CREATED"
const completedType = "PAYMENT.CAPTURE.COMPLETED"
const refundedType = "PAYMENT.CAPTURE.REFUNDED"
const linked = (path: string) => capture({ custom_id: attemptId, ...up(path) })
const about = (...disputed_transactions: ReadonlyArray<Fields>) => dispute(attemptId, { disputed_transactions })
const undecided = dispute(attemptId, { dispute_outcome: { outcome_code: "NONE" } })
const withoutAmount = refund({ ...ofCapture, custom_id: attemptId, amount: undefined })

const unreadable: ReadonlyArray<readonly [what: string, type: string, resource: Fields, field: string]> = [
  ["another type", "PAYMENT.CAPTURE.REVERSED", capture(ours), "its type is not supported"],
  ["a capture without its order", completedType, capture({ custom_id: attemptId }), "order_id"],
  ["a link to an authorization", completedType, linked(`/v2/payments/authorizations/${authorizationId}`), "order_id"],
  ["a link below an order", completedType, linked(`/v2/checkout/orders/${orderId}/capture`), "order_id"],
  ["a capture without an amount", completedType, capture({ ...ours, amount: undefined }), "amount"],
  ["a capture of an unknown status", completedType, capture({ ...ours, status: "HELD" }), "status"],
  ["a refund that a person made, without an amount", refundedType, withoutAmount, "amount"],
  ["a dispute that ended undecided", "CUSTOMER.DISPUTE.RESOLVED", undecided, "dispute_outcome"],
  ["a dispute about two payments", created, about({ custom: attemptId }, { custom: "att_2" }), "disputed_transactions"],
  ["a dispute about nothing that is named", created, about({}), "disputed_transactions"]
]

describe("messages", () => {
  for (const [what, type, resource, told] of messages) {
    itRuns(`${what} (${type}) is read as that, and the same from what is stored`, function* () {
      const message = event(type, resource)
      const { connector, result } = heard(message)
      const read = Result.getOrThrow(yield* result)
      assert.deepStrictEqual(toldOf(read), told)
      assert.deepStrictEqual([read.id, read.at], [message.id, noon])
      const kept = connector.keptOfMessage?.(JSON.stringify(message)) ?? ""
      for (const text of ["Firstname", "customer@example.com", "Where is it?", "broken"]) assert.notInclude(kept, text)
      assert.deepStrictEqual(toldOf(Result.getOrThrow(yield* readKept(connector, JSON.stringify(message)))), told)
    })
  }
  for (const [what, type, resource, field] of unreadable) {
    itRuns(`${what} is unreadable, and the reason names ${field}`, function* () {
      const read = yield* heard(event(type, resource)).result
      // The charge that it names is looked up.
      const about = Result.isSuccess(read) ? read.success.about : undefined
      if (about !== undefined && about._tag !== "Changed") return assert.fail("it was read")
      assert.strictEqual(about === undefined, what.startsWith("a dispute about"))
      assert.include(about?.reason ?? (Result.isFailure(read) ? read.failure.reason : ""), field)
    })
  }
})

/** What the simulator sends for a capture (https://developer.paypal.com/api/rest/webhooks/simulator), without its links. */
const simulated = {
  id: "WH-58D329510W468432D-8HN650336L201105X",
  event_version: "1.0",
  create_time: "2019-02-14T21:50:07.940Z",
  resource_type: "capture",
  resource_version: "2.0",
  event_type: "PAYMENT.CAPTURE.COMPLETED",
  summary: "Payment completed for $ 2.51 USD"
}
const simulatedCapture = {
  id: "27M47624FP291604U",
  amount: amount("2.51", "USD"),
  final_capture: true,
  seller_protection: { status: "ELIGIBLE", dispute_categories: ["ITEM_NOT_RECEIVED", "UNAUTHORIZED_TRANSACTION"] },
  seller_receivable_breakdown: {
    ...{ gross_amount: amount("2.51", "USD"), paypal_fee: amount("0.37", "USD"), net_amount: amount("2.14", "USD") }
  },
  status: "COMPLETED",
  create_time: "2019-02-14T21:49:58Z",
  update_time: "2019-02-14T21:49:58Z",
  ...up("/v2/payments/authorizations/7W5147081L658180V")
}

describe("PayPal's own sample of a message", () => {
  itRuns("the sample with an operation of ours confirms the operation", function* () {
    const resource = { ...simulatedCapture, invoice_id: operationId }
    const read = Result.getOrThrow(yield* heard({ ...simulated, resource }).result)
    const state = { _tag: "OperationConfirmed", stated: money(251, "USD"), captureId: simulatedCapture.id }
    assert.deepStrictEqual(toldOf(read), { _tag: "Operation", operationId, state })
    assert.deepStrictEqual([read.id, read.at], [simulated.id, Date.UTC(2019, 1, 14, 21, 50, 7, 940)])
  })
  itRuns("the sample about nothing of ours names a capture as PayPal does", function* () {
    const { about } = Result.getOrThrow(yield* heard({ ...simulated, resource: simulatedCapture }).result)
    assert.deepInclude(about, { _tag: "Changed", charge: { providerRef: simulatedCapture.id } })
  })
})

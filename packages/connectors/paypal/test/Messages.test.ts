import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { type Environment, money, type ProviderMessage, type TransportAnswer } from "@pointsman/core/connector"
import { Effect, Fiber, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { rootsOfNode } from "../src/Certificates.ts"
import { attemptId, connected, eur, operationId, refundId, timeoutMillis } from "./Calls.ts"
import {
  answer,
  authorization,
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
const chain = answer(200, chains.good)

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
  const read = connector.readMessage?.({
    ...raw,
    headers: { ...raw.headers, ...headers },
    secret: Redacted.make(secret),
    receivedAt
  })
  return { requests, result: Effect.result(read ?? Effect.die("no messages")), connector, raw }
}

const reasonOf = Effect.fnUntraced(function* (hearing: Hearing, message: unknown = completed) {
  const { requests, result } = heard(message, hearing)
  const read = yield* result
  if (Result.isSuccess(read)) return assert.fail("it was believed")
  return { tag: read.failure._tag, reason: read.failure.reason, requests: requests.length }
})

const toldOf = ({ about }: ProviderMessage): unknown => {
  switch (about._tag) {
    case "Charge":
      return { ...about, state: about.state(eur) }
    case "Refund":
      return { ...about, state: about.state(eur) }
    case "UnnamedRefund":
      return { ...about, state: about.state(eur) }
    case "Operation":
      return { ...about, state: about.state(eur) }
    default:
      return about
  }
}

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
    const { connector, raw, requests, result } = heard(completed, { certificates: [chain, chain] })
    yield* result
    const again = (receivedAt: number) =>
      connector.readMessage?.({ ...raw, secret: Redacted.make(webhookId), receivedAt }) ?? Effect.die("none")
    yield* Effect.all([again(noon), again(noon + 1), again(noon + 86_399_999)], { concurrency: "unbounded" })
    assert.strictEqual(requests.length, 1)
    yield* again(noon + 86_400_000)
    assert.strictEqual(requests.length, 2)
  })
  itRuns("an unknown certificate of messages at once is fetched once", function* () {
    let requests = 0
    const account = { connectionId: "main", environment: "sandbox", credentials, timeoutMillis } as const
    const connector = Result.getOrThrow(
      definition.connect(account, {
        send: () => {
          requests += 1
          return Effect.delay(Effect.succeed(chain), "1 second")
        }
      })
    )
    const raw = signed(JSON.stringify(completed), webhookId, noon)
    const one = connector.readMessage?.({ ...raw, secret: Redacted.make(webhookId), receivedAt: noon })
    const all = yield* Effect.forkChild(
      Effect.all(
        Array.from({ length: 10 }, () => one ?? Effect.die("none")),
        { concurrency: "unbounded" }
      )
    )
    yield* TestClock.adjust("20 seconds")
    assert.strictEqual((yield* Fiber.join(all)).length, 10)
    assert.strictEqual(requests, 1)
  })
  itRuns("invented addresses ask PayPal ten times in a minute and no more", function* () {
    const { connector, raw, requests } = heard(completed, {
      certificates: [...Array.from({ length: 10 }, () => answer(404, "")), chain]
    })
    const read = (number: number, receivedAt = noon) =>
      Effect.result(
        connector.readMessage?.({
          ...raw,
          headers: { ...raw.headers, "paypal-cert-url": `${certificateUrl}${number}` },
          secret: Redacted.make(webhookId),
          receivedAt
        }) ?? Effect.die("none")
      )
    for (let number = 0; number < 30; number++) assert.isTrue(Result.isFailure(yield* read(number)))
    assert.strictEqual(requests.length, 10)
    yield* read(1, noon + 60_000)
    assert.strictEqual(requests.length, 11)
  })
  itRuns("a day-old verified certificate is fetched again despite invented addresses", function* () {
    const { connector, raw, requests, result } = heard(completed, {
      certificates: [chain, ...Array.from({ length: 10 }, () => answer(404, "")), chain]
    })
    yield* result
    const tomorrow = noon + 86_400_000
    const read = (url: string) =>
      Effect.result(
        connector.readMessage?.({
          ...raw,
          headers: { ...raw.headers, "paypal-cert-url": url },
          secret: Redacted.make(webhookId),
          receivedAt: tomorrow
        }) ?? Effect.die("none")
      )
    for (let number = 0; number < 30; number++) {
      assert.isTrue(Result.isFailure(yield* read(`${certificateUrl}${number}`)))
    }
    assert.strictEqual(requests.length, 11)
    assert.isTrue(Result.isSuccess(yield* read(certificateUrl)))
    assert.strictEqual(requests.length, 12)
  })
  itRuns("a certificate that PayPal does not give again is asked for ten times a minute", function* () {
    const { connector, raw, requests, result } = heard(completed, {
      certificates: [chain, ...Array.from({ length: 11 }, () => answer(503, ""))]
    })
    yield* result
    const again = connector.readMessage?.({
      ...raw,
      secret: Redacted.make(webhookId),
      receivedAt: noon + 86_400_000
    })
    for (let time = 0; time < 30; time++) {
      assert.isTrue(Result.isFailure(yield* Effect.result(again ?? Effect.die("none"))))
    }
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
    "that is older than four days": { receivedAt: noon + 4 * 86_400_000 + 1 },
    "that is more than five minutes of the future": { receivedAt: noon - 300_001 }
  }
  for (const [what, hearing] of Object.entries(withoutAsking)) {
    itRuns(`a message ${what} is refused, and PayPal is not asked`, function* () {
      const refused = yield* reasonOf(hearing)
      assert.deepInclude(refused, { tag: "pointsman/MessageUnverified", requests: 0 })
    })
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
    itRuns(`a message ${what} is refused`, function* () {
      assert.deepInclude(yield* reasonOf(hearing), { tag: "pointsman/MessageUnverified", requests: 1 })
    })
  }
  itRuns("a refused certificate is not kept, and the next message asks again", function* () {
    const { connector, raw, requests, result } = heard(completed, { certificates: [answer(503, ""), chain] })
    assert.isTrue(Result.isFailure(yield* result))
    yield* connector.readMessage?.({ ...raw, secret: Redacted.make(webhookId), receivedAt: noon }) ?? Effect.die("none")
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

const messages: ReadonlyArray<readonly [what: string, type: string, resource: Fields, told: unknown]> = [
  [
    "an authorization",
    "PAYMENT.AUTHORIZATION.CREATED",
    authorization(ours),
    { _tag: "Charge", charge, state: { _tag: "Authorized", providerRef: orderId, stated } }
  ],
  [
    "an authorization that was voided",
    "PAYMENT.AUTHORIZATION.VOIDED",
    authorization({ ...ours, status: "VOIDED" }),
    { _tag: "Charge", charge, state: { _tag: "Canceled", providerRef: orderId } }
  ],
  [
    "an authorization of another program",
    "PAYMENT.AUTHORIZATION.CREATED",
    authorization({ custom_id: "order 7", ...related }),
    { _tag: "Charge", charge: { providerRef: orderId }, state: { _tag: "Authorized", providerRef: orderId, stated } }
  ],
  [
    "a capture",
    "PAYMENT.CAPTURE.COMPLETED",
    capture(ours),
    {
      _tag: "Charge",
      charge,
      state: { _tag: "Captured", providerRef: orderId, capture: { id: captureId, money: stated } }
    }
  ],
  [
    "a capture that names its order by a link alone",
    "PAYMENT.CAPTURE.COMPLETED",
    capture({ custom_id: attemptId, ...up(`/v2/checkout/orders/${orderId}`) }),
    {
      _tag: "Charge",
      charge,
      state: { _tag: "Captured", providerRef: orderId, capture: { id: captureId, money: stated } }
    }
  ],
  [
    "a capture whose link names another order than its related ids",
    "PAYMENT.CAPTURE.COMPLETED",
    capture({ ...ours, ...up("/v2/checkout/orders/8MC585209K746392H") }),
    {
      _tag: "Charge",
      charge,
      state: { _tag: "Captured", providerRef: orderId, capture: { id: captureId, money: stated } }
    }
  ],
  [
    "a capture that waits",
    "PAYMENT.CAPTURE.PENDING",
    capture({ ...ours, status: "PENDING" }),
    { _tag: "Charge", charge, state: { _tag: "Pending", providerRef: orderId, stated } }
  ],
  [
    "a capture that was declined",
    "PAYMENT.CAPTURE.DENIED",
    capture({ ...ours, status: "DECLINED", processor_response: { response_code: "5120" } }),
    {
      _tag: "Charge",
      charge,
      state: {
        ...{ _tag: "Declined", providerRef: orderId, code: "5120" },
        ...{ category: "insufficient_funds", normalized: "insufficient_funds", soft: false }
      }
    }
  ],
  [
    "a capture of an operation",
    "PAYMENT.CAPTURE.COMPLETED",
    capture({ ...ours, invoice_id: operationId }),
    { _tag: "Operation", operationId, state: { _tag: "OperationConfirmed", stated, captureId } }
  ],
  [
    "a capture of an operation that was declined",
    "PAYMENT.CAPTURE.DECLINED",
    capture({ ...ours, invoice_id: operationId, status: "DECLINED", status_details: { reason: "BUYER_COMPLAINT" } }),
    { _tag: "Operation", operationId, state: { _tag: "OperationFailed", isFinal: true, reason: "BUYER_COMPLAINT" } }
  ],
  [
    "a refund",
    "PAYMENT.CAPTURE.REFUNDED",
    refund({ custom_id: refundId }),
    { _tag: "Refund", refundId, state: { _tag: "Succeeded", providerRefundId: refundReference, stated } }
  ],
  // Made at PayPal: with the names of the capture, and a link to it.
  ...(
    [
      ["with its attempt", { custom_id: attemptId, invoice_id: attemptId }, charge],
      ["of a capture of an operation", { custom_id: attemptId, invoice_id: operationId }, charge],
      ["with an id of its own, and the capture's invoice", { custom_id: "gift", invoice_id: attemptId }, charge],
      ["with its order", related, { providerRef: orderId }],
      ["with a link to its order", up(`/v2/checkout/orders/${orderId}`), { providerRef: orderId }],
      ["with a link to its capture", ofCapture, { providerRef: captureId }]
    ] as const
  ).map(
    ([what, names, charge]) =>
      [
        `a refund that a person made, ${what}`,
        "PAYMENT.CAPTURE.REFUNDED",
        refund({ ...ofCapture, ...names }),
        {
          ...{ _tag: "UnnamedRefund", charge, providerRefundId: refundReference },
          state: { _tag: "Succeeded", providerRefundId: refundReference, stated }
        }
      ] as const
  ),
  [
    "a refund that a person made, that waits",
    "PAYMENT.CAPTURE.REFUNDED",
    refund({ ...ofCapture, custom_id: attemptId, status: "PENDING", status_details: { reason: "ECHECK" } }),
    {
      ...{ _tag: "UnnamedRefund", charge, providerRefundId: refundReference },
      state: { _tag: "RefundPending", providerRefundId: refundReference, stated }
    }
  ],
  [
    "an order",
    "CHECKOUT.ORDER.COMPLETED",
    order(attemptId, { captures: [capture(ours)] }),
    { _tag: "Charge", charge, state: { _tag: "Captured", providerRef: orderId, stated } }
  ],
  [
    "an order that is approved",
    "CHECKOUT.ORDER.APPROVED",
    order(attemptId, undefined, { status: "APPROVED" }),
    { _tag: "Charge", charge, state: { _tag: "Approved", providerRef: orderId } }
  ],
  [
    "an order that was approved, and is captured already",
    "CHECKOUT.ORDER.APPROVED",
    order(attemptId, { captures: [capture(ours)] }, { status: "APPROVED" }),
    { _tag: "Charge", charge, state: { _tag: "Captured", providerRef: orderId, stated } }
  ],
  [
    "a dispute",
    "CUSTOMER.DISPUTE.CREATED",
    dispute(attemptId),
    { _tag: "Dispute", charge, disputeId: "PP-000-042-663-135", verdict: "opened", money: stated }
  ],
  [
    "a dispute about a part, with a deadline",
    "CUSTOMER.DISPUTE.UPDATED",
    dispute(attemptId, {
      dispute_amount: { currency_code: "JPY", value: "500" },
      seller_response_due_date: "2026-12-01T10:00:00.000Z"
    }),
    {
      ...{ _tag: "Dispute", charge, disputeId: "PP-000-042-663-135", verdict: "opened", status: "needs_response" },
      ...{ money: { minorUnits: 500, currency: "JPY" }, dueBy: Date.UTC(2026, 11, 1, 10) }
    }
  ],
  [
    "a dispute whose amount and deadline are not as documented",
    "CUSTOMER.DISPUTE.UPDATED",
    dispute(attemptId, { dispute_amount: { currency_code: "EUR", value: "1,5" }, seller_response_due_date: "soon" }),
    { _tag: "Dispute", charge, disputeId: "PP-000-042-663-135", verdict: "opened", status: "needs_response" }
  ],
  [
    "a dispute that names PayPal's capture alone",
    "CUSTOMER.DISPUTE.UPDATED",
    dispute(undefined),
    {
      ...{ _tag: "Dispute", charge: { providerRef: captureId }, disputeId: "PP-000-042-663-135" },
      ...{ verdict: "opened", status: "needs_response", money: stated }
    }
  ],
  ...(
    [
      ["WAITING_FOR_BUYER_RESPONSE", {}, { verdict: "opened", status: "under_review" }],
      ["UNDER_REVIEW", {}, { verdict: "opened", status: "under_review" }],
      ["RESOLVED", { dispute_outcome: { outcome_code: "ACCEPTED" } }, { verdict: "lost" }],
      ["RESOLVED", {}, { verdict: "opened", isContinued: true }],
      ["OTHER", {}, { verdict: "opened", isContinued: true }]
    ] as const
  ).map(
    ([status, more, said]) =>
      [
        `an update of the status ${status}`,
        "CUSTOMER.DISPUTE.UPDATED",
        dispute(attemptId, { status, ...more }),
        { ...{ _tag: "Dispute", charge, disputeId: "PP-000-042-663-135" }, ...said, money: stated }
      ] as const
  ),
  ...(
    [
      ["RESOLVED_BUYER_FAVOUR", "lost", { currency_code: "EUR", value: "2.00" }, { minorUnits: 200, currency: "EUR" }],
      ["RESOLVED_BUYER_FAVOUR", "lost", { currency_code: "EUR", value: "2,00" }, undefined],
      ["RESOLVED_WITH_PAYOUT", "won", { currency_code: "EUR", value: "2.00" }, stated]
    ] as const
  ).map(
    ([outcome_code, verdict, amount_refunded, money]) =>
      [
        `a dispute that ended as ${outcome_code} with ${amount_refunded.value} refunded`,
        "CUSTOMER.DISPUTE.RESOLVED",
        dispute(attemptId, { status: "RESOLVED", dispute_outcome: { outcome_code, amount_refunded } }),
        { _tag: "Dispute", charge, disputeId: "PP-000-042-663-135", verdict, ...(money && { money }) }
      ] as const
  ),
  ...[
    ["RESOLVED_BUYER_FAVOUR", "lost"],
    ["ACCEPTED", "lost"],
    ["RESOLVED_SELLER_FAVOUR", "won"],
    ["RESOLVED_WITH_PAYOUT", "won"],
    ["CANCELED_BY_BUYER", "won"],
    ["DENIED", "won"]
  ].map(
    ([outcome_code, verdict]) =>
      [
        `a dispute that ended as ${outcome_code}`,
        "CUSTOMER.DISPUTE.RESOLVED",
        dispute(attemptId, { status: "RESOLVED", dispute_outcome: { outcome_code } }),
        { _tag: "Dispute", charge, disputeId: "PP-000-042-663-135", verdict, money: stated }
      ] as const
  )
]

const unreadable: ReadonlyArray<readonly [what: string, type: string, resource: Fields, field: string]> = [
  ["another type", "PAYMENT.CAPTURE.REVERSED", capture(ours), "its type is not supported"],
  ["a capture without its order", "PAYMENT.CAPTURE.COMPLETED", capture({ custom_id: attemptId }), "order_id"],
  [
    "a capture whose link leads to its authorization",
    "PAYMENT.CAPTURE.COMPLETED",
    capture({ custom_id: attemptId, ...up("/v2/payments/authorizations/0VF52814937998046") }),
    "order_id"
  ],
  [
    "a capture whose link leads below its order",
    "PAYMENT.CAPTURE.COMPLETED",
    capture({ custom_id: attemptId, ...up(`/v2/checkout/orders/${orderId}/capture`) }),
    "order_id"
  ],
  ["a capture without an amount", "PAYMENT.CAPTURE.COMPLETED", capture({ ...ours, amount: undefined }), "amount"],
  ["a capture of an unknown status", "PAYMENT.CAPTURE.COMPLETED", capture({ ...ours, status: "HELD" }), "status"],
  [
    "a refund that a person made, without an amount",
    "PAYMENT.CAPTURE.REFUNDED",
    refund({ ...ofCapture, custom_id: attemptId, amount: undefined }),
    "amount"
  ],
  [
    "a dispute that ended undecided",
    "CUSTOMER.DISPUTE.RESOLVED",
    dispute(attemptId, { dispute_outcome: { outcome_code: "NONE" } }),
    "dispute_outcome"
  ],
  [
    "a dispute about two payments",
    "CUSTOMER.DISPUTE.CREATED",
    dispute(attemptId, { disputed_transactions: [{ custom: attemptId }, { custom: "att_2" }] }),
    "disputed_transactions"
  ],
  [
    "a dispute about nothing that is named",
    "CUSTOMER.DISPUTE.CREATED",
    dispute(attemptId, { disputed_transactions: [{}] }),
    "disputed_transactions"
  ]
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
      const stored = connector.readStored?.({
        body: new TextEncoder().encode(kept),
        secret: Redacted.make(webhookId)
      })
      assert.deepStrictEqual(toldOf(yield* stored ?? Effect.die("none")), told)
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
  amount: { currency_code: "USD", value: "2.51" },
  final_capture: true,
  seller_protection: { status: "ELIGIBLE", dispute_categories: ["ITEM_NOT_RECEIVED", "UNAUTHORIZED_TRANSACTION"] },
  seller_receivable_breakdown: {
    gross_amount: { currency_code: "USD", value: "2.51" },
    paypal_fee: { currency_code: "USD", value: "0.37" },
    net_amount: { currency_code: "USD", value: "2.14" }
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

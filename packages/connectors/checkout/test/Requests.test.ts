/**
 * Every request body against what Checkout.com's API accepts (https://api-reference.checkout.com/): the fields, types,
 * lengths and patterns of its description, as the official SDKs document them (`PaymentRequest.cs`, `RequestIdSource.cs`,
 * `CaptureRequest.cs`, `RefundRequest.cs`, `VoidRequest.cs` and `PaymentLinkRequest.cs` of
 * https://github.com/checkout/checkout-sdk-net, which is under the MIT licence) and the page of payment links does. Written
 * down as facts here, with no field beside them.
 */

import { assert, describe, it } from "@effect/vitest"
import { CheckoutConnector } from "@pointsman/connector-checkout"
import { type Ask, faultOf, noMethod } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { type ChargeRequest, money, scaleOf, type TransportRequest } from "@pointsman/core/connector"
import { Effect, Redacted, Schema } from "effect"
import {
  asks,
  attemptId,
  bodyOf,
  captureReference,
  connected,
  operationId,
  reference,
  refundReference,
  requestOf,
  sample,
  voidLookup,
  voidReference
} from "./Calls.ts"
import { accepted, answer, channel, credentials, instrument, openedLink, payment, paymentId } from "./Checkout.ts"

const text = (most: number) => Schema.NonEmptyString.check(Schema.isMaxLength(most))
const pattern = (regex: RegExp) => Schema.String.check(Schema.isPattern(regex))
/** At most nine digits, "greater than zero" (https://www.checkout.com/docs/payments/accept-payments/format-the-amount-value). */
const Amount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 999_999_999 }))
const Currency = pattern(/^[A-Z]{3}$/)
const Channel = Schema.optionalKey(pattern(/^(pc)_(\w{26})$/))
const Metadata = Schema.Record(text(40), text(510))

const Payment = Schema.Struct({
  source: Schema.Struct({ type: Schema.Literal("id"), id: pattern(/^(src)_(\w{26})$/) }),
  amount: Amount,
  currency: Currency,
  payment_type: Schema.Literals(["Regular", "Recurring", "MOTO", "Installment", "PayLater", "Unscheduled"]),
  merchant_initiated: Schema.optionalKey(Schema.Boolean),
  previous_payment_id: Schema.optionalKey(text(100)),
  reference: text(80),
  capture: Schema.Boolean,
  "3ds": Schema.Struct({ enabled: Schema.Boolean }),
  processing_channel_id: Channel,
  metadata: Metadata
})
const PaymentLink = Schema.Struct({
  amount: Amount,
  currency: Currency,
  billing: Schema.Struct({ address: Schema.Struct({ country: pattern(/^[A-Z]{2}$/) }) }),
  allow_payment_methods: Schema.Array(Schema.Literal("card")),
  capture: Schema.Boolean,
  expires_in: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5_184_000 })),
  return_url: pattern(/^https?:\/\/\S+$/),
  // "For Amex payments, this must be at most 30 characters."
  reference: text(30),
  processing_channel_id: Channel,
  metadata: Metadata
})
const Capture = Schema.Struct({
  amount: Amount,
  capture_type: Schema.Literals(["NonFinal", "Final"]),
  reference: text(80),
  metadata: Metadata
})
const Void = Schema.Struct({ reference: text(80), metadata: Metadata })
const Refund = Schema.Struct({ amount: Amount, reference: text(80), metadata: Metadata })

const assertAccepted = (schema: Schema.Decoder<unknown>, body: unknown): void => {
  assert.isUndefined(faultOf(schema, body), JSON.stringify(body))
  const { metadata } = body as { readonly metadata: Readonly<Record<string, string>> }
  assert.isAtMost(Object.keys(metadata).length, 20)
  for (const value of Object.values(metadata)) assert.isAtMost([...value].length, 255)
}

describe("every request body is one that Checkout.com's description accepts", () => {
  const withChannel = { credentials: { ...credentials, processingChannelId: channel } }
  const charges: ReadonlyArray<Partial<ChargeRequest>> = [
    {},
    { initiator: "mit" },
    { initiator: "mit", instrument: Redacted.make(`${instrument}/${paymentId}`) },
    { capture: false, reference: null, cardBrand: null },
    { reference: "\ud800😀".repeat(200), cardBrand: "visa" },
    { money: money(1, "JPY") },
    { money: money(999_999_990, "KWD") }
  ]
  for (const [at, fields] of charges.entries()) {
    itRuns(`a charge and a page are described, ${at + 1}`, function* () {
      for (const connecting of [{}, withChannel]) {
        const { connector, requests } = connected(
          [answer(201, payment({ reference })), answer(201, openedLink({ reference }))],
          connecting
        )
        yield* connector.charge({ ...sample.charge, ...fields })
        const { instrument: _, simulation, ...details } = { ...sample.charge, ...fields }
        yield* connector.openCheckout?.({ ...details, returnUrl: sample.openCheckout.returnUrl }) ??
          Effect.die("no checkout")
        assertAccepted(Payment, bodyOf(requests[0]))
        assertAccepted(PaymentLink, bodyOf(requests[1]))
      }
    })
  }
  itRuns("a capture, a void and a refund are described", function* () {
    const { connector, requests } = connected(
      [captureReference, voidReference, refundReference].map((reference) => answer(202, accepted({ reference })))
    )
    yield* connector.capture?.(sample.capture) ?? noMethod
    yield* connector.void?.(sample.void) ?? noMethod
    yield* connector.refund?.({ ...sample.refund, reason: "broken ".repeat(100) }) ?? noMethod
    assertAccepted(Capture, bodyOf(requests[0]))
    assertAccepted(Void, bodyOf(requests[1]))
    assertAccepted(Refund, bodyOf(requests[2]))
  })
  it("has no field beside those of the description, so that a misspelt one fails", () => {
    assert.isString(faultOf(Void, { reference: "v1", metadata: {}, refrence: "v1" }))
  })
  it("writes our ids in the letters and digits of any scheme, and no two of them alike", () => {
    assert.isTrue(attemptId.endsWith(operationId.slice(3)))
    const all = [reference, captureReference, voidReference, refundReference]
    for (const one of all) assert.match(one, /^[acrv][0-9a-z]{25}$/)
    assert.strictEqual(new Set(all).size, all.length)
  })
})

/** By method and path; of a list, its parameters (`PaymentsClient.cs`, `PaymentsQueryFilter.cs` and `PaymentLinksClient.cs`). */
const operations: ReadonlyArray<readonly [RegExp, Schema.Decoder<unknown>]> = [
  [/^POST \/payments$/, Schema.Struct({})],
  [/^POST \/payment-links$/, Schema.Struct({})],
  [/^POST \/payments\/pay_\w{26}\/(?:captures|voids|refunds)$/, Schema.Struct({})],
  [/^GET \/payments\/pay_\w{26}(?:\/actions)?$/, Schema.Struct({})],
  [/^GET \/payment-links\/pl_\w+$/, Schema.Struct({})],
  [
    /^GET \/payments$/,
    Schema.Struct({ limit: pattern(/^(?:[1-9]|[1-9]\d|100)$/), skip: pattern(/^\d+$/), reference: text(80) })
  ]
]

const faultOfRequest = ({ headers, method, url }: TransportRequest): string | undefined => {
  const { pathname, searchParams } = new URL(url)
  const [, query] = operations.find(([known]) => known.test(`${method} ${pathname}`)) ?? []
  if (query === undefined) return `${method} ${pathname} is not described`
  const fault = faultOf(query, Object.fromEntries(searchParams))
  if (fault !== undefined) return `${method} ${pathname}: ${fault}`
  const isKeyed = method === "GET" || (headers["cko-idempotency-key"] ?? "") !== ""
  return isKeyed ? undefined : `${method} ${pathname} has no Cko-Idempotency-Key`
}

describe("every request goes to an operation that Checkout.com has", () => {
  const others: Readonly<Record<string, Ask>> = {
    "a lookup of a charge by id": (connector) =>
      connector.lookUpCharge({ ...sample.lookUpCharge, providerRef: paymentId }),
    "a lookup of a page": (connector) =>
      connector.lookUpCharge({ ...sample.lookUpCharge, checkoutReference: "pl_ha88s1DKIxPU" }),
    "a lookup of a void": (connector) => connector.lookUpOperation?.(voidLookup) ?? noMethod
  }
  const { completeCheckout: _, ...existing } = asks
  for (const [what, ask] of Object.entries({ ...existing, ...others })) {
    itRuns(`${what} has the described method, path, query and key`, function* () {
      assert.isUndefined(faultOfRequest(yield* requestOf(ask)))
    })
  }
  it("the check refuses another path or parameter, and a missing key", () => {
    const request = (method: "GET" | "POST", path: string): TransportRequest => ({
      ...{ method, url: `https://x.example/${path}`, headers: {}, timeoutMillis: 1 }
    })
    assert.isUndefined(faultOfRequest(request("GET", "payments?limit=100&skip=0&reference=r")))
    for (const path of ["payment", "payments?limit=101&skip=0&reference=r", "payments?limit=1&skip=0&referense=r"]) {
      assert.isString(faultOfRequest(request("GET", path)), path)
    }
    assert.isString(faultOfRequest(request("POST", "payments")))
  })
})

describe("amounts", () => {
  it("counts each currency as the page of amounts does", () => {
    const currencies = CheckoutConnector.definition.supports.currencies ?? []
    const listed = (scale: number) => currencies.filter((currency) => scaleOf(currency) === scale)
    // "The full amount" and "The amount divided by 1000"; all others are divided by 100.
    assert.deepStrictEqual(listed(0), "BIF DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split(" "))
    assert.deepStrictEqual(listed(3), "BHD IQD JOD KWD LYD OMR TND".split(" "))
    assert.strictEqual(listed(2).length, currencies.length - 15 - 7)
  })
  itRuns("whole minor units of each currency are sent", function* () {
    for (const currency of CheckoutConnector.definition.supports.currencies ?? []) {
      const { connector, requests } = connected([answer(201, payment({ reference, currency, amount: 1230 }))])
      const end = yield* connector.charge({ ...sample.charge, money: money(1230, currency) })
      assert.deepStrictEqual([bodyOf(requests[0])["amount"], bodyOf(requests[0])["currency"]], [1230, currency])
      assert.deepStrictEqual("stated" in end ? end.stated : end, money(1234, currency))
    }
  })
})

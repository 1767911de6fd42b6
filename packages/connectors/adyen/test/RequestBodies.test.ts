/**
 * Every request body against the description of Adyen's Checkout API, version 72: the fields, types, lengths, words and
 * required fields of `PaymentRequest`, `CardDetails`, `PaymentLinkRequest`, `PaymentCaptureRequest`, `PaymentCancelRequest` and
 * `PaymentRefundRequest` (https://docs.adyen.com/api-explorer/Checkout/72/overview; `json/CheckoutService-v72.json` of
 * https://github.com/Adyen/adyen-openapi, MIT, of 1 July 2026). Written down as facts here, with no field beside them.
 * `AdyenShapes.test.ts` reads the whole description where a copy is at hand.
 */

import { assert, describe, it } from "@effect/vitest"
import { type Ask, faultOf, noMethod } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import {
  type ChargeRequest,
  type CheckoutRequest,
  currencies,
  type Money,
  money,
  type PaymentMethodName,
  scaleOf
} from "@pointsman/core/connector"
import { Effect, Redacted, Schema } from "effect"
import { apiVersion } from "../src/Credentials.ts"
import { namedMethods } from "../src/Requests.ts"
import { asks, requestOf, sample } from "./Requests.ts"

const text = (most: number, least = 0) => Schema.String.check(Schema.isMinLength(least)).check(Schema.isMaxLength(most))

const Amount = Schema.Struct({ currency: text(3, 3), value: Schema.Int })
/** "Maximum length: 80 characters", which the schemas state of a payment alone. */
const Reference = text(80, 1)
const common = { merchantAccount: Schema.NonEmptyString, amount: Amount, reference: Reference }

const Payment = Schema.Struct({
  ...common,
  countryCode: Schema.optionalKey(text(100)),
  shopperReference: text(256, 3),
  paymentMethod: Schema.Struct({
    type: Schema.Literals(["bcmc", "scheme", "networkToken", "giftcard", "card", "clicktopay"]),
    storedPaymentMethodId: text(64, 1)
  }),
  shopperInteraction: Schema.Literals(["Ecommerce", "ContAuth", "Moto", "POS"]),
  recurringProcessingModel: Schema.Literals(["CardOnFile", "Subscription", "UnscheduledCardOnFile"]),
  captureDelayHours: Schema.optionalKey(Schema.Int),
  additionalData: Schema.optionalKey(Schema.Struct({ manualCapture: Schema.String })),
  returnUrl: text(1024, 1)
})
const PaymentLink = Schema.Struct({
  ...common,
  countryCode: Schema.optionalKey(text(100)),
  allowedPaymentMethods: Schema.Array(Schema.NonEmptyString),
  reusable: Schema.Boolean,
  captureDelayHours: Schema.optionalKey(Schema.Int),
  manualCapture: Schema.optionalKey(Schema.Boolean),
  returnUrl: text(8000, 1)
})
const Capture = Schema.Struct(common)
const Refund = Schema.Struct(common)
const Cancel = Schema.Struct({ merchantAccount: Schema.NonEmptyString, reference: Reference })

/** By method and path, below the version (`paths` of the description). */
const bodies: ReadonlyArray<readonly [RegExp, Schema.Decoder<unknown>]> = [
  [/^POST \/payments$/u, Payment],
  [/^POST \/paymentLinks$/u, PaymentLink],
  [/^POST \/payments\/[^/]+\/captures$/u, Capture],
  [/^POST \/payments\/[^/]+\/cancels$/u, Cancel],
  [/^POST \/payments\/[^/]+\/refunds$/u, Refund]
]

/** Asks, and checks the request that is sent, whose body it gives; the answer does not matter. */
const assertDescribed = Effect.fnUntraced(function* (ask: Ask) {
  const { body, headers, method, url } = yield* requestOf(ask)
  const at = `${method} ${new URL(url).pathname.replace(`/${apiVersion}`, "")}`
  const [, schema] = bodies.find(([pattern]) => pattern.test(at)) ?? []
  if (schema === undefined) return assert.fail(`${at} is not described`)
  assert.isUndefined(faultOf(schema, JSON.parse(body ?? "null")), `${at}: ${body}`)
  // https://docs.adyen.com/development-resources/api-idempotency
  assert.isAtMost(headers["idempotency-key"]?.length ?? 0, 64)
  return JSON.parse(body ?? "null")
})

const charging =
  (more: Partial<ChargeRequest>): Ask =>
  (connector) =>
    connector.charge({ ...sample.charge, ...more })
const opening =
  (more: Partial<CheckoutRequest>): Ask =>
  (connector) =>
    connector.openCheckout?.({ ...sample.openCheckout, ...more }) ?? noMethod
const longest = `${"s".repeat(256)}/${"A1".repeat(32)}`

const described: Readonly<Record<string, Ask>> = {
  "a charge": asks.charge,
  "a charge by the merchant": charging({ initiator: "mit" }),
  "a held charge": charging({ capture: false }),
  "a charge without a reference and a brand": charging({ reference: null, cardBrand: null }),
  "a charge of the longest instrument": charging({ instrument: Redacted.make(longest) }),
  "a page": asks.openCheckout,
  "a held page": opening({ capture: false }),
  "a capture": asks.capture,
  "a void": asks.void,
  "a refund": (connector) => connector.refund?.({ ...sample.refund, reason: "late ".repeat(200) }) ?? noMethod
}

/** `type` of each payment method's page (https://docs.adyen.com/payment-methods). */
const typesOfMethods: Readonly<Record<string, string>> = {
  card: "scheme",
  apple_pay: "applepay",
  google_pay: "googlepay",
  mb_way: "mbway",
  swish: "swish",
  twint: "twint",
  bancontact: "bcmc",
  blik: "blik",
  eps: "eps",
  ideal: "ideal"
}

describe("every request body is one that Adyen's description accepts", () => {
  for (const [what, ask] of Object.entries(described)) {
    it.effect(`the body of ${what} is described`, () => assertDescribed(ask))
  }
  for (const name of Object.keys(namedMethods) as ReadonlyArray<PaymentMethodName>) {
    itRuns(`a page for ${name} names Adyen's type`, function* () {
      const { allowedPaymentMethods } = yield* assertDescribed(opening({ paymentMethod: name }))
      assert.deepStrictEqual(allowedPaymentMethods, [typesOfMethods[name]])
    })
  }
  itRuns("every ISO 4217 currency of 0, 2, 3 and 4 decimals is in whole minor units", function* () {
    assert.includeMembers([...new Set(currencies.map(scaleOf))], [0, 2, 3, 4])
    const amounts = currencies.flatMap(
      (currency): ReadonlyArray<Money> => [money(100_000, currency), money(999_900, currency)]
    )
    for (const amount of amounts) {
      yield* assertDescribed(charging({ money: amount }))
      yield* assertDescribed((connector) => connector.refund?.({ ...sample.refund, money: amount }) ?? noMethod)
    }
  })

  const good = { merchantAccount: "M", amount: { currency: "EUR", value: 1 }, reference: "r" }
  for (const [what, body] of Object.entries({
    "a misspelt field": { ...good, referense: "r" },
    "a field that is missing": { merchantAccount: "M", reference: "r" },
    "an amount as text": { ...good, amount: { currency: "EUR", value: "1" } },
    "a part of a minor unit": { ...good, amount: { currency: "EUR", value: 1.5 } },
    "a currency of two letters": { ...good, amount: { currency: "EU", value: 1 } },
    "a reference of 81 characters": { ...good, reference: "r".repeat(81) }
  })) {
    it(`the check refuses ${what}`, () => {
      assert.isUndefined(faultOf(Capture, good))
      assert.isString(faultOf(Capture, body))
    })
  }
})

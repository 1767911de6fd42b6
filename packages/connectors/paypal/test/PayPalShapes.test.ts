/**
 * Every request against PayPal's own description of its API (`checks/descriptions/paypal`): bodies by its schemas, with nothing
 * beside their fields at any depth, and the operations, ids and headers that it names.
 */

import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { type Ask, noMethod } from "@pointsman/contracts/connector"
import { itRuns } from "@pointsman/contracts/vitest"
import { money, scaleOf, type TransportAnswer, type TransportRequest } from "@pointsman/core/connector"
import { Ajv2019 } from "ajv/dist/2019.js"
import { Effect } from "effect"
import { currencies } from "../src/Amounts.ts"
import { asking, asks, connected } from "./Calls.ts"
import {
  answer,
  authorization,
  capture,
  type Fields,
  isTokenRequest,
  order,
  orderId,
  refundReference,
  token
} from "./PayPal.ts"

type Schemas = Readonly<Record<string, Fields>>
const description: Readonly<Record<string, { readonly components: { readonly schemas: Schemas } }>> = JSON.parse(
  readFileSync(new URL("../../../../checks/descriptions/paypal/description.json", import.meta.url), "utf8")
)

/**
 * The schema of a value, closed at each level: every field is one of those that a part of it describes. The parts of `allOf` and
 * schemas that are named stay open, because each describes some of the fields.
 */
const closed = (schema: Fields): Fields => {
  const within = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(within)
    if (typeof value !== "object" || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => {
        if (name === "properties") {
          return [
            name,
            Object.fromEntries(Object.entries(inner).map(([field, shape]) => [field, closed(shape as Fields)]))
          ]
        }
        return [name, name === "items" ? closed(inner as Fields) : within(inner)]
      })
    )
  }
  return { ...(within(schema) as Fields), unevaluatedProperties: false }
}

/** PayPal's patterns are not written for the flag `u`. */
const checkOf = (file: string, name: string) => {
  const ajv = new Ajv2019({ strict: false, allErrors: true, unicodeRegExp: false })
  const schemas = description[file]?.components.schemas ?? {}
  const parts = Object.fromEntries(
    Object.entries(schemas).map(([part, schema]) => {
      const { unevaluatedProperties: _, ...open } = closed(schema)
      return [part, open]
    })
  )
  return ajv.compile({
    components: { schemas: parts },
    $ref: `#/components/schemas/${name}`,
    unevaluatedProperties: false
  })
}

const orderOf = checkOf("checkout_orders_v2", "order_request")
const captureOf = checkOf("payments_payment_v2", "capture_request")
const refundOf = checkOf("payments_payment_v2", "refund_request")

/** A void has no body: `authorizations.void` of `payments_payment_v2` describes none. */
const bodies: ReadonlyArray<readonly [RegExp, ReturnType<typeof checkOf> | undefined]> = [
  [/^POST \/v2\/checkout\/orders$/u, orderOf],
  // Its body adds a payment source, which an approved order has.
  [/^POST \/v2\/checkout\/orders\/[A-Z0-9]{1,36}\/(?:capture|authorize)$/u, undefined],
  [/^POST \/v2\/payments\/authorizations\/[^/]+\/capture$/u, captureOf],
  [/^POST \/v2\/payments\/authorizations\/[^/]+\/void$/u, undefined],
  [/^POST \/v2\/payments\/captures\/[^/]+\/refund$/u, refundOf],
  [/^GET \/v2\/checkout\/orders\/[A-Z0-9]{1,36}$/u, undefined],
  [/^GET \/v2\/payments\/refunds\/[^/]+$/u, undefined],
  // https://developer.paypal.com/docs/api/identity/v1/#userinfo_get
  [/^GET \/v1\/identity\/oauth2\/userinfo$/u, undefined]
]

const faultsOf = ({ body, headers, method, url }: TransportRequest): ReadonlyArray<unknown> => {
  const at = `${method} ${new URL(url).pathname}`
  const operation = bodies.find(([pattern]) => pattern.test(at))
  if (operation === undefined) return [`${at} is not described`]
  const [, check] = operation
  const id = headers["paypal-request-id"]
  // "The server stores keys for 6 hours": 108 characters at most in `checkout_orders_v2`.
  const isKeyed = method === "GET" || (id !== undefined && id.length >= 1 && id.length <= 108)
  const prefer = headers["prefer"] ?? ""
  return [
    ...(isKeyed ? [] : [`${at} has no fitting PayPal-Request-Id`]),
    ...(/^[a-zA-Z=]{0,25}$/u.test(prefer) ? [] : [`${at}: Prefer is ${prefer}`]),
    ...(check === undefined
      ? body === undefined
        ? []
        : [`${at} has no body`]
      : check(JSON.parse(body ?? "null"))
        ? []
        : (check.errors ?? []))
  ]
}

/** Every request but the one for a token, which is a form (https://developer.paypal.com/api/rest/authentication/). */
const assertDescribed = Effect.fnUntraced(function* (script: ReadonlyArray<TransportAnswer>, ask: Ask) {
  const { connector, requests } = connected([answer(200, token()), ...script, answer(500, "")])
  yield* Effect.exit(ask(connector))
  const [first, ...others] = requests
  assert.isTrue(first !== undefined && isTokenRequest(first))
  assert.strictEqual(first?.body, "grant_type=client_credentials")
  assert.strictEqual(others.length, script.length + 1)
  for (const request of others) assert.deepStrictEqual(faultsOf(request), [], request.body)
})

const held = answer(200, order("att_1", { authorizations: [authorization()] }))
const taken = answer(200, order("att_1", { captures: [capture()] }))
const long = "ä🙂".repeat(300)

const charges: Readonly<Record<string, Ask>> = {
  "a card": asks.charge,
  "a card, to be captured later": asking("charge", { capture: false }),
  "a card, by the merchant": asking("charge", { initiator: "mit" }),
  "a PayPal account": asking("charge", { method: "wallet" }),
  "a PayPal account, by the merchant, later": asking("charge", { method: "wallet", initiator: "mit", capture: false }),
  "no reference": asking("charge", { reference: null }),
  "an empty reference": asking("charge", { reference: "" }),
  "a long reference with halves of pairs": asking("charge", { reference: `${long}\ud800` })
}

describe("what is sent to PayPal", () => {
  for (const [what, ask] of Object.entries(charges)) {
    it.effect(`a charge of ${what} is an order as PayPal describes it`, () => assertDescribed([], ask))
  }
  for (const capture of [true, false]) {
    const when = capture ? "at once" : "later"
    it.effect(`a checkout, to be captured ${when}, is an order as PayPal describes it`, () =>
      assertDescribed([], asking("openCheckout", { capture }))
    )
    it.effect(`an approved checkout captured ${when} is completed as PayPal describes it`, () =>
      assertDescribed([], asking("completeCheckout", { capture }))
    )
  }
  for (const reason of [null, "", "broken", long]) {
    it.effect(`a refund: ${reason === long ? "a long reason" : JSON.stringify(reason)}`, () =>
      assertDescribed([taken], asking("refund", { reason }))
    )
  }
  const others: Readonly<Record<string, readonly [ReadonlyArray<TransportAnswer>, Ask]>> = {
    "a capture": [[held], asks.capture],
    "a void": [[held], asks.void],
    "a lookup of a charge": [[], asks.lookUpCharge],
    "a lookup of a checkout": [[], asking("lookUpCharge", { providerRef: null, checkoutReference: orderId })],
    "a lookup of a capture": [[], asks.lookUpOperation],
    "a lookup of a refund": [[], asks.lookUpRefund],
    "a lookup of a refund by PayPal's id": [[], asking("lookUpRefund", { providerRefundId: refundReference })],
    "the account": [[], (connector) => connector.account?.() ?? noMethod]
  }
  for (const [what, [script, ask]] of Object.entries(others)) {
    it.effect(`${what} is as PayPal describes it`, () => assertDescribed(script, ask))
  }
  itRuns("each currency of PayPal has a described amount in every body", function* () {
    assert.sameMembers([...new Set(currencies.map(scaleOf))], [0, 2])
    for (const currency of currencies) {
      for (const minorUnits of [100, 12_300, 99_999_900]) {
        const amount = { money: money(minorUnits, currency) }
        yield* assertDescribed([], asking("charge", amount))
        yield* assertDescribed([held], asking("capture", amount))
        yield* assertDescribed([taken], asking("refund", amount))
      }
    }
  })

  const amount = { currency_code: "EUR", value: "12.34" }
  const unit = { custom_id: "att_1", amount }
  const card = { vault_id: "8kk8451t" }
  const good = { intent: "CAPTURE", purchase_units: [unit], payment_source: { card } }
  const stored = { payment_initiator: "MERCHANT", payment_type: "UNSCHEDULED", usage: "SUBSEQUENT" }
  for (const [what, body] of Object.entries({
    "a field that PayPal has not": { ...good, metadata: {} },
    "a misspelt field of a unit": { ...good, purchase_units: [{ ...unit, custum_id: "att_1" }] },
    "a misspelt field of an amount": { ...good, purchase_units: [{ ...unit, amount: { ...amount, currency: "EUR" } }] },
    "a misspelt field of a card": { ...good, payment_source: { card: { ...card, vaultId: "8kk8451t" } } },
    "another intent": { ...good, intent: "SALE" },
    "no units": { intent: "CAPTURE" },
    "a unit without an amount": { ...good, purchase_units: [{ custom_id: "att_1" }] },
    "an amount as a number": { ...good, purchase_units: [{ amount: { currency_code: "EUR", value: 12 } }] },
    "an unknown initiator": {
      ...good,
      payment_source: { card: { ...card, stored_credential: { ...stored, payment_initiator: "SHOP" } } }
    },
    "a text that is too long": { ...good, purchase_units: [{ ...unit, description: "x".repeat(128) }] }
  })) {
    it(`the check refuses an order with ${what}`, () => {
      assert.isTrue(orderOf(good), JSON.stringify(orderOf.errors))
      assert.isFalse(orderOf(body))
    })
  }
  it("the check refuses a wrong capture, refund or path", () => {
    assert.isFalse(captureOf({ amount: { currency_code: "EUR", value: 12 } }))
    assert.isFalse(captureOf({ amount: { ...amount, total: "12.34" } }))
    assert.isFalse(refundOf({ reason: "broken" }))
    const request = {
      method: "POST",
      url: "https://x.example/v2/checkout/order",
      headers: {},
      timeoutMillis: 1
    } as const
    assert.deepStrictEqual(faultsOf(request)[0], "POST /v2/checkout/order is not described")
  })
})

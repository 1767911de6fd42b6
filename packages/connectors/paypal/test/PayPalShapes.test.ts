/** What is sent, against PayPal's own description of its requests (see `description/README.md`). */
import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import type { ChargeRequest, TransportAnswer } from "@pointsman/core/connector"
import { Ajv2019 } from "ajv/dist/2019.js"
import { Effect } from "effect"
import { bodyOf, capturing, charge, checkout, connected, refunding } from "./Calls.ts"
import { answer, authorization, capture, order, token } from "./PayPal.ts"

type Schemas = Readonly<Record<string, unknown>>
const description: Readonly<Record<string, { readonly components: { readonly schemas: Schemas } }>> = JSON.parse(
  readFileSync(new URL("description/description.json", import.meta.url), "utf8")
)

/** A field that PayPal does not have is refused, too. Its patterns are not written for the flag `u`. */
const checkOf = (file: string, name: string) => {
  const ajv = new Ajv2019({ strict: false, allErrors: true, unicodeRegExp: false })
  return ajv.compile({ ...description[file], $ref: `#/components/schemas/${name}`, unevaluatedProperties: false })
}

const orderOf = checkOf("checkout_orders_v2", "order_request")
const unitOf = checkOf("checkout_orders_v2", "purchase_unit_request")
const cardOf = checkOf("checkout_orders_v2", "card_request")
const walletOf = checkOf("checkout_orders_v2", "paypal_wallet")
const captureOf = checkOf("payments_payment_v2", "capture_request")
const refundOf = checkOf("payments_payment_v2", "refund_request")

const assertValid = (check: ReturnType<typeof checkOf>, body: unknown): void => {
  assert.isTrue(check(body), JSON.stringify([check.errors, body]))
}

/** The body of the last request. */
const bodySent = Effect.fnUntraced(function* (
  script: ReadonlyArray<TransportAnswer>,
  ask: (connector: ReturnType<typeof connected>["connector"]) => Effect.Effect<unknown, unknown> | undefined
) {
  const { connector, requests } = connected([answer(200, token()), ...script, answer(500, "")])
  yield* Effect.exit(ask(connector) ?? Effect.die("not there"))
  return bodyOf(requests.at(-1))
})

const long = "ä🙂".repeat(300)

const charges: Readonly<Record<string, ChargeRequest>> = {
  "a card": charge,
  "a card, to be captured later": { ...charge, capture: false },
  "a card, by the merchant": { ...charge, initiator: "mit" },
  "a PayPal account": { ...charge, method: "wallet" },
  "no reference": { ...charge, reference: null },
  "an empty reference": { ...charge, reference: "" },
  "a long reference with halves of pairs": { ...charge, reference: `${long}\ud800` },
  yen: { ...charge, money: { minorUnits: 500, currency: "JPY" } }
}

describe("what is sent to PayPal", () => {
  it("given a body with a field that PayPal has not, or without one that it needs, then the check refuses it", () => {
    assert.isFalse(orderOf({ intent: "CAPTURE", purchase_units: [], metadata: {} }))
    assert.isFalse(unitOf({ custom_id: "att_1" }))
    assert.isFalse(captureOf({ amount: { currency_code: "EUR", value: 12 } }))
    assert.isFalse(refundOf({ reason: "broken" }))
  })
  for (const [what, request] of Object.entries(charges)) {
    it.effect(`given a charge of ${what}, then an order as PayPal describes it`, () =>
      Effect.gen(function* () {
        const body = yield* bodySent([], (connector) => connector.charge(request))
        assertValid(orderOf, body)
        const { payment_source: source, purchase_units: units } = body as {
          readonly payment_source: Readonly<Record<string, unknown>>
          readonly purchase_units: ReadonlyArray<unknown>
        }
        assertValid(unitOf, units[0])
        if (request.method === "card") assertValid(cardOf, source["card"])
        else assertValid(walletOf, source["paypal"])
      })
    )
  }
  for (const isCaptured of [true, false]) {
    it.effect(
      `given a checkout, ${isCaptured ? "" : "not "}to be captured at once, then an order as PayPal describes it`,
      () =>
        Effect.gen(function* () {
          const body = yield* bodySent([], (connector) =>
            connector.openCheckout?.({ ...checkout, capture: isCaptured })
          )
          assertValid(orderOf, body)
          const { payment_source: source } = body as { readonly payment_source: Readonly<Record<string, unknown>> }
          assertValid(walletOf, source["paypal"])
        })
    )
  }
  it.effect("given a capture, then as PayPal describes it", () =>
    Effect.gen(function* () {
      const held = answer(200, order("att_1", { authorizations: [authorization()] }))
      assertValid(captureOf, yield* bodySent([held], (connector) => connector.capture?.(capturing)))
    })
  )
  for (const reason of [null, "", "broken", long]) {
    it.effect(
      `given a refund with ${reason === long ? "a long reason" : JSON.stringify(reason)}, then as described`,
      () =>
        Effect.gen(function* () {
          const taken = answer(200, order("att_1", { captures: [capture()] }))
          assertValid(refundOf, yield* bodySent([taken], (connector) => connector.refund?.({ ...refunding, reason })))
        })
    )
  }
})

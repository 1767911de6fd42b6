/** A payment method by name: which connections may take it, and what a page is opened with. */
import { assert, describe, it } from "@effect/vitest"
import {
  type Connection,
  kindOfMethod,
  type PaymentDetails,
  Pointsman,
  paymentMethodNames,
  paymentMethods,
  RoutingFailed,
  type Supports
} from "@pointsman/core"
import { exclusionOf } from "@pointsman/core/internal"
import { Ledger } from "@pointsman/core/ports"
import { scriptedProvider } from "@pointsman/core/testing"
import { Effect, Option } from "effect"
import { itIn } from "./support/ItIn.ts"
import { comeBack, liveCaller, liveConnections, paged, stored } from "./support/Pages.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, connectionOf, request, tenant, world } from "./support/World.ts"

const { details } = request()
const asIdeal = request({ details: { method: "bank", paymentMethod: "ideal" } })
const ideal = asIdeal.details

const connection = (supports: Supports) => connectionOf("main", { name: "Main", supports })

/** Why it may not take the payment; `undefined` where it may. */
const reasonOf = (
  payment: PaymentDetails,
  own: Supports | Connection,
  provider: Supports = {},
  instruments: ReadonlyArray<string> | null = null
): string | undefined => {
  const exclusion = exclusionOf("id" in own ? own : connection(own), provider, {
    payment,
    merchantCountry: "NL",
    merchantCategory: null,
    instrumentConnectionIds: instruments === null ? null : new Set(instruments)
  })
  if (exclusion !== undefined) assert.strictEqual(exclusion.code, "METHOD_NOT_SUPPORTED")
  return exclusion?.reason
}

const undeclared = "The connection does not accept the payment method ideal."

const unauthorized = "The connection cannot authorize the payment method ideal without capturing it."
const declaring: Supports = { paymentMethods: { ideal: {} } }
const cards: Supports = { paymentMethods: { card: {} } }
const inEuros: Supports = { paymentMethods: { ideal: { currencies: ["EUR"] } } }
const atOnce: Supports = { paymentMethods: { ideal: { manualCapture: false } } }
const inDollars: PaymentDetails = { ...ideal, money: { minorUnits: 1000, currency: "USD" } }
const manual: PaymentDetails = { ...ideal, captureMethod: "manual" }

describe("a connection and a named method", () => {
  it("the kind of every name is a method", () => {
    for (const name of paymentMethodNames) assert.include(paymentMethods, kindOfMethod(name))
  })

  for (const [title, payment, own, provider, reason] of [
    ["a named method is not taken if no methods are declared", ideal, {}, {}, undeclared],
    ["a payment without a name is taken if no methods are declared", details, {}, {}, undefined],
    ["a payment is taken if its connection declares its method", ideal, declaring, {}, undefined],
    ["a payment is taken if its provider declares its method", ideal, {}, declaring, undefined],
    ["a payment is not taken if its connection declares only others", ideal, cards, declaring, undeclared],
    ["a payment is not taken if its provider declares only others", ideal, declaring, cards, undeclared],
    ["a payment in a declared currency is taken", ideal, inEuros, {}, undefined],
    [
      "a payment in another currency than declared is not taken",
      inDollars,
      inEuros,
      {},
      `${undeclared.slice(0, -1)} in USD.`
    ],
    ["a method that is captured at once is taken", ideal, atOnce, {}, undefined],
    ["a method that is captured at once is not taken for a manual capture", manual, atOnce, {}, unauthorized]
  ] as const) {
    it(title, () => {
      assert.strictEqual(reasonOf(payment, own, provider), reason)
    })
  }

  it("the name decides where a page is opened, and the kind where a charge is direct", () => {
    const provider: Supports = { methods: ["card"], paymentMethods: { card: {}, ideal: {} } }
    assert.isUndefined(reasonOf(ideal, {}, provider))
    assert.isUndefined(reasonOf(details, {}, provider))
    const noBank = "The connection does not accept the method bank."
    assert.strictEqual(reasonOf({ ...details, method: "bank" }, {}, provider), noBank)
    // The same connection is asked without a stored credential and with one.
    const both = connection({})
    assert.isUndefined(reasonOf(ideal, both, provider))
    assert.strictEqual(reasonOf(ideal, both, provider, ["main"]), noBank)
    assert.isUndefined(reasonOf({ ...details, paymentMethod: "card" }, both, provider, ["main"]))
    // The connection's own kinds are its own limit.
    assert.strictEqual(reasonOf(ideal, { methods: ["card"] }, provider), noBank)
  })
})

describe("routing by a named method", () => {
  const provider = scriptedProvider({ supports: { paymentMethods: { card: {}, ideal: {} } } })
  const restricted = world({
    provider,
    connections: [{ id: "main", restrictions: [{ paymentMethod: ["ideal"] }] }, { id: "backup" }]
  })
  itIn("a restriction to a name sends payments with it elsewhere, and others not", restricted, function* () {
    const pointsman = yield* Pointsman
    const named = yield* pointsman.create(caller, asIdeal)
    assert.strictEqual(named.payment.connectionId, "backup")
    assert.strictEqual(named.payment.paymentMethod, "ideal")
    assert.deepStrictEqual(yield* stored(named.payment), named.payment)
    const unnamed = yield* pointsman.create(caller, request())
    assert.strictEqual(unnamed.payment.connectionId, "main")
    assert.notProperty(unnamed.payment, "paymentMethod")
  })

  const rules = world({
    provider,
    connections: [{ id: "main" }, { id: "backup" }],
    routing: {
      mode: "failover",
      rules: [{ name: "iDEAL", when: { paymentMethod: ["ideal"] }, use: { mode: "fixed", order: ["backup"] } }]
    }
  })
  itIn("a rule for a name decides", rules, function* (_, pointsman) {
    const { payment } = yield* pointsman.create(caller, asIdeal)
    assert.deepInclude(payment.routing, { path: "rule", rule: "iDEAL" })
    const { payment: other } = yield* pointsman.create(caller, request())
    assert.deepInclude(other.routing, { path: "engine", rule: null })
  })

  itIn("RoutingFailed says the reason of each if no connection declares the method", world(), function* () {
    const failure = yield* Effect.flip((yield* Pointsman).create(caller, asIdeal))
    assert(failure instanceof RoutingFailed)
    const [code, reason] = ["METHOD_NOT_SUPPORTED", undeclared] as const
    assertFields(failure.excluded, ["connectionId", "code", "reason"], ["main", code, reason], ["backup", code, reason])
  })
})

describe("the fingerprint of a request with a named method", () => {
  const provider = scriptedProvider({ supports: { paymentMethods: { ideal: {}, eps: {} } } })
  itIn("another name, or none, under the same key is another request", world({ provider }), function* (_, pointsman) {
    const asked = (change: Partial<PaymentDetails>) =>
      request({ idempotencyKey: "key-0001", details: { method: "bank", ...change } })
    const first = yield* pointsman.create(caller, asked({ paymentMethod: "ideal" }))
    const again = yield* pointsman.create(caller, asked({ paymentMethod: "ideal" }))
    assert.deepStrictEqual(again, { payment: first.payment, isReplay: true })
    for (const change of [{ paymentMethod: "eps" as const }, {}]) {
      const failure = yield* Effect.flip(pointsman.create(caller, asked(change)))
      assert.strictEqual(failure._tag, "pointsman/KeyReused")
    }
    const claim = Option.getOrThrow(yield* (yield* Ledger).claim(tenant, "key-0001"))
    assert.include(claim.fingerprint, '"paymentMethod":"ideal"')
  })
})

describe("a hosted payment with a named method", () => {
  const provider = scriptedProvider({ supports: { paymentMethods: { ideal: {} } } })
  const own = world({ provider, connections: liveConnections })
  itIn("the provider's page is opened for the method that the payment names", own, function* (_, pointsman) {
    for (const asked of [asIdeal, request()]) {
      const page = yield* paged(liveCaller, { ...asked, returnUrl: "https://shop.test/" })
      yield* pointsman.openCheckout(page.token, comeBack)
    }
    const named = provider.checkouts.map((asked) => ("paymentMethod" in asked ? asked.paymentMethod : "none"))
    assert.deepStrictEqual(named, ["ideal", "none"])
  })
})

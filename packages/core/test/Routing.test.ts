import { assert, describe, it } from "@effect/vitest"
import {
  type CircuitSeen,
  type Connection,
  type Exclusion,
  type ExclusionCode,
  type PaymentDetails,
  Pointsman,
  type Supports
} from "@pointsman/core"
import { type EligibilityQuestion, exclusionOf, planRoute, type RouteQuestion } from "@pointsman/core/internal"
import { type ChargeAnswer, Unanswered } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, connectionOf, request, world } from "./support/World.ts"

const connection = (change: Partial<Connection> = {}) => connectionOf("main", { name: "Main", ...change })

const { details } = request()
const question = (change: Partial<EligibilityQuestion> = {}): EligibilityQuestion => ({
  payment: details,
  merchantCountry: "NL",
  merchantCategory: "retail",
  instrumentConnectionIds: null,
  ...change
})

const asking = (change: Partial<PaymentDetails>) => ({ payment: { ...details, ...change } })

describe("eligibility", () => {
  type Limits = Supports | Pick<Connection, "id"> | Pick<Connection, "restrictions">
  /** The last column is what is asked, where it is not the sample's payment of a merchant of retail in the Netherlands. */
  const cases: ReadonlyArray<
    readonly [code: ExclusionCode, excludes: Limits, admits: Limits, asked?: Partial<EligibilityQuestion>]
  > = [
    ["CURRENCY_NOT_SUPPORTED", { currencies: ["USD"] }, { currencies: ["USD", "EUR"] }],
    ["PAYER_COUNTRY_NOT_SUPPORTED", { payerCountries: ["DE"] }, { payerCountries: ["DE", "NL"] }],
    ["METHOD_NOT_SUPPORTED", { methods: ["bank"] }, { methods: ["bank", "card"] }],
    ["METHOD_NOT_SUPPORTED", { cardBrands: ["visa"] }, { cardBrands: ["visa", "amex"] }, asking({ cardBrand: "Amex" })],
    ["MERCHANT_COUNTRY_NOT_SUPPORTED", { merchantCountries: ["DE"] }, { merchantCountries: ["NL"] }],
    ["MERCHANT_COUNTRY_NOT_SUPPORTED", { merchantCountries: ["NL"] }, {}, { merchantCountry: null }],
    ["VERTICAL_NOT_SUPPORTED", { blockedCategories: ["retail"] }, { blockedCategories: ["gambling"] }],
    ["RECURRING_NOT_SUPPORTED", { recurring: false }, { recurring: true }, asking({ initiator: "mit" })],
    ["AMOUNT_OUT_OF_RANGE", { amount: { EUR: { min: 2000 } } }, { amount: { EUR: { min: 1999, max: 1999 } } }],
    ["AMOUNT_OUT_OF_RANGE", { amount: { EUR: { max: 1998 } } }, { amount: { USD: { min: 5000, max: 50 } } }],
    ["AUTHENTICATION_REQUIRED", { requiresAuthentication: ["NL"] }, { requiresAuthentication: ["DE"] }],
    [
      "RESTRICTION_VIOLATED",
      { restrictions: [{ currency: ["EUR"], amount: { min: 1000 } }] },
      { restrictions: [{ currency: ["EUR"], amount: { min: 2000 } }] }
    ],
    ["INSTRUMENT_NOT_AVAILABLE", { id: "main" }, { id: "other" }, { instrumentConnectionIds: new Set(["other"]) }]
  ]
  const isSupports = (limits: Limits): limits is Supports => !("id" in limits || "restrictions" in limits)
  const limited = (limits: Limits) => connection(isSupports(limits) ? { supports: limits } : limits)
  for (const [code, excludes, admits, asked] of cases) {
    it(`${code}: ${JSON.stringify(excludes)} excludes, ${JSON.stringify(admits)} admits`, () => {
      const exclusion = exclusionOf(limited(excludes), {}, question(asked))
      assert.deepInclude(exclusion, { connectionId: "main", name: "Main", code })
      assert.match(exclusion?.reason ?? "", /^[A-Z].*\.$/u)
      assert.isUndefined(exclusionOf(limited(admits), {}, question(asked)))
      // The provider's own limits exclude just as the connection's do.
      if (isSupports(excludes)) assert.strictEqual(exclusionOf(connection(), excludes, question(asked))?.code, code)
    })
  }

  it("a merchant-initiated payment needs no authentication", () => {
    const asked = question(asking({ initiator: "mit" }))
    assert.isUndefined(exclusionOf(connection({ supports: { requiresAuthentication: ["NL"] } }), {}, asked))
  })
})

const route = (change: Partial<RouteQuestion> = {}) =>
  planRoute({
    ...question(),
    seed: "0190a000-0000-7000-8000-000000000001",
    settings: { mode: "failover" },
    connections: [connection(), connection({ id: "backup", priority: 2 })],
    providerSupports: () => ({}),
    unable: [],
    circuits: [],
    strategies: [],
    rates: () => ({ connection: { succeeded: 0, failed: 0 }, segment: { succeeded: 0, failed: 0 } }),
    ...change
  })

const open = (connectionId: string): CircuitSeen => ({
  connectionId,
  failures: 5,
  openedAt: 0,
  probeAt: 30_000,
  isOpen: true
})
const ids = (planned: ReturnType<typeof route>) =>
  Result.match(planned, { onFailure: () => [], onSuccess: (plan) => plan.order.map((one) => one.id) })

describe("the route plan", () => {
  /** `main backup`, `backup: main CIRCUIT_OPEN`, `none: main CURRENCY_NOT_SUPPORTED`, or `main, degraded`. */
  const shown = (planned: ReturnType<typeof route>) => {
    const codes = (excluded: ReadonlyArray<Exclusion>) =>
      excluded.length === 0 ? "" : `: ${excluded.map(({ code, connectionId }) => `${connectionId} ${code}`).join(" ")}`
    return Result.match(planned, {
      onFailure: ({ excluded }) => `none${codes(excluded)}`,
      onSuccess: ({ decision, order }) =>
        `${order.map(({ id }) => id).join(" ")}${codes(decision.excluded)}${decision.degraded ? ", degraded" : ""}`
    })
  }
  const ranked = [connection({ id: "c", priority: 2 }), connection({ id: "b" }), connection({ id: "a", priority: 2 })]
  const backup = connection({ id: "backup", priority: 2 })
  const inactive = [connection({ active: false }), backup]
  const inDollars = [connection({ supports: { currencies: ["USD"] } }), backup]
  const ordered = (...order: ReadonlyArray<string>) => ({ settings: { mode: "failover", order } }) as const
  const fixed = { settings: { mode: "fixed" } } as const
  const fixedOrder = { settings: { mode: "fixed", order: ["main", "backup"] } } as const
  const plans: ReadonlyArray<readonly [title: string, planned: string, change: Partial<RouteQuestion>]> = [
    ["connections without an order are in that of priority, then of id", "b a c", { connections: ranked }],
    ["an order has only those it names, in that order", "backup main", ordered("backup", "main")],
    ["an order of one has only that one", "backup", ordered("backup")],
    ["mode fixed has one connection", "main", fixed],
    [
      "mode fixed has none if its one cannot take it",
      "none: main CURRENCY_NOT_SUPPORTED",
      { ...fixed, connections: inDollars }
    ],
    ["no other replaces an inactive first one in mode fixed", "none", { ...fixedOrder, connections: inactive }],
    ["an inactive connection is neither asked nor excluded", "backup", { connections: inactive }],
    ["a route whose every circuit is open is tried", "main, degraded", { ...ordered("main"), circuits: [open("main")] }]
  ]
  for (const [title, planned, change] of plans) {
    it(title, () => assert.strictEqual(shown(route(change)), planned))
  }

  it("an open circuit is CIRCUIT_OPEN; if all are open, the decision is degraded", () => {
    assert.strictEqual(shown(route({ circuits: [open("main")] })), "backup: main CIRCUIT_OPEN")
    assert.strictEqual(shown(route({ circuits: [open("main"), open("backup")] })), "main backup, degraded")
  })

  it("the first rule that matches decides, before the control group", () => {
    const plan = Result.getOrThrow(
      route({
        settings: {
          mode: "failover",
          control: { share: 1, order: ["main"] },
          rules: [
            { name: "dollars", when: { currency: ["USD"] }, use: { mode: "fixed" } },
            { name: "small", when: { amount: { max: 5000 } }, use: { mode: "priority", order: ["backup"] } },
            { name: "all", when: {}, use: { mode: "failover" } }
          ]
        }
      })
    )
    assert.deepInclude(plan.decision, { path: "rule", rule: "small", mode: "priority" })
    assertFields(plan.order, "id", "backup")
  })

  it("a split draws the same for equal weights, and a strategy orders the rest", () => {
    const connections = ["a", "b", "c"].map((id) => connection({ id }))
    const settings = (split: Readonly<Record<string, number>>): RouteQuestion["settings"] => ({
      mode: "failover",
      rules: [{ name: "s", when: {}, use: { mode: "failover", order: ["a", "b", "c"], split, strategy: "backwards" } }]
    })
    const strategies: RouteQuestion["strategies"] = [
      {
        name: "backwards",
        order: ({ candidates }) => ({ order: candidates.map((one) => one.connectionId).toReversed() })
      }
    ]
    for (let number = 0; number < 50; number++) {
      const asked = { seed: `payment-${number}`, connections, strategies }
      const one = ids(route({ ...asked, settings: settings({ a: 1, b: 1 }) }))
      assert.deepStrictEqual(one, ids(route({ ...asked, settings: settings({ b: 1, a: 1 }) })))
      assert.deepStrictEqual(one, one[0] === "a" ? ["a", "c", "b"] : ["b", "c", "a"])
    }
  })

  it("a split with a control group keeps its shares and one decision for a payment", () => {
    const seeds = Array.from({ length: 4000 }, (_, n) => `0190a000-0000-7000-8000-${String(n).padStart(12, "0")}`)
    const share = (settings: RouteQuestion["settings"], isCounted: (planned: ReturnType<typeof route>) => boolean) => {
      const counted = seeds.map((seed) => isCounted(route({ seed, settings })))
      assert.deepStrictEqual(
        seeds.map((seed) => isCounted(route({ seed, settings }))),
        counted
      )
      return counted.filter(Boolean).length / counted.length
    }
    const split = {
      mode: "failover",
      rules: [{ name: "s", when: {}, use: { mode: "failover", split: { main: 70, backup: 30 } } }]
    }
    assert.approximately(
      share(split as RouteQuestion["settings"], (planned) => ids(planned)[0] === "main"),
      0.7,
      0.03
    )
    const control = { mode: "failover", control: { share: 0.05, order: ["backup"] } }
    assert.approximately(
      share(control as RouteQuestion["settings"], (planned) => Result.getOrThrow(planned).decision.path === "control"),
      0.05,
      0.015
    )
  })
})

describe("routing of a create", () => {
  const replayed = world({
    connections: [{ id: "main", circuitBreaker: { failures: 1, openMillis: 30_000 } }, { id: "backup" }]
  })
  itIn("replays while a circuit is open do not use up its probe", replayed, function* (own, pointsman) {
    const { provider } = own
    const keyed = request({ idempotencyKey: "order-0001" })
    yield* pointsman.create(caller, keyed)
    provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    yield* pointsman.create(caller, request())
    for (let replays = 0; replays < 10; replays++) {
      yield* TestClock.adjust(29_000)
      yield* pointsman.create(caller, keyed)
    }
    provider.charges.length = 0
    yield* pointsman.create(caller, request())
    assert.strictEqual(provider.charges[0]?.connectionId, "main")
  })

  const breaking = world({
    connections: [{ id: "main", circuitBreaker: { failures: 2, openMillis: 30_000 } }, { id: "backup" }]
  })
  itIn("two silent calls in a row open the circuit, and one probe passes after its time", breaking, function* (own) {
    const pointsman = yield* Pointsman
    const { provider } = own
    const asked = Effect.gen(function* () {
      provider.charges.length = 0
      const { payment } = yield* pointsman.create(caller, request())
      return [provider.charges[0]?.connectionId, payment.routing?.excluded.map((one) => one.code) ?? []]
    })
    const answers: Record<string, Effect.Effect<ChargeAnswer, Unanswered>> = {
      main: Effect.fail(new Unanswered({ reason: "time-out" }))
    }
    provider.onCharge = (charge) =>
      answers[charge.connectionId] ?? Effect.succeed({ _tag: "Captured", providerRef: `ref_${charge.attemptId}` })
    assert.deepStrictEqual(yield* asked, ["main", []])
    assert.deepStrictEqual(yield* asked, ["main", []])
    assert.deepStrictEqual(yield* asked, ["backup", ["CIRCUIT_OPEN"]])
    yield* TestClock.adjust(29_999)
    assert.deepStrictEqual(yield* asked, ["backup", ["CIRCUIT_OPEN"]])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* asked, ["main", []]) // The probe, unanswered again.
    assert.deepStrictEqual(yield* asked, ["backup", ["CIRCUIT_OPEN"]])
    yield* TestClock.adjust(30_000)
    // A decline is an answer: the provider is well.
    answers["main"] = Effect.succeed({
      _tag: "Declined",
      providerRef: "r",
      category: "expired_card",
      code: "x",
      soft: false
    })
    assert.deepStrictEqual(yield* asked, ["main", []])
    assert.deepStrictEqual(yield* asked, ["main", []])
  })
})

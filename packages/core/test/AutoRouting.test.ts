/** Mode `auto`: what it learns, how much it explores, and how soon it leaves a connection that became worse. */
import { assert, describe, it } from "@effect/vitest"
import {
  bySuccess,
  type Caller,
  type OutcomeCounts,
  Pointsman,
  type RoutingSettings,
  type RoutingStrategy,
  type StrategyCandidate
} from "@pointsman/core"
import { defaultExploration } from "@pointsman/core/internal"
import { type ChargeAnswer, SuccessRates } from "@pointsman/core/ports"
import { Effect, Fiber, References } from "effect"
import { TestClock } from "effect/testing"
import { chosenOver } from "./support/Drift.ts"
import { itIn } from "./support/ItIn.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const live: Caller = { ...caller, tenant: { ...tenant, environment: "production" } }

const candidate = (connectionId: string, known: OutcomeCounts): StrategyCandidate => ({
  connectionId,
  name: `The ${connectionId} acquirer`,
  priority: 1,
  rates: { connection: known, segment: known }
})
const of = (succeeded: number, failed: number): OutcomeCounts => ({ succeeded, failed })

const orderOf = (candidates: ReadonlyArray<StrategyCandidate>, drawn = 0.999, paymentId = "payment") =>
  bySuccess(paymentId, defaultExploration).order({ payment: request().details, candidates, draw: () => drawn })

/** Which one leads each of that many payments, whose draws are spread evenly up to one. */
const leading = (candidates: ReadonlyArray<StrategyCandidate>, count: number, upTo: number) =>
  Array.from({ length: count }, (_, at) => orderOf(candidates, ((at + 0.5) / count) * upTo, `payment-${at}`).order[0])

describe("ordering by measured success", () => {
  it("a first connection that is not known well leads while it may be the best", () => {
    const nothing = ["a", "b", "c"].map((id) => candidate(id, of(0, 0)))
    assert.deepStrictEqual(orderOf(nothing).order, ["a", "b", "c"])
    const { note, order } = orderOf([candidate("a", of(4, 1)), candidate("b", of(48, 2))])
    assert.deepStrictEqual(order, ["a", "b"])
    assert.match(note ?? "", /leads by its priority until 20 outcomes/u)
    assert.deepStrictEqual(orderOf([candidate("a", of(0, 6)), candidate("b", of(48, 2))]).order, ["b", "a"])
  })
  it("the best rate leads, and the rest follow by theirs", () => {
    const { note, order, scores } = orderOf([
      candidate("a", of(60, 40)),
      candidate("b", of(95, 5)),
      candidate("c", of(90, 10))
    ])
    assert.deepStrictEqual(order, ["b", "c", "a"])
    assert.isUndefined(note)
    assert.approximately(scores?.["b"] ?? 0, 0.94, 0.02)
  })
  it("a segment counts where a connection performs otherwise than elsewhere", () => {
    const worse = { ...candidate("a", of(95, 5)), rates: { connection: of(95, 5), segment: of(30, 30) } }
    assert.deepStrictEqual(orderOf([worse, candidate("b", of(85, 15))]).order, ["b", "a"])
  })
  it("exactly the configured share of payments explores, and no connection starves", () => {
    const candidates = [candidate("a", of(95, 5)), candidate("b", of(90, 10)), candidate("c", of(88, 12))]
    const firsts = leading(candidates, 20_000, 1)
    const count = (id: string) => firsts.filter((first) => first === id).length
    assert.strictEqual(count("a"), 19_000)
    assert.isAbove(count("b"), 250)
    assert.isAbove(count("c"), 250)
  })
  it("a connection that failed every time is explored all the same", () => {
    const candidates = [candidate("a", of(48, 2)), candidate("b", of(45, 5)), candidate("c", of(0, 50))]
    const firsts = leading(candidates, 2_000, defaultExploration)
    assert.strictEqual(firsts.filter((first) => first === "c").length, 500)
  })
})

describe("a connection that drops from 95 % to 60 %, beside one of 90 %", () => {
  const runs = Array.from({ length: 40 }, (_, seed) =>
    chosenOver({
      seed: seed + 1,
      payments: 2400,
      exploration: defaultExploration,
      everyMillis: 10_000,
      truth: (payment) => [payment < 1000 ? 0.95 : 0.6, 0.9]
    })
  )
  const shareOfFirst = (from: number, to: number) =>
    runs.map((chosen) => chosen.slice(from, to).filter((one) => one === 0).length / (to - from))
  const mean = (shares: ReadonlyArray<number>) => shares.reduce((sum, share) => sum + share, 0) / shares.length

  it("a connection gets under 20 % of 50 payments after 150 of its segment had come", () => {
    assert.isAbove(mean(shareOfFirst(500, 1000)), 0.85)
    assert.isBelow(mean(shareOfFirst(1150, 1200)), 0.2)
  })
  it("a connection left long ago still gets the configured exploration, and no more", () => {
    assert.approximately(mean(shareOfFirst(1400, 2400)), defaultExploration, 0.01)
  })
})

const auto: RoutingSettings = { mode: "auto", auto: { exploration: 0 } }
const learner = () => world({ environment: "production", routing: auto })
const declined = { _tag: "Declined", providerRef: "ref", category: "do_not_honor", code: "05", soft: false } as const
const captured = ({ attemptId }: { readonly attemptId: string }): ChargeAnswer => ({
  _tag: "Captured",
  providerRef: `ref_${attemptId}`
})

/** Creates one payment after the other, and tells where each went first. */
const firsts = Effect.fnUntraced(function* ({ charges }: World["provider"], count: number, who: Caller) {
  charges.length = 0
  for (let number = 0; number < count; number++) yield* (yield* Pointsman).create(who, request())
  return charges.map(({ connectionId }) => connectionId)
})

describe("what auto learns", () => {
  itIn("routing leaves a connection that declines in production, and says why", learner(), function* (own, pointsman) {
    const { ledger, provider } = own
    provider.onCharge = (charge) => Effect.succeed(charge.connectionId === "main" ? declined : captured(charge))
    const went = yield* firsts(provider, 60, live)
    assert.deepStrictEqual(went.slice(0, 3), ["main", "main", "main"])
    assert.deepStrictEqual(new Set(went.slice(10)), new Set(["backup"]))
    // Two commits a payment, and nothing is asked of any store but those.
    const { commit, ...rest } = ledger.calls
    assert.strictEqual(commit, 120)
    assert.deepStrictEqual(new Set(Object.values(rest)), new Set([0]))
    const { payment } = yield* pointsman.create(live, request())
    assert.deepInclude(payment.routing, { mode: "auto", strategy: "auto", path: "engine", note: null })
    const [first, second] = payment.routing?.candidates ?? []
    assert.strictEqual(first?.connectionId, "backup")
    assert.isAbove(first?.score ?? 0, second?.score ?? 1)
    assert.isAbove(first?.rates?.segment.succeeded ?? 0, 30)
  })

  for (const [what, who, own, category] of [
    ["of the sandbox", caller, world({ routing: auto }), "do_not_honor"],
    ["that any connection would have met", live, learner(), "insufficient_funds"]
  ] as const) {
    itIn(`declines ${what} do not count against a connection`, own, function* ({ provider }) {
      provider.onCharge = (charge) =>
        Effect.succeed(charge.connectionId === "main" ? { ...declined, category } : captured(charge))
      assert.deepStrictEqual(new Set(yield* firsts(provider, 60, who)), new Set(["main"]))
    })
  }

  itIn("a provider that states another amount neither succeeded nor failed", learner(), function* (own, pointsman) {
    const { provider } = own
    provider.onCharge = (charge) =>
      Effect.succeed({ ...captured(charge), stated: { minorUnits: 999_999, currency: "USD" } } as ChargeAnswer)
    yield* firsts(provider, 5, live)
    const { payment } = yield* pointsman.create(live, request())
    const nothing = { succeeded: 0, failed: 0 }
    assert.deepStrictEqual(payment.routing?.candidates[0]?.rates, { connection: nothing, segment: nothing })
  })

  const untyped = world({ environment: "production" })
  it.effect("the provider's answer is recorded when routing's own records are malformed", () =>
    Effect.gen(function* () {
      const cardBrand = { trim: "no text" } as unknown as string
      const { payment } = yield* (yield* Pointsman).create(live, request({ details: { cardBrand } }))
      assert.strictEqual(payment.state, "Captured")
    }).pipe(Effect.provide(untyped.layer), Effect.provideService(References.MinimumLogLevel, "None"))
  )

  itIn("outcomes of a lookup are learned when they come", learner(), function* ({ provider }, pointsman) {
    provider.onCharge = (charge) => Effect.succeed({ _tag: "Pending", providerRef: `ref_${charge.attemptId}` })
    provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state: declined })
    yield* firsts(provider, 30, live)
    assert.deepStrictEqual(yield* firsts(provider, 1, live), ["main"])
    yield* TestClock.adjust("2 hours")
    while ((yield* pointsman.checkDue) > 0) yield* TestClock.adjust("1 second")
    provider.onCharge = (charge) => Effect.succeed(captured(charge))
    assert.deepStrictEqual(yield* firsts(provider, 1, live), ["backup"])
  })
})

describe("servers that share a store", () => {
  itIn("what one server learned reaches another, and the next start, by the background", learner(), function* (own) {
    const { provider } = own
    provider.onCharge = (charge) => Effect.succeed(charge.connectionId === "main" ? declined : captured(charge))
    const one = yield* Pointsman
    const another = yield* own.another
    const ones = yield* Effect.forkChild(one.keepLearning(5_000))
    const others = yield* Effect.forkChild(another.keepLearning(5_000))
    yield* firsts(provider, 40, live)
    yield* TestClock.adjust("11 seconds")
    const asked = Effect.provideService(firsts(provider, 1, live), Pointsman, another)
    assert.deepStrictEqual(yield* asked, ["backup"])
    const stored = yield* (yield* SuccessRates).changedSince(0)
    assert.sameMembers(
      stored.map(({ connectionId, segment }) => `${connectionId}|${segment}`),
      ["main|", "main|EUR NL card -", "backup|", "backup|EUR NL card -"]
    )
    assert.isTrue(stored.every((row) => row.tenant.environment === "production"))
    yield* Fiber.interrupt(ones)
    yield* Fiber.interrupt(others)
    const next = yield* own.another
    const nexts = yield* Effect.forkChild(next.keepLearning(5_000))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* Effect.provideService(firsts(provider, 1, live), Pointsman, next), ["backup"])
    yield* Fiber.interrupt(nexts)
  })

  itIn("no outcome of servers that learn at once is lost", learner(), function* (own) {
    const servers = [yield* Pointsman, yield* own.another, yield* own.another]
    own.provider.onCharge = (charge) => Effect.succeed(captured(charge))
    for (let round = 0; round < 3; round++) {
      for (const server of servers) {
        yield* Effect.provideService(firsts(own.provider, 5, live), Pointsman, server)
      }
      const learning = yield* Effect.forEach(servers, (server) => Effect.forkChild(server.keepLearning(5_000)))
      yield* TestClock.adjust("1 second")
      yield* Fiber.interruptAll(learning)
    }
    const stored = yield* (yield* SuccessRates).changedSince(0)
    const whole = stored.find(({ connectionId, segment }) => connectionId === "main" && segment === "")
    // 45 outcomes, of which those before fade by a fiftieth each.
    assert.approximately(whole?.rate.succeeded ?? 0, 50 * (1 - 0.98 ** 45), 0.01)
    assert.approximately(whole?.rate.memory?.long.succeeded ?? 0, 400 * (1 - (1 - 1 / 400) ** 45), 0.01)
  })
})

describe("a strategy of the library's user", () => {
  const cheapest: RoutingStrategy = {
    name: "cheapest",
    order: ({ candidates, payment }) => ({
      order: payment.money.minorUnits > 1000 ? ["backup", "elsewhere"] : candidates.map((one) => one.connectionId),
      scores: { main: 30, backup: 25 },
      note: "It costs less there."
    })
  }
  const careless: RoutingStrategy = {
    name: "careless",
    order: ({ candidates, draw, payment }) => {
      Object.assign(payment.money, { minorUnits: 1 })
      for (let times = 0; times < 1_000; times++) draw(`purpose ${times}`)
      const order = ["backup", 7, null, "backup", ...candidates.map(({ connectionId }) => connectionId)]
      return { order, scores: { main: Number.NaN, backup: "best" }, note: "x".repeat(1_000) } as never
    }
  }
  const async: RoutingStrategy = { name: "async", order: (() => Promise.reject(new Error("too late"))) as never }
  const broken: RoutingStrategy = { name: "broken", order: () => assert.fail("a bug of the strategy") }
  const strategic = (strategy: string) =>
    world({ routing: { mode: "failover", strategy }, strategies: [cheapest, careless, async, broken] })

  const cheap = strategic("cheapest")
  itIn("a router that the settings name sets the order; the decision says scores and why", cheap, function* () {
    const { payment } = yield* (yield* Pointsman).create(caller, request())
    assert.deepInclude(payment.routing, { strategy: "cheapest", mode: "failover", note: "It costs less there." })
    // What it left out is asked last; what it made up is not asked at all.
    assertFields(payment.routing?.candidates, ["connectionId", "score"], ["backup", 25], ["main", 30])
    assert.strictEqual(cheap.provider.charges[0]?.connectionId, "backup")
  })
  const sloppy = strategic("careless")
  itIn("a router that modifies its input and output leaves the payment as requested", sloppy, function* (_, pointsman) {
    const { payment } = yield* pointsman.create(caller, request())
    assert.deepStrictEqual([payment.capturedMinor, payment.money.minorUnits], [1999, 1999])
    assertFields(payment.routing?.candidates, ["connectionId", "score"], ["backup", null], ["main", null])
    assert.deepStrictEqual([payment.routing?.note?.length, payment.routing?.draws.length], [300, 50])
  })
  for (const [name, note] of [
    ["broken", /The strategy "broken" failed/u],
    ["async", /The strategy "async" failed/u],
    ["absent", /The strategy "absent" does not exist/u]
  ] as const) {
    const faulty = strategic(name)
    itIn(`payments keep the configured order if a router is ${name}, which is explained`, faulty, function* () {
      const { payment } = yield* (yield* Pointsman).create(caller, request())
      assert.match(payment.routing?.note ?? "", note)
      assert.strictEqual(faulty.provider.charges[0]?.connectionId, "main")
    })
  }
})

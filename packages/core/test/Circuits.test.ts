/** Circuits as an operator sees them, one probe at a time, and what is counted on the way. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { type ChargeAnswer, type NotSent, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Deferred, Effect, Fiber, Metric } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { assertFields, atOnce } from "./support/Steps.ts"
import { caller, request, world } from "./support/World.ts"

type End = Effect.Effect<ChargeAnswer, NotSent | Unanswered>
const silence: End = Effect.fail(new Unanswered({ reason: "timed out" }))
const circuitBreaker = { failures: 2, openMillis: 30_000 }
const connections = [
  { id: "main", circuitBreaker },
  { id: "backup", circuitBreaker }
]

const pay = Effect.flatMap(Pointsman, (pointsman) => pointsman.create(caller, request()))
const circuits = Effect.flatMap(Pointsman, (pointsman) => pointsman.circuits)
const states = Effect.map(circuits, (all) =>
  all.map(({ connectionId, failures, state }) => [connectionId, state, failures])
)

describe("current circuits", () => {
  const seen = world({ connections })
  itIn("the circuit of a provider that falls silent and returns reports all its states", seen, function* () {
    assert.deepStrictEqual(yield* circuits, [])
    seen.provider.onCharge = (charge) => (charge.connectionId === "main" ? silence : approve(charge))
    yield* TestClock.adjust(1_000)
    yield* pay
    assert.deepStrictEqual(yield* circuits, [
      { connectionId: "main", state: "closed", failures: 1, openedAt: null, probeAt: null, isOpen: false }
    ])
    yield* pay
    assert.deepStrictEqual(yield* circuits, [
      { connectionId: "main", state: "open", failures: 2, openedAt: 1_000, probeAt: 31_000, isOpen: true }
    ])
    yield* TestClock.adjust(29_999)
    assert.deepStrictEqual(yield* states, [["main", "open", 2]])
    yield* TestClock.adjust(1)
    assert.deepStrictEqual(yield* states, [["main", "half-open", 2]])
    // A probe that fails.
    yield* pay
    assert.deepStrictEqual(yield* states, [["main", "open", 3]])
    yield* TestClock.adjust(30_000)
    seen.provider.onCharge = approve
    yield* pay
    assert.deepStrictEqual(yield* circuits, [])
  })

  itIn("20 payments that come during a probe do not ask that connection", world({ connections }), function* (own) {
    const { provider } = own
    const answer = yield* Deferred.make<ChargeAnswer>()
    provider.onCharge = (charge) => (charge.connectionId === "main" ? silence : approve(charge))
    yield* pay
    yield* pay
    yield* TestClock.adjust(30_000)
    provider.charges.length = 0
    provider.onCharge = (charge) => (charge.connectionId === "main" ? Deferred.await(answer) : approve(charge))
    const probe = yield* Effect.forkChild(pay)
    while (provider.charges.length === 0) yield* Effect.yieldNow
    const others = yield* atOnce(20, () => pay)
    for (const { payment } of others) {
      assertFields(payment.routing?.excluded, ["connectionId", "code"], ["main", "CIRCUIT_OPEN"])
    }
    assertFields(provider.charges, "connectionId", "main", ...Array.from({ length: 20 }, () => "backup"))
    yield* Deferred.succeed(answer, { _tag: "Captured", providerRef: "r1" })
    yield* Fiber.join(probe)
    assert.deepStrictEqual(yield* circuits, [])
    yield* pay
    assert.strictEqual(provider.charges.at(-1)?.connectionId, "main")
  })

  const burst = world({ connections, yieldBetween: true })
  itIn("one of 20 payments at the same moment is the probe of a half-open circuit", burst, function* () {
    const { provider } = burst
    provider.onCharge = (charge) => (charge.connectionId === "main" ? silence : approve(charge))
    yield* pay
    yield* pay
    for (let round = 0; round < 3; round++) {
      yield* TestClock.adjust(30_000)
      provider.charges.length = 0
      yield* atOnce(20, () => pay)
      const asked = provider.charges.map(({ connectionId }) => connectionId)
      assert.deepStrictEqual(
        [asked.filter((id) => id === "main").length, asked.filter((id) => id === "backup").length],
        [1, 19]
      )
    }
  })

  const returned = world({ connections })
  itIn("the next payment is the probe after one whose payment could not be written", returned, function* () {
    const { ledger, provider } = returned
    provider.onCharge = (charge) => (charge.connectionId === "main" ? silence : approve(charge))
    yield* pay
    yield* pay
    yield* TestClock.adjust(30_000)
    ledger.onCommit = () => "unwritten"
    yield* Effect.flip(pay)
    assert.deepStrictEqual(yield* states, [["main", "half-open", 2]])
    ledger.onCommit = () => undefined
    provider.onCharge = approve
    yield* pay
    assert.deepStrictEqual(yield* circuits, [])
    assert.strictEqual(provider.charges.at(-1)?.connectionId, "main")
  })

  const all = world({ connections, routing: { mode: "failover" } })
  itIn("a call while every circuit is open is the probe of its connection", all, function* () {
    const { provider } = all
    provider.onCharge = () => silence
    for (let count = 0; count < 4; count++) yield* pay
    assert.deepStrictEqual(yield* states, [
      ["backup", "open", 2],
      ["main", "open", 2]
    ])
    yield* TestClock.adjust(20_000)
    assert.isTrue((yield* pay).payment.routing?.degraded)
    // It failed as a probe does: the circuit is open for its whole time from here on.
    assertFields(yield* circuits, ["connectionId", "failures", "probeAt"], ["backup", 2, 30_000], ["main", 3, 50_000])
    provider.onCharge = approve
    assert.isTrue((yield* pay).payment.routing?.degraded)
    assert.deepStrictEqual(yield* states, [["backup", "open", 2]])
    const { payment } = yield* pay
    assert.isFalse(payment.routing?.degraded)
    assert.strictEqual(payment.connectionId, "main")
  })
})

describe("what is counted", () => {
  const counted = world({
    connections,
    routing: {
      mode: "failover",
      rules: [{ name: "cash", when: { amount: { max: 100 } }, use: { mode: "fixed" } }]
    }
  })
  it.effect("Effect's registry has attempts, openings and decisions by their labels", () =>
    Effect.gen(function* () {
      const { provider } = counted
      provider.onCharge = (charge) =>
        charge.connectionId === "main"
          ? Effect.succeed({ _tag: "Rejected", code: "E1", message: "Not now." })
          : approve(charge)
      yield* pay
      yield* pay
      yield* pay
      yield* TestClock.adjust(30_000)
      yield* pay
      const pointsman = yield* Pointsman
      yield* pointsman.create(caller, request({ details: { money: { minorUnits: 100, currency: "EUR" } } }))
      const series = (yield* Metric.snapshot).flatMap(({ attributes, id, state, type }) =>
        type === "Counter" ? [`${id} ${Object.values(attributes ?? {}).join(" ")} ${state.count}`] : []
      )
      assert.sameMembers(series, [
        // The last by a rule that names no other connection, and so is tried although its circuit is open.
        "pointsman_attempts_total main Rejected 4",
        "pointsman_attempts_total backup Captured 4",
        "pointsman_routing_decisions_total engine failover 4",
        "pointsman_routing_decisions_total rule fixed 1",
        // Once: the probe that failed opened nothing anew.
        "pointsman_circuit_opened_total main 1"
      ])
    }).pipe(Effect.provide(counted.layer), Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})

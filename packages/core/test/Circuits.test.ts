/** Circuits as an operator sees them, one probe at a time, what is counted on the way, and what processes tell one another. */
import { assert, describe, it } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { type ChargeAnswer, CircuitNews, type NotSent, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Clock, Context, Deferred, Effect, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { itIn, itRuns } from "./support/ItIn.ts"
import { onMain } from "./support/Operations.ts"
import { assertFields, atOnce } from "./support/Steps.ts"
import { caller, request, world } from "./support/World.ts"

type End = Effect.Effect<ChargeAnswer, NotSent | Unanswered>
const silence: End = Effect.fail(new Unanswered({ reason: "timed out" }))
const circuitBreaker = { failures: 2, openMillis: 30_000 }
const connections = [
  { id: "main", circuitBreaker },
  { id: "backup", circuitBreaker }
]

/** `main` falls silent. */
const mainFails = onMain(silence)

const pay = Effect.flatMap(Pointsman, (pointsman) => pointsman.create(caller, request()))
const circuits = Effect.flatMap(Pointsman, (pointsman) => pointsman.circuits)
const states = Effect.map(circuits, (all) =>
  all.map(({ connectionId, failures, state }) => [connectionId, state, failures])
)

describe("current circuits", () => {
  const seen = world({ connections })
  itIn("the circuit of a provider that falls silent and returns reports all its states", seen, function* () {
    assert.deepStrictEqual(yield* circuits, [])
    seen.provider.onCharge = mainFails
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
    provider.onCharge = mainFails
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
    provider.onCharge = mainFails
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
    provider.onCharge = mainFails
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
    provider.onCharge = onMain(Effect.succeed({ _tag: "Rejected", code: "E1", message: "Not now." }))
    yield* pay
    yield* pay
    yield* pay
    yield* TestClock.adjust(30_000)
    yield* pay
    yield* (yield* Pointsman).create(caller, request({ details: { money: { minorUnits: 100, currency: "EUR" } } }))
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

/** Processes that hear one another, each with providers of its own. */
const processes = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const told: Array<string> = []
  const hear: Array<(connectionId: string, now: number) => void> = []
  const start = Effect.fnUntraced(function* (name: string) {
    const { layer, provider } = world({ connections: [{ id: "main", circuitBreaker }, { id: "backup" }] })
    const at = hear.length
    const news = Layer.succeed(CircuitNews, {
      opened: (connectionId) => {
        told.push(`${name} ${connectionId}`)
        for (const [other, word] of hear.entries())
          if (other !== at) word(connectionId, clock.currentTimeMillisUnsafe())
      },
      listen: (word) => {
        hear.push(word)
      }
    })
    const pointsman = Context.get(yield* Layer.build(Layer.fresh(Layer.provide(layer, news))), Pointsman)
    const fails = (connectionId: string | null) => {
      provider.onCharge = (charge) => (charge.connectionId === connectionId ? silence : approve(charge))
    }
    /** Which connection a payment is sent to first. */
    const asked = Effect.gen(function* () {
      provider.charges.length = 0
      yield* pointsman.create(caller, request())
      return provider.charges[0]?.connectionId
    })
    fails(null)
    return { asked, fails }
  })
  const tell = (connectionId: string) => {
    for (const word of hear) word(connectionId, clock.currentTimeMillisUnsafe())
  }
  return { one: yield* start("one"), other: yield* start("other"), told, tell }
})

describe("news of circuits", () => {
  itRuns("a circuit that opens in one process is skipped by another, which probes too", function* () {
    const { one, other, told } = yield* processes
    one.fails("main")
    assert.strictEqual(yield* one.asked, "main")
    assert.strictEqual(yield* other.asked, "main")
    assert.strictEqual(yield* one.asked, "main")
    assert.deepStrictEqual(told, ["one main"])
    assert.deepStrictEqual([yield* one.asked, yield* other.asked], ["backup", "backup"])
    yield* TestClock.adjust(30_000)
    other.fails("main")
    assert.strictEqual(yield* other.asked, "main")
    // Its probe failed: it is open for as long again, without five failures more.
    assert.strictEqual(yield* other.asked, "backup")
    assert.deepStrictEqual(told, ["one main"])
  })

  itRuns("a provider that only one process cannot reach is skipped by the others once", function* () {
    const { one, other, told } = yield* processes
    one.fails("main")
    yield* one.asked
    yield* one.asked
    assert.strictEqual(yield* other.asked, "backup")
    for (let probes = 0; probes < 3; probes++) {
      yield* TestClock.adjust(30_000)
      assert.strictEqual(yield* one.asked, "main")
      assert.strictEqual(yield* one.asked, "backup")
      assert.deepStrictEqual([yield* other.asked, yield* other.asked], ["main", "main"])
    }
    assert.deepStrictEqual(told, ["one main"])
  })

  itRuns("an open circuit stays open no longer when another process reports its own", function* () {
    const { one, tell } = yield* processes
    one.fails("main")
    yield* one.asked
    yield* one.asked
    yield* TestClock.adjust(29_000)
    tell("main")
    assert.strictEqual(yield* one.asked, "backup")
    yield* TestClock.adjust(1_000)
    assert.strictEqual(yield* one.asked, "main")
  })
})

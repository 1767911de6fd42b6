/** What processes tell one another of circuits: that one opened, once, and nothing more. */
import { assert, describe } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { CircuitNews, Unanswered } from "@pointsman/core/ports"
import { Clock, Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { itRuns } from "./support/ItIn.ts"
import { caller, request, world } from "./support/World.ts"

const connections = [{ id: "main", circuitBreaker: { failures: 2, openMillis: 30_000 } }, { id: "backup" }]

/** Processes that hear one another, each with providers of its own. */
const processes = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const told: Array<string> = []
  const hear: Array<(connectionId: string, now: number) => void> = []
  const start = Effect.fnUntraced(function* (name: string) {
    const { layer, provider } = world({ connections })
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
      provider.onCharge = (charge) =>
        charge.connectionId === connectionId
          ? Effect.fail(new Unanswered({ reason: "time-out" }))
          : Effect.succeed({ _tag: "Captured", providerRef: `ref_${charge.attemptId}` })
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

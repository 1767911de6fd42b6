/** Ages that decide about money are counted by the clock that all servers of a store share, not by a server's own. */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import { Ledger, StorageClock, Unanswered } from "@pointsman/core/ports"
import { Clock, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { stored } from "./support/Pages.ts"
import { ahead } from "./support/SetClock.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const minute = 60_000

interface Clocks {
  machineAheadMillis: number
  agesFrom: number | null
}

/** A server whose own clock may differ from the store's, which is the test's. */
const server = (own: World, clocks: Clocks) =>
  Layer.unwrap(
    Effect.map(Clock.Clock, (clock) => {
      const machine = ahead(clock, () => clocks.machineAheadMillis)
      const store = { clock, agesFrom: () => clocks.agesFrom }
      return own.layer.pipe(Layer.provide([Layer.succeed(Clock.Clock, machine), Layer.succeed(StorageClock, store)]))
    })
  )

const given = (machineAheadMillis: number) => {
  const own = world()
  const clocks: Clocks = { machineAheadMillis, agesFrom: null }
  own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "no answer" }))
  own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "NotFound", conclusive: true })
  return { clocks, layer: server(own, clocks), own }
}

const checkedState = Effect.fnUntraced(function* (payment: Payment) {
  yield* (yield* Pointsman).checkDue
  return (yield* stored(payment)).state
})

describe("the store's clock", () => {
  for (const machineAheadMillis of [65_000, -10 * minute]) {
    const { layer, own } = given(machineAheadMillis)
    itIn(`"never received" follows store time, ours ${machineAheadMillis / 1_000} s ahead`, { layer }, function* () {
      yield* TestClock.setTime(1_000_000_000)
      const { payment } = yield* (yield* Pointsman).create(caller, request())
      assert.strictEqual(payment.createdAt, 1_000_000_000)
      const book = Option.getOrThrow(yield* (yield* Ledger).book(tenant, payment.id))
      assert.strictEqual(book.attempts[0]?.sentAt, 1_000_000_000)
      // The first check is due after a minute, 5 s before the call is old enough.
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual(yield* checkedState(payment), "ChargeUnknown")
      assert.lengthOf(own.provider.lookUps, 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* checkedState(payment), "ChargeUnknown")
      assert.lengthOf(own.provider.lookUps, 1)
      yield* TestClock.adjust("4 minutes")
      assert.strictEqual(yield* checkedState(payment), "Failed")
    })
  }

  itIn("an operator's 'never received' is believed no sooner after a clock changed", given(0), function* (own) {
    const pointsman = yield* Pointsman
    const { payment } = yield* pointsman.create(caller, request())
    const stated = { _tag: "Charge", says: "never_received", attemptId: null, amountMinor: null } as const
    const order = { tenant, paymentId: payment.id, by: "ops", evidence: "not in the dashboard" }
    const resolve = pointsman.resolveReview({ ...order, stated: { ...stated, providerRef: null } })
    yield* TestClock.adjust("64 seconds")
    own.clocks.agesFrom = yield* Clock.currentTimeMillis
    yield* TestClock.adjust("1 second")
    const refused = yield* Effect.flip(resolve)
    const from = new Date(own.clocks.agesFrom + 65_000).toISOString()
    assert.include(JSON.stringify(refused), `never_received is accepted from ${from} on`)
    yield* TestClock.adjust("64 seconds")
    assert.strictEqual((yield* resolve).state, "Failed")
  })

  itIn("'never received' is believed once the full age has passed since a clock changed", given(0), function* (own) {
    const { payment } = yield* (yield* Pointsman).create(caller, request())
    yield* TestClock.adjust("299 seconds")
    own.clocks.agesFrom = yield* Clock.currentTimeMillis
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* checkedState(payment), "ChargeUnknown")
    yield* TestClock.adjust("25 minutes")
    assert.strictEqual(yield* checkedState(payment), "Failed")
  })
})

/** What if the store fails, at every commit of a create? The money moved once, and what was said stays true. */
import { assert, describe } from "@effect/vitest"
import { PaymentResultUnknown, Pointsman, RequestInProgress } from "@pointsman/core"
import { applyChargeFact, type ChargeFact } from "@pointsman/core/internal"
import { Ledger, NotSent, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const keyed = request({ idempotencyKey: "order-0001" })
const minute = 60_000

describe("the outcome's commit", () => {
  itIn("a commit that fails twice is written the third time and answered", world(), function* (own, pointsman) {
    own.ledger.onCommit = (number) => (number === 2 || number === 3 ? "unwritten" : undefined)
    const fiber = yield* Effect.forkChild(pointsman.create(caller, keyed))
    yield* TestClock.adjust("10 seconds")
    const created = yield* Fiber.join(fiber)
    assert.strictEqual(created.payment.state, "Captured")
    assert.lengthOf(own.provider.charges, 1)
    assert.lengthOf((yield* pointsman.timeline(tenant, created.payment.id, { limit: 10 })).items, 2)
  })

  itIn("PaymentResultUnknown, in progress, then UNKNOWN, if no commit works; one charge", world(), function* (own) {
    const pointsman = yield* Pointsman
    own.ledger.onCommit = (number) => (number > 1 && number < 20 ? "unwritten" : undefined)
    const fiber = yield* Effect.forkChild(Effect.flip(pointsman.create(caller, keyed)))
    yield* TestClock.adjust("1 minute")
    assert.instanceOf(yield* Fiber.join(fiber), PaymentResultUnknown)
    own.ledger.onCommit = () => undefined
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), RequestInProgress)
    yield* TestClock.adjust(14 * minute)
    const answered = yield* pointsman.create(caller, keyed)
    assert.strictEqual(answered.payment.state, "ChargeUnknown")
    assert.lengthOf(own.provider.charges, 1)
  })

  for (const fault of ["lost", "unheard"] as const) {
    itIn(
      `a commit with a lost answer (${fault}) is read again and answered as written`,
      world(),
      function* ({ provider, ledger }) {
        const pointsman = yield* Pointsman
        ledger.onCommit = (number) => (number === 2 ? fault : undefined)
        const created = yield* pointsman.create(caller, keyed)
        assert.strictEqual(created.payment.state, "Captured")
        assert.deepStrictEqual(yield* pointsman.payment(tenant, created.payment.id), created.payment)
        assert.lengthOf((yield* pointsman.timeline(tenant, created.payment.id, { limit: 10 })).items, 2)
        assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
        assert.lengthOf(provider.charges, 1)
      }
    )
  }

  itIn("a result that another source settled first is kept and returned", world(), function* (own, pointsman) {
    const ledger = yield* Ledger
    own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    // What a provider's message does, written by another process just before our outcome.
    own.ledger.beforeCommit = (number, change) =>
      number !== 2
        ? Effect.void
        : Effect.gen(function* () {
            const stored = yield* pointsman.payment(tenant, change.payment.after.id)
            const fact: ChargeFact = {
              on: "ChargeCaptured",
              connectionId: "main",
              providerRef: "r",
              amountMinor: 1999
            }
            const moved = Result.getOrThrow(applyChargeFact(stored, fact, 0))
            yield* ledger.commit({
              tenant,
              payment: { expected: stored.version, after: moved.payment },
              attempts: [],
              events: moved.events
            })
          }).pipe(Effect.orDie)
    const created = yield* pointsman.create(caller, keyed)
    assert.strictEqual(created.payment.state, "Captured")
    assert.deepStrictEqual(yield* pointsman.payment(tenant, created.payment.id), created.payment)
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
    const timeline = yield* pointsman.timeline(tenant, created.payment.id, { limit: 10 })
    assert.deepStrictEqual(
      timeline.items.map((event) => event.type),
      ["payment.created", "payment.captured"]
    )
  })
})

describe("a bug in core", () => {
  itIn("a store that dies after the call is PaymentResultUnknown, never NothingSent", world(), function* (own) {
    const pointsman = yield* Pointsman
    own.ledger.beforeCommit = (number) => (number === 2 ? Effect.die(new Error("a bug")) : Effect.void)
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), PaymentResultUnknown)
    assert.instanceOf(yield* Effect.flip(pointsman.create(caller, keyed)), RequestInProgress)
    assert.lengthOf(own.provider.charges, 1)
  })
})

describe("the next attempt's commit", () => {
  itIn("the first end is the outcome if it cannot be written; no second call is made", world(), function* (own) {
    const pointsman = yield* Pointsman
    own.provider.onCharge = (charge) =>
      charge.connectionId === "main" ? Effect.fail(new NotSent({ reason: "refused" })) : approve(charge)
    own.ledger.onCommit = (number) => (number === 2 ? "unwritten" : undefined)
    const created = yield* pointsman.create(caller, keyed)
    assert.strictEqual(created.payment.state, "Failed")
    assert.lengthOf(own.provider.charges, 1)
  })

  itIn("a second connection is not asked after a lost answer: nothing sent on doubt", world(), function* (own) {
    const pointsman = yield* Pointsman
    own.provider.onCharge = (charge) =>
      charge.connectionId === "main" ? Effect.fail(new NotSent({ reason: "refused" })) : approve(charge)
    own.ledger.onCommit = (number) => (number === 2 ? "unheard" : undefined)
    const created = yield* pointsman.create(caller, keyed)
    assert.strictEqual(created.payment.state, "Failed")
    assert.lengthOf(own.provider.charges, 1)
    assert.deepStrictEqual(yield* pointsman.payment(tenant, created.payment.id), created.payment)
    const ledger = yield* Ledger
    assert.deepStrictEqual(
      (yield* ledger.attempts(tenant, created.payment.id)).map(({ outcome }) => outcome),
      ["NotSent", "Abandoned"]
    )
  })
})

describe("the caller goes away", () => {
  itIn(
    "an interruption while the provider is asked records the payment and its outcome",
    world(),
    function* ({ provider }) {
      const pointsman = yield* Pointsman
      provider.onCharge = (charge) => Effect.andThen(Effect.sleep("2 seconds"), approve(charge))
      const fiber = yield* Effect.forkChild(pointsman.create(caller, keyed))
      yield* TestClock.adjust("1 second")
      const interrupting = yield* Effect.forkChild(Fiber.interrupt(fiber))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(interrupting)
      const again = yield* pointsman.create(caller, keyed)
      assert.isTrue(again.isReplay)
      assert.strictEqual(again.payment.state, "Captured")
      assert.lengthOf(provider.charges, 1)
    }
  )
})

describe("a connector that never returns", () => {
  itIn(
    "an answer 5 seconds beyond its timeout is given up: UNKNOWN",
    world({ providerTimeoutMillis: 30_000 }),
    function* ({ provider }) {
      const pointsman = yield* Pointsman
      provider.onCharge = () => Effect.never
      const fiber = yield* Effect.forkChild(pointsman.create(caller, keyed))
      yield* TestClock.adjust(34_999)
      assert.strictEqual((yield* pointsman.payments(tenant, { limit: 1 })).items[0]?.state, "Charging")
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(fiber)).payment.state, "ChargeUnknown")
    }
  )
})

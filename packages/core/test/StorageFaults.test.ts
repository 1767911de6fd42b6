/** What if the store fails, at every commit of a create? The money moved once, and what was said stays true. */
import { assert, describe } from "@effect/vitest"
import { PaymentResultUnknown, Pointsman, RequestInProgress } from "@pointsman/core"
import { NotSent, Unanswered } from "@pointsman/core/ports"
import { approve } from "@pointsman/core/testing"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { onMain } from "./support/Operations.ts"
import { anotherBefore, attemptsOf } from "./support/Pages.ts"
import { assertFields } from "./support/Steps.ts"
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
    itIn(`a commit with a lost answer (${fault}) is read again and answered as written`, world(), function* (own) {
      const { provider, ledger } = own
      const pointsman = yield* Pointsman
      ledger.onCommit = (number) => (number === 2 ? fault : undefined)
      const created = yield* pointsman.create(caller, keyed)
      assert.strictEqual(created.payment.state, "Captured")
      assert.deepStrictEqual(yield* pointsman.payment(tenant, created.payment.id), created.payment)
      assert.lengthOf((yield* pointsman.timeline(tenant, created.payment.id, { limit: 10 })).items, 2)
      assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
      assert.lengthOf(provider.charges, 1)
    })
  }

  itIn("a result that another source settled first is kept and returned", world(), function* (own, pointsman) {
    own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    // What a provider's message does, written by another process just before our outcome.
    const fact = { on: "ChargeCaptured", connectionId: "main", providerRef: "r", amountMinor: 1999 } as const
    yield* anotherBefore(own, 2, fact)
    const created = yield* pointsman.create(caller, keyed)
    assert.strictEqual(created.payment.state, "Captured")
    assert.deepStrictEqual(yield* pointsman.payment(tenant, created.payment.id), created.payment)
    assert.deepStrictEqual(yield* pointsman.create(caller, keyed), { ...created, isReplay: true })
    const timeline = yield* pointsman.timeline(tenant, created.payment.id, { limit: 10 })
    assertFields(timeline.items, "type", "payment.created", "payment.captured")
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
  for (const [fault, ...attempts] of [
    ["unwritten", "NotSent"],
    ["unheard", "NotSent", "Abandoned"]
  ] as const) {
    itIn(
      `the first end is the outcome if it is ${fault}: nothing is sent on doubt`,
      world(),
      function* (own, pointsman) {
        own.provider.onCharge = onMain(Effect.fail(new NotSent({ reason: "refused" })))
        own.ledger.onCommit = (number) => (number === 2 ? fault : undefined)
        const { payment } = yield* pointsman.create(caller, keyed)
        assert.strictEqual(payment.state, "Failed")
        assert.lengthOf(own.provider.charges, 1)
        assert.deepStrictEqual(yield* pointsman.payment(tenant, payment.id), payment)
        assertFields(yield* attemptsOf(payment), "outcome", ...attempts)
      }
    )
  }
})

describe("the caller goes away", () => {
  itIn("an interruption while the provider is asked records the payment and its outcome", world(), function* (own) {
    const { provider } = own
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
  })
})

describe("a connector that never returns", () => {
  const here = world({ providerTimeoutMillis: 30_000 })
  itIn("an answer 5 seconds beyond its timeout is given up: UNKNOWN", here, function* ({ provider }) {
    const pointsman = yield* Pointsman
    provider.onCharge = () => Effect.never
    const fiber = yield* Effect.forkChild(pointsman.create(caller, keyed))
    yield* TestClock.adjust(34_999)
    assert.strictEqual((yield* pointsman.payments(tenant, { limit: 1 })).items[0]?.state, "Charging")
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* Fiber.join(fiber)).payment.state, "ChargeUnknown")
  })
})

/** What happens while the storage takes no new work, and how long one request may wait for it. */
import { assert, describe, it } from "@effect/vitest"
import { NotAdmitted, Pointsman } from "@pointsman/core"
import {
  limitOf,
  StorageAllowance,
  StorageCondition,
  type StorageReading,
  withAllowance,
  withoutAllowance
} from "@pointsman/core/ports"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { itIn, itRuns } from "./support/ItIn.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const refused: StorageReading = { refusal: "the schema is newer", warnings: [] }

/** A store that is refused from when the test says so. */
const refusable = () => {
  const { layer, ledger, provider } = world()
  const state = { reading: { refusal: null, warnings: [] } as StorageReading }
  const condition = Layer.succeed(StorageCondition, {
    read: Effect.sync(() => state.reading),
    admit: Effect.suspend(() =>
      state.reading.refusal === null
        ? Effect.void
        : Effect.fail(new NotAdmitted({ reason: state.reading.refusal, retryAfterMillis: 1_000 }))
    )
  })
  return { layer: Layer.provide(layer, condition), ledger, provider, state }
}

describe("a storage that takes no new work", () => {
  const halted = refusable()
  itIn("a request that may move money is refused unwritten, and its key is free", halted, function* (own) {
    const { provider, state } = own
    const pointsman = yield* Pointsman
    const manual = { captureMethod: "manual" } as const
    const { payment } = yield* pointsman.create(caller, request({ details: manual }))
    state.reading = refused
    const order = { paymentId: payment.id, idempotencyKey: "order-0002", amountMinor: null, reason: null }
    const keyed = request({ idempotencyKey: "order-0001" })
    for (const failure of [
      yield* Effect.flip(pointsman.create(caller, keyed)),
      yield* Effect.flip(pointsman.create(caller, request({ returnUrl: "https://shop.example" }))),
      yield* Effect.flip(pointsman.capture(caller, order)),
      yield* Effect.flip(pointsman.void(caller, order)),
      yield* Effect.flip(pointsman.refund(caller, order))
    ]) {
      assert.instanceOf(failure, NotAdmitted)
    }
    assert.lengthOf((yield* pointsman.payments(tenant, { limit: 10 })).items, 1)
    assert.deepStrictEqual(yield* pointsman.payment(tenant, payment.id), payment)
    assert.lengthOf(provider.charges, 1)

    state.reading = { refusal: null, warnings: [] }
    const created = yield* pointsman.create(caller, keyed)
    assert.isFalse(created.isReplay)
    assert.strictEqual((yield* pointsman.capture(caller, order)).payment.state, "Captured")
  })

  itIn("payments that are due wait until the background takes work again", refusable(), function* (own, pointsman) {
    own.ledger.onCommit = (number) => (number > 1 ? "unwritten" : undefined)
    const creating = yield* Effect.forkChild(Effect.flip(pointsman.create(caller, request())))
    yield* TestClock.adjust("2 days")
    creating.interruptUnsafe()
    own.ledger.onCommit = () => undefined
    own.state.reading = refused
    assert.strictEqual(yield* pointsman.checkDue, 0)
    assert.strictEqual(yield* pointsman.forgetKeys, 0)
    own.state.reading = { refusal: null, warnings: [] }
    assert.strictEqual(yield* pointsman.checkDue, 1)
  })
})

describe("the allowance of a request", () => {
  itRuns("all storage calls of a request share one condition; what continues has none", function* () {
    const seen: Array<number | undefined> = []
    const look = Effect.map(StorageAllowance, (allowance) => {
      seen.push(allowance?.leftMillis)
      if (allowance !== undefined) allowance.leftMillis -= 4_000
    })
    yield* withAllowance(Effect.andThen(look, Effect.andThen(look, withoutAllowance(look))))
    yield* withAllowance(look)
    assert.deepStrictEqual(seen, [7_000, 3_000, undefined, 7_000])
  })

  it("an operation may take half of the time left, and at least half a second", () => {
    assert.strictEqual(limitOf(undefined, 21_000), 21_000)
    assert.strictEqual(limitOf({ leftMillis: 7_000 }, 21_000), 3_500)
    assert.strictEqual(limitOf({ leftMillis: 7_000 }, 1_000), 1_000)
    assert.strictEqual(limitOf({ leftMillis: -100 }, 21_000), 500)
  })
})

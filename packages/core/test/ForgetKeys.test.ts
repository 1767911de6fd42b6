/** Keys whose time is over take no room, and none is forgotten that still has something to say. */
import { assert } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Ledger, Unanswered } from "@pointsman/core/ports"
import { Effect, Fiber, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import { hosted } from "./support/Pages.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const key = "key-0001"

const isKept = (of = key) =>
  Effect.gen(function* () {
    return Option.isSome(yield* (yield* Ledger).claim(tenant, of))
  })

const forget = Effect.flatMap(Pointsman, ({ forgetKeys }) => forgetKeys)

itHere("an answered key is kept for 24 hours, and deleted after", function* (own) {
  yield* (yield* Pointsman).create(caller, request({ idempotencyKey: key }))
  yield* TestClock.adjust(day)
  // Claimed and answered in the same millisecond: nothing is older than 24 hours yet.
  assert.strictEqual(yield* forget, 0)
  assert.isTrue(yield* isKept())
  yield* TestClock.adjust(1)
  assert.strictEqual(yield* forget, 1)
  assert.isFalse(yield* isKept())
  const again = yield* (yield* Pointsman).create(caller, request({ idempotencyKey: key }))
  assert.isFalse(again.isReplay)
  assert.lengthOf(own.provider.charges, 2)
})

itHere("the key of an unknown result is kept as long as it is unknown, and a day after", function* (own, pointsman) {
  own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
  own.provider.onLookUpCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
  const { payment } = yield* pointsman.create(caller, request({ idempotencyKey: key }))
  yield* TestClock.adjust(10 * day)
  assert.strictEqual(yield* forget, 0)
  yield* pointsman.resolveReview({
    tenant,
    paymentId: payment.id,
    stated: { _tag: "Charge", says: "captured", attemptId: null, amountMinor: null, providerRef: "ref" },
    evidence: "the dashboard",
    by: "Jo"
  })
  yield* TestClock.adjust(day - 1)
  assert.strictEqual(yield* forget, 0)
  assert.isTrue((yield* pointsman.create(caller, request({ idempotencyKey: key }))).isReplay)
  yield* TestClock.adjust(1)
  assert.strictEqual(yield* forget, 1)
})

const dead = world({ providerTimeoutMillis: 60 * minute })
itIn("the key of a dead request without a settlement is kept", dead, function* (_, pointsman) {
  dead.provider.onCharge = () => Effect.never
  yield* Effect.forkDetach(pointsman.create(caller, request({ idempotencyKey: key })), { startImmediately: true })
  yield* TestClock.adjust(30 * minute)
  yield* TestClock.adjust(5 * day)
  assert.strictEqual(yield* forget, 0)
  assert.isTrue(yield* isKept())
})

itHere("a key that its request gave back is deleted too", function* (own, pointsman) {
  own.ledger.onCommit = (number) => (number === 1 ? 6_000 : undefined)
  const late = yield* Effect.forkDetach(Effect.exit(pointsman.create(caller, request({ idempotencyKey: key }))), {
    startImmediately: true
  })
  yield* TestClock.adjust(10_000)
  yield* Fiber.join(late)
  assert.lengthOf(own.provider.charges, 0)
  assert.isTrue(yield* isKept())
  yield* TestClock.adjust(day)
  assert.strictEqual(yield* forget, 1)
})

itHere("each key of several batches that is over goes in one pass, though some stay", function* (own, pointsman) {
  let charges = 0
  own.provider.onCharge = ({ attemptId }) =>
    charges++ % 2 === 0
      ? Effect.fail(new Unanswered({ reason: "time-out" }))
      : Effect.succeed({ _tag: "Captured", providerRef: `ref_${attemptId}` })
  for (let number = 0; number < 450; number++) {
    yield* pointsman.create(caller, request({ idempotencyKey: `key-${number + 1000}` }))
  }
  yield* TestClock.adjust(2 * day)
  assert.strictEqual(yield* forget, 225)
  assert.strictEqual(yield* forget, 0)
  assert.isTrue(yield* isKept("key-1000"))
  assert.isFalse(yield* isKept("key-1001"))
})

itHere("a request that takes the key while it is forgotten keeps it", function* (_, pointsman) {
  yield* pointsman.create(caller, request({ idempotencyKey: key }))
  yield* TestClock.adjust(day + 1)
  const ledger = yield* Ledger
  const old = yield* ledger.oldClaims({ claimedBefore: day, limit: 10 })
  const anew = yield* pointsman.create(caller, request({ idempotencyKey: key }))
  assert.isFalse(anew.isReplay)
  const stale = old.map(({ claim: { key, version }, tenant }) => ({ tenant, key, version }))
  assert.strictEqual(yield* ledger.forgetClaims(stale), 0)
  assert.isTrue((yield* pointsman.create(caller, request({ idempotencyKey: key }))).isReplay)
})

itHere("the background forgets keys every hour, and a page's key once its page is over", function* (_, pointsman) {
  yield* pointsman.create(caller, hosted({ idempotencyKey: key }))
  yield* Layer.build(Pointsman.background({ everyMillis: hour }))
  yield* TestClock.adjust(day)
  assert.isTrue(yield* isKept())
  yield* TestClock.adjust(hour)
  assert.isFalse(yield* isKept())
})

/** A capture or a void that the store lost, of a charge that is older than what a recovery lists. */
import { assert } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { StorageSnapshots } from "@pointsman/core/internal"
import { Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { itInListing, type ListingProvider } from "./support/ListingProvider.ts"
import { authorized } from "./support/Operations.ts"
import { caller, recovered } from "./support/World.ts"

const hour = 60 * 60_000
const noon = 100.5 * 24 * hour
const unanswered = (isUnsupported: boolean) =>
  Effect.fail(new Unanswered({ reason: "no answer", ...(isUnsupported ? { isUnsupported } : {}) }))

const recoverAll = Effect.flatMap(Pointsman, (pointsman) =>
  recovered(pointsman.recover({ since: noon - 60_000, connectionId: null, isDryRun: false }))
)

/** An authorization of an hour before the loss, and what was lost: the recovery lists nothing, and a day passes. */
const losing = Effect.fnUntraced(function* <E>(lost: (paymentId: string) => Effect.Effect<unknown, E, Pointsman>) {
  const snapshots = yield* StorageSnapshots
  assert(snapshots !== undefined)
  yield* TestClock.setTime(noon - hour)
  const payment = yield* authorized
  yield* TestClock.setTime(noon)
  const putBack = yield* snapshots.take
  yield* lost(payment.id)
  yield* putBack
  yield* TestClock.setTime(noon + 60_000)
  const recovery = yield* recoverAll
  yield* TestClock.setTime(noon + 25 * hour)
  return { id: payment.id, recovery }
})

const capture = (paymentId: string, idempotencyKey: string | null, amountMinor: number | null) =>
  Effect.flatMap(Pointsman, (pointsman) => pointsman.capture(caller, { paymentId, idempotencyKey, amountMinor }))
const voidOf = (paymentId: string, idempotencyKey: string) =>
  Effect.flatMap(Pointsman, (pointsman) => pointsman.void(caller, { paymentId, idempotencyKey }))

const lookUps = ({ lookUps }: ListingProvider): ReadonlyArray<string> => lookUps.map(({ attemptId }) => attemptId)

itInListing("a capture that comes again gets its result, and nothing is captured", function* ({ provider }) {
  const { id } = yield* losing((paymentId) => capture(paymentId, "capture-01", 700))
  const { isReplay, payment } = yield* capture(id, "capture-01", 700)
  assert.isTrue(isReplay)
  assert.deepInclude(payment, { state: "Captured", capturedMinor: 700, review: null })
  assert.lengthOf(provider.captures, 1)
  assert.lengthOf(lookUps(provider), 1)
})

itInListing("another capture is refused, and the lost one is recorded", function* ({ provider }) {
  const { id } = yield* losing((paymentId) => capture(paymentId, "capture-01", null))
  for (const key of ["capture-02", null]) {
    assert.strictEqual((yield* Effect.flip(capture(id, key, 500)))._tag, "pointsman/NotCapturable")
  }
  const payment = yield* (yield* Pointsman).payment(caller.tenant, id)
  assert.deepInclude(payment, { state: "Captured", capturedMinor: 1999, review: null })
  assert.lengthOf(provider.captures, 1)
})

itInListing("a capture after a void is refused, and the payment is voided", function* ({ provider }) {
  const { id } = yield* losing((paymentId) => voidOf(paymentId, "void-0001"))
  assert.strictEqual((yield* Effect.flip(capture(id, "capture-01", null)))._tag, "pointsman/NotCapturable")
  assert.deepInclude(yield* (yield* Pointsman).payment(caller.tenant, id), { state: "Voided", review: null })
  assert.isTrue((yield* voidOf(id, "void-0001")).isReplay)
  assert.lengthOf(provider.captures, 0)
  assert.lengthOf(provider.voids, 1)
})

itInListing("a request that was not executed is sent, and only recoveries ask the provider", function* ({ provider }) {
  const { id } = yield* losing(() => Effect.void)
  assert.isFalse((yield* capture(id, "capture-01", 700)).isReplay)
  assert.isTrue((yield* capture(id, "capture-01", 700)).isReplay)
  assert.lengthOf(lookUps(provider), 1)
})

itInListing("nothing is sent until the provider answers", function* ({ provider }) {
  const lookUp = provider.onLookUpCharge
  const pending = { _tag: "Found", state: { _tag: "Pending", providerRef: "ref" } } as const
  provider.onLookUpCharge = () => unanswered(false)
  const { id, recovery } = yield* losing(() => Effect.void)
  assert.deepInclude(recovery.loss, { recovered: ["backup"], ended: null })
  provider.onLookUpCharge = () => Effect.succeed(pending)
  assert.isNull((yield* recoverAll).loss?.ended)
  assert.strictEqual((yield* Effect.flip(capture(id, "capture-01", 700)))._tag, "pointsman/RequestInProgress")
  assert.lengthOf(provider.captures, 0)
  provider.onLookUpCharge = lookUp
  assert.strictEqual((yield* recoverAll).loss?.ended?.outcome, "recovered")
  assert.strictEqual((yield* capture(id, "capture-01", 700)).payment.capturedMinor, 700)
})

itInListing("a request is sent at a provider without lookups", function* ({ provider }) {
  provider.onLookUpCharge = () => unanswered(true)
  const { id } = yield* losing(() => Effect.void)
  assert.strictEqual((yield* capture(id, "capture-01", 700)).payment.capturedMinor, 700)
})

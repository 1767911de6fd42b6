/** A refund that the store lost and that no list had: its key makes it once. */
import { assert, describe, it } from "@effect/vitest"
import { NothingSent, Pointsman } from "@pointsman/core"
import { StorageSnapshots } from "@pointsman/core/internal"
import { Ledger, RecordsMissing, Unanswered } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { listingProvider } from "./support/ListingProvider.ts"
import { caller, request, tenant, world } from "./support/World.ts"

const day = 24 * 60 * 60_000
const noon = 100.5 * day
const unanswered = Effect.fail(new Unanswered({ reason: "no answer" }))

/**
 * A payment whose refund of 700 was not answered and then lost, and the recovery after it, whose list did not have the
 * refund. `execute`: the provider executes it after all.
 */
const lostRefund = Effect.fnUntraced(function* (provider: ReturnType<typeof listingProvider>) {
  const snapshots = yield* StorageSnapshots
  assert(snapshots !== undefined)
  const pointsman = yield* Pointsman
  yield* TestClock.setTime(noon)
  const { payment } = yield* pointsman.create(caller, request())
  const order = { paymentId: payment.id, idempotencyKey: "refund-0001", amountMinor: 700, reason: null }
  const putBack = snapshots.take()
  const executed = provider.onRefund
  provider.onRefund = () => unanswered
  yield* Effect.flip(pointsman.refund(caller, order))
  provider.onRefund = executed
  putBack()
  const [sent] = provider.refunds
  assert.isDefined(sent)
  yield* TestClock.setTime(noon + 60_000)
  yield* pointsman.recover({ since: noon - 60_000, connectionId: null, isDryRun: false })
  yield* TestClock.setTime(noon + 2 * day)
  return { order, execute: executed(sent), sent }
})

const bookOf = Effect.fnUntraced(function* (id: string) {
  return Option.getOrThrow(yield* (yield* Ledger).book(tenant, id))
})

describe("a refund that the store lost", () => {
  const given = () => {
    const provider = listingProvider()
    const own = world({ provider })
    return { provider, own, layer: own.layer }
  }

  const executed = given()
  it.effect("given one that was executed after the recovery, when its key comes again, then it is not made again", () =>
    Effect.gen(function* () {
      const { provider } = executed
      const pointsman = yield* Pointsman
      const { execute, order, sent } = yield* lostRefund(provider)
      yield* execute
      const state = { _tag: "Succeeded", providerRefundId: `ref_${sent.refundId}`, stated: sent.money } as const
      provider.onLookUpRefund = ({ refundId, sentAt }) => {
        assert.deepStrictEqual([refundId, sentAt], [sent.refundId, noon - 60_000])
        return Effect.succeed({ _tag: "Found", state })
      }
      const other = pointsman.refund(caller, { ...order, amountMinor: 699 })
      assert.strictEqual((yield* Effect.flip(other))._tag, "pointsman/KeyReused")
      const { isReplay, payment } = yield* pointsman.refund(caller, order)
      assert.isTrue(isReplay)
      assert.deepInclude(payment, { state: "PartiallyRefunded", refundedMinor: 700, review: null })
      assert.isTrue(payment.reported?.isRecovered)
      assert.lengthOf(provider.refunds, 1)
      const { refunds } = yield* bookOf(order.paymentId)
      assert.deepStrictEqual(
        refunds.map(({ id, stage }) => [id, stage]),
        [[sent.refundId, "Succeeded"]]
      )
    }).pipe(Effect.provide(executed.layer))
  )

  const silent = given()
  it.effect("given a provider that does not answer, then nothing is sent until it does", () =>
    Effect.gen(function* () {
      const { provider } = silent
      const pointsman = yield* Pointsman
      const { order, sent } = yield* lostRefund(provider)
      const lookUp = provider.onLookUpRefund
      provider.onLookUpRefund = () => unanswered
      const failure = yield* Effect.flip(pointsman.refund(caller, order))
      assert.instanceOf(failure, NothingSent)
      assert.instanceOf(failure.cause, RecordsMissing)
      assert.deepInclude(
        { ...failure.cause },
        { connectionId: "main", since: noon - 60_000, retryAfterMillis: 60_000, why: "unanswered" }
      )
      assert.lengthOf((yield* bookOf(order.paymentId)).refunds, 0)
      assert.lengthOf(provider.refunds, 1)
      provider.onLookUpRefund = lookUp
      const { isReplay, payment } = yield* pointsman.refund(caller, order)
      assert.isFalse(isReplay)
      assert.strictEqual(payment.refundedMinor, 700)
      assert.deepStrictEqual(
        provider.refunds.map(({ refundId }) => refundId),
        [sent.refundId, sent.refundId]
      )
    }).pipe(Effect.provide(silent.layer))
  )

  const unheard = given()
  it.effect("given an adoption whose commit is not answered, then the refund is recorded once, and not sent", () =>
    Effect.gen(function* () {
      const { provider, own } = unheard
      const { execute, order } = yield* lostRefund(provider)
      yield* execute
      const unheardAt = own.ledger.calls.commit + 1
      own.ledger.onCommit = (number) => (number === unheardAt ? "unheard" : undefined)
      const { isReplay, payment } = yield* (yield* Pointsman).refund(caller, order)
      assert.isTrue(isReplay)
      assert.isAtLeast(own.ledger.calls.commit, unheardAt)
      assert.strictEqual(payment.refundedMinor, 700)
      assert.lengthOf((yield* bookOf(order.paymentId)).refunds, 1)
      assert.lengthOf(provider.refunds, 1)
    }).pipe(Effect.provide(unheard.layer))
  )

  const later = given()
  it.effect("given no key, a stored refund, or a payment that was made after the loss, then nobody is asked", () =>
    Effect.gen(function* () {
      const { provider } = later
      const pointsman = yield* Pointsman
      const { order } = yield* lostRefund(provider)
      let asked = 0
      const lookUp = provider.onLookUpRefund
      provider.onLookUpRefund = (sought) => {
        asked++
        return lookUp(sought)
      }
      yield* pointsman.refund(caller, { ...order, idempotencyKey: null })
      const { payment } = yield* pointsman.create(caller, request())
      yield* pointsman.refund(caller, { ...order, paymentId: payment.id })
      assert.strictEqual(asked, 0)
      yield* pointsman.refund(caller, order)
      assert.strictEqual(asked, 1)
      assert.isTrue((yield* pointsman.refund(caller, order)).isReplay)
      assert.strictEqual(asked, 1)
    }).pipe(Effect.provide(later.layer))
  )
})

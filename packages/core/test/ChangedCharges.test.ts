/** Messages that say that a charge changed and not what, and messages that name a charge by one of its captures or refunds. */
import { assert, describe } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import {
  type ChargeRecord,
  type ChargeState,
  type Found,
  type FoundRefund,
  type MessageAbout,
  Unanswered
} from "@pointsman/core/ports"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { itHere } from "./support/ItIn.ts"
import { say } from "./support/Messages.ts"
import { created, operate } from "./support/Operations.ts"
import { bookOf, stored, typesOf } from "./support/Pages.ts"
import { assertFields } from "./support/Steps.ts"
import type { World } from "./support/World.ts"

const providerRef = "ref"
const captured: ChargeState = { _tag: "Captured", providerRef }
const eur = (minorUnits: number) => ({ minorUnits, currency: "EUR" })

const byHand = (providerRefundId: string, minorUnits: number): FoundRefund => ({
  refundId: null,
  state: { _tag: "Succeeded", providerRefundId, stated: eur(minorUnits) }
})
const found = (...refunds: ReadonlyArray<FoundRefund>): Found<ChargeRecord> => ({
  _tag: "Found",
  state: captured,
  refunds
})

const tell = Effect.fnUntraced(function* (about: MessageAbout) {
  yield* say(about, { at: 1 })
  // The newest first.
  const { outcome, paymentId } = (yield* (yield* Pointsman).messages({ limit: 1 })).items[0] ?? {}
  return { outcome, paymentId }
})

const changed = (name = providerRef) =>
  tell({ _tag: "Changed", charge: { providerRef: name }, reason: "charge.refunded" })

const checkAfter = Effect.fnUntraced(function* (seconds: number) {
  yield* TestClock.adjust(`${seconds} seconds`)
  return yield* (yield* Pointsman).checkDue
})

const charged = (own: World, state: ChargeState = captured) => {
  own.provider.onCharge = () => Effect.succeed(state)
  return created()
}

describe("a message that a charge changed, and not how", () => {
  itHere("a captured payment is looked up in ten seconds, and a refund by hand counts", function* (own) {
    const payment = yield* charged(own)
    own.provider.onLookUpCharge = () => Effect.succeed(found(byHand("re_1", 400)))
    assert.deepStrictEqual(yield* changed(), { outcome: "waits", paymentId: payment.id })
    assert.strictEqual((yield* stored(payment)).refundedMinor, 0)
    assert.strictEqual(yield* checkAfter(10), 1)
    const { payment: after, refunds } = yield* bookOf(payment)
    assert.deepInclude(after, { state: "PartiallyRefunded", refundedMinor: 400, review: null })
    assertFields(refunds, ["origin", "providerRefundId"], ["provider", "re_1"])
    assert.isEmpty(after.reported?.undecided)
    yield* checkAfter(60)
    assert.lengthOf(own.provider.lookUps, 1)
  })

  for (const [what, answer] of [
    ["is not answered", Effect.fail(new Unanswered({ reason: "timed out" }))],
    ["is not possible", Effect.fail(new Unanswered({ reason: "no lookups", isUnsupported: true }))],
    ["finds nothing", Effect.succeed({ _tag: "NotFound", conclusive: false } as const)]
  ] as const) {
    itHere(`operations review a payment each time a lookup ${what}`, function* (own) {
      const payment = yield* charged(own)
      own.provider.onLookUpCharge = () => answer
      for (const times of [1, 2]) {
        yield* changed()
        yield* checkAfter(10)
        const after = yield* stored(payment)
        assert.deepStrictEqual(after.review?.reasons, ["conflict"])
        assert.isEmpty(after.reported?.undecided)
        assert.lengthOf(
          (yield* typesOf(payment)).filter((type) => type === "payment.conflict"),
          times
        )
      }
    })
  }

  itHere("a charge that changes during a lookup is looked up again", function* (own) {
    const payment = yield* charged(own)
    const asked = yield* Deferred.make<void>()
    const answer = yield* Deferred.make<Found<ChargeRecord>>()
    own.provider.onLookUpCharge = () => Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answer))
    yield* changed()
    yield* TestClock.adjust("10 seconds")
    const check = yield* Effect.forkChild((yield* Pointsman).checkDue)
    yield* Deferred.await(asked)
    yield* changed()
    yield* Deferred.succeed(answer, found(byHand("re_1", 100)))
    yield* Fiber.join(check)
    assert.lengthOf((yield* stored(payment)).reported?.undecided ?? [], 1)
    assert.strictEqual((yield* stored(payment)).refundedMinor, 100)
    own.provider.onLookUpCharge = () => Effect.succeed(found(byHand("re_1", 100), byHand("re_2", 300)))
    yield* checkAfter(10)
    assert.strictEqual((yield* stored(payment)).refundedMinor, 400)
  })

  itHere("a charge is looked up again after the process died between what it found", function* (own) {
    const payment = yield* charged(own)
    own.provider.onLookUpCharge = () => Effect.succeed(found(byHand("re_1", 100), byHand("re_2", 300)))
    yield* changed()
    const before = own.ledger.changes.length
    own.ledger.onCommit = () => (own.ledger.changes.length > before + 1 ? "unwritten" : undefined)
    yield* checkAfter(10)
    own.ledger.onCommit = () => undefined
    assert.lengthOf((yield* stored(payment)).reported?.undecided ?? [], 1)
    yield* checkAfter(3_600)
    assert.deepInclude(yield* stored(payment), { refundedMinor: 400, review: null })
  })

  itHere("a charge of another connection, or of none, is not looked up", function* (own) {
    yield* charged(own)
    assert.deepStrictEqual(yield* changed("another"), { outcome: "unmatched", paymentId: null })
    yield* checkAfter(60)
    assert.isEmpty(own.provider.lookUps)
  })
})

describe("a message that names a charge by a part of it", () => {
  const refundOf = (name: string, providerRefundId: string): MessageAbout => ({
    _tag: "UnnamedRefund",
    charge: { providerRef: name },
    providerRefundId,
    state: () => ({ _tag: "Succeeded", providerRefundId, stated: eur(100) })
  })

  itHere("the id of a capture that was stated before refunds its payment", function* (own) {
    const payment = yield* charged(own)
    const capture = { id: "cap_1", money: payment.money }
    yield* tell({ _tag: "Charge", charge: { providerRef }, state: () => ({ ...captured, capture }) })
    assert.deepStrictEqual(yield* tell(refundOf("cap_1", "re_1")), { outcome: "applied", paymentId: payment.id })
    assert.deepStrictEqual(yield* tell(refundOf("cap_2", "re_2")), { outcome: "unmatched", paymentId: null })
    assert.strictEqual((yield* stored(payment)).refundedMinor, 100)
  })

  itHere("the id of a refund of ours is that refund", function* (own) {
    const payment = yield* charged(own)
    own.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" })
    yield* operate("refund", payment.id, { amountMinor: 100, idempotencyKey: "refund-key" })
    assert.deepStrictEqual(yield* tell(refundOf("re_1", "re_1")), { outcome: "applied", paymentId: payment.id })
    const { payment: after, refunds } = yield* bookOf(payment)
    assert.deepStrictEqual([after.refundedMinor, refunds.length], [100, 1])
  })
})

/** What may be given back, and what happens to it, over several refunds of one payment. */
import { assert, describe } from "@effect/vitest"
import type { Payment } from "@pointsman/core"
import { brokenBalance } from "@pointsman/core/internal"
import { type RefundAnswer, Unanswered } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { authorized, created, operate } from "./support/Operations.ts"
import { bookOf } from "./support/Pages.ts"
import { caller, request, world } from "./support/World.ts"

const hour = 3_600_000
const silent = () => Effect.fail(new Unanswered({ reason: "time-out" }))
const pending = () => Effect.succeed<RefundAnswer>({ _tag: "RefundPending", providerRefundId: "provider-refund" })

const captured = created({ money: { minorUnits: 1000, currency: "EUR" } })

const refund = ({ id }: Payment, amountMinor: number | null, idempotencyKey: string | null = null) =>
  operate("refund", id, { amountMinor, idempotencyKey, reason: "returned" })

/** How requests for these amounts end, one after the other. */
const asked = Effect.fnUntraced(function* (
  payment: Payment,
  ...rows: ReadonlyArray<readonly [amountMinor: number | null, answer: string, key?: string]>
) {
  for (const [amount, answer, key] of rows) assert.strictEqual(told(yield* refund(payment, amount, key)), answer)
})

const told = <E extends { readonly _tag: string }>(answer: Result.Result<{ readonly payment: Payment }, E>) =>
  Result.isFailure(answer)
    ? answer.failure._tag
    : `${answer.success.payment.state} ${answer.success.payment.refundedMinor}`

describe("partial refunds", () => {
  itIn("three refunds add up, the last clamped to what is left, and a fourth is refused", world(), function* (own) {
    const payment = yield* captured
    yield* asked(payment, [400, "PartiallyRefunded 400"], [400, "PartiallyRefunded 800"], [400, "Refunded 1000"])
    yield* asked(payment, [1, "pointsman/InvalidAmount"], [null, "pointsman/InvalidAmount"])
    const sent = own.provider.refunds.map(({ money }) => money.minorUnits)
    assert.deepStrictEqual(sent, [400, 400, 200])
    const { payment: stored, refunds } = yield* bookOf(payment)
    assert.isUndefined(brokenBalance(stored, refunds))
  })

  itIn("an unknown refund stays reserved; the rest can be refunded, and no more", world(), function* (own) {
    const payment = yield* captured
    own.provider.onRefund = silent
    yield* asked(payment, [700, "pointsman/ResultUnknown"])
    own.provider.onRefund = pending
    const waits = "pointsman/RefundPending"
    yield* asked(payment, [null, waits])
    assert.strictEqual(own.provider.refunds[1]?.money.minorUnits, 300)
    yield* asked(payment, [null, waits], [1, waits])
    assert.lengthOf(own.provider.refunds, 2)
    const { payment: stored } = yield* bookOf(payment)
    assert.deepInclude(stored, { state: "Captured", refundedMinor: 0, refundPendingMinor: 1000 })
  })

  const many = world({ yieldBetween: true })
  itIn("ten of 64 refunds at once of a tenth each reach the provider", many, function* (own) {
    const payment = yield* captured
    const answers = yield* Effect.forEach(Array.from({ length: 64 }), () => refund(payment, 100), {
      concurrency: "unbounded"
    })
    assert.lengthOf(answers.filter(Result.isSuccess), 10)
    assert.lengthOf(own.provider.refunds, 10)
    const { payment: stored, refunds } = yield* bookOf(payment)
    assert.deepInclude(stored, { state: "Refunded", refundedMinor: 1000, refundPendingMinor: 0 })
    assert.isUndefined(brokenBalance(stored, refunds))
  })
})

describe("a refund's key", () => {
  itIn("a key with another amount is refused, even if both have the same effect", world(), function* (own) {
    const payment = yield* captured
    yield* asked(payment, [1000, "Refunded 1000", "refund-01"])
    const reused = "pointsman/KeyReused"
    yield* asked(payment, [null, reused, "refund-01"], [5000, reused, "refund-01"])
    assert.lengthOf(own.provider.refunds, 1)
  })

  itIn("a clamped amount asked for again is the same refund", world(), function* (own) {
    const payment = yield* captured
    yield* asked(payment, [5000, "Refunded 1000", "refund-01"], [5000, "Refunded 1000", "refund-01"])
    assert.lengthOf(own.provider.refunds, 1)
  })

  for (const [said, answer, first, later] of [
    ["succeeded", undefined, "PartiallyRefunded 600", "Refunded 1000"],
    ["pending", pending, "pointsman/RefundPending", "pointsman/RefundPending"],
    ["unknown", silent, "pointsman/ResultUnknown", "pointsman/RefundPending"],
    [
      "refused",
      () => Effect.succeed<RefundAnswer>({ _tag: "Rejected", code: "no", message: "Not today." }),
      "pointsman/ProviderRefused",
      "pointsman/ProviderRefused"
    ]
  ] as const) {
    itIn(`a key of a ${said} refund answers as stored for 24 hours, then by the record`, world(), function* (own) {
      const payment = yield* captured
      const { onRefund } = own.provider
      if (answer !== undefined) own.provider.onRefund = answer
      assert.strictEqual(told(yield* refund(payment, 600, "refund-01")), first)
      own.provider.onRefund = onRefund
      yield* refund(payment, 400, "refund-02")
      yield* TestClock.adjust(24 * hour - 1)
      assert.strictEqual(told(yield* refund(payment, 600, "refund-01")), first)
      yield* TestClock.adjust(1)
      assert.strictEqual(told(yield* refund(payment, 600, "refund-01")), later)
      assert.lengthOf(own.provider.refunds, 2)
    })
  }
})

describe("a payment without captured money", () => {
  itIn("nothing can be refunded when authorized, voided or declined", world(), function* (own, pointsman) {
    const payment = yield* authorized
    assert.strictEqual(told(yield* refund(payment, null)), "pointsman/NotRefundable")
    yield* pointsman.void(caller, { paymentId: payment.id, idempotencyKey: null })
    assert.strictEqual(told(yield* refund(payment, null)), "pointsman/NotRefundable")
    own.provider.onCharge = () =>
      Effect.succeed({ _tag: "Declined", providerRef: null, category: "expired_card", code: "expired", soft: false })
    const declined = yield* pointsman.create(caller, request())
    assert.strictEqual(told(yield* refund(declined.payment, null)), "pointsman/NotRefundable")
    assert.lengthOf(own.provider.refunds, 0)
  })

  itIn("only the captured part of an authorization can be refunded", world(), function* (own, pointsman) {
    const payment = yield* authorized
    yield* pointsman.capture(caller, { paymentId: payment.id, amountMinor: 700, idempotencyKey: null })
    assert.strictEqual(told(yield* refund(payment, null)), "Refunded 700")
    assert.strictEqual(own.provider.refunds[0]?.money.minorUnits, 700)
  })
})

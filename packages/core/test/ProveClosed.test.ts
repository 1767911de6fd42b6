/** Closed payments compared with their providers' records, within a budget. */
import { assert, describe } from "@effect/vitest"
import { Metrics, Pointsman, type PointsmanOptions, type ProofCounts } from "@pointsman/core"
import { type ChargeState, type FoundRefund, Unanswered } from "@pointsman/core/ports"
import { Clock, Effect, Metric } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { authorized, created, operate } from "./support/Operations.ts"
import { stored } from "./support/Pages.ts"
import { world } from "./support/World.ts"

const providerRef = "ref"
const captured = (minorUnits = 1999): ChargeState => ({
  _tag: "Captured",
  providerRef,
  stated: { currency: "EUR", minorUnits }
})
const none: ProofCounts = { agreed: 0, differs: 0, unanswered: 0, unsupported: 0 }

const scene = (options: PointsmanOptions = { proofLookUpsPerDay: 24 }) => {
  const own = world({ ...options, connections: [{ id: "main" }] })
  own.provider.onCharge = () => Effect.succeed(captured())
  const answers = (state: ChargeState, refunds: ReadonlyArray<FoundRefund> = []) => {
    own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state, refunds })
  }
  answers(captured())
  own.provider.onLookUpRefund = () => Effect.fail(new Unanswered({ reason: "time-out" }))
  const { lookUps, refundLookUps } = own.provider
  return { ...own, answers, asked: () => [lookUps.length, refundLookUps.length] }
}

const pay = created()

const prove = Effect.flatMap(Pointsman, ({ proveClosed }) => proveClosed)

/** Lets the pauses between lookups pass. */
const inTime = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(work)
    while (fiber.pollUnsafe() === undefined) yield* TestClock.adjust("1 second")
  })

/** Ten minutes at a time, as the background asks. */
const passing = Effect.fnUntraced(function* (hours: number, pointsman: ReadonlyArray<Pointsman["Service"]>) {
  let counts = none
  for (let tick = 0; tick < hours * 6; tick++) {
    yield* TestClock.adjust("10 minutes")
    for (const { proveClosed } of pointsman) {
      const more = yield* proveClosed
      counts = {
        agreed: counts.agreed + more.agreed,
        differs: counts.differs + more.differs,
        unanswered: counts.unanswered + more.unanswered,
        unsupported: counts.unsupported + more.unsupported
      }
    }
  }
  return counts
})

describe("what is compared", () => {
  itIn("a captured payment agrees with the provider's record, and nothing is written", scene(), function* (own) {
    const payment = yield* pay
    yield* TestClock.adjust("2 hours")
    assert.deepStrictEqual(yield* prove, { ...none, agreed: 1 })
    assert.deepStrictEqual(yield* stored(payment), payment)
    // The hour's lookups were made.
    assert.deepStrictEqual(yield* prove, none)
    assert.deepStrictEqual(own.asked(), [1, 0])
  })

  itIn("no payment that is new, old, open or under review is looked up", scene(), function* (own) {
    yield* pay
    yield* TestClock.adjust("59 minutes")
    assert.deepStrictEqual(yield* prove, none)
    yield* TestClock.adjust("31 days")
    assert.deepStrictEqual(yield* prove, none)
    own.provider.onCharge = () => Effect.succeed({ _tag: "Authorized", providerRef: "held" })
    yield* authorized
    own.provider.onCharge = () => Effect.succeed({ ...captured(2500), providerRef: "other" })
    yield* pay
    yield* TestClock.adjust("3 hours")
    assert.deepStrictEqual(yield* prove, none)
    assert.deepStrictEqual(own.asked(), [0, 0])
  })

  itIn("a voided payment that the provider captured differs, and operations see it", scene(), function* (own) {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Authorized", providerRef })
    const payment = yield* authorized
    yield* operate("void", payment.id)
    assert.strictEqual((yield* stored(payment)).state, "Voided")
    yield* TestClock.adjust("2 hours")
    const counter = Metrics.proofLookUps("main", "differs")
    const { count } = yield* Metric.value(counter)
    assert.deepStrictEqual(yield* prove, { ...none, differs: 1 })
    assert.strictEqual((yield* Metric.value(counter)).count, count + 1)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.review?.reasons], ["Captured", ["conflict"]])
  })

  itIn("a refund made at the provider differs once when the charge is looked up", scene(), function* (own) {
    const payment = yield* pay
    const stated = { currency: "EUR", minorUnits: 400 }
    own.answers(captured(), [{ refundId: null, state: { _tag: "Succeeded", providerRefundId: "re_hand", stated } }])
    yield* TestClock.adjust("2 hours")
    assert.deepStrictEqual(yield* prove, { ...none, differs: 1 })
    assert.strictEqual((yield* stored(payment)).refundedMinor, 400)
    yield* TestClock.adjust("2 hours")
    assert.strictEqual((yield* prove).differs, 0)
    assert.strictEqual((yield* stored(payment)).refundedMinor, 400)
  })

  itIn("a failed refund whose message was lost is found within the budget", scene(), function* (own) {
    const payment = yield* pay
    yield* operate("refund", payment.id, { amountMinor: 500 })
    assert.strictEqual((yield* stored(payment)).refundedMinor, 500)
    own.provider.onLookUpRefund = ({ providerRefundId: id }) => {
      const state = { _tag: "RefundFailed", providerRefundId: id ?? "", reason: "closed account" } as const
      return Effect.succeed({ _tag: "Found", state })
    }
    const counts = yield* passing(48, [yield* Pointsman])
    assert.strictEqual(counts.differs, 1)
    // An hour without a payment that was old enough.
    const [charges = 0, refunds = 0] = own.asked()
    assert.isAtMost(charges + refunds, 48)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.refundedMinor, after.review?.reasons], [0, ["reversal"]])
  })
})

describe("the budget", () => {
  for (const [perDay, days] of [
    [5, 3],
    [24, 2],
    [100, 2]
  ] as const) {
    const own = scene({ proofLookUpsPerDay: perDay })
    itIn(`two processes make ${perDay} lookups a day: each of ${days} days has ${perDay}`, own, function* () {
      const ofDay = new Map<number, number>()
      const { onLookUpCharge } = own.provider
      own.provider.onLookUpCharge = (request) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const day = Math.floor(now / 86_400_000)
          ofDay.set(day, (ofDay.get(day) ?? 0) + 1)
          return onLookUpCharge(request)
        })
      yield* pay
      yield* TestClock.adjust("1 day")
      yield* inTime(passing(days * 24, [yield* Pointsman, yield* own.another]))
      for (let day = 1; day <= days; day++) assert.strictEqual(ofDay.get(day), perDay)
    })
  }

  itIn("nothing is asked without a budget", scene({}), function* (own) {
    yield* pay
    assert.deepStrictEqual(yield* passing(24, [yield* Pointsman]), none)
    assert.deepStrictEqual(own.asked(), [0, 0])
  })

  const often = { proofLookUpsPerDay: 24 * 10 }
  itIn("the rest of the hour is left out if the provider does not answer", scene(often), function* (own) {
    const payment = yield* pay
    yield* TestClock.adjust("2 hours")
    own.provider.onLookUpCharge = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    yield* inTime(prove)
    assert.deepStrictEqual(own.asked(), [3, 0])
    assert.deepStrictEqual(yield* stored(payment), payment)
  })

  itIn("a connection without the lookup is asked once an hour, and not of refunds", scene(often), function* (own) {
    yield* pay
    yield* TestClock.adjust("2 hours")
    own.provider.onLookUpCharge = () => Effect.fail(new Unanswered({ reason: "no lookup", isUnsupported: true }))
    assert.deepStrictEqual(yield* prove, { ...none, unsupported: 1 })
    assert.deepStrictEqual(own.asked(), [1, 0])
  })
})

/** A correction is approved for the attempt, the operation and the amount that it was proposed for, and for no others. */
import { assert } from "@effect/vitest"
import { type OperatorStatement, openCorrection, type Payment, Pointsman } from "@pointsman/core"
import { Unanswered } from "@pointsman/core/ports"
import { Effect } from "effect"
import { itIn } from "./support/ItIn.ts"
import { say } from "./support/Messages.ts"
import { ann, authorized, chargeSays, jo, operate } from "./support/Operations.ts"
import { bookOf, stored } from "./support/Pages.ts"
import { tenant, type World, world } from "./support/World.ts"

const operationsOf = (payment: Payment) => Effect.map(bookOf(payment), ({ operations }) => operations)

/** An authorized payment of 19.99 EUR with a capture of 6.00 EUR that the provider did not answer, and Jo's statement. */
const proposed = Effect.fnUntraced(function* (own: World, stated: OperatorStatement) {
  const payment = yield* authorized
  own.provider.onCapture = () => Effect.fail(new Unanswered({ reason: "time-out" }))
  yield* operate("capture", payment.id, { amountMinor: 600 })
  const order = { tenant, paymentId: payment.id, evidence: "the dashboard", by: "Jo", person: jo, stated }
  const correction = openCorrection(yield* (yield* Pointsman).resolveReview(order))
  assert.exists(correction)
  const [capture] = yield* operationsOf(payment)
  assert.exists(capture)
  return { payment, correction, capture }
})

const approve = (payment: Payment, correctionId: string) =>
  Effect.flatMap(Pointsman, ({ approveCorrection }) =>
    approveCorrection({ tenant, paymentId: payment.id, correctionId, by: ann })
  )

/** The provider states that a capture failed for good. */
const fails = (operationId: string) =>
  say({ _tag: "Operation", operationId, state: () => ({ _tag: "OperationFailed", isFinal: true, reason: null }) })

const named = world({ fourEyes: {} })
itIn("a proposal without attempt and amount is stored with those that it applies to", named, function* () {
  const { capture, correction } = yield* proposed(named, chargeSays("captured"))
  const { attemptId, ...target } = correction.target
  assert.deepStrictEqual(target, { operationId: capture.id, amountMinor: 600 })
  assert.match(attemptId ?? "", /^att_/u)
})

for (const says of ["captured", "capture_failed"] as const) {
  const own = world({ fourEyes: {} })
  itIn(`an approval of ${says} with nothing new is written to that capture`, own, function* () {
    const { correction, payment } = yield* proposed(own, chargeSays(says))
    const { correction: decided, payment: after } = yield* approve(payment, correction.id)
    assert.deepStrictEqual(
      [decided.state, after.state, after.capturedMinor],
      ["approved", ...(says === "captured" ? (["Captured", 600] as const) : (["Authorized", 0] as const))]
    )
  })
}

const confirmed = world({ fourEyes: {} })
itIn("capture_failed is overtaken when that capture ended and a later one is confirmed", confirmed, function* () {
  const { capture, correction, payment } = yield* proposed(confirmed, chargeSays("capture_failed"))
  yield* fails(capture.id)
  confirmed.provider.onCapture = ({ money, providerRef }) =>
    Effect.succeed({ _tag: "Captured", providerRef, stated: money })
  yield* operate("capture", payment.id, { amountMinor: 1999 })
  const before = yield* stored(payment)
  assert.deepStrictEqual([before.state, before.capturedMinor], ["Captured", 1999])
  const [, later] = yield* operationsOf(payment)
  const { correction: decided, payment: after } = yield* approve(payment, correction.id)
  const { attemptId } = correction.target
  assert.deepStrictEqual(
    [decided.state, decided.decision?.reason],
    [
      "overtaken",
      `it was proposed for attempt ${attemptId}, operation ${capture.id}, amount 600, and now applies to attempt ${attemptId}, operation ${later?.id}, amount 1999`
    ]
  )
  assert.deepStrictEqual([after.state, after.capturedMinor, after.review], ["Captured", 1999, null])
  assert.strictEqual((yield* operationsOf(payment))[1]?.outcome, "Confirmed")
})

for (const amountMinor of [null, 600]) {
  const own = world({ fourEyes: {} })
  itIn(`captured with amount ${amountMinor} is overtaken; a later unknown one stays`, own, function* () {
    const { capture, correction, payment } = yield* proposed(own, chargeSays("captured", { amountMinor }))
    yield* fails(capture.id)
    yield* operate("capture", payment.id, { amountMinor: 1500 })
    const { correction: decided, payment: after } = yield* approve(payment, correction.id)
    assert.strictEqual(decided.state, "overtaken")
    assert.deepStrictEqual([after.state, after.capturedMinor], ["CaptureUnknown", 0])
    assert.strictEqual((yield* operationsOf(payment))[1]?.outcome, "Unanswered")
  })
}

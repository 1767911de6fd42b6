/**
 * Captures and voids whose answer comes when the payment has moved on, or of which a lookup found nothing while the
 * provider had executed them, and took them back since. A reversal is a new fact, not an old message.
 */
import { assert, describe } from "@effect/vitest"
import type { Payment } from "@pointsman/core"
import { type ChargeState, Ledger } from "@pointsman/core/ports"
import { Deferred, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { authorized, operate, told } from "./support/Operations.ts"
import { bookOf, stored, typesOf } from "./support/Pages.ts"
import {
  answering,
  asks,
  canceled,
  captured,
  capturedBy,
  charge,
  checkedAfter,
  failed,
  authorized as held,
  itWalks,
  operation,
  rejected,
  type Start,
  type Step,
  stating,
  tells,
  unanswered,
  voidedBy
} from "./support/Statements.ts"
import { assertFields } from "./support/Steps.ts"
import { runOut, tenant, type World, world } from "./support/World.ts"

const minute = 60_000
const slow = { claimWindowMillis: 15 * minute, providerTimeoutMillis: 10 * 60 * minute }

const ask = (kind: "capture" | "void", { id }: Payment, idempotencyKey: string) => operate(kind, id, { idempotencyKey })

/** What a lookup does that finds nothing, conclusively: the operation is settled as not executed. */
const foundNothing = (of: Payment) =>
  Effect.gen(function* () {
    const { operations, payment } = yield* bookOf(of)
    const last = operations.at(-1)
    assert(last !== undefined)
    const after = { ...payment, state: "Authorized" as const, version: payment.version + 1 }
    yield* (yield* Ledger).commit({
      tenant,
      payment: { expected: payment.version, after },
      attempts: [],
      operations: [{ ...last, outcome: "NotFound" }],
      events: []
    })
  })

/** A first operation whose answer is still out, unknown to its key, and settled as not executed. */
const outstanding = (kind: "capture" | "void", { provider }: World, payment: Payment) =>
  Effect.gen(function* () {
    const gate = yield* Deferred.make<"done" | "rejected">()
    const { onCapture, onVoid } = provider
    const answer = <A>(done: Effect.Effect<A>) =>
      Effect.flatMap(Deferred.await(gate), (how) => (how === "done" ? Effect.asSome(done) : Effect.succeedNone)).pipe(
        Effect.map(Option.getOrElse(() => rejected))
      )
    provider.onCapture = (asked) => answer(Effect.orDie(onCapture(asked)))
    provider.onVoid = (asked) => answer(Effect.orDie(onVoid(asked)))
    const fiber = yield* Effect.forkDetach(ask(kind, payment, "operation-1"), { startImmediately: true })
    yield* TestClock.adjust(15 * minute)
    assert.strictEqual(told(yield* ask(kind, payment, "operation-1")), "pointsman/ResultUnknown")
    yield* foundNothing(payment)
    provider.onCapture = onCapture
    provider.onVoid = onVoid
    return { gate, fiber }
  })

const stateOf = (payment: Payment) => Effect.map(stored(payment), ({ state }) => state)

const lastEvents = (payment: Payment) => Effect.map(typesOf(payment), (types) => types.slice(-2))

itIn("the timeline has that it states more than was asked", world(slow), function* (own) {
  const payment = yield* authorized
  const gate = yield* Deferred.make<void>()
  const stated = { minorUnits: 5000, currency: "EUR" }
  own.provider.onCapture = ({ providerRef }) =>
    Effect.as(Deferred.await(gate), { _tag: "Captured", providerRef, stated } as const)
  const first = yield* Effect.forkDetach(ask("capture", payment, "operation-1"), { startImmediately: true })
  yield* TestClock.adjust(15 * minute)
  assert.strictEqual(told(yield* ask("capture", payment, "operation-1")), "pointsman/ResultUnknown")
  yield* Deferred.succeed(gate, undefined)
  yield* runOut(first)
  assert.strictEqual(yield* stateOf(payment), "CaptureUnknown")
  assert.deepStrictEqual(yield* lastEvents(payment), ["payment.capture_unknown", "payment.amount_mismatch"])
})

describe("an older operation's answer", () => {
  itIn("a refusal while a newer capture is in flight lets that one continue", world(slow), function* (own) {
    const payment = yield* authorized
    const first = yield* outstanding("capture", own, payment)
    const gate = yield* Deferred.make<void>()
    const { onCapture } = own.provider
    own.provider.onCapture = (asked) => Effect.andThen(Deferred.await(gate), onCapture(asked))
    const second = yield* Effect.forkDetach(ask("capture", payment, "operation-2"), { startImmediately: true })
    assert.strictEqual(yield* stateOf(payment), "Capturing")
    yield* Deferred.succeed(first.gate, "rejected")
    yield* runOut(first.fiber)
    assert.strictEqual(yield* stateOf(payment), "Capturing")
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual(told(yield* runOut(second)), "Captured")
  })

  const confirming = world(slow)
  itIn("a confirmation while a newer capture is in flight counts, and that one conflicts", confirming, function* () {
    const payment = yield* authorized
    const first = yield* outstanding("capture", confirming, payment)
    const gate = yield* Deferred.make<void>()
    confirming.provider.onCapture = () => Effect.as(Deferred.await(gate), rejected)
    const second = yield* Effect.forkDetach(ask("capture", payment, "operation-2"), { startImmediately: true })
    yield* Deferred.succeed(first.gate, "done")
    yield* runOut(first.fiber)
    assert.strictEqual(yield* stateOf(payment), "Captured")
    yield* Deferred.succeed(gate, undefined)
    assert.strictEqual(told(yield* runOut(second)), "pointsman/StateConflict")
    assert.strictEqual(yield* stateOf(payment), "Captured")
  })

  const voided = world(slow)
  itIn("a capture confirmed after a newer void counts, and the timeline has the conflict", voided, function* () {
    const payment = yield* authorized
    const first = yield* outstanding("capture", voided, payment)
    assert.strictEqual(told(yield* ask("void", payment, "operation-2")), "Voided")
    yield* Deferred.succeed(first.gate, "done")
    yield* runOut(first.fiber)
    assert.strictEqual(yield* stateOf(payment), "Captured")
    assert.deepStrictEqual(yield* lastEvents(payment), ["payment.conflict", "payment.captured"])
    assert.strictEqual(told(yield* ask("capture", payment, "operation-1")), "pointsman/ResultUnknown")
  })

  itIn("a void confirmed after a lookup found nothing of it ends the authorization", world(slow), function* (own) {
    const payment = yield* authorized
    const first = yield* outstanding("void", own, payment)
    assert.strictEqual(yield* stateOf(payment), "Authorized")
    yield* Deferred.succeed(first.gate, "done")
    yield* runOut(first.fiber)
    assert.strictEqual(yield* stateOf(payment), "Voided")
    assert.strictEqual(told(yield* ask("capture", payment, "operation-2")), "pointsman/NotCapturable")
  })

  itIn("a capture newer than a confirmed void is kept", world(slow), function* (own) {
    const payment = yield* authorized
    const first = yield* outstanding("void", own, payment)
    assert.strictEqual(told(yield* ask("capture", payment, "operation-2")), "Captured")
    yield* Deferred.succeed(first.gate, "done")
    yield* runOut(first.fiber)
    assert.strictEqual(yield* stateOf(payment), "Captured")
  })
})

const doneBy = { capture: captured, void: canceled } as const
const finds = (state: ChargeState) => answering({ onLookUpCharge: () => Effect.succeed({ _tag: "Found", state }) })

/** Unanswered, and not in the provider's record when it is looked up. */
const notFound = (kind: "capture" | "void"): Start =>
  Effect.fnUntraced(function* (own) {
    const payment = yield* (kind === "capture" ? capturedBy(unanswered) : voidedBy(unanswered))(own)
    for (const step of [finds(held), checkedAfter("2 minutes")]) yield* step(payment, own)
    assertFields((yield* bookOf(payment)).operations, "outcome", "NotFound")
    return payment
  })

for (const kind of ["capture", "void"] as const) {
  const done = kind === "capture" ? "Captured 1999" : "Voided 0"

  describe(`a ${kind} that a lookup found not executed`, () => {
    const conflict: Step = (payment, own) =>
      Effect.flatMap(bookOf(payment), ({ operations: [first] }) =>
        tells("payment.conflict", (data) => [data["operation_id"], data["stated"]], [first?.id, "OperationFailed"])(
          payment,
          own
        )
      )
    itWalks("operators review a failure after the success", notFound(kind), [
      [charge(doneBy[kind], 5), done],
      [operation(failed, 10), `${done} conflict`, conflict]
    ])

    itWalks("a success after its failure counts only where it is dated after the failure", notFound(kind), [
      [[operation(failed, 10), charge(doneBy[kind], 5)], "Authorized 0"],
      [charge(doneBy[kind], 11), done]
    ])

    const confirms = answering({
      onCapture: () => Effect.succeed(doneBy.capture),
      onVoid: () => Effect.succeed(doneBy.void)
    })
    itWalks(`operators review nothing when a ${kind} fails and another was confirmed`, notFound(kind), [
      [[confirms, asks(kind, "done"), operation(failed, 10, 0)], done]
    ])
  })
}

describe("a capture that nobody answered, beside one that a person made at the provider", () => {
  const euros = (minorUnits: number) => ({ minorUnits, currency: "EUR" })
  const ours = capturedBy(unanswered, 500)
  /** A person captured as much. */
  const byHand = (minorUnits: number) =>
    charge({ ...captured, capture: { id: "cp_hand", money: euros(minorUnits) } }, 5)

  for (const [title, hand, found, becomes, outcome] of [
    ["ours was not executed if the record shows only 300 by hand", 300, 300, "Captured 300", "NotFound"],
    ["ours was not executed if the record shows only 800 by hand", 800, 800, "Captured 800", "NotFound"],
    ["both count if the record shows 300 by hand and ours", 300, 800, "Captured 800", "Confirmed"],
    ["both count if the record shows 800 by hand and ours", 800, 1300, "Captured 1300", "Confirmed"],
    [
      "ours stays unknown if the record has more than both",
      300,
      900,
      "CaptureUnknown 0 unknown amount_mismatch",
      "Unanswered"
    ]
  ] as const) {
    const ended: Step = (payment) =>
      Effect.map(bookOf(payment), ({ operations }) => assertFields(operations, "outcome", outcome))
    itWalks(title, ours, [[[byHand(hand), finds(stating(found)), checkedAfter("2 minutes")], becomes, ended]])
  }

  itWalks("a message of the total by hand says nothing of ours", ours, [
    [[byHand(800), charge(stating(800), 6)], "CaptureUnknown 0 unknown"]
  ])
})

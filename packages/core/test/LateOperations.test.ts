/**
 * Captures and voids whose answer comes when the payment has moved on, or of which a lookup found nothing while the
 * provider had executed them, and took them back since. A reversal is a new fact, not an old message.
 */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import { type ChargeState, Ledger, type OperationState, Unanswered } from "@pointsman/core/ports"
import { Deferred, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import { ofAttempt, say } from "./support/Messages.ts"
import { authorized, operate, told } from "./support/Operations.ts"
import { attemptsOf, bookOf, stored, typesOf } from "./support/Pages.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, runOut, tenant, type World, world } from "./support/World.ts"

const minute = 60_000
const slow = { claimWindowMillis: 15 * minute, providerTimeoutMillis: 10 * 60 * minute }
const rejected = { _tag: "Rejected", code: "no", message: "Not today." } as const

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

const providerRef = "ref"
const held: ChargeState = { _tag: "Authorized", providerRef }
const failed: OperationState = { _tag: "OperationFailed", isFinal: true, reason: "no funds" }
const doneBy = {
  capture: { _tag: "Captured", providerRef },
  void: { _tag: "Canceled", providerRef }
} as const satisfies Record<string, ChargeState>

const failure = (payment: Payment, at: number) =>
  Effect.flatMap(bookOf(payment), ({ operations }) =>
    say({ _tag: "Operation", operationId: operations.at(-1)?.id ?? "", state: () => failed }, { at })
  )

const charge = (payment: Payment, state: ChargeState, at: number) =>
  Effect.flatMap(attemptsOf(payment), ([attempt]) => say(ofAttempt(attempt, state), { at }))

/** Unanswered, and not in the provider's record when it is looked up. */
const notFound = Effect.fnUntraced(function* (own: World, kind: "capture" | "void") {
  own.provider.onCharge = () => Effect.succeed(held)
  const payment = yield* authorized
  const unanswered = Effect.fail(new Unanswered({ reason: "no answer" }))
  own.provider.onCapture = () => unanswered
  own.provider.onVoid = () => unanswered
  yield* operate(kind, payment.id)
  own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state: held })
  yield* TestClock.adjust("2 minutes")
  yield* Effect.repeat((yield* Pointsman).checkDue, { while: (count) => count > 0 })
  const { operations } = yield* bookOf(payment)
  assert.deepStrictEqual(
    operations.map(({ outcome }) => outcome),
    ["NotFound"]
  )
  return payment
})

const reasons = (payment: Payment) => Effect.map(stored(payment), ({ review }) => review?.reasons ?? [])

const conflictsOf = (payment: Payment) =>
  Effect.map(
    Effect.flatMap(Ledger, (ledger) => ledger.timeline(tenant, payment.id, { limit: 100 })),
    (events) => events.filter(({ type }) => type === "payment.conflict").map(({ data }) => data)
  )

for (const kind of ["capture", "void"] as const) {
  const done = kind === "capture" ? "Captured" : "Voided"

  describe(`a ${kind} that a lookup found not executed`, () => {
    itHere(`operators review a failure after the success`, function* (own) {
      const payment = yield* notFound(own, kind)
      yield* charge(payment, doneBy[kind], 5)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], [done, []])
      yield* failure(payment, 10)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], [done, ["conflict"]])
      const [operation] = (yield* bookOf(payment)).operations
      const [conflict] = yield* conflictsOf(payment)
      assert.deepInclude(conflict, { operation_id: operation?.id, stated: "OperationFailed" })
    })

    itHere(`a success after its failure counts only where it is dated after the failure`, function* (own) {
      const payment = yield* notFound(own, kind)
      yield* failure(payment, 10)
      yield* charge(payment, doneBy[kind], 5)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Authorized", []])
      yield* charge(payment, doneBy[kind], 11)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], [done, []])
    })

    itHere(`operators review nothing when a ${kind} fails and another was confirmed`, function* (own) {
      const payment = yield* notFound(own, kind)
      const [first] = (yield* bookOf(payment)).operations
      own.provider.onCapture = () => Effect.succeed(doneBy.capture)
      own.provider.onVoid = () => Effect.succeed(doneBy.void)
      yield* operate(kind, payment.id)
      yield* say({ _tag: "Operation", operationId: first?.id ?? "", state: () => failed }, { at: 10 })
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], [done, []])
    })
  })
}

describe("a capture that nobody answered, beside one that a person made at the provider", () => {
  const euros = (minorUnits: number) => ({ minorUnits, currency: "EUR" })
  const taken = (minorUnits: number): ChargeState => ({ _tag: "Captured", providerRef, stated: euros(minorUnits) })

  /** Ours of 500 is unknown, and a person captured as much as is said. */
  const besides = Effect.fnUntraced(function* (own: World, byHand: number) {
    own.provider.onCharge = () => Effect.succeed(held)
    const pointsman = yield* Pointsman
    const payment = yield* authorized
    own.provider.onCapture = () => Effect.fail(new Unanswered({ reason: "no answer" }))
    yield* Effect.exit(pointsman.capture(caller, { paymentId: payment.id, idempotencyKey: null, amountMinor: 500 }))
    const capture = { id: "cp_hand", money: euros(byHand) }
    yield* charge(payment, { _tag: "Captured", providerRef, capture }, 5)
    return payment
  })

  for (const [title, byHand, found, state, outcome, ...reviewed] of [
    ["ours was not executed if the record shows only 300 by hand", 300, 300, "Captured", "NotFound"],
    ["ours was not executed if the record shows only 800 by hand", 800, 800, "Captured", "NotFound"],
    ["both count if the record shows 300 by hand and ours", 300, 800, "Captured", "Confirmed"],
    ["both count if the record shows 800 by hand and ours", 800, 1300, "Captured", "Confirmed"],
    [
      "ours stays unknown if the record has more than both",
      300,
      900,
      "CaptureUnknown",
      "Unanswered",
      "unknown",
      "amount_mismatch"
    ]
  ] as const) {
    itHere(title, function* (own) {
      const payment = yield* besides(own, byHand)
      own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state: taken(found) })
      yield* TestClock.adjust("2 minutes")
      yield* Effect.repeat((yield* Pointsman).checkDue, { while: (count) => count > 0 })
      const { operations, payment: now } = yield* bookOf(payment)
      assert.deepStrictEqual([now.state, now.review?.reasons ?? []], [state, reviewed])
      assertFields(operations, "outcome", outcome)
      if (state === "Captured") assert.strictEqual(now.capturedMinor, found)
    })
  }

  itHere("a message of the total by hand says nothing of ours", function* (own) {
    const payment = yield* besides(own, 800)
    yield* charge(payment, taken(800), 6)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["CaptureUnknown", ["unknown"]])
  })
})

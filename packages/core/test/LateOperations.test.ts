/** Captures and voids whose answer comes when the payment has moved on. */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import { Ledger } from "@pointsman/core/ports"
import { Deferred, Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { operate } from "./support/Operations.ts"
import { caller, request, runOut, tenant, type World, world } from "./support/World.ts"

const minute = 60_000
const slow = { claimWindowMillis: 15 * minute, providerTimeoutMillis: 10 * 60 * minute }
const rejected = { _tag: "Rejected", code: "no", message: "Not today." } as const

const authorized = Effect.gen(function* () {
  const pointsman = yield* Pointsman
  return (yield* pointsman.create(caller, request({ details: { captureMethod: "manual" } }))).payment
})

const ask = (kind: "capture" | "void", { id }: Payment, idempotencyKey: string) => operate(kind, id, { idempotencyKey })

const told = <E extends { readonly _tag: string }>(answer: Result.Result<{ readonly payment: Payment }, E>) =>
  Result.isFailure(answer) ? answer.failure._tag : answer.success.payment.state

/** What a lookup does that finds nothing, conclusively: the operation is settled as not executed. */
const foundNothing = ({ id }: Payment) =>
  Effect.gen(function* () {
    const ledger = yield* Ledger
    const book = Option.getOrThrow(yield* ledger.book(tenant, id))
    const last = book.operations.at(-1)
    assert.isDefined(last)
    if (last === undefined) return
    yield* ledger.commit({
      tenant,
      payment: {
        expected: book.payment.version,
        after: { ...book.payment, state: "Authorized", version: book.payment.version + 1 }
      },
      attempts: [],
      operations: [{ ...last, outcome: "NotFound" }],
      events: []
    })
  }).pipe(Effect.orDie)

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

const stateOf = ({ id }: Payment) =>
  Effect.gen(function* () {
    const pointsman = yield* Pointsman
    return (yield* pointsman.payment(tenant, id)).state
  })

const lastEvents = ({ id }: Payment, count: number) =>
  Effect.gen(function* () {
    const pointsman = yield* Pointsman
    const { items } = yield* pointsman.timeline(tenant, id, { limit: 100 })
    return items.slice(-count).map(({ type }) => type)
  })

describe("a response that arrives after a retry was told that the result is unknown", () => {
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
    assert.deepStrictEqual(yield* lastEvents(payment, 2), ["payment.capture_unknown", "payment.amount_mismatch"])
  })
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
    assert.deepStrictEqual(yield* lastEvents(payment, 2), ["payment.conflict", "payment.captured"])
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

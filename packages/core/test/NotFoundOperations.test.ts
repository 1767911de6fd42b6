/**
 * A capture or a void that a lookup found not executed, while the provider had executed it, and took it back since. Its
 * messages about both arrive later. A reversal is a new fact, not an old message.
 */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman } from "@pointsman/core"
import { type ChargeState, Ledger, type OperationState, type ProviderMessage, Unanswered } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { operate } from "./support/Operations.ts"
import { attemptsOf, stored } from "./support/Pages.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const providerRef = "ref"
const authorized: ChargeState = { _tag: "Authorized", providerRef }
const failed: OperationState = { _tag: "OperationFailed", isFinal: true, reason: "no funds" }
const doneBy = {
  capture: { _tag: "Captured", providerRef },
  void: { _tag: "Canceled", providerRef }
} as const satisfies Record<string, ChargeState>

let written = 0

const say = Effect.fnUntraced(function* (about: ProviderMessage["about"], at: number) {
  const message = { id: `msg_${++written}`, at, about }
  const { recordMessage } = yield* Pointsman
  yield* recordMessage({ connectionId: "main", tenant, receivedAt: 0, body: "{}", reason: null, message })
})

const recorded = (payment: Payment) =>
  Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.book(tenant, payment.id), Option.getOrThrow))

const failure = (payment: Payment, at: number) =>
  Effect.flatMap(recorded(payment), ({ operations }) =>
    say({ _tag: "Operation", operationId: operations.at(-1)?.id ?? "", state: () => failed }, at)
  )

const charge = (payment: Payment, state: ChargeState, at: number) =>
  Effect.flatMap(attemptsOf(payment), ([attempt]) =>
    say({ _tag: "Charge", charge: { attemptId: attempt?.id ?? "" }, state: () => state }, at)
  )

/** Unanswered, and not in the provider's record when it is looked up. */
const notFound = Effect.fnUntraced(function* (own: World, kind: "capture" | "void") {
  own.provider.onCharge = () => Effect.succeed(authorized)
  const pointsman = yield* Pointsman
  const { payment } = yield* pointsman.create(caller, request({ details: { captureMethod: "manual" } }))
  const unanswered = Effect.fail(new Unanswered({ reason: "no answer" }))
  own.provider.onCapture = () => unanswered
  own.provider.onVoid = () => unanswered
  yield* operate(kind, payment.id)
  own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state: authorized })
  yield* TestClock.adjust("2 minutes")
  yield* Effect.repeat(pointsman.checkDue, { while: (count) => count > 0 })
  const { operations } = yield* recorded(payment)
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
    itIn(`operators review a failure after the success`, world(), function* (own) {
      const payment = yield* notFound(own, kind)
      yield* charge(payment, doneBy[kind], 5)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], [done, []])
      yield* failure(payment, 10)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], [done, ["conflict"]])
      const [operation] = (yield* recorded(payment)).operations
      const evidence = { operation_id: operation?.id, stated: "OperationFailed" }
      const [conflict] = yield* conflictsOf(payment)
      assert.deepStrictEqual({ operation_id: conflict?.["operation_id"], stated: conflict?.["stated"] }, evidence)
    })

    itIn(`a success after its failure counts only where it is dated after the failure`, world(), function* (own) {
      const payment = yield* notFound(own, kind)
      yield* failure(payment, 10)
      yield* charge(payment, doneBy[kind], 5)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Authorized", []])
      yield* charge(payment, doneBy[kind], 11)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], [done, []])
    })

    itIn(`operators review nothing when a ${kind} fails and another was confirmed`, world(), function* (own) {
      const payment = yield* notFound(own, kind)
      const [first] = (yield* recorded(payment)).operations
      own.provider.onCapture = () => Effect.succeed(doneBy.capture)
      own.provider.onVoid = () => Effect.succeed(doneBy.void)
      yield* operate(kind, payment.id)
      yield* say({ _tag: "Operation", operationId: first?.id ?? "", state: () => failed }, 10)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], [done, []])
    })
  })
}

describe("a capture that nobody answered, beside one that a person made at the provider", () => {
  const euros = (minorUnits: number) => ({ minorUnits, currency: "EUR" })
  const taken = (minorUnits: number): ChargeState => ({ _tag: "Captured", providerRef, stated: euros(minorUnits) })

  /** Ours of 500 is unknown, and a person captured as much as is said. */
  const besides = Effect.fnUntraced(function* (own: World, byHand: number) {
    own.provider.onCharge = () => Effect.succeed(authorized)
    const pointsman = yield* Pointsman
    const { payment } = yield* pointsman.create(caller, request({ details: { captureMethod: "manual" } }))
    own.provider.onCapture = () => Effect.fail(new Unanswered({ reason: "no answer" }))
    yield* Effect.exit(pointsman.capture(caller, { paymentId: payment.id, idempotencyKey: null, amountMinor: 500 }))
    const capture = { id: "cp_hand", money: euros(byHand) }
    yield* charge(payment, { _tag: "Captured", providerRef, capture }, 5)
    return payment
  })

  const lookedUp = Effect.fnUntraced(function* (own: World, state: ChargeState) {
    own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state })
    yield* TestClock.adjust("2 minutes")
    yield* Effect.repeat((yield* Pointsman).checkDue, { while: (count) => count > 0 })
  })

  const seen = Effect.fnUntraced(function* (payment: Payment) {
    const { operations, payment: now } = yield* recorded(payment)
    return [now.state, now.capturedMinor, operations.map(({ outcome }) => outcome), yield* reasons(payment)]
  })

  for (const byHand of [300, 800]) {
    itIn(`ours was not executed if the record shows only ${byHand} by hand`, world(), function* (own) {
      const payment = yield* besides(own, byHand)
      yield* lookedUp(own, taken(byHand))
      assert.deepStrictEqual(yield* seen(payment), ["Captured", byHand, ["NotFound"], []])
    })

    itIn(`both count if the record shows ${byHand} by hand and ours`, world(), function* (own) {
      const payment = yield* besides(own, byHand)
      yield* lookedUp(own, taken(byHand + 500))
      assert.deepStrictEqual(yield* seen(payment), ["Captured", byHand + 500, ["Confirmed"], []])
    })
  }

  itIn("a message of the total by hand says nothing of ours", world(), function* (own) {
    const payment = yield* besides(own, 800)
    yield* charge(payment, taken(800), 6)
    assert.deepStrictEqual((yield* seen(payment))[0], "CaptureUnknown")
    assert.deepStrictEqual(yield* reasons(payment), ["unknown"])
  })

  itIn("an operation stays unknown and is reviewed if the record has more than both", world(), function* (own) {
    const payment = yield* besides(own, 300)
    yield* lookedUp(own, taken(900))
    const [state, , , told] = yield* seen(payment)
    assert.deepStrictEqual([state, told], ["CaptureUnknown", ["unknown", "amount_mismatch"]])
  })
})

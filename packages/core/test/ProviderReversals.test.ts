/**
 * Statements of a provider that arrive early, late or against the record: none about money is dropped, and a reversal
 * is a new fact, not an old message.
 */
import { assert, describe } from "@effect/vitest"
import { type CaptureMethod, type Payment, Pointsman } from "@pointsman/core"
import {
  type ChargeState,
  Ledger,
  type OperationState,
  type ProviderMessage,
  type RefundState,
  Unanswered
} from "@pointsman/core/ports"
import { Effect, Fiber, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { operate } from "./support/Operations.ts"
import { attemptsOf, stored, typesOf } from "./support/Pages.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const providerRef = "ref"
const captured: ChargeState = { _tag: "Captured", providerRef }
const authorized: ChargeState = { _tag: "Authorized", providerRef }

let written = 0

const say = Effect.fnUntraced(function* (about: ProviderMessage["about"], at: number | null = 0) {
  const pointsman = yield* Pointsman
  const message = { id: `msg_${++written}`, at, about }
  yield* pointsman.recordMessage({ connectionId: "main", tenant, receivedAt: 0, body: "{}", reason: null, message })
})

const charge = (payment: Payment, state: ChargeState, at = 0) =>
  Effect.flatMap(attemptsOf(payment), ([attempt]) =>
    say({ _tag: "Charge", charge: { attemptId: attempt?.id ?? "" }, state: () => state }, at)
  )

const dispute = (payment: Payment, verdict: "opened" | "won" | "lost", at = 0) =>
  Effect.flatMap(attemptsOf(payment), ([attempt]) =>
    say({ _tag: "Dispute", charge: { attemptId: attempt?.id ?? "" }, disputeId: "dp_1", verdict }, at)
  )

const payout = (payment: Payment, at?: number) =>
  Effect.flatMap(attemptsOf(payment), ([attempt]) =>
    say({ _tag: "Settled", charge: { attemptId: attempt?.id ?? "" }, state: null }, at)
  )

const operationOf = Effect.fnUntraced(function* (payment: Payment) {
  const book = Option.getOrThrow(yield* (yield* Ledger).book(tenant, payment.id))
  return book.operations.at(-1) ?? assert.fail("the payment has no operation")
})

const refundOf = Effect.fnUntraced(function* (payment: Payment) {
  const book = Option.getOrThrow(yield* (yield* Ledger).book(tenant, payment.id))
  return book.refunds.at(-1) ?? assert.fail("the payment has no refund")
})

const operation = (payment: Payment, state: OperationState, at = 0) =>
  Effect.flatMap(operationOf(payment), ({ id }) => say({ _tag: "Operation", operationId: id, state: () => state }, at))

const refund = (payment: Payment, state: RefundState, at = 0) =>
  Effect.flatMap(refundOf(payment), ({ id }) => say({ _tag: "Refund", refundId: id, state: () => state }, at))

const failed: OperationState = { _tag: "OperationFailed", isFinal: true, reason: "no funds" }
const retried: OperationState = { _tag: "OperationFailed", isFinal: false, reason: "technical" }
const confirmed: OperationState = { _tag: "OperationConfirmed" }
const refundFailed: RefundState = { _tag: "RefundFailed", providerRefundId: "re", reason: "account closed" }
const refundDone: RefundState = { _tag: "Succeeded", providerRefundId: "re" }

const created = Effect.fnUntraced(function* (
  own: World,
  state: ChargeState | Unanswered,
  captureMethod: CaptureMethod = "automatic"
) {
  own.provider.onCharge = () => (state instanceof Unanswered ? Effect.fail(state) : Effect.succeed(state))
  return (yield* (yield* Pointsman).create(caller, request({ details: { captureMethod } }))).payment
})

/** A payment that is captured by an operation, and the answer that the provider gives to it. */
const capturedBy = Effect.fnUntraced(function* (own: World, answer: ChargeState = captured) {
  const payment = yield* created(own, authorized, "manual")
  own.provider.onCapture = () => Effect.succeed(answer)
  yield* operate("capture", payment.id, { idempotencyKey: "capture-key" })
  return payment
})

const refunded = Effect.fnUntraced(function* (own: World, amountMinor: number | null = null) {
  const payment = yield* created(own, captured)
  own.provider.onRefund = () => Effect.succeed(refundDone)
  yield* operate("refund", payment.id, { amountMinor, idempotencyKey: "refund-key" })
  return payment
})

const reasons = (payment: Payment) => Effect.map(stored(payment), ({ review }) => review?.reasons ?? [])

/** The dispute and what is stated, of each conflict on the timeline. */
const conflictsOf = (payment: Payment) =>
  Effect.map(
    Effect.flatMap(Ledger, (ledger) => ledger.timeline(tenant, payment.id, { limit: 100 })),
    (events) =>
      events
        .filter(({ type }) => type === "payment.conflict")
        .map(({ data }) => [data["dispute_id"] ?? null, data["stated"] ?? null])
  )

describe("a dispute before the payment is captured", () => {
  const unanswered = new Unanswered({ reason: "no answer" })
  for (const [name, state] of [
    ["UNKNOWN", unanswered],
    ["PENDING", { _tag: "Pending", providerRef }]
  ] as const) {
    itIn(`a dispute of a payment ${name} makes its capture CHARGEBACK, and not refundable`, world(), function* (own) {
      const payment = yield* created(own, state)
      yield* dispute(payment, "opened")
      yield* charge(payment, captured)
      assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
      assert.deepStrictEqual((yield* typesOf(payment)).slice(-2), ["payment.captured", "payment.chargeback"])
      const answer = yield* operate("refund", payment.id)
      assert.strictEqual(Result.isFailure(answer) && answer.failure._tag, "pointsman/NotRefundable")
      yield* dispute(payment, "won", 1)
      assert.strictEqual((yield* stored(payment)).state, "Captured")
    })
  }

  itIn("the capture confirmed after a dispute opened during it is CHARGEBACK", world(), function* (own) {
    const payment = yield* capturedBy(own, { _tag: "Pending", providerRef })
    yield* dispute(payment, "opened")
    assert.strictEqual((yield* stored(payment)).state, "CapturePending")
    yield* operation(payment, confirmed)
    assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
  })

  itIn("control: a dispute won before the charge was known leaves a capture CAPTURED", world(), function* (own) {
    const payment = yield* created(own, { _tag: "Pending", providerRef })
    yield* dispute(payment, "opened")
    yield* dispute(payment, "won", 1)
    yield* charge(payment, captured)
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })

  itIn("a payout stated while the charge is pending makes its capture SETTLED once", world(), function* (own) {
    const payment = yield* created(own, { _tag: "Pending", providerRef })
    yield* payout(payment)
    yield* charge(payment, captured)
    yield* payout(payment)
    assert.strictEqual((yield* stored(payment)).state, "Settled")
    assert.deepStrictEqual(
      (yield* typesOf(payment)).filter((type) => type === "payment.settled"),
      ["payment.settled"]
    )
  })

  const declined: ChargeState = { _tag: "Declined", providerRef, category: "other", code: "05", soft: false }
  for (const [name, captureMethod, end, state] of [
    ["declined", "automatic", declined, "Declined"],
    ["cancelled", "automatic", { _tag: "Canceled", providerRef }, "Cancelled"],
    ["authorized", "manual", authorized, "Authorized"]
  ] as const) {
    itIn(`operations review a dispute of a pending charge once when it is ${name}`, world(), function* (own) {
      const payment = yield* created(own, { _tag: "Pending", providerRef }, captureMethod)
      yield* dispute(payment, "opened")
      assert.deepStrictEqual(yield* reasons(payment), [])
      yield* charge(payment, end)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], [state, ["conflict"]])
      yield* dispute(payment, "opened")
      assert.deepStrictEqual(yield* conflictsOf(payment), [["dp_1", "dispute_opened"]])
    })
  }

  itIn("a capture that fails during a dispute has one review; the next one is CHARGEBACK", world(), function* (own) {
    const payment = yield* capturedBy(own, { _tag: "Pending", providerRef })
    yield* dispute(payment, "opened")
    yield* operation(payment, failed, 1)
    assert.deepStrictEqual(
      [(yield* stored(payment)).state, yield* reasons(payment), yield* conflictsOf(payment)],
      ["Authorized", ["conflict"], [["dp_1", "dispute_opened"]]]
    )
    own.provider.onCapture = () => Effect.succeed(captured)
    yield* operate("capture", payment.id)
    assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
  })

  itIn("operations review a dispute during a recorded capture that is given back unsent", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    // The claim is written, and its process is not told; what gives it back is not written at first.
    own.ledger.onCommit = (number) => (number === 3 ? "unheard" : number === 4 ? "unwritten" : undefined)
    yield* Effect.forkDetach(operate("capture", payment.id), { startImmediately: true })
    const claimed = yield* stored(payment)
    assert.strictEqual(claimed.state, "Capturing")
    // Another process records it: in this one the capture has its turn.
    const disputes = [{ disputeId: "dp_1", attemptId: "", verdict: "opened", at: 0 }] as const
    const reported = { isPaidOut: false, disputes, contradictions: [] }
    yield* (yield* Ledger).commit({
      ...{ tenant, attempts: [], events: [], checkAt: null },
      payment: { expected: claimed.version, after: { ...claimed, version: claimed.version + 1, reported } }
    })
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(
      [(yield* stored(payment)).state, yield* reasons(payment), yield* conflictsOf(payment)],
      ["Authorized", ["conflict"], [["dp_1", "dispute_opened"]]]
    )
  })

  itIn("operations review a dispute and a payout that came before a void is confirmed", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    own.provider.onVoid = () => Effect.succeed({ _tag: "Pending", providerRef })
    yield* operate("void", payment.id)
    yield* dispute(payment, "lost")
    yield* payout(payment)
    yield* operation(payment, confirmed)
    assert.deepStrictEqual(
      [(yield* stored(payment)).state, yield* reasons(payment), yield* conflictsOf(payment)],
      [
        "Voided",
        ["conflict"],
        [
          ["dp_1", "dispute_lost"],
          [null, "settled"]
        ]
      ]
    )
  })

  itIn("control: operations review no dispute won before its charge is declined", world(), function* (own) {
    const payment = yield* created(own, { _tag: "Pending", providerRef })
    yield* dispute(payment, "opened")
    yield* dispute(payment, "won", 1)
    yield* charge(payment, declined)
    assert.deepStrictEqual(yield* reasons(payment), [])
  })

  itIn("operations review the dispute of a declined payment once", world(), function* (own) {
    const payment = yield* created(own, { _tag: "Declined", providerRef, category: "other", code: "05", soft: false })
    yield* dispute(payment, "opened")
    yield* dispute(payment, "opened")
    assert.deepStrictEqual(yield* reasons(payment), ["conflict"])
    assert.deepStrictEqual(
      (yield* typesOf(payment)).filter((type) => type === "payment.conflict"),
      ["payment.conflict"]
    )
  })
})

describe("a refund that fails after it succeeded", () => {
  itIn("a full refund that failed at the provider is refundable again, and reviewed", world(), function* (own) {
    const payment = yield* refunded(own)
    assert.strictEqual((yield* stored(payment)).state, "Refunded")
    yield* refund(payment, refundFailed, 10)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.refundedMinor, after.refundPendingMinor], ["Captured", 0, 0])
    assert.deepStrictEqual(yield* reasons(payment), ["reversal"])
    assert.deepStrictEqual((yield* typesOf(payment)).slice(-2), ["payment.refunded", "payment.refund_failed"])
    assert.strictEqual((yield* refundOf(payment)).stage, "Reversed")
  })

  itIn("a reversed refund's success counts only where it is dated after the failure", world(), function* (own) {
    const payment = yield* refunded(own)
    yield* refund(payment, refundFailed, 10)
    yield* refund(payment, refundDone, 5)
    assert.strictEqual((yield* stored(payment)).refundedMinor, 0)
    yield* refund(payment, refundDone, 11)
    assert.strictEqual((yield* stored(payment)).state, "Refunded")
  })

  itIn("a full refund that is tried again is pending, and only a later success counts", world(), function* (own) {
    const payment = yield* refunded(own)
    const amounts = Effect.map(stored(payment), (now) => [now.state, now.refundedMinor, now.refundPendingMinor])
    yield* refund(payment, { ...refundFailed, isFinal: false }, 10)
    assert.deepStrictEqual(yield* amounts, ["Captured", 0, 1999])
    assert.deepStrictEqual(yield* reasons(payment), [])
    yield* refund(payment, { ...refundFailed, isFinal: false }, 10)
    yield* refund(payment, refundDone, 5)
    assert.deepStrictEqual(yield* amounts, ["Captured", 0, 1999])
    yield* refund(payment, refundDone, 11)
    assert.deepStrictEqual(yield* amounts, ["Refunded", 1999, 0])
    assert.deepStrictEqual((yield* typesOf(payment)).slice(-3), [
      "payment.refunded",
      "payment.refund_pending",
      "payment.refunded"
    ])
  })

  itIn("the amount of a refund that is tried again and fails for good is refundable", world(), function* (own) {
    const payment = yield* refunded(own)
    yield* refund(payment, { ...refundFailed, isFinal: false }, 10)
    yield* refund(payment, refundFailed, 11)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.refundedMinor, after.refundPendingMinor], ["Captured", 0, 0])
    assert.strictEqual((yield* refundOf(payment)).stage, "Failed")
  })

  itIn("one of two refunds reversed leaves a part; its request is refused after a day", world(), function* (own) {
    const payment = yield* created(own, captured)
    own.provider.onRefund = ({ refundId }) => Effect.succeed({ _tag: "Succeeded", providerRefundId: refundId })
    yield* operate("refund", payment.id, { amountMinor: 100, idempotencyKey: "first-refund" })
    yield* operate("refund", payment.id, { amountMinor: 200, idempotencyKey: "second-refund" })
    const { id } = yield* refundOf(payment)
    yield* say({ _tag: "Refund", refundId: id, state: () => ({ ...refundFailed, providerRefundId: id }) }, 10)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.refundedMinor], ["PartiallyRefunded", 100])
    const again = { amountMinor: 200, idempotencyKey: "second-refund" }
    assert.isTrue(Result.isSuccess(yield* operate("refund", payment.id, again)))
    yield* TestClock.adjust("25 hours")
    const late = yield* operate("refund", payment.id, again)
    assert.strictEqual(Result.isFailure(late) && late.failure._tag, "pointsman/ProviderRefused")
  })
})

describe("a capture that fails after the provider accepted or confirmed it", () => {
  itIn("a pending capture that fails for good is AUTHORIZED with a free key", world(), function* (own) {
    const payment = yield* capturedBy(own, { _tag: "Pending", providerRef })
    yield* operation(payment, failed, 10)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.capturedMinor, after.review], ["Authorized", 0, null])
    assert.strictEqual((yield* typesOf(payment)).at(-1), "payment.capture_failed")
    own.provider.onCapture = () => Effect.succeed(captured)
    const again = yield* operate("capture", payment.id, { idempotencyKey: "capture-key" })
    assert.isTrue(Result.isSuccess(again) && !again.success.isReplay)
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })

  for (const kind of ["capture", "void"] as const) {
    itIn(`a dead ${kind} conflicts when a failed capture is done: the ${kind} has ended`, world(), function* (own) {
      const payment = yield* capturedBy(own)
      const captureId = (yield* operationOf(payment)).id
      yield* operation(payment, failed, 10)
      own.provider.onCapture = () => Effect.never
      own.provider.onVoid = () => Effect.never
      const order = { idempotencyKey: "next-key" }
      yield* Effect.forkDetach(operate(kind, payment.id, order), { startImmediately: true })
      yield* say({ _tag: "Operation", operationId: captureId, state: () => confirmed }, 11)
      assert.strictEqual((yield* stored(payment)).state, "Captured")
      const { id, outcome } = yield* operationOf(payment)
      assert.notStrictEqual(id, captureId)
      assert.strictEqual(outcome, "Conflicted")
      const again = yield* operate(kind, payment.id, order)
      assert.strictEqual(Result.isFailure(again) && again.failure._tag, "pointsman/StateConflict")
      // What the provider did of it, if anything, is not what failed: nothing is taken back.
      yield* operation(payment, failed, 12)
      assert.strictEqual((yield* stored(payment)).capturedMinor, payment.authorizedMinor)
    })
  }

  itIn("a confirmed capture that fails captures nothing, also by older confirmations", world(), function* (own) {
    const payment = yield* capturedBy(own)
    yield* operation(payment, failed, 10)
    yield* operation(payment, confirmed, 5)
    yield* charge(payment, captured, 5)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.capturedMinor], ["Authorized", 0])
    yield* operation(payment, confirmed, 11)
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })

  itIn("a confirmed capture that the provider tries again is PENDING", world(), function* (own) {
    const payment = yield* capturedBy(own)
    yield* operation(payment, retried, 10)
    // The success before the failure arrives again, as a statement about the capture and about the charge.
    yield* operation(payment, confirmed, 5)
    yield* charge(payment, captured, 5)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.capturedMinor], ["CapturePending", 0])
    yield* operation(payment, confirmed, 11)
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })

  itIn("a refunded capture that fails is reviewed, and its refunds are closed", world(), function* (own) {
    const payment = yield* capturedBy(own)
    own.provider.onRefund = () => Effect.succeed(refundDone)
    yield* operate("refund", payment.id, { amountMinor: 100 })
    yield* operation(payment, failed, 10)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.refundedMinor], ["PartiallyRefunded", 100])
    assert.deepStrictEqual(yield* reasons(payment), ["conflict", "capture_failed"])
    const answer = yield* operate("refund", payment.id)
    assert.strictEqual(Result.isFailure(answer) && answer.failure._tag, "pointsman/NotRefundable")
  })

  itIn("a pending void that fails for good leaves the payment AUTHORIZED", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    own.provider.onVoid = () => Effect.succeed({ _tag: "Pending", providerRef })
    yield* operate("void", payment.id)
    yield* operation(payment, failed, 10)
    assert.strictEqual((yield* stored(payment)).state, "Authorized")
    assert.strictEqual((yield* typesOf(payment)).at(-1), "payment.void_failed")
  })

  itIn("operations review a confirmed void of which the provider states a failure", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    own.provider.onVoid = () => Effect.succeed({ _tag: "Canceled", providerRef })
    yield* operate("void", payment.id)
    yield* operation(payment, failed, 10)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Voided", ["conflict"]])
  })
})

describe("a capture that the provider makes by itself and that fails", () => {
  const captureFailed = (payment: Payment) =>
    Effect.flatMap(attemptsOf(payment), ([attempt]) =>
      say({ _tag: "CaptureFailed", charge: { attemptId: attempt?.id ?? "" }, reason: "technical" })
    )

  for (const [name, state, becomes] of [
    ["CAPTURED", captured, "Captured"],
    ["PENDING", { _tag: "Pending", providerRef }, "ChargePending"]
  ] as const) {
    itIn(`a failed capture of a payment ${name} is reviewed once, and refunds are closed`, world(), function* (own) {
      const payment = yield* created(own, state)
      yield* captureFailed(payment)
      yield* captureFailed(payment)
      assert.strictEqual((yield* stored(payment)).state, becomes)
      assert.deepStrictEqual(yield* reasons(payment), ["conflict", "capture_failed"])
      assert.lengthOf(
        (yield* typesOf(payment)).filter((type) => type === "payment.conflict"),
        1
      )
      yield* charge(payment, captured)
      const answer = yield* operate("refund", payment.id)
      assert.strictEqual(Result.isFailure(answer) && answer.failure._tag, "pointsman/NotRefundable")
    })
  }

  itIn("a failed capture of an authorized payment is reviewed, and nothing is closed", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    yield* captureFailed(payment)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Authorized", ["conflict"]])
  })

  itIn("control: a failed capture of a declined payment changes nothing", world(), function* (own) {
    const payment = yield* created(own, { _tag: "Declined", providerRef, category: "other", code: "05", soft: false })
    yield* captureFailed(payment)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Declined", []])
  })
})

describe("a reversal of what a dispute or an older statement is about", () => {
  itIn("a void that failed stays AUTHORIZED after a cancellation dated before it", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    own.provider.onVoid = () => Effect.succeed({ _tag: "Pending", providerRef })
    yield* operate("void", payment.id)
    yield* operation(payment, failed, 10)
    yield* charge(payment, { _tag: "Canceled", providerRef }, 5)
    assert.strictEqual((yield* stored(payment)).state, "Authorized")
    yield* charge(payment, { _tag: "Canceled", providerRef }, 11)
    assert.strictEqual((yield* stored(payment)).state, "Voided")
  })

  itIn("a paid-out disputed payment whose capture fails has its next capture paid anew", world(), function* (own) {
    const payment = yield* capturedBy(own)
    yield* payout(payment)
    yield* dispute(payment, "opened")
    yield* operation(payment, failed, 10)
    const { capturedMinor, reported, state } = yield* stored(payment)
    assert.deepStrictEqual([state, capturedMinor, reported?.isPaidOut], ["ChargedBack", 0, false])
  })

  itIn("a disputed payment whose capture failed is AUTHORIZED once the dispute is won", world(), function* (own) {
    const payment = yield* capturedBy(own)
    yield* dispute(payment, "opened")
    yield* operation(payment, failed, 10)
    yield* dispute(payment, "won", 11)
    assert.strictEqual((yield* stored(payment)).state, "Authorized")
    assert.deepStrictEqual((yield* typesOf(payment)).slice(-2), ["payment.chargeback_reversed", "dispute.won"])
  })

  itIn("a disputed failed capture confirmed later is recorded until the next failure", world(), function* (own) {
    const payment = yield* capturedBy(own)
    yield* dispute(payment, "opened")
    yield* operation(payment, failed, 10)
    yield* operation(payment, confirmed, 11)
    const { capturedMinor, money } = yield* stored(payment)
    assert.deepStrictEqual([capturedMinor, yield* reasons(payment)], [money.minorUnits, ["amount_mismatch"]])
    assert.strictEqual((yield* operationOf(payment)).outcome, "Confirmed")
    yield* operation(payment, failed, 12)
    assert.strictEqual((yield* stored(payment)).capturedMinor, 0)
  })

  itIn("operations review a capture that failed, was captured after all, and fails again", world(), function* (own) {
    const payment = yield* capturedBy(own)
    yield* operation(payment, failed, 10)
    yield* charge(payment, captured, 11)
    // It comes again, and is older.
    yield* operation(payment, failed, 10)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Captured", []])
    yield* operation(payment, failed, 12)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Captured", ["conflict"]])
    assert.deepStrictEqual(yield* conflictsOf(payment), [[null, "OperationFailed"]])
  })

  itIn("operations review no repeated failure of a capture that another one replaced", world(), function* (own) {
    const payment = yield* capturedBy(own)
    const { id } = yield* operationOf(payment)
    yield* operation(payment, failed, 10)
    yield* operate("capture", payment.id)
    yield* say({ _tag: "Operation", operationId: id, state: () => failed }, 12)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Captured", []])
  })

  itIn("a payout dated before its capture failed changes nothing", world(), function* (own) {
    const payment = yield* capturedBy(own)
    yield* operation(payment, failed, 10)
    yield* payout(payment)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.reported?.isPaidOut, after.review], ["Authorized", false, null])
  })

  itIn("a payout dated before a capture failed changes nothing while that is tried again", world(), function* (own) {
    const payment = yield* capturedBy(own, { _tag: "Pending", providerRef })
    yield* operation(payment, retried, 10)
    yield* payout(payment, 5)
    yield* operation(payment, confirmed, 11)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.reported?.isPaidOut, after.review], ["Captured", false, null])
  })

  itIn("the timeline has each amount once when the provider corrects one too large", world(), function* (own) {
    const stating = (minorUnits: number): ChargeState => ({ ...captured, stated: { minorUnits, currency: "EUR" } })
    const payment = yield* capturedBy(own, stating(5_000))
    yield* charge(payment, stating(5_000))
    yield* charge(payment, stating(6_000))
    yield* charge(payment, stating(6_000))
    assert.strictEqual((yield* stored(payment)).state, "CaptureUnknown")
    const { length } = (yield* typesOf(payment)).filter((type) => type === "payment.amount_mismatch")
    assert.strictEqual(length, 2)
  })

  itIn("more of an authorization can be recorded after the provider captured a part", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    const { currency, minorUnits } = payment.money
    const stating = (amount: number): ChargeState => ({ ...captured, stated: { currency, minorUnits: amount } })
    yield* charge(payment, stating(500))
    yield* charge(payment, stating(600))
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.authorizedMinor, after.capturedMinor], [minorUnits, 600])
  })
})

describe("an amount or a status that differs from the record", () => {
  const stating = (minorUnits: number, currency: string): ChargeState => ({
    ...captured,
    stated: { minorUnits, currency }
  })

  itIn("a larger capture by the provider is recorded up to the authorization, reviewed", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    const { currency, minorUnits } = payment.money
    own.provider.onCapture = () => Effect.succeed(stating(minorUnits - 200, currency))
    yield* operate("capture", payment.id, { amountMinor: minorUnits - 200 })
    yield* charge(payment, stating(minorUnits - 100, currency))
    assert.strictEqual((yield* stored(payment)).capturedMinor, minorUnits - 100)
    yield* charge(payment, stating(minorUnits + 100, currency))
    assert.strictEqual((yield* stored(payment)).capturedMinor, minorUnits)
    // The amount that was asked for, stated before the provider captured more.
    yield* charge(payment, stating(minorUnits - 200, currency))
    assert.deepStrictEqual(yield* reasons(payment), ["amount_mismatch"])
    assert.deepStrictEqual((yield* typesOf(payment)).slice(-2), ["payment.amount_mismatch", "payment.amount_mismatch"])
  })

  itIn("all of an authorization is recorded after a smaller capture was stated", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    const { currency, minorUnits } = payment.money
    yield* charge(payment, stating(minorUnits - 100, currency))
    const { authorizedMinor, capturedMinor } = yield* stored(payment)
    assert.deepStrictEqual([authorizedMinor, capturedMinor], [minorUnits, minorUnits - 100])
    yield* charge(payment, stating(minorUnits, currency))
    assert.strictEqual((yield* stored(payment)).capturedMinor, minorUnits)
  })

  for (const [name, state, found] of [
    ["less was captured", { ...captured, stated: { minorUnits: 1, currency: "EUR" } }, ["conflict"]],
    ["it was canceled", { _tag: "Canceled", providerRef }, ["conflict", "capture_failed"]],
    ["it was declined", { _tag: "Declined", providerRef, category: "other", code: "05", soft: false }, ["conflict"]],
    ["it was captured (control)", captured, []],
    ["it was authorized (control)", authorized, []]
  ] as const) {
    itIn(`a captured payment is reviewed as listed when the provider states that ${name}`, world(), function* (own) {
      const payment = yield* created(own, captured)
      yield* charge(payment, state)
      yield* charge(payment, state)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Captured", found])
      const conflicts = (yield* typesOf(payment)).filter((type) => type === "payment.conflict")
      assert.strictEqual(conflicts.length, found.length === 0 ? 0 : 1)
    })
  }

  /** The amounts that are stated by the events of a type. */
  const amountsOf = (payment: Payment, type: string) =>
    Effect.map(
      Effect.flatMap(Ledger, (ledger) => ledger.timeline(tenant, payment.id, { limit: 100 })),
      (events) => events.filter((event) => event.type === type).map(({ data }) => data["stated_amount"])
    )

  itIn("the evidence has both amounts once when a charge exceeded what was asked", world(), function* (own) {
    const asked = request().details.money
    const excess = (more: number) => stating(asked.minorUnits + more, asked.currency)
    const payment = yield* created(own, excess(1))
    yield* charge(payment, excess(1))
    yield* charge(payment, excess(2))
    yield* charge(payment, excess(2))
    assert.strictEqual((yield* stored(payment)).state, "ChargeMismatched")
    assert.deepStrictEqual(
      [yield* amountsOf(payment, "payment.amount_mismatch"), yield* amountsOf(payment, "payment.conflict")],
      [[asked.minorUnits + 1], [asked.minorUnits + 2]]
    )
  })

  const confirming = (minorUnits: number): OperationState => ({
    ...confirmed,
    stated: { minorUnits, currency: request().details.money.currency }
  })

  itIn("operations review nothing when the provider confirms a smaller capture's amount", world(), function* (own) {
    const payment = yield* capturedBy(own, stating(250, request().details.money.currency))
    yield* operation(payment, confirming(250))
    assert.deepStrictEqual([(yield* stored(payment)).capturedMinor, yield* reasons(payment)], [250, []])
  })

  itIn("a smaller amount stays if it overtakes an older one of a capture in flight", world(), function* (own) {
    const payment = yield* capturedBy(own, { _tag: "Pending", providerRef })
    const stated = { minorUnits: 250, currency: payment.money.currency }
    yield* charge(payment, { ...captured, stated }, 11)
    yield* operation(payment, { ...confirmed, stated: payment.money }, 10)
    assert.deepStrictEqual([(yield* stored(payment)).capturedMinor, yield* reasons(payment)], [250, []])
    yield* operation(payment, { ...confirmed, stated: payment.money }, 12)
    assert.deepStrictEqual(
      [(yield* stored(payment)).capturedMinor, yield* reasons(payment)],
      [payment.money.minorUnits, ["amount_mismatch"]]
    )
  })

  itIn("a smaller amount stays if it overtakes the confirmation of a too large capture", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    const { currency } = payment.money
    own.provider.onCapture = () => Effect.succeed(stating(501, currency))
    yield* operate("capture", payment.id, { amountMinor: 500 })
    yield* charge(payment, stating(250, currency), 11)
    yield* operation(payment, confirming(501), 10)
    assert.deepStrictEqual(
      [(yield* stored(payment)).capturedMinor, yield* reasons(payment)],
      [250, ["amount_mismatch"]]
    )
    yield* operation(payment, confirming(501), 12)
    assert.strictEqual((yield* stored(payment)).capturedMinor, 501)
  })

  itIn("a smaller capture stays when its message and then an older, larger one arrive", world(), function* (own) {
    const payment = yield* capturedBy(own, stating(250, request().details.money.currency))
    yield* charge(payment, stating(250, payment.money.currency), 11)
    yield* operation(payment, confirming(501), 10)
    assert.deepStrictEqual([(yield* stored(payment)).capturedMinor, yield* reasons(payment)], [250, []])
  })

  itIn("another amount of a confirmed operation is weighed as that of the charge", world(), function* (own) {
    const payment = yield* capturedBy(own, stating(250, request().details.money.currency))
    yield* operation(payment, confirming(300))
    assert.deepStrictEqual(
      [(yield* stored(payment)).capturedMinor, yield* reasons(payment)],
      [300, ["amount_mismatch"]]
    )
    yield* operation(payment, confirming(200))
    assert.deepStrictEqual(yield* amountsOf(payment, "payment.conflict"), [200])
    assert.deepStrictEqual(yield* reasons(payment), ["amount_mismatch", "conflict"])
  })

  itIn("only the date tells a lowered amount, once raised, from an older statement", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    const { currency } = payment.money
    own.provider.onCapture = () => Effect.succeed(stating(500, currency))
    yield* operate("capture", payment.id, { amountMinor: 500 })
    yield* charge(payment, stating(600, currency), 10)
    yield* charge(payment, stating(500, currency), 5)
    assert.deepStrictEqual(yield* reasons(payment), ["amount_mismatch"])
    yield* charge(payment, stating(500, currency), 11)
    assert.deepStrictEqual(yield* amountsOf(payment, "payment.conflict"), [500])
  })
})

describe("an authorization of a payment that was voided", () => {
  const voided = Effect.fnUntraced(function* (own: World) {
    own.provider.onCharge = () => Effect.delay(Effect.succeed(authorized), "1 minute")
    const { create } = yield* Pointsman
    const asked = yield* Effect.forkChild(create(caller, request({ details: { captureMethod: "manual" } })))
    yield* TestClock.adjust("1 second")
    const [sent] = own.provider.charges
    const attemptId = sent?.attemptId ?? assert.fail("nothing was sent")
    const tell = (providerRef: string, at: number) =>
      say({ _tag: "Charge", charge: { attemptId }, state: () => ({ ...authorized, providerRef }) }, at)
    yield* tell(providerRef, 1)
    own.provider.onVoid = () => Effect.succeed({ _tag: "Canceled", providerRef })
    yield* operate("void", sent?.paymentId ?? "")
    yield* TestClock.adjust("1 hour")
    return { payment: (yield* Fiber.join(asked)).payment, tell }
  })

  itIn("an answer, or a message older than the void, leaves the payment CANCELLED", world(), function* (own) {
    const { payment, tell } = yield* voided(own)
    yield* tell(providerRef, 2)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Voided", []])
  })

  itIn("money is held by a message that is newer than the void", world(), function* (own) {
    const { payment, tell } = yield* voided(own)
    yield* tell(providerRef, 2_000_000)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Authorized", ["conflict"]])
  })

  itIn("money is held by a message about another charge, whatever its date", world(), function* (own) {
    const { payment, tell } = yield* voided(own)
    yield* tell("another", 2)
    const { providerRef, state } = yield* stored(payment)
    assert.deepStrictEqual([state, providerRef, yield* reasons(payment)], ["Authorized", "another", ["conflict"]])
  })
})

describe("the end of a charge that is stated while a capture or a void is under way", () => {
  const declined: ChargeState = { _tag: "Declined", providerRef, category: "other", code: "05", soft: false }
  const canceled: ChargeState = { _tag: "Canceled", providerRef }
  const accepted: ChargeState = { _tag: "Pending", providerRef }

  itIn("operations review a capture confirmed after the charge was declined once", world(), function* (own) {
    const payment = yield* capturedBy(own, accepted)
    yield* charge(payment, declined)
    yield* charge(payment, declined)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["CapturePending", []])
    assert.lengthOf((yield* stored(payment)).reported?.chargeEnds ?? [], 1)
    yield* operation(payment, confirmed, 10)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Captured", ["conflict"]])
    assert.deepStrictEqual(yield* conflictsOf(payment), [[null, "declined"]])
    yield* charge(payment, declined)
    assert.lengthOf(yield* conflictsOf(payment), 1)
  })

  itIn("a capture that fails after the charge was canceled leaves it CANCELLED", world(), function* (own) {
    const payment = yield* capturedBy(own, accepted)
    yield* charge(payment, canceled)
    assert.strictEqual((yield* stored(payment)).state, "CapturePending")
    yield* operation(payment, failed, 10)
    const { reported, review, state } = yield* stored(payment)
    assert.deepStrictEqual([state, review, reported?.chargeEnds], ["Voided", null, undefined])
    assert.deepStrictEqual((yield* typesOf(payment)).slice(-2), ["payment.capture_failed", "payment.cancelled"])
  })

  itIn("the request of a capture refused after the charge was canceled says so", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    own.provider.onCapture = () =>
      Effect.delay(Effect.succeed({ _tag: "Rejected", code: "no", message: "It was rejected." }), "1 second")
    const asked = yield* Effect.forkChild(operate("capture", payment.id))
    yield* TestClock.adjust(1)
    yield* charge(payment, canceled)
    yield* TestClock.adjust("1 second")
    const answer = yield* Fiber.join(asked)
    assert.strictEqual(Result.isFailure(answer) && answer.failure._tag, "pointsman/StateConflict")
    assert.strictEqual((yield* stored(payment)).state, "Voided")
  })

  itIn("nothing is reviewed when a void is confirmed after the charge was declined", world(), function* (own) {
    const payment = yield* created(own, authorized, "manual")
    own.provider.onVoid = () => Effect.succeed(accepted)
    yield* operate("void", payment.id)
    yield* charge(payment, declined)
    yield* operation(payment, confirmed, 10)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Voided", []])
  })
})

describe("a failure that arrives after a newer success", () => {
  const accepted: ChargeState = { _tag: "Pending", providerRef }

  for (const [name, answer, tell] of [
    ["accepted", accepted, (payment) => operation(payment, confirmed, 20)],
    ["confirmed", captured, (payment) => operation(payment, confirmed, 20)],
    ["confirmed, as a charge", captured, (payment) => charge(payment, captured, 20)],
    ["accepted, as a charge", accepted, (payment) => charge(payment, captured, 20)]
  ] satisfies ReadonlyArray<readonly [string, ChargeState, (payment: Payment) => ReturnType<typeof charge>]>) {
    itIn(`a capture that was ${name} has an older failure, and a newer one counts`, world(), function* (own) {
      const payment = yield* capturedBy(own, answer)
      yield* tell(payment)
      yield* operation(payment, failed, 10)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Captured", []])
      yield* operation(payment, failed, 30)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Authorized", []])
    })
  }

  for (const [name, paidAt, expected] of [
    ["before", 5, ["conflict"]],
    ["after", 15, []]
  ] as const) {
    itIn(`a payout dated ${name} the failure has reviews ${JSON.stringify(expected)}`, world(), function* (own) {
      const payment = yield* capturedBy(own, captured)
      yield* payout(payment, paidAt)
      yield* operation(payment, confirmed, 20)
      yield* operation(payment, failed, 10)
      assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Settled", expected])
    })
  }

  itIn("a failure is older than its refund, and a newer one counts", world(), function* (own) {
    const payment = yield* refunded(own)
    yield* refund(payment, refundDone, 20)
    yield* refund(payment, refundFailed, 10)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Refunded", []])
    yield* refund(payment, refundFailed, 30)
    assert.deepStrictEqual([(yield* stored(payment)).state, yield* reasons(payment)], ["Captured", ["reversal"]])
  })

  itIn("a failure that arrives again is older than the refund's success after it", world(), function* (own) {
    const payment = yield* refunded(own)
    yield* refund(payment, refundFailed, 10)
    yield* refund(payment, refundDone, 20)
    yield* refund(payment, refundFailed, 10)
    assert.strictEqual((yield* stored(payment)).state, "Refunded")
  })

  itIn("a payment keeps the dates of the newest of many refunds", world(), function* (own) {
    const payment = yield* created(own, captured)
    own.provider.onRefund = ({ refundId }) => Effect.succeed({ _tag: "Succeeded", providerRefundId: refundId })
    for (let at = 1; at <= 25; at++) {
      yield* operate("refund", payment.id, { amountMinor: 1 })
      const { id } = yield* refundOf(payment)
      yield* refund(payment, { _tag: "Succeeded", providerRefundId: id }, at)
    }
    const dates = ((yield* stored(payment)).reported?.confirmed ?? []).map(({ at }) => at)
    assert.deepStrictEqual(
      dates,
      Array.from({ length: 20 }, (_, index) => index + 6)
    )
  })
})

describe("a success of a refund that had failed", () => {
  const failedRefund = Effect.fnUntraced(function* (own: World) {
    const payment = yield* created(own, captured)
    own.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re" })
    yield* operate("refund", payment.id, { amountMinor: 100 })
    yield* refund(payment, refundFailed, 10)
    assert.strictEqual((yield* refundOf(payment)).stage, "Failed")
    return payment
  })

  itIn("a success dated before the failure is older; one dated after it refunds", world(), function* (own) {
    const payment = yield* failedRefund(own)
    yield* refund(payment, refundDone, 10)
    assert.deepStrictEqual([(yield* stored(payment)).refundedMinor, yield* reasons(payment)], [0, []])
    yield* refund(payment, refundDone, 11)
    assert.deepStrictEqual([(yield* stored(payment)).refundedMinor, yield* reasons(payment)], [100, ["conflict"]])
  })

  const undated = (payment: Payment) =>
    Effect.flatMap(refundOf(payment), ({ id }) => say({ _tag: "Refund", refundId: id, state: () => refundDone }, null))

  for (const [name, found, refundedMinor, why] of [
    ["the refund", { _tag: "Found", state: refundDone }, 100, ["conflict"]],
    ["its failure", { _tag: "Found", state: refundFailed }, 0, []],
    ["nothing that is certain", { _tag: "NotFound", conclusive: false }, 0, ["conflict"]]
  ] as const) {
    itIn(`${name} that a lookup finds counts without a date`, world(), function* (own) {
      const payment = yield* failedRefund(own)
      yield* undated(payment)
      assert.deepStrictEqual([(yield* stored(payment)).refundedMinor, yield* reasons(payment)], [0, []])
      own.provider.onLookUpRefund = () => Effect.succeed(found)
      yield* TestClock.adjust("1 hour")
      while ((yield* (yield* Pointsman).checkDue) > 0);
      const after = yield* stored(payment)
      assert.deepStrictEqual([after.refundedMinor, yield* reasons(payment)], [refundedMinor, why])
      assert.deepStrictEqual(after.reported?.undecided ?? [], [])
    })
  }

  itIn("a success counts whatever its date if the request was rejected at once", world(), function* (own) {
    const payment = yield* created(own, captured)
    own.provider.onRefund = () => Effect.succeed({ _tag: "Rejected", code: "no", message: "It was rejected." })
    yield* TestClock.adjust("1 minute")
    yield* operate("refund", payment.id, { amountMinor: 100 })
    yield* refund(payment, refundDone, 5)
    assert.deepStrictEqual([(yield* stored(payment)).refundedMinor, yield* reasons(payment)], [100, ["conflict"]])
  })
})

describe("an id that the provider gave to another refund", () => {
  const two = Effect.fnUntraced(function* (own: World) {
    const payment = yield* created(own, captured)
    own.provider.onRefund = () => Effect.succeed(refundDone)
    yield* operate("refund", payment.id, { amountMinor: 100 })
    return payment
  })

  itIn("an answer makes the refund unknown", world(), function* (own) {
    const payment = yield* two(own)
    const answer = yield* operate("refund", payment.id, { amountMinor: 200 })
    assert.strictEqual(Result.isFailure(answer) && answer.failure._tag, "pointsman/ResultUnknown")
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.refundedMinor, after.refundPendingMinor], [100, 200])
    assert.deepStrictEqual(yield* reasons(payment), ["refund_unknown"])
  })

  itIn("operations review a message, and nothing moves", world(), function* (own) {
    const payment = yield* two(own)
    own.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_2" })
    yield* operate("refund", payment.id, { amountMinor: 200 })
    yield* refund(payment, refundDone, 10)
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.refundedMinor, after.refundPendingMinor], [100, 200])
    assert.deepStrictEqual(yield* reasons(payment), ["conflict"])
  })
})

describe("a provider that states something else each time", () => {
  itIn("each of many amounts is a contradiction, and the payment keeps the newest", world(), function* (own) {
    const payment = yield* created(own, captured)
    const { currency } = payment.money
    for (let minorUnits = 1; minorUnits <= 120; minorUnits++) {
      yield* charge(payment, { ...captured, stated: { minorUnits, currency } })
    }
    const { contradictions = [] } = (yield* stored(payment)).reported ?? {}
    assert.deepStrictEqual([contradictions.length, contradictions.at(-1)], [100, "captured:120"])
    assert.deepStrictEqual(yield* reasons(payment), ["conflict"])
  })

  itIn("a payment keeps the statement that counts of many about one dispute", world(), function* (own) {
    const payment = yield* created(own, captured)
    for (let at = 1; at <= 20; at++) yield* dispute(payment, "opened", at)
    yield* dispute(payment, "won", 5)
    assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
    yield* dispute(payment, "won", 25)
    yield* dispute(payment, "opened", 24)
    const after = yield* stored(payment)
    assert.strictEqual(after.state, "Captured")
    const attemptId = (yield* attemptsOf(payment))[0]?.id ?? ""
    assert.deepStrictEqual(after.reported?.disputes, [{ disputeId: "dp_1", attemptId, verdict: "won", at: 25 }])
  })

  itIn("more disputes than are kept make the payment CHARGEBACK, and are reviewed", world(), function* (own) {
    const payment = yield* created(own, captured)
    const [attempt] = yield* attemptsOf(payment)
    const about = (number: number, verdict: "opened" | "won") =>
      say({ _tag: "Dispute", charge: { attemptId: attempt?.id ?? "" }, disputeId: `dp_${number}`, verdict }, number)
    yield* about(0, "won")
    for (let number = 1; number <= 50; number++) yield* about(number, "opened")
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.reported?.disputes.length], ["ChargedBack", 50])
    assert.deepStrictEqual(yield* conflictsOf(payment), [["dp_50", "dispute_opened"]])
    assert.deepStrictEqual(yield* reasons(payment), ["conflict"])
  })
})

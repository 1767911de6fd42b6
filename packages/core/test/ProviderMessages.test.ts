/** A provider's message over a store that fails, over attempts that followed one another, and on a checkout. */
import { assert, describe } from "@effect/vitest"
import { type EventType, Pointsman } from "@pointsman/core"
import { type ChargeState, Ledger, type ProviderMessage } from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { ofAttempt, say as receive } from "./support/Messages.ts"
import { creating, onMain, operate } from "./support/Operations.ts"
import {
  attemptIdOf,
  attemptsOf,
  checkoutOpened,
  hour,
  liveCaller,
  liveConnections,
  paged,
  stored,
  typesOf
} from "./support/Pages.ts"
import {
  authorized,
  canceled,
  captured,
  capturedBy,
  charge,
  created,
  declined,
  ends,
  followedBy,
  itWalks,
  keeps,
  payout,
  pending,
  providerRef,
  say,
  tells,
  times,
  unanswered,
  voidedBy
} from "./support/Statements.ts"
import { assertFields } from "./support/Steps.ts"
import { runOut, tenant, type World, world } from "./support/World.ts"

/** As the provider states another charge than the one that it answered with. */
const first = "first"
const firstCaptured: ChargeState = { ...captured, providerRef: first }
const firstAuthorized: ChargeState = { ...authorized, providerRef: first }
const softly = { _tag: "Declined", category: "do_not_honor", code: "05", soft: true } as const

const kept = (connectionId: string, id: string) =>
  Effect.flatMap(Ledger, (ledger) => Effect.map(ledger.message(tenant, connectionId, id), Option.getOrThrow))

const record = (of: ProviderMessage["about"], id: string, at = 0, connectionId = "main") =>
  Effect.result(receive(of, { id, at, connectionId }))

describe("a message that names the charge as its provider does", () => {
  const dispute = (ref: string, verdict: "opened" | "won"): ProviderMessage["about"] => ({
    _tag: "Dispute",
    charge: { providerRef: ref },
    disputeId: "dp_1",
    verdict
  })

  itIn("a dispute about a reference is that payment's, and its end too", world(), function* (own) {
    const payment = yield* created(captured)(own)
    const other = yield* created(firstCaptured)(own)
    yield* record(dispute(providerRef, "opened"), "msg_1")
    assert.deepStrictEqual([(yield* stored(payment)).state, (yield* stored(other)).state], ["ChargedBack", "Captured"])
    yield* record(dispute(providerRef, "won"), "msg_2", 1)
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    assert.deepInclude(yield* kept("main", "msg_1"), { paymentId: payment.id, subjectId: attemptIdOf(payment) })
  })

  itIn("a reference of another connection, or of none, changes nothing and is kept", world(), function* (own) {
    const payment = yield* created(captured)(own)
    yield* record(dispute(providerRef, "opened"), "msg_1", 0, "backup")
    yield* record(dispute("nobody's", "opened"), "msg_2")
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    const unmatched = { paymentId: null, outcome: "unmatched" } as const
    assert.deepInclude(yield* kept("backup", "msg_1"), { ...unmatched, subjectId: providerRef })
    assert.deepInclude(yield* kept("main", "msg_2"), { ...unmatched, subjectId: "nobody's" })
  })
})

describe("a message over a store that fails", () => {
  const types = ["payment.created", "payment.pending", "payment.captured"]
  const given = Effect.fnUntraced(function* (own: World, answer: ChargeState = pending) {
    const payment = yield* created(answer)(own)
    const [attempt] = yield* attemptsOf(payment)
    return { payment, message: record(ofAttempt(attempt, captured), "msg_1"), next: own.ledger.calls.commit + 1 }
  })

  for (const fault of ["unwritten", "lost", "unheard"] as const) {
    itIn(`a message is applied once when it repeats after a commit that ends ${fault}`, world(), function* (own) {
      const { message, next, payment } = yield* given(own)
      own.ledger.onCommit = (number) => (number === next ? fault : undefined)
      // Certainly not written: the response says so, and the provider sends it again. Of the others we find out
      // ourselves.
      assert.strictEqual(Result.isFailure(yield* message), fault === "unwritten")
      assert.isTrue(Result.isSuccess(yield* message))
      assert.strictEqual((yield* stored(payment)).state, "Captured")
      assert.deepStrictEqual(yield* typesOf(payment), types)
      assert.strictEqual((yield* kept("main", "msg_1")).outcome, "applied")
    })
  }

  itIn("a message is applied once when its commit lands after its answer was lost", world(), function* (own) {
    const { message, next, payment } = yield* given(own)
    own.ledger.onCommit = (number) => (number === next ? { landsAfter: 100 } : undefined)
    assert.isTrue(Result.isSuccess(yield* message))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* typesOf(payment), types)
  })

  for (const read of ["bookOf", "keepMessage"] as const) {
    itIn(`${read} that fails makes the message fail, and a repetition decides it`, world(), function* (own) {
      const { message } = yield* given(own, captured)
      own.ledger.canRead = (method) => method !== read
      assert.isTrue(Result.isFailure(yield* message))
      assert.strictEqual((yield* kept("main", "msg_1")).outcome, "received")
      own.ledger.canRead = () => true
      assert.isTrue(Result.isSuccess(yield* message))
      assert.strictEqual((yield* kept("main", "msg_1")).outcome, "confirmed")
    })
  }

  itIn("a message is decided again on what a writer before it wrote", world(), function* (own) {
    const { message, next, payment } = yield* given(own)
    const ledger = yield* Ledger
    // Another process, which changes nothing but the version.
    const after = { ...payment, version: payment.version + 1 }
    const other = { tenant, payment: { expected: payment.version, after }, attempts: [], events: [] }
    own.ledger.beforeCommit = (number) => (number === next ? Effect.orDie(ledger.commit(other)) : Effect.void)
    yield* message
    assert.deepStrictEqual(yield* typesOf(payment), types)
  })
})

describe("a message about an attempt that another one followed", () => {
  const cases: ReadonlyArray<
    readonly [second: ChargeState, says: ChargeState, becomes: string, last: EventType, conflicts?: number]
  > = [
    [captured, firstCaptured, "Captured 1999 double_charge", "payment.conflict", 1],
    [captured, firstAuthorized, "Captured 1999 double_charge", "payment.conflict", 1],
    [captured, declined, "Captured 1999", "payment.captured"],
    [captured, canceled, "Captured 1999", "payment.captured"],
    [pending, declined, "ChargePending 0", "payment.pending"],
    [pending, captured, "Captured 1999", "payment.captured"],
    [pending, authorized, "Authorized 0", "payment.authorized"],
    [declined, captured, "Captured 1999 conflict", "payment.captured", 1],
    [declined, pending, "Declined 0", "payment.declined"]
  ]
  for (const [second, says, becomes, last, conflicts = 0] of cases) {
    const title = `a payment is ${becomes}: second attempt ${second._tag}, the first reported ${says._tag}`
    itWalks(title, followedBy(second), [
      // Repeated in other words: operators are notified once.
      [[charge(says), charge(says)], becomes, ends(last), times("payment.conflict", conflicts)]
    ])
  }

  itWalks("a payment is settled by its own when the first was taken and paid out too", followedBy(captured), [
    [payout(firstCaptured), "Captured 1999 double_charge"],
    [payout(captured, 0, 1), "Settled 1999 double_charge"]
  ])

  itIn("a message of another connection than the attempt's changes nothing", world(), function* (own) {
    const payment = yield* followedBy(pending)(own)
    const [, last] = yield* attemptsOf(payment)
    yield* record(ofAttempt(last, captured), "msg_1")
    assert.strictEqual((yield* stored(payment)).state, "ChargePending")
    assert.deepInclude(yield* kept("main", "msg_1"), { paymentId: null, outcome: "unmatched" })
  })
})

describe("a message about another charge of the attempt that holds the money", () => {
  for (const [captureMethod, says, becomes] of [
    ["automatic", captured, "Captured 1999 double_charge"],
    ["automatic", authorized, "Captured 1999 double_charge"],
    ["manual", authorized, "Authorized 0 double_charge"],
    ["manual", captured, "Authorized 0 double_charge"]
  ] as const) {
    const start = created(captureMethod === "manual" ? firstAuthorized : firstCaptured, captureMethod)
    const told = tells(
      "payment.conflict",
      (data, { routing }) => [
        data.attempt_id === routing?.attempts[0]?.attemptId,
        data.connection_id,
        data.provider_reference
      ],
      [true, "main", providerRef]
    )
    itWalks(`operators are notified once of a second charge (${captureMethod}): ${says._tag}`, start, [
      [[charge(says), charge(says)], becomes, keeps((now) => now.providerRef, first), told],
      // The word about the first charge is still heard.
      [charge(firstCaptured), "Captured 1999 double_charge"]
    ])
  }
  itWalks("the first charge still holds when operations cancel the second", created(firstAuthorized, "manual"), [
    [[charge(authorized), charge(canceled)], "Authorized 0 double_charge"],
    [charge({ ...canceled, providerRef: first }), "Voided 0 double_charge"]
  ])
  itWalks("a payout of a second charge does not settle the payment", created(firstCaptured), [
    [payout(captured), "Captured 1999 double_charge"],
    [payout(firstCaptured), "Settled 1999 double_charge"]
  ])
  itWalks("an unanswered capture stays unknown when one of another charge is reported", capturedBy(unanswered), [
    [charge(firstCaptured), "CaptureUnknown 0 unknown double_charge"],
    [charge(captured), "Captured 1999 double_charge"]
  ])
  itWalks("an unanswered void stays unknown when one of another charge is reported", voidedBy(unanswered), [
    [charge({ ...canceled, providerRef: first }), "VoidUnknown 0 unknown"],
    [charge(canceled), "Voided 0"]
  ])
})

describe("a message about a capture", () => {
  itWalks("an unanswered capture stays unknown when the authorization is reported late", capturedBy(unanswered), [
    [charge(authorized), "CaptureUnknown 0 unknown"],
    [charge(declined), "CaptureUnknown 0 unknown"],
    [charge(pending), "CaptureUnknown 0 unknown"],
    [charge(captured), "Captured 1999 conflict"]
  ])
})

describe("a message about a cancelled charge", () => {
  const start = (own: World) => Effect.andThen(TestClock.adjust("1 minute"), created(canceled)(own))
  for (const [at, becomes] of [
    [59_999, "Cancelled 0"],
    [60_000, "Authorized 0 conflict"]
  ] as const) {
    itWalks(`an authorization of ${at} ms after a cancellation of a minute is ${becomes}`, start, [
      [charge(authorized, at), becomes]
    ])
  }
})

const live = { connections: liveConnections }
const opened = Effect.gen(function* () {
  const { payment, token } = yield* paged(liveCaller)
  yield* runOut(yield* Effect.forkChild((yield* Pointsman).openCheckout(token, "https://pay.example/return")))
  return payment
})
const challenged: ChargeState = { _tag: "NeedsCustomer", providerRef }

describe("a message about a checkout", () => {
  for (const [word, state, becomes] of [
    ["captured", captured, "Captured 1999"],
    ["declined", declined, "Declined 0"],
    ["at a challenge", challenged, "CheckoutOpen 0 open_checkout"]
  ] as const) {
    itWalks(`an open checkout reported ${word} is ${becomes}`, () => opened, [[charge(state), becomes]], world(live))
  }
})

describe("a message about a checkout that is over", () => {
  const over = (own: World) => {
    own.provider.onOpenCheckout = () => Effect.succeed(checkoutOpened({ expiresAt: hour }))
    return Effect.tap(opened, () => TestClock.adjust("1 day"))
  }
  for (const [what, at, becomes] of [
    ["while the customer could pay", 0, "CheckoutOpen 0"],
    ["when nobody could pay any more", 1_000 * 60 * 60 * 24, "Declined 0"],
    // Its time is not always signed.
    ["in times to come", 1_000 * 60 * 60 * 24 * 365, "Declined 0"]
  ] as const) {
    const title = `a challenge reported ${what} that arrives a day late is ${becomes}`
    itWalks(title, over, [[charge(challenged, at), becomes]], world(live))
  }
})

describe("a message that is faster than the answer", () => {
  /** What is asked, and ends, while a message says that about the first charge. */
  const during = <A, E>(own: World, asked: Effect.Effect<A, E, Pointsman>, says: ChargeState) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(asked, { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      yield* receive(ofAttempt({ id: own.provider.charges[0]?.attemptId ?? "" }, says))
      return yield* runOut(fiber)
    })
  for (const state of [authorized, captured]) {
    itIn(`${state._tag} reported during its request stays when that gets no response`, world(), function* (own) {
      own.provider.onCharge = () => Effect.delay(Effect.fail(unanswered), "30 seconds")
      own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state })
      const payment = yield* during(own, creating({ details: { captureMethod: "manual" } }), state)
      assert.strictEqual(payment.state, state._tag)
      const [attempt, ...others] = yield* attemptsOf(payment)
      assert.deepInclude(attempt, { outcome: state._tag, providerRef })
      assert.deepStrictEqual([others, payment.routing?.attempts.map(({ outcome }) => outcome)], [[], [state._tag]])
      // The only charge there is has no rival.
      yield* TestClock.adjust("2 days")
      while ((yield* (yield* Pointsman).checkDue) > 0) yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* stored(payment)).review, null)
      assert.notInclude(yield* typesOf(payment), "payment.conflict")
    })
  }

  for (const [ref, told] of [
    [providerRef, []],
    ["another", ["double_charge"]]
  ] as const) {
    itIn(`a charge reported during its request: ${ref} has ${told.length} contradictions`, world(), function* (own) {
      own.provider.onCharge = () => Effect.delay(Effect.succeed({ _tag: "Captured", providerRef: ref }), "10 seconds")
      const payment = yield* during(own, creating(), captured)
      assert.deepInclude(payment, { state: "Captured", providerRef })
      assert.deepStrictEqual(payment.review?.reasons ?? [], [...told])
      assert.deepStrictEqual((yield* typesOf(payment)).slice(2), told.length === 0 ? [] : ["payment.conflict"])
    })
  }

  for (const [word, second] of Object.entries({ Captured: captured, Declined: declined })) {
    itIn(`the first attempt stays captured by a report while the second waits: ${word}`, world(), function* (own) {
      const late = Effect.delay(Effect.succeed(second), "10 seconds")
      own.provider.onCharge = onMain(Effect.succeed({ ...softly, providerRef: "declined" }), late)
      const payment = yield* during(own, creating(), firstCaptured)
      assertFields(yield* attemptsOf(payment), ["outcome", "providerRef"], ["Captured", first], [word, providerRef])
      const outcomes = payment.routing?.attempts.map(({ outcome }) => outcome)
      assert.deepStrictEqual<unknown>(outcomes, ["Captured", word])
      assert.strictEqual(payment.capturedMinor, payment.money.minorUnits)
      assert.deepStrictEqual(payment.review?.reasons ?? [], second === captured ? ["double_charge"] : [])
    })
  }

  const refused = () =>
    Effect.delay(Effect.succeed({ _tag: "Rejected", code: "not_open", message: "It is done." } as const), "10 seconds")
  for (const [kind, says, becomes] of [
    ["capture", captured, "Captured"],
    ["void", canceled, "Voided"]
  ] as const) {
    itIn(`the timeline has both a ${kind} reported done and its refused request`, world(), function* (own) {
      const payment = yield* created(authorized, "manual")(own)
      Object.assign(own.provider, { onCapture: refused, onVoid: refused })
      yield* during(own, operate(kind, payment.id), says)
      const { review, state } = yield* stored(payment)
      assert.deepStrictEqual([state, review?.reasons], [becomes, ["conflict"]])
      const { items } = yield* (yield* Pointsman).timeline(tenant, payment.id, { limit: 10 })
      assert.deepInclude(items.at(-1)?.data, { stated: `${kind}_refused` })
      assert.strictEqual(items.at(-1)?.type, "payment.conflict")
    })
  }

  itIn("a refund reported as failed stays failed when its request is accepted", world(), function* (own) {
    const payment = yield* created(captured)(own)
    own.provider.onRefund = () =>
      Effect.delay(Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" }), "10 seconds")
    const asked = yield* Effect.forkChild(operate("refund", payment.id), { startImmediately: true })
    yield* TestClock.adjust("5 seconds")
    const state = () => ({ _tag: "RefundFailed", providerRefundId: "re_1", reason: "closed_account" }) as const
    yield* say(payment, { _tag: "Refund", refundId: own.provider.refunds[0]?.refundId ?? "", state })
    const answer = yield* runOut(asked)
    assert.strictEqual(Result.isFailure(answer) ? answer.failure._tag : "done", "pointsman/ProviderRefused")
    const { refundedMinor, refundPendingMinor, review } = yield* stored(payment)
    assert.deepStrictEqual([refundPendingMinor, refundedMinor, review], [0, 0, null])
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.created", "payment.captured"])
  })
})

/** A provider's message over a store that fails, over attempts that followed one another, and on a checkout. */
import { assert, describe } from "@effect/vitest"
import { type Payment, Pointsman, type VerifiedMessage } from "@pointsman/core"
import { type ChargeState, Ledger, type ProviderMessage, Unanswered } from "@pointsman/core/ports"
import { Effect, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { operate } from "./support/Operations.ts"
import { attemptsOf, liveCaller, liveConnections, paged, stored, typesOf } from "./support/Pages.ts"
import { caller, request, runOut, tenant, type World, world } from "./support/World.ts"

const providerRef = "ref"
const captured: ChargeState = { _tag: "Captured", providerRef }
const authorized: ChargeState = { _tag: "Authorized", providerRef }
const declined: ChargeState = { _tag: "Declined", providerRef, category: "expired_card", code: "54", soft: false }

const about = (attemptId: string, state: ChargeState): ProviderMessage["about"] => ({
  _tag: "Charge",
  charge: { attemptId },
  state: () => state
})

const messageOf = (
  of: ProviderMessage["about"],
  more: Partial<Omit<VerifiedMessage, "message"> & ProviderMessage> = {}
): VerifiedMessage => ({
  connectionId: more.connectionId ?? "main",
  tenant: more.tenant ?? tenant,
  receivedAt: 0,
  body: "{}",
  message: { id: more.id ?? "msg_1", at: more.at ?? 0, about: of },
  reason: null
})

const record = (message: VerifiedMessage) =>
  Effect.flatMap(Pointsman, (pointsman) => Effect.result(pointsman.recordMessage(message)))

/** The outcome of the message; `undefined` where it is not stored. */
const outcomeOf = Effect.fnUntraced(function* (eventId: string) {
  const found = yield* (yield* Ledger).message(tenant, "main", eventId)
  return Option.getOrUndefined(Option.map(found, ({ outcome }) => outcome))
})

/** An attempt that the first connection declines softly, and a second one that ends as scripted. */
const followed = Effect.fnUntraced(function* (own: World, second: ChargeState) {
  own.provider.onCharge = ({ connectionId }) =>
    Effect.succeed(
      connectionId === "main"
        ? { _tag: "Declined", providerRef, category: "do_not_honor", code: "05", soft: true }
        : second
    )
  const { payment } = yield* (yield* Pointsman).create(caller, request())
  const [first, last] = yield* attemptsOf(payment)
  return { payment, first: first?.id ?? "", last: last?.id ?? "" }
})

describe("a message that names the charge as its provider does", () => {
  const dispute = (ref: string, verdict: "opened" | "won"): ProviderMessage["about"] => ({
    _tag: "Dispute",
    charge: { providerRef: ref },
    disputeId: "dp_1",
    verdict
  })

  itIn("a dispute about a reference is that payment's, and its end too", world(), function* (own) {
    own.provider.onCharge = ({ attemptId }) => Effect.succeed({ _tag: "Captured", providerRef: `ref_${attemptId}` })
    const pointsman = yield* Pointsman
    const { payment } = yield* pointsman.create(caller, { ...request(), idempotencyKey: "one" })
    const { payment: other } = yield* pointsman.create(caller, { ...request(), idempotencyKey: "other" })
    const ref = payment.providerRef ?? ""
    yield* record(messageOf(dispute(ref, "opened")))
    assert.strictEqual((yield* stored(payment)).state, "ChargedBack")
    assert.strictEqual((yield* stored(other)).state, "Captured")
    yield* record(messageOf(dispute(ref, "won"), { id: "msg_2", at: 1 }))
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    const [attempt] = yield* attemptsOf(payment)
    const kept = Option.getOrThrow(yield* (yield* Ledger).message(tenant, "main", "msg_1"))
    assert.deepStrictEqual([kept.paymentId, kept.subjectId], [payment.id, attempt?.id])
  })

  itIn("a reference of another connection, or of none, changes nothing and is kept", world(), function* (own) {
    own.provider.onCharge = () => Effect.succeed(captured)
    const { payment } = yield* (yield* Pointsman).create(caller, request())
    yield* record(messageOf(dispute(providerRef, "opened"), { connectionId: "backup" }))
    yield* record(messageOf(dispute("nobody's", "opened"), { id: "msg_2" }))
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    const ledger = yield* Ledger
    for (const [connectionId, id, subjectId] of [
      ["backup", "msg_1", providerRef],
      ["main", "msg_2", "nobody's"]
    ] as const) {
      const kept = Option.getOrThrow(yield* ledger.message(tenant, connectionId, id))
      assert.deepStrictEqual([kept.paymentId, kept.subjectId, kept.outcome], [null, subjectId, "unmatched"])
    }
  })
})

describe("a message over a store that fails", () => {
  for (const fault of ["unwritten", "lost", "unheard"] as const) {
    itIn(`a message is applied once when it repeats after a commit that ends ${fault}`, world(), function* (own) {
      own.provider.onCharge = () => Effect.succeed({ _tag: "Pending", providerRef })
      const { payment } = yield* (yield* Pointsman).create(caller, request())
      const [attempt] = yield* attemptsOf(payment)
      const message = messageOf(about(attempt?.id ?? "", captured))
      const before = own.ledger.calls.commit
      own.ledger.onCommit = (number) => (number === before + 1 ? fault : undefined)
      const first = yield* record(message)
      // Certainly not written: the response says so, and the provider sends it again. Of the others we find out
      // ourselves.
      assert.strictEqual(Result.isFailure(first), fault === "unwritten")
      assert.isTrue(Result.isSuccess(yield* record(message)))
      assert.strictEqual((yield* stored(payment)).state, "Captured")
      assert.deepStrictEqual(yield* typesOf(payment), ["payment.created", "payment.pending", "payment.captured"])
      assert.strictEqual(yield* outcomeOf("msg_1"), "applied")
    })
  }

  const own = world()
  itIn("a message is applied once when its commit lands after its answer was lost", own, function* () {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Pending", providerRef })
    const { payment } = yield* (yield* Pointsman).create(caller, request())
    const [attempt] = yield* attemptsOf(payment)
    const before = own.ledger.calls.commit
    own.ledger.onCommit = (number) => (number === before + 1 ? { landsAfter: 100 } : undefined)
    assert.isTrue(Result.isSuccess(yield* record(messageOf(about(attempt?.id ?? "", captured)))))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.created", "payment.pending", "payment.captured"])
  })

  for (const read of ["bookOf", "keepMessage"] as const) {
    itIn(`${read} that fails makes the message fail, and a repetition decides it`, world(), function* (own) {
      own.provider.onCharge = () => Effect.succeed(captured)
      const { payment } = yield* (yield* Pointsman).create(caller, request())
      const [attempt] = yield* attemptsOf(payment)
      own.ledger.canRead = (method) => method !== read
      assert.isTrue(Result.isFailure(yield* record(messageOf(about(attempt?.id ?? "", captured)))))
      assert.strictEqual(yield* outcomeOf("msg_1"), "received")
      own.ledger.canRead = () => true
      assert.isTrue(Result.isSuccess(yield* record(messageOf(about(attempt?.id ?? "", captured)))))
      assert.strictEqual(yield* outcomeOf("msg_1"), "confirmed")
    })
  }

  itIn("a message is decided again on what a writer before it wrote", world(), function* (own) {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Pending", providerRef })
    const { payment } = yield* (yield* Pointsman).create(caller, request())
    const [attempt] = yield* attemptsOf(payment)
    const id = attempt?.id ?? ""
    const context = yield* Effect.context<Ledger>()
    let isFirst = true
    own.ledger.beforeCommit = () =>
      Effect.suspend(() => {
        if (!isFirst) return Effect.void
        isFirst = false
        return Effect.orDie(Effect.provideContext(write(payment), context))
      })
    yield* record(messageOf(about(id, captured)))
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.created", "payment.pending", "payment.captured"])
  })
})

/** A write of another process, which changes nothing but the version. */
const write = Effect.fnUntraced(function* (payment: Payment) {
  const ledger = yield* Ledger
  const now = yield* stored(payment)
  yield* ledger.commit({
    tenant,
    payment: { expected: now.version, after: { ...now, version: now.version + 1 } },
    attempts: [],
    events: []
  })
})

describe("a message about an attempt that another one followed", () => {
  const cases: ReadonlyArray<
    readonly [second: string, state: ChargeState, word: string, says: ChargeState, becomes: string, ends: string]
  > = [
    ["captured", captured, "captured", { ...captured, providerRef: "first" }, "Captured", "payment.conflict"],
    ["captured", captured, "authorized", { ...authorized, providerRef: "first" }, "Captured", "payment.conflict"],
    ["captured", captured, "declined", declined, "Captured", "payment.captured"],
    ["captured", captured, "canceled", { _tag: "Canceled", providerRef }, "Captured", "payment.captured"],
    ["pending", { _tag: "Pending", providerRef }, "declined", declined, "ChargePending", "payment.pending"],
    ["pending", { _tag: "Pending", providerRef }, "captured", captured, "Captured", "payment.captured"],
    ["pending", { _tag: "Pending", providerRef }, "authorized", authorized, "Authorized", "payment.authorized"],
    ["declined", declined, "captured", captured, "Captured", "payment.captured"],
    ["declined", declined, "pending", { _tag: "Pending", providerRef }, "Declined", "payment.declined"]
  ]
  for (const [second, state, word, says, becomes, ends] of cases) {
    itIn(`a payment is ${becomes}: second attempt ${second}, the first reported ${word}`, world(), function* (own) {
      const { first, payment } = yield* followed(own, state)
      yield* record(messageOf(about(first, says)))
      // Repeated in other words: operators are notified once.
      yield* record(messageOf(about(first, says), { id: "msg_2" }))
      assert.strictEqual((yield* stored(payment)).state, becomes)
      const types = yield* typesOf(payment)
      assert.strictEqual(types.at(-1), ends)
      assert.strictEqual(
        types.filter((type) => type === "payment.conflict").length,
        types.includes("payment.conflict") ? 1 : 0
      )
    })
  }

  itIn("a payment is settled by its own when the first was taken and paid out too", world(), function* (own) {
    const { first, last, payment } = yield* followed(own, captured)
    const settled = (attemptId: string): ProviderMessage["about"] => ({
      _tag: "Settled",
      charge: { attemptId },
      state: () => ({ _tag: "Captured", providerRef: attemptId === first ? "first" : providerRef })
    })
    yield* record(messageOf(settled(first)))
    assert.strictEqual((yield* stored(payment)).state, "Captured")
    yield* record(messageOf(settled(last), { connectionId: "backup" }))
    assert.strictEqual((yield* stored(payment)).state, "Settled")
  })

  const own = world()
  itIn("a message of another connection than the attempt's changes nothing", own, function* () {
    const { last, payment } = yield* followed(own, { _tag: "Pending", providerRef })
    yield* record(messageOf(about(last, captured), { connectionId: "main" }))
    assert.strictEqual((yield* stored(payment)).state, "ChargePending")
    const kept = Option.getOrThrow(yield* (yield* Ledger).message(tenant, "main", "msg_1"))
    assert.deepInclude(kept, { paymentId: null, outcome: "unmatched" })
  })
})

describe("a message about another charge of the attempt that holds the money", () => {
  const cases: ReadonlyArray<
    readonly [captureMethod: "automatic" | "manual", word: string, says: ChargeState, becomes: Payment["state"]]
  > = [
    ["automatic", "captured", captured, "Captured"],
    ["automatic", "authorized", authorized, "Captured"],
    ["manual", "authorized", authorized, "Authorized"],
    ["manual", "captured", captured, "Authorized"]
  ]
  for (const [captureMethod, word, says, becomes] of cases) {
    itIn(`operators are notified once when a second charge (${captureMethod}) is ${word}`, world(), function* (own) {
      own.provider.onCharge = () =>
        Effect.succeed({ _tag: captureMethod === "manual" ? "Authorized" : "Captured", providerRef: "first" })
      const { payment } = yield* (yield* Pointsman).create(caller, request({ details: { captureMethod } }))
      const [attempt] = yield* attemptsOf(payment)
      const id = attempt?.id ?? ""
      for (const number of [1, 2]) yield* record(messageOf(about(id, says), { id: `msg_${number}` }))
      const after = yield* stored(payment)
      assert.deepInclude(after, { state: becomes, providerRef: "first", capturedMinor: payment.capturedMinor })
      assert.deepStrictEqual(after.review?.reasons, ["double_charge"])
      const timeline = yield* (yield* Ledger).timeline(tenant, payment.id, { limit: 50 })
      const told = timeline.filter(({ type }) => type === "payment.conflict")
      assert.deepStrictEqual(
        told.map(({ data }) => [data.attempt_id, data.connection_id, data.provider_reference]),
        [[id, "main", providerRef]]
      )
      // The word about the first charge is still heard.
      yield* record(messageOf(about(id, { _tag: "Captured", providerRef: "first" }), { id: "msg_3" }))
      assert.strictEqual((yield* stored(payment)).state, "Captured")
    })
  }

  const own = world()
  itIn("the first charge still holds when operations cancel the second", own, function* () {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Authorized", providerRef: "first" })
    const { payment } = yield* (yield* Pointsman).create(caller, request({ details: { captureMethod: "manual" } }))
    const [attempt] = yield* attemptsOf(payment)
    const id = attempt?.id ?? ""
    yield* record(messageOf(about(id, authorized)))
    yield* record(messageOf(about(id, { _tag: "Canceled", providerRef }), { id: "msg_2" }))
    assert.strictEqual((yield* stored(payment)).state, "Authorized")
    yield* record(messageOf(about(id, { _tag: "Canceled", providerRef: "first" }), { id: "msg_3" }))
    assert.strictEqual((yield* stored(payment)).state, "Voided")
  })

  itIn("a payout of a second charge does not settle the payment", world(), function* (own) {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Captured", providerRef: "first" })
    const { payment } = yield* (yield* Pointsman).create(caller, request())
    const [attempt] = yield* attemptsOf(payment)
    const settled = (ref: string): ProviderMessage["about"] => ({
      _tag: "Settled",
      charge: { attemptId: attempt?.id ?? "" },
      state: () => ({ _tag: "Captured", providerRef: ref })
    })
    yield* record(messageOf(settled(providerRef)))
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.state, after.review?.reasons], ["Captured", ["double_charge"]])
    yield* record(messageOf(settled("first"), { id: "msg_2" }))
    assert.strictEqual((yield* stored(payment)).state, "Settled")
  })

  for (const kind of ["capture", "void"] as const) {
    itIn(`an unanswered ${kind} stays unknown when one of another charge is reported`, world(), function* (own) {
      own.provider.onCharge = () => Effect.succeed({ _tag: "Authorized", providerRef: "first" })
      const { payment } = yield* (yield* Pointsman).create(caller, request({ details: { captureMethod: "manual" } }))
      const unanswered = () => Effect.fail(new Unanswered({ reason: "time-out" }))
      own.provider.onCapture = unanswered
      own.provider.onVoid = unanswered
      yield* operate(kind, payment.id)
      const [attempt] = yield* attemptsOf(payment)
      const tag = kind === "capture" ? "Captured" : "Canceled"
      yield* record(messageOf(about(attempt?.id ?? "", { _tag: tag, providerRef })))
      assert.strictEqual((yield* stored(payment)).state, kind === "capture" ? "CaptureUnknown" : "VoidUnknown")
      yield* record(messageOf(about(attempt?.id ?? "", { _tag: tag, providerRef: "first" }), { id: "msg_2" }))
      assert.strictEqual((yield* stored(payment)).state, kind === "capture" ? "Captured" : "Voided")
    })
  }
})

describe("a message about a capture", () => {
  itIn("an unanswered capture stays unknown when the authorization is reported late", world(), function* (own) {
    const manual = request({ details: { captureMethod: "manual" } })
    own.provider.onCharge = () => Effect.succeed(authorized)
    const { payment } = yield* (yield* Pointsman).create(caller, manual)
    own.provider.onCapture = () => Effect.fail(new Unanswered({ reason: "time-out" }))
    yield* operate("capture", payment.id)
    const [attempt] = yield* attemptsOf(payment)
    for (const [index, state] of [authorized, declined, { _tag: "Pending", providerRef } as const].entries()) {
      yield* record(messageOf(about(attempt?.id ?? "", state), { id: `msg_${index}` }))
      assert.strictEqual((yield* stored(payment)).state, "CaptureUnknown")
    }
    yield* record(messageOf(about(attempt?.id ?? "", captured), { id: "msg_of_capture" }))
    assert.strictEqual((yield* stored(payment)).state, "Captured")
  })
})

describe("a message about a cancelled charge", () => {
  for (const [at, becomes] of [
    [59_999, "Cancelled"],
    [60_000, "Authorized"]
  ] as const) {
    itIn(`an authorization of ${at} ms after a cancellation of a minute is ${becomes}`, world(), function* (own) {
      yield* TestClock.adjust("1 minute")
      own.provider.onCharge = () => Effect.succeed({ _tag: "Canceled", providerRef })
      const { payment } = yield* (yield* Pointsman).create(caller, request())
      const [attempt] = yield* attemptsOf(payment)
      yield* record(messageOf(about(attempt?.id ?? "", authorized), { at }))
      assert.strictEqual((yield* stored(payment)).state, becomes)
    })
  }
})

describe("a message about a checkout", () => {
  for (const [word, state, becomes] of [
    ["captured", captured, "Captured"],
    ["declined", declined, "Declined"],
    ["at a challenge", { _tag: "NeedsCustomer", providerRef }, "CheckoutOpen"]
  ] as const) {
    itIn(`an open checkout reported ${word} is ${becomes}`, world({ connections: liveConnections }), function* () {
      const { payment, token } = yield* paged(liveCaller)
      const opening = yield* Effect.forkChild((yield* Pointsman).openCheckout(token, "https://pay.example/return"))
      yield* runOut(opening)
      const [attempt] = yield* attemptsOf(payment)
      const message = messageOf(about(attempt?.id ?? "", state), { tenant: payment.tenant })
      assert.isTrue(Result.isSuccess(yield* record(message)))
      assert.strictEqual((yield* stored(payment)).state, becomes)
    })
  }
})

describe("a message about a checkout that is over", () => {
  const challenged: ChargeState = { _tag: "NeedsCustomer", providerRef }
  for (const [what, at, becomes] of [
    ["while the customer could pay", 0, "CheckoutOpen"],
    ["when nobody could pay any more", 1_000 * 60 * 60 * 24, "Declined"],
    // Its time is not always signed.
    ["in times to come", 1_000 * 60 * 60 * 24 * 365, "Declined"]
  ] as const) {
    itIn(
      `a challenge reported ${what} that arrives a day late is ${becomes}`,
      world({ connections: liveConnections }),
      function* (own) {
        const checkout = { reference: "cs_1", url: "https://provider.example/cs_1", expiresAt: 60 * 60 * 1_000 }
        own.provider.onOpenCheckout = () => Effect.succeed({ _tag: "CheckoutOpened", ...checkout })
        const { payment, token } = yield* paged(liveCaller)
        const opening = yield* Effect.forkChild((yield* Pointsman).openCheckout(token, "https://pay.example/return"))
        yield* runOut(opening)
        const [attempt] = yield* attemptsOf(payment)
        yield* TestClock.adjust("1 day")
        yield* record(messageOf(about(attempt?.id ?? "", challenged), { tenant: payment.tenant, at }))
        assert.strictEqual((yield* stored(payment)).state, becomes)
      }
    )
  }
})

describe("a message that is faster than the answer", () => {
  for (const state of [authorized, captured]) {
    itIn(`${state._tag} reported during its request stays when that gets no response`, world(), function* (own) {
      const pointsman = yield* Pointsman
      own.provider.onCharge = () => Effect.delay(Effect.fail(new Unanswered({ reason: "timed out" })), "30 seconds")
      own.provider.onLookUpCharge = () => Effect.succeed({ _tag: "Found", state })
      const asked = yield* Effect.forkChild(
        pointsman.create(caller, request({ details: { captureMethod: "manual" } })),
        { startImmediately: true }
      )
      yield* TestClock.adjust("20 seconds")
      const [charge] = own.provider.charges
      yield* record(messageOf(about(charge?.attemptId ?? "", state)))
      const { payment } = yield* runOut(asked)
      assert.strictEqual(payment.state, state._tag)
      assert.deepStrictEqual(
        (yield* attemptsOf(payment)).map(({ outcome, providerRef }) => [outcome, providerRef]),
        [[state._tag, providerRef]]
      )
      assert.deepStrictEqual(
        payment.routing?.attempts.map(({ outcome }) => outcome),
        [state._tag]
      )
      // The only charge there is has no rival.
      yield* TestClock.adjust("2 days")
      while ((yield* pointsman.checkDue) > 0) yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* stored(payment)).review, null)
      assert.notInclude(yield* typesOf(payment), "payment.conflict")
    })
  }

  for (const [ref, told] of [
    [providerRef, []],
    ["another", ["double_charge"]]
  ] as const) {
    itIn(`a charge reported during its request: ${ref} has ${told.length} contradictions`, world(), function* (own) {
      const pointsman = yield* Pointsman
      own.provider.onCharge = () => Effect.delay(Effect.succeed({ _tag: "Captured", providerRef: ref }), "10 seconds")
      const asked = yield* Effect.forkChild(pointsman.create(caller, request()), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      yield* record(messageOf(about(own.provider.charges[0]?.attemptId ?? "", captured)))
      const { payment } = yield* runOut(asked)
      assert.deepInclude(payment, { state: "Captured", providerRef })
      assert.deepStrictEqual(payment.review?.reasons ?? [], [...told])
      const types = yield* typesOf(payment)
      assert.deepStrictEqual(types.slice(2), told.length === 0 ? [] : ["payment.conflict"])
    })
  }

  for (const second of ["Captured", "Declined"] as const) {
    itIn(`the first attempt stays captured by a report while the second waits: ${second}`, world(), function* (own) {
      const soft = { category: "do_not_honor", code: "05", soft: true } as const
      own.provider.onCharge = ({ connectionId }) =>
        connectionId === "main"
          ? Effect.succeed({ ...soft, _tag: "Declined", providerRef: "declined" })
          : Effect.delay(Effect.succeed(second === "Captured" ? captured : declined), "10 seconds")
      const asked = yield* Effect.forkChild((yield* Pointsman).create(caller, request()), {
        startImmediately: true
      })
      yield* TestClock.adjust("5 seconds")
      yield* record(
        messageOf(about(own.provider.charges[0]?.attemptId ?? "", { _tag: "Captured", providerRef: "first" }))
      )
      const { payment } = yield* runOut(asked)
      const attempts = yield* attemptsOf(payment)
      assert.deepStrictEqual(
        attempts.map(({ outcome, providerRef: of }) => [outcome, of]),
        [
          ["Captured", "first"],
          [second, providerRef]
        ]
      )
      assert.deepStrictEqual(
        payment.routing?.attempts.map(({ outcome }) => outcome),
        ["Captured", second]
      )
      assert.strictEqual(payment.capturedMinor, payment.money.minorUnits)
      assert.deepStrictEqual(payment.review?.reasons ?? [], second === "Captured" ? ["double_charge"] : [])
    })
  }

  for (const [kind, state] of [
    ["capture", captured],
    ["void", { _tag: "Canceled", providerRef }]
  ] as const) {
    itIn(`the timeline has both a ${kind} reported done and its refused request`, world(), function* (own) {
      own.provider.onCharge = () => Effect.succeed(authorized)
      const refusal = { _tag: "Rejected", code: "not_open", message: "It is done already." } as const
      own.provider[kind === "capture" ? "onCapture" : "onVoid"] = () =>
        Effect.delay(Effect.succeed(refusal), "10 seconds")
      const pointsman = yield* Pointsman
      const { payment } = yield* pointsman.create(caller, request({ details: { captureMethod: "manual" } }))
      const asked = yield* Effect.forkChild(operate(kind, payment.id), { startImmediately: true })
      yield* TestClock.adjust("5 seconds")
      yield* record(messageOf(about(own.provider.charges[0]?.attemptId ?? "", state)))
      yield* runOut(asked)
      const after = yield* stored(payment)
      assert.deepStrictEqual(
        [after.state, after.review?.reasons],
        [kind === "capture" ? "Captured" : "Voided", ["conflict"]]
      )
      const { items } = yield* pointsman.timeline(tenant, payment.id, { limit: 10 })
      assert.deepInclude(items.at(-1)?.data, { stated: `${kind}_refused` })
      assert.strictEqual(items.at(-1)?.type, "payment.conflict")
    })
  }

  const own = world()
  itIn("a refund reported as failed stays failed when its request is accepted", own, function* () {
    own.provider.onCharge = () => Effect.succeed(captured)
    own.provider.onRefund = () =>
      Effect.delay(Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" }), "10 seconds")
    const { payment } = yield* (yield* Pointsman).create(caller, request())
    const asked = yield* Effect.forkChild(operate("refund", payment.id), { startImmediately: true })
    yield* TestClock.adjust("5 seconds")
    const [refund] = own.provider.refunds
    yield* record(
      messageOf({
        _tag: "Refund",
        refundId: refund?.refundId ?? "",
        state: () => ({ _tag: "RefundFailed", providerRefundId: "re_1", reason: "closed_account" })
      })
    )
    const answer = yield* runOut(asked)
    assert.strictEqual(Result.isFailure(answer) ? answer.failure._tag : "done", "pointsman/ProviderRefused")
    const after = yield* stored(payment)
    assert.deepStrictEqual([after.refundPendingMinor, after.refundedMinor, after.review], [0, 0, null])
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.created", "payment.captured"])
  })
})

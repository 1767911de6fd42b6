/** What operators have to review, and the effect of a report of what the provider's record says. */
import { assert, describe } from "@effect/vitest"
import { type OperatorStatement, type Payment, type PaymentState, Pointsman, type ReviewReason } from "@pointsman/core"
import { brokenBalance, brokenInvariant } from "@pointsman/core/internal"
import { type ChargeState, Ledger, Unanswered } from "@pointsman/core/ports"
import { Effect, Exit, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { type Kind, operate } from "./support/Operations.ts"
import { anotherWriter, liveCaller, liveConnections, paged } from "./support/Pages.ts"
import { caller, request, type World, world } from "./support/World.ts"

const providerRef = "ref"
const silent = Effect.fail(new Unanswered({ reason: "time-out" }))
const too = (minorUnits: number): ChargeState => ({
  _tag: "Captured",
  providerRef,
  stated: { currency: "EUR", minorUnits }
})
const create = Effect.fnUntraced(function* (
  own: World,
  charge: ChargeState,
  captureMethod: "automatic" | "manual" = "automatic"
) {
  own.provider.onCharge = () => Effect.succeed(charge)
  return (yield* (yield* Pointsman).create(caller, request({ details: { captureMethod } }))).payment
})
const unanswered = Effect.fnUntraced(function* (own: World, change: Parameters<typeof request>[0]) {
  own.provider.onCharge = () => silent
  return (yield* (yield* Pointsman).create(caller, request(change))).payment
})
const authorized = (own: World) => create(own, { _tag: "Authorized", providerRef }, "manual")

const captured = (own: World) => create(own, { _tag: "Captured", providerRef })

/** The payment as it was before its operation, which the provider answers as scripted. */
const operated = Effect.fnUntraced(function* (
  own: World,
  before: ReturnType<typeof create>,
  kind: Kind,
  amountMinor: number | null = null,
  answers: Partial<World["provider"]> = {}
) {
  const payment = yield* before
  Object.assign(own.provider, answers)
  yield* operate(kind, payment.id, { amountMinor })
  return payment
})

const acceptedRefund = Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" } as const)
const pending = Effect.succeed({ _tag: "Pending", providerRef } as const)
const rejected = Effect.succeed({ _tag: "Rejected", code: "no", message: "No." } as const)

/** How a payment enters review; returns the payment as it was created. */
const given = {
  "an unanswered charge": (own: World) => unanswered(own, { idempotencyKey: "key-0001" }),
  "an unanswered charge to authorize": (own: World) => unanswered(own, { details: { captureMethod: "manual" } }),
  "a charge for more than was asked": (own: World) => create(own, too(2000)),
  "an unanswered capture": (own: World) => operated(own, authorized(own), "capture", 1500, { onCapture: () => silent }),
  "an unanswered void": (own: World) => operated(own, authorized(own), "void", null, { onVoid: () => silent }),
  "an unanswered refund": (own: World) => operated(own, captured(own), "refund", 500, { onRefund: () => silent }),
  "an accepted refund and an unanswered one": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* operated(own, captured(own), "refund", 300, { onRefund: () => acceptedRefund })
      own.provider.onRefund = () => silent
      yield* operate("refund", payment.id, { amountMinor: 500 })
      return payment
    }),
  "a confirmed capture": (own: World) => operated(own, authorized(own), "capture", 1500),
  "a confirmed capture, refunded in part": (own: World) =>
    operated(own, operated(own, authorized(own), "capture", 1500), "refund", 500),
  "an accepted capture": (own: World) => accepted.capture(own),
  "an accepted void": (own: World) => operated(own, authorized(own), "void", null, { onVoid: () => pending }),
  "a confirmed void": (own: World) => operated(own, authorized(own), "void"),
  "a refund": (own: World) => operated(own, captured(own), "refund", 500),
  "a refused refund": (own: World) => operated(own, captured(own), "refund", 500, { onRefund: () => rejected }),
  "a reversed refund": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* operated(own, captured(own), "refund", 500)
      Result.getOrThrow(yield* settle(payment, yield* named(payment, refund("failed"))))
      return payment
    }),
  "a decline that was a capture": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* create(own, {
        _tag: "Declined",
        providerRef,
        category: "expired_card",
        code: "54",
        soft: false
      })
      yield* tell(payment, { _tag: "Captured", providerRef })
      return payment
    }),
  "a second charge": (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = ({ connectionId }) =>
        Effect.succeed(
          connectionId === "main"
            ? { _tag: "Declined", providerRef: "ref-1", category: "do_not_honor", code: "05", soft: true }
            : { _tag: "Captured", providerRef }
        )
      const { payment } = yield* (yield* Pointsman).create(caller, request())
      yield* tell(payment, { _tag: "Captured", providerRef: "ref-1" })
      return payment
    })
}

/** Accepted, and the provider's record never tells that it was refused later. */
const accepted = {
  capture: (own: World) => operated(own, authorized(own), "capture", null, { onCapture: () => pending }),
  refund: (own: World) => operated(own, captured(own), "refund", 500, { onRefund: () => acceptedRefund }),
  charge: (own: World) => create(own, { _tag: "Pending", providerRef })
}

/** A message of the provider's about the first attempt. */
const tell = (payment: Payment, state: ChargeState) =>
  Effect.gen(function* () {
    const [attempt] = yield* (yield* Ledger).attempts(payment.tenant, payment.id)
    yield* (yield* Pointsman).recordMessage({
      connectionId: attempt?.connectionId ?? "",
      tenant: payment.tenant,
      receivedAt: 0,
      body: "{}",
      reason: null,
      message: {
        id: "msg_1",
        at: 0,
        about: { _tag: "Charge", charge: { attemptId: attempt?.id ?? "" }, state: () => state }
      }
    })
  })

const bookOf = (payment: Payment) =>
  Effect.gen(function* () {
    return Option.getOrThrow(yield* (yield* Ledger).book(payment.tenant, payment.id))
  })

const waiting = Effect.gen(function* () {
  return (yield* (yield* Pointsman).reviews({ limit: 10 })).items
})

/** The send window, and twice the time-out: nothing that was sent before can still arrive. */
const untilOld = 5_000 + 2 * 30_000

const seen = { evidence: "The acquirer's dashboard shows it.", by: "Jo" }

const settle = (payment: Payment, stated: OperatorStatement, more: Partial<typeof seen> = {}) =>
  Effect.gen(function* () {
    const order = { tenant: payment.tenant, paymentId: payment.id, stated, ...seen, ...more }
    return yield* Effect.result((yield* Pointsman).resolveReview(order))
  })

const says = (
  charge: Extract<OperatorStatement, { readonly _tag: "Charge" }>["says"],
  more: Partial<Extract<OperatorStatement, { readonly _tag: "Charge" }>> = {}
): OperatorStatement => ({ _tag: "Charge", says: charge, attemptId: null, amountMinor: null, providerRef, ...more })

/** About the newest refund. */
const refund = (saysOfIt: Extract<OperatorStatement, { readonly _tag: "Refund" }>["says"]) =>
  ({ _tag: "Refund", says: saysOfIt, refundId: "", providerRefundId: "re_9" }) as const

const nothing: OperatorStatement = { _tag: "NothingToChange" }

const named = (payment: Payment, stated: OperatorStatement) =>
  Effect.map(bookOf(payment), ({ refunds }) =>
    stated._tag === "Refund" ? { ...stated, refundId: refunds.at(-1)?.id ?? "" } : stated
  )

const newEvents = (payment: Payment, before: number) =>
  Effect.gen(function* () {
    const { items } = yield* (yield* Pointsman).timeline(payment.tenant, payment.id, { limit: 100 })
    return items.slice(before)
  })

type Case = readonly [
  before: keyof typeof given,
  waits: ReadonlyArray<ReviewReason>,
  stated: OperatorStatement,
  becomes: PaymentState,
  amounts: Partial<Payment>,
  events: ReadonlyArray<string>,
  /** What it still waits for. */
  left?: ReadonlyArray<ReviewReason>
]

const cases: ReadonlyArray<Case> = [
  [
    "an unanswered charge",
    ["unknown"],
    says("captured"),
    "Captured",
    { authorizedMinor: 1999, capturedMinor: 1999, providerRef },
    ["payment.captured"]
  ],
  [
    "an unanswered charge",
    ["unknown"],
    says("captured", { amountMinor: 1000 }),
    "Captured",
    { authorizedMinor: 1000, capturedMinor: 1000 },
    ["payment.captured"]
  ],
  [
    "an unanswered charge",
    ["unknown"],
    says("never_received", { providerRef: null }),
    "Failed",
    { authorizedMinor: 0, capturedMinor: 0, providerRef: null },
    ["payment.failed"]
  ],
  ["an unanswered charge", ["unknown"], says("declined"), "Declined", { capturedMinor: 0 }, ["payment.declined"]],
  ["an unanswered charge", ["unknown"], says("canceled"), "Cancelled", {}, ["payment.cancelled"]],
  [
    "an unanswered charge to authorize",
    ["unknown"],
    says("authorized"),
    "Authorized",
    { authorizedMinor: 1999, capturedMinor: 0 },
    ["payment.authorized"]
  ],
  [
    "a charge for more than was asked",
    ["unknown", "amount_mismatch"],
    says("captured", { amountMinor: 1999 }),
    "Captured",
    { capturedMinor: 1999 },
    ["payment.captured"]
  ],
  [
    "a charge for more than was asked",
    ["unknown", "amount_mismatch"],
    says("canceled"),
    "Cancelled",
    { capturedMinor: 0 },
    ["payment.cancelled"]
  ],
  [
    "an unanswered capture",
    ["unknown"],
    says("captured"),
    "Captured",
    { authorizedMinor: 1999, capturedMinor: 1500 },
    ["payment.captured"]
  ],
  [
    "an unanswered capture",
    ["unknown"],
    says("authorized"),
    "Authorized",
    { capturedMinor: 0 },
    ["payment.authorized"]
  ],
  ["an unanswered capture", ["unknown"], says("canceled"), "Voided", {}, ["payment.cancelled"]],
  ["an unanswered void", ["unknown"], says("canceled"), "Voided", {}, ["payment.cancelled"]],
  ["an unanswered void", ["unknown"], says("authorized"), "Authorized", {}, ["payment.authorized"]],
  ["an unanswered void", ["unknown"], says("captured"), "Captured", { capturedMinor: 1999 }, ["payment.captured"]],
  [
    "an unanswered refund",
    ["refund_unknown"],
    refund("succeeded"),
    "PartiallyRefunded",
    { refundedMinor: 500, refundPendingMinor: 0 },
    ["payment.refunded"]
  ],
  [
    "an unanswered refund",
    ["refund_unknown"],
    refund("failed"),
    "Captured",
    { refundedMinor: 0, refundPendingMinor: 0 },
    ["payment.refund_failed"]
  ],
  [
    "an unanswered refund",
    ["refund_unknown"],
    refund("never_received"),
    "Captured",
    { refundedMinor: 0, refundPendingMinor: 0 },
    ["payment.refund_failed"]
  ],
  [
    "an accepted refund and an unanswered one",
    ["refund_unknown"],
    refund("succeeded"),
    "PartiallyRefunded",
    { refundedMinor: 500, refundPendingMinor: 300 },
    ["payment.refunded"]
  ],
  ["a decline that was a capture", ["conflict"], nothing, "Captured", { capturedMinor: 1999 }, []],
  ["a second charge", ["double_charge"], nothing, "Captured", { capturedMinor: 1999, connectionId: "backup" }, []]
]

/** Of payments that need not wait for anybody. */
const corrections: ReadonlyArray<Case> = [
  [
    "a confirmed capture",
    [],
    says("capture_failed"),
    "Authorized",
    { capturedMinor: 0, authorizedMinor: 1999 },
    ["payment.capture_failed"]
  ],
  ["an accepted capture", [], says("capture_failed"), "Authorized", { capturedMinor: 0 }, ["payment.capture_failed"]],
  // Its refunds are closed until somebody reviews it again.
  [
    "a confirmed capture, refunded in part",
    [],
    says("capture_failed"),
    "PartiallyRefunded",
    { capturedMinor: 1500, refundedMinor: 500 },
    ["payment.conflict"],
    ["capture_failed"]
  ],
  [
    "a decline that was a capture",
    ["conflict"],
    says("capture_failed"),
    "Captured",
    { capturedMinor: 1999 },
    ["payment.conflict"],
    ["capture_failed"]
  ],
  ["an accepted void", [], says("void_failed"), "Authorized", {}, ["payment.void_failed"]],
  [
    "a confirmed capture",
    [],
    says("captured", { amountMinor: 1800 }),
    "Captured",
    { capturedMinor: 1800 },
    ["payment.amount_mismatch"]
  ],
  ["a refund", [], refund("failed"), "Captured", { refundedMinor: 0 }, ["payment.refund_failed"]],
  [
    "a refused refund",
    [],
    refund("succeeded"),
    "PartiallyRefunded",
    { refundedMinor: 500 },
    ["payment.conflict", "payment.refunded"]
  ],
  [
    "a reversed refund",
    [],
    refund("succeeded"),
    "PartiallyRefunded",
    { refundedMinor: 500 },
    ["payment.conflict", "payment.refunded"]
  ],
  ["a second charge", ["double_charge"], says("captured"), "Captured", { connectionId: "backup" }, []]
]

const nameOf = (stated: OperatorStatement): string =>
  stated._tag === "NothingToChange"
    ? "nothing has to change"
    : `${stated.says}${"amountMinor" in stated && stated.amountMinor !== null ? ` ${stated.amountMinor}` : ""}`

describe("what somebody found in the provider's record", () => {
  for (const [before, waits, stated, becomes, amounts, events, left = []] of [...cases, ...corrections]) {
    itIn(`${nameOf(stated)} makes ${before} ${becomes}`, world(), function* (own) {
      const payment = yield* given[before](own)
      yield* TestClock.adjust(untilOld)
      const [listed] = yield* waiting
      assert.strictEqual(listed?.id, waits.length === 0 ? undefined : payment.id)
      assert.deepStrictEqual(listed?.review?.reasons ?? [], waits)
      const told = (yield* newEvents(payment, 0)).length
      const calls = own.provider.charges.length

      const settled = Result.getOrThrow(yield* settle(payment, yield* named(payment, stated)))

      const { payment: after, refunds } = yield* bookOf(payment)
      assert.deepStrictEqual(after, settled)
      assert.deepInclude(after, { state: becomes, ...amounts })
      assert.isUndefined(brokenInvariant(after) ?? brokenBalance(after, refunds))
      assert.deepStrictEqual(after.review?.reasons ?? [], left)
      assert.lengthOf(yield* waiting, left.length === 0 ? 0 : 1)
      const [note, ...others] = yield* newEvents(payment, told)
      assert.deepInclude(note?.data, { reviewed_by: "Jo", evidence: seen.evidence })
      assert.strictEqual(note?.type, "payment.reviewed")
      assert.deepStrictEqual(
        others.map(({ type }) => type),
        events
      )
      assert.lengthOf(own.provider.charges, calls)
    })
  }
})

describe("a statement that does not fit", () => {
  const refusals: ReadonlyArray<readonly [keyof typeof given, OperatorStatement, RegExp]> = [
    ["an unanswered charge", nothing, /unknown result: state what/u],
    ["an unanswered refund", nothing, /unknown result: state what/u],
    ["an unanswered charge", says("captured", { amountMinor: 2000 }), /exceeds the requested/u],
    ["an unanswered charge", says("captured", { providerRef: null }), /reference/u],
    ["an unanswered charge", says("captured", { attemptId: "att_of_another" }), /no attempt att_of_another/u],
    ["an unanswered capture", says("captured", { amountMinor: 1501 }), /exceeds the requested/u],
    ["an unanswered capture", says("authorized", { amountMinor: 1998 }), /authorized amount is 1999/u],
    ["an unanswered capture", says("never_received"), /captured, authorized or canceled/u],
    ["an unanswered capture", says("declined"), /cannot/u],
    ["a charge for more than was asked", says("never_received"), /cannot become never_received/u],
    ["a second charge", says("authorized"), /CAPTURED cannot become authorized/u],
    ["a second charge", says("never_received"), /CAPTURED cannot become never_received/u],
    ["an accepted void", says("capture_failed"), /no capture that can have failed/u],
    ["a confirmed void", says("void_failed"), /CANCELLED cannot take back its void/u],
    ["a refund", refund("never_received"), /succeeded cannot become never_received/u],
    ["an unanswered refund", { ...refund("succeeded"), refundId: "rf_of_another" }, /no refund rf_of_another/u]
  ]
  for (const [before, stated, reason] of refusals) {
    itIn(`${before} refuses ${JSON.stringify(stated)}, and nothing is written`, world(), function* (own) {
      const payment = yield* given[before](own)
      yield* TestClock.adjust(untilOld)
      const stored = yield* bookOf(payment)
      const isNamed = stated._tag === "Refund" && stated.refundId !== ""
      const refused = yield* settle(payment, isNamed ? stated : yield* named(payment, stated))
      assert.isTrue(Result.isFailure(refused))
      if (!Result.isFailure(refused) || refused.failure._tag !== "pointsman/StatementRefused") throw refused
      assert.match(refused.failure.reason, reason)
      assert.deepStrictEqual(yield* bookOf(payment), stored)
    })
  }

  const young: ReadonlyArray<readonly [keyof typeof given, OperatorStatement]> = [
    ["an unanswered charge", says("never_received", { providerRef: null })],
    ["an unanswered capture", says("authorized")],
    ["an unanswered void", says("authorized")],
    ["an unanswered refund", refund("never_received")]
  ]
  for (const [before, stated] of young) {
    itIn(`${before} that may still arrive is not yet one that never did`, world(), function* (own) {
      const payment = yield* given[before](own)
      const stored = yield* bookOf(payment)
      yield* TestClock.adjust(untilOld - 1)
      const early = yield* settle(payment, yield* named(payment, stated))
      assert.isTrue(Result.isFailure(early) && early.failure._tag === "pointsman/StatementRefused")
      assert.deepStrictEqual(yield* bookOf(payment), stored)
      yield* TestClock.adjust(1)
      assert.isTrue(Result.isSuccess(yield* settle(payment, yield* named(payment, stated))))
    })
  }

  const own = world()
  itIn("the field without evidence, a name or a valid amount is named", own, function* () {
    const payment = yield* given["an unanswered charge"](own)
    const fieldOf = (result: Result.Result<unknown, unknown>) =>
      Result.isFailure(result) ? (result.failure as { readonly field: string }).field : undefined
    assert.strictEqual(fieldOf(yield* settle(payment, says("captured"), { evidence: "  " })), "evidence")
    assert.strictEqual(fieldOf(yield* settle(payment, says("captured"), { evidence: "é".repeat(2001) })), "evidence")
    assert.strictEqual(fieldOf(yield* settle(payment, says("captured"), { by: "" })), "by")
    for (const amountMinor of [0, -1, 1.5, Number.NaN]) {
      assert.strictEqual(fieldOf(yield* settle(payment, says("captured", { amountMinor }))), "amountMinor")
    }
    assert.strictEqual((yield* bookOf(payment)).payment.state, "ChargeUnknown")
  })

  itIn("a payment that needs no person has no review and nothing to settle", world(), function* (own) {
    const payment = yield* create(own, { _tag: "Captured", providerRef })
    const pointsman = yield* Pointsman
    assert.deepStrictEqual(yield* waiting, [])
    const read = yield* Effect.result(pointsman.reviewOf(payment.id))
    assert.isTrue(Result.isFailure(read))
    const refused = yield* settle(payment, nothing)
    assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "pointsman/StatementRefused")
    const stranger = yield* settle({ ...payment, id: "00000000-0000-7000-8000-000000000000" }, nothing)
    assert.isTrue(Result.isFailure(stranger) && stranger.failure._tag === "pointsman/PaymentNotFound")
  })
})

describe("a review beside others", () => {
  itIn("a review file has the attempts, operations, refunds and timeline on record", world(), function* (own) {
    const payment = yield* given["an unanswered refund"](own)
    const file = yield* (yield* Pointsman).reviewOf(payment.id)
    assert.strictEqual(file.payment.id, payment.id)
    assert.lengthOf(file.attempts, 1)
    assert.lengthOf(file.refunds, 1)
    assert.deepStrictEqual(
      file.timeline.map(({ type }) => type),
      ["payment.created", "payment.captured", "payment.refund_unknown"]
    )
  })

  itIn("a request under the key of a statement gets it back, and nothing is sent", world(), function* (own) {
    const pointsman = yield* Pointsman
    const payment = yield* given["an unanswered charge"](own)
    Result.getOrThrow(yield* settle(payment, says("captured")))
    yield* pointsman.create(caller, request({ idempotencyKey: "key-0001" }))
    assert.lengthOf(own.provider.charges, 1)
  })

  itIn("a statement is decided again, and refused, if the background settles it first", world(), function* (own) {
    const payment = yield* given["an unanswered charge"](own)
    yield* TestClock.adjust(untilOld)
    const context = yield* Effect.context<Ledger>()
    const capturedBehind = anotherWriter(payment, {
      on: "ChargeCaptured",
      amountMinor: 1999,
      connectionId: "main",
      providerRef
    })
    let isFirst = true
    own.ledger.beforeCommit = () => {
      if (!isFirst) return Effect.void
      isFirst = false
      return Effect.provideContext(capturedBehind, context)
    }
    const refused = yield* settle(payment, says("never_received"))
    assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "pointsman/StatementRefused")
    assert.strictEqual((yield* bookOf(payment)).payment.state, "Captured")
  })

  for (const fault of ["unwritten", "lost", "unheard"] as const) {
    itIn(`a statement whose commit ends ${fault} is written once, or surely not`, world(), function* (own) {
      const payment = yield* given["an unanswered charge"](own)
      const before = own.ledger.calls.commit
      own.ledger.onCommit = (number) => (number === before + 1 ? fault : undefined)
      const settled = yield* settle(payment, says("captured"))
      assert.strictEqual(Result.isFailure(settled), fault === "unwritten")
      const types = (yield* newEvents(payment, 0)).map(({ type }) => type)
      const isWritten = fault !== "unwritten"
      assert.strictEqual(types.filter((type) => type === "payment.reviewed").length, isWritten ? 1 : 0)
      assert.strictEqual((yield* bookOf(payment)).payment.state, isWritten ? "Captured" : "ChargeUnknown")
    })
  }

  const endless = world({ connections: liveConnections })
  itIn("a checkout without an end waits for a person to say that it was not paid", endless, function* (own) {
    own.provider.onOpenCheckout = () =>
      Effect.succeed({ _tag: "CheckoutOpened", reference: "co_1", url: "https://pay.example/1", expiresAt: null })
    const { payment, token } = yield* paged(liveCaller)
    yield* (yield* Pointsman).openCheckout(token, "https://pay.example/return")
    yield* TestClock.adjust(untilOld)
    const [listed] = yield* waiting
    assert.deepStrictEqual(listed?.review?.reasons, ["open_checkout"])
    const settled = Result.getOrThrow(yield* settle(payment, says("never_received", { providerRef: null })))
    assert.deepInclude(settled, { state: "Cancelled", review: null })
  })
})

describe("what is open for too long", () => {
  const day = 24 * 60 * 60 * 1000
  const cases = [
    ["charge", 7, says("captured"), "Captured"],
    ["capture", 7, says("authorized"), "Authorized"],
    ["refund", 30, refund("succeeded"), "PartiallyRefunded"]
  ] as const
  const checkAll = Effect.flatMap(Pointsman, ({ checkDue }) => Effect.repeat(checkDue, { while: (count) => count > 0 }))

  for (const [what, days, stated, becomes] of cases) {
    itIn(`an accepted ${what} asks for a person's look after ${days} days`, world(), function* (own) {
      const payment = yield* accepted[what](own)
      own.provider.onLookUpCharge = () => silent
      own.provider.onLookUpRefund = () => silent
      yield* TestClock.adjust(days * day - 1)
      yield* checkAll
      assert.deepStrictEqual(yield* waiting, [])
      yield* TestClock.adjust(day)
      yield* checkAll
      const [listed] = yield* waiting
      assert.deepStrictEqual(listed?.review?.reasons, ["overdue"])
      assert.strictEqual(listed?.updatedAt, (yield* bookOf(payment)).payment.updatedAt)
      // It is reported once, and looked up all the same.
      const before = own.provider.lookUps.length + own.provider.refundLookUps.length
      yield* TestClock.adjust(day)
      yield* checkAll
      assert.isAbove(own.provider.lookUps.length + own.provider.refundLookUps.length, before)
      assert.strictEqual((yield* bookOf(payment)).payment.version, listed?.version)
      const settled = Result.getOrThrow(yield* settle(payment, yield* named(payment, stated)))
      assert.deepInclude(settled, { state: becomes, review: null })
    })
  }

  itIn("a look at what is still under way is followed by another a week later", world(), function* (own) {
    const payment = yield* accepted.charge(own)
    own.provider.onLookUpCharge = () => silent
    yield* TestClock.adjust(8 * day)
    yield* checkAll
    Result.getOrThrow(yield* settle(payment, nothing))
    yield* TestClock.adjust(6 * day)
    yield* checkAll
    assert.deepStrictEqual(yield* waiting, [])
    yield* TestClock.adjust(2 * day)
    yield* checkAll
    assert.lengthOf(yield* waiting, 1)
  })
})

describe("a step that tells operations nothing", () => {
  const own = world()
  for (const type of ["payment.unknown", "payment.conflict", "payment.amount_mismatch"] as const) {
    itIn(`${type} without a review is a defect when written, and nothing is stored`, own, function* () {
      const ledger = yield* Ledger
      const payment = yield* create(own, { _tag: "Captured", providerRef })
      const after = { ...payment, version: payment.version + 1 }
      const event = { type, paymentId: payment.id, createdAt: 0, data: {} }
      const change = { tenant: payment.tenant, payment: { expected: payment.version, after }, attempts: [] }
      assert.isTrue(Exit.hasDies(yield* Effect.exit(ledger.commit({ ...change, events: [event] }))))
      assert.deepStrictEqual((yield* bookOf(payment)).payment, payment)
      yield* ledger.commit({ ...change, events: [] })
    })
  }
})

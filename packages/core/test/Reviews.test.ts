/** What operators have to review, and the effect of a report of what the provider's record says. */
import { assert, describe } from "@effect/vitest"
import { type OperatorStatement, type Payment, Pointsman } from "@pointsman/core"
import { brokenBalance, brokenInvariant } from "@pointsman/core/internal"
import { Ledger } from "@pointsman/core/ports"
import { Effect, Exit, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { chargeSays, operate } from "./support/Operations.ts"
import { anotherBefore, bookOf, checkoutOpened, liveCaller, liveConnections, paged } from "./support/Pages.ts"
import {
  canceled,
  captured,
  capturedBy,
  charge,
  checkedAfter,
  created,
  declined,
  followedBy,
  pending,
  providerRef,
  refundedBy,
  rejected,
  type Start,
  seen as seenNow,
  stating,
  unanswered,
  voidedBy
} from "./support/Statements.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, request, type World, world } from "./support/World.ts"

const silent = Effect.fail(unanswered)
const accepted = { _tag: "RefundPending", providerRefundId: "re_1" } as const

const andRefund =
  (start: Start, answers: Partial<World["provider"]> = {}): Start =>
  (own) =>
    Effect.tap(start(own), ({ id }) => {
      Object.assign(own.provider, answers)
      return operate("refund", id, { amountMinor: 500 })
    })

/** How a payment enters review; returns the payment as it was created. */
const given = {
  "an unanswered charge": created(unanswered),
  "an unanswered charge to authorize": created(unanswered, "manual"),
  "a charge for more than was asked": created(stating(2000)),
  "an unanswered capture": capturedBy(unanswered, 1500),
  "an unanswered void": voidedBy(unanswered),
  "an unanswered refund": refundedBy(unanswered, 500),
  "an accepted refund and an unanswered one": andRefund(refundedBy(accepted, 300), { onRefund: () => silent }),
  "a confirmed capture": capturedBy(captured, 1500),
  "a confirmed capture, refunded in part": andRefund(capturedBy(captured, 1500)),
  "an accepted charge": created(pending),
  "an accepted capture": capturedBy(pending),
  "an accepted void": voidedBy(pending),
  "an accepted refund": refundedBy(accepted, 500),
  "a confirmed void": voidedBy(canceled),
  "a refund": andRefund(created(captured)),
  "a refused refund": refundedBy(rejected, 500),
  "a reversed refund": (own: World) =>
    Effect.tap(andRefund(created(captured))(own), (payment) =>
      Effect.flatMap(named(payment, refund("failed")), (stated) =>
        Effect.map(settle(payment, stated), Result.getOrThrow)
      )
    ),
  "a decline that was a capture": (own: World) => Effect.tap(created(declined)(own), charge(captured)),
  "a second charge": (own: World) =>
    Effect.tap(followedBy(captured, "ref-1")(own), charge({ ...captured, providerRef: "ref-1" }))
}

const waiting = Effect.gen(function* () {
  return (yield* (yield* Pointsman).reviews({ limit: 10 })).items
})

/** The send window, and twice the time-out: nothing that was sent before can still arrive. */
const untilOld = 5_000 + 2 * 30_000

const seen = { evidence: "The acquirer's dashboard shows it.", by: "Jo" }

const settle = (payment: Payment, stated: OperatorStatement, more: Partial<typeof seen> = {}) =>
  Effect.flatMap(Pointsman, ({ resolveReview }) =>
    Effect.result(resolveReview({ tenant: payment.tenant, paymentId: payment.id, stated, ...seen, ...more }))
  )

const says = (...[charge, more]: Parameters<typeof chargeSays>) => chargeSays(charge, { providerRef, ...more })

/** About the newest refund. */
const refund = (saysOfIt: Extract<OperatorStatement, { readonly _tag: "Refund" }>["says"]) =>
  ({ _tag: "Refund", says: saysOfIt, refundId: "", providerRefundId: "re_9" }) as const

const nothing: OperatorStatement = { _tag: "NothingToChange" }
const never = says("never_received", { providerRef: null })
const took = (amountMinor: number) => says("captured", { amountMinor })

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
  waits: string,
  stated: OperatorStatement,
  /** As it is seen, with what it still waits for, of how much is authorized. */
  becomes: string,
  /** Of the payment, in their order. */
  events: string,
  more?: Partial<Payment>
]

const cases: ReadonlyArray<Case> = [
  ["an unanswered charge", "unknown", says("captured"), "Captured 1999 of 1999", "captured", { providerRef }],
  ["an unanswered charge", "unknown", took(1000), "Captured 1000 of 1000", "captured"],
  ["an unanswered charge", "unknown", never, "Failed 0 of 0", "failed", { providerRef: null }],
  ["an unanswered charge", "unknown", says("declined"), "Declined 0 of 0", "declined"],
  ["an unanswered charge", "unknown", says("canceled"), "Cancelled 0 of 0", "cancelled"],
  ["an unanswered charge to authorize", "unknown", says("authorized"), "Authorized 0 of 1999", "authorized"],
  ["a charge for more than was asked", "unknown amount_mismatch", took(1999), "Captured 1999 of 1999", "captured"],
  ["a charge for more than was asked", "unknown amount_mismatch", says("canceled"), "Cancelled 0 of 0", "cancelled"],
  ["an unanswered capture", "unknown", says("captured"), "Captured 1500 of 1999", "captured"],
  ["an unanswered capture", "unknown", says("authorized"), "Authorized 0 of 1999", "authorized"],
  ["an unanswered capture", "unknown", says("canceled"), "Voided 0 of 1999", "cancelled"],
  ["an unanswered void", "unknown", says("canceled"), "Voided 0 of 1999", "cancelled"],
  ["an unanswered void", "unknown", says("authorized"), "Authorized 0 of 1999", "authorized"],
  ["an unanswered void", "unknown", says("captured"), "Captured 1999 of 1999", "captured"],
  ["an unanswered refund", "refund_unknown", refund("succeeded"), "PartiallyRefunded 1999 -500 of 1999", "refunded"],
  ["an unanswered refund", "refund_unknown", refund("failed"), "Captured 1999 of 1999", "refund_failed"],
  ["an unanswered refund", "refund_unknown", refund("never_received"), "Captured 1999 of 1999", "refund_failed"],
  [
    "an accepted refund and an unanswered one",
    "refund_unknown",
    refund("succeeded"),
    "PartiallyRefunded 1999 -500 ~300 of 1999",
    "refunded"
  ],
  ["a decline that was a capture", "conflict", nothing, "Captured 1999 of 1999", ""],
  ["a second charge", "double_charge", nothing, "Captured 1999 of 1999", "", { connectionId: "backup" }],
  // Corrections, of payments that need not wait for anybody. Refunds stay closed until a failed capture is reviewed.
  ["a confirmed capture", "", says("capture_failed"), "Authorized 0 of 1999", "capture_failed"],
  ["an accepted capture", "", says("capture_failed"), "Authorized 0 of 1999", "capture_failed"],
  [
    "a confirmed capture, refunded in part",
    "",
    says("capture_failed"),
    "PartiallyRefunded 1500 -500 capture_failed of 1999",
    "conflict"
  ],
  [
    "a decline that was a capture",
    "conflict",
    says("capture_failed"),
    "Captured 1999 capture_failed of 1999",
    "conflict"
  ],
  ["an accepted void", "", says("void_failed"), "Authorized 0 of 1999", "void_failed"],
  ["a confirmed capture", "", took(1800), "Captured 1800 of 1999", "amount_mismatch"],
  ["a refund", "", refund("failed"), "Captured 1999 of 1999", "refund_failed"],
  ["a refused refund", "", refund("succeeded"), "PartiallyRefunded 1999 -500 of 1999", "conflict refunded"],
  ["a reversed refund", "", refund("succeeded"), "PartiallyRefunded 1999 -500 of 1999", "conflict refunded"],
  ["a second charge", "double_charge", says("captured"), "Captured 1999 of 1999", "", { connectionId: "backup" }]
]

const nameOf = (stated: OperatorStatement): string =>
  stated._tag === "NothingToChange"
    ? "nothing has to change"
    : `${stated.says}${"amountMinor" in stated && stated.amountMinor !== null ? ` ${stated.amountMinor}` : ""}`

describe("what somebody found in the provider's record", () => {
  for (const [before, waits, stated, becomes, events, more = {}] of cases) {
    itIn(`${nameOf(stated)} makes ${before} ${becomes}`, world(), function* (own) {
      const payment = yield* given[before](own)
      yield* TestClock.adjust(untilOld)
      const [listed] = yield* waiting
      assert.strictEqual(listed?.id, waits === "" ? undefined : payment.id)
      assert.strictEqual(listed?.review?.reasons.join(" ") ?? "", waits)
      const told = (yield* newEvents(payment, 0)).length
      const calls = own.provider.charges.length

      const settled = Result.getOrThrow(yield* settle(payment, yield* named(payment, stated)))

      const { payment: after, refunds } = yield* bookOf(payment)
      assert.deepStrictEqual(after, settled)
      assert.strictEqual(`${yield* seenNow(payment)} of ${after.authorizedMinor}`, becomes)
      assert.deepInclude(after, more)
      assert.isUndefined(brokenInvariant(after) ?? brokenBalance(after, refunds))
      assert.lengthOf(yield* waiting, after.review === null ? 0 : 1)
      const [note, ...others] = yield* newEvents(payment, told)
      assert.deepInclude(note?.data, { reviewed_by: "Jo", evidence: seen.evidence })
      assert.strictEqual(note?.type, "payment.reviewed")
      assert.strictEqual(others.map(({ type }) => type.replace("payment.", "")).join(" "), events)
      assert.lengthOf(own.provider.charges, calls)
    })
  }
})

describe("a statement that does not fit", () => {
  const refusals: ReadonlyArray<readonly [keyof typeof given, OperatorStatement, RegExp]> = [
    ["an unanswered charge", nothing, /unknown result: state what/u],
    ["an unanswered refund", nothing, /unknown result: state what/u],
    ["an unanswered charge", took(2000), /exceeds the requested/u],
    ["an unanswered charge", says("captured", { providerRef: null }), /reference/u],
    ["an unanswered charge", says("captured", { attemptId: "att_of_another" }), /no attempt att_of_another/u],
    ["an unanswered capture", took(1501), /exceeds the requested/u],
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
    ["an unanswered charge", never],
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
      assert.strictEqual(fieldOf(yield* settle(payment, took(amountMinor))), "amountMinor")
    }
    assert.strictEqual((yield* bookOf(payment)).payment.state, "ChargeUnknown")
  })

  itIn("a payment that needs no person has no review and nothing to settle", world(), function* (own) {
    const payment = yield* created(captured)(own)
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
    assertFields(file.timeline, "type", "payment.created", "payment.captured", "payment.refund_unknown")
  })

  itIn("a request under the key of a statement gets it back, and nothing is sent", world(), function* (own, pointsman) {
    own.provider.onCharge = () => silent
    const keyed = request({ idempotencyKey: "key-0001" })
    const { payment } = yield* pointsman.create(caller, keyed)
    Result.getOrThrow(yield* settle(payment, says("captured")))
    yield* pointsman.create(caller, keyed)
    assert.lengthOf(own.provider.charges, 1)
  })

  itIn("a statement is decided again, and refused, if the background settles it first", world(), function* (own) {
    const payment = yield* given["an unanswered charge"](own)
    yield* TestClock.adjust(untilOld)
    const fact = { on: "ChargeCaptured", amountMinor: 1999, connectionId: "main", providerRef } as const
    yield* anotherBefore(own, own.ledger.calls.commit + 1, fact)
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
    own.provider.onOpenCheckout = () => Effect.succeed(checkoutOpened())
    const { payment, token } = yield* paged(liveCaller)
    yield* (yield* Pointsman).openCheckout(token, "https://pay.example/return")
    yield* TestClock.adjust(untilOld)
    const [listed] = yield* waiting
    assert.deepStrictEqual(listed?.review?.reasons, ["open_checkout"])
    const settled = Result.getOrThrow(yield* settle(payment, never))
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
  for (const [what, days, stated, becomes] of cases) {
    itIn(`an accepted ${what} asks for a person's look after ${days} days`, world(), function* (own) {
      const payment = yield* given[`an accepted ${what}`](own)
      own.provider.onLookUpCharge = () => silent
      own.provider.onLookUpRefund = () => silent
      yield* checkedAfter(days * day - 1)(payment, own)
      assert.deepStrictEqual(yield* waiting, [])
      yield* checkedAfter(day)(payment, own)
      const [listed] = yield* waiting
      assert.deepStrictEqual(listed?.review?.reasons, ["overdue"])
      assert.strictEqual(listed?.updatedAt, (yield* bookOf(payment)).payment.updatedAt)
      // It is reported once, and looked up all the same.
      const before = own.provider.lookUps.length + own.provider.refundLookUps.length
      yield* checkedAfter(day)(payment, own)
      assert.isAbove(own.provider.lookUps.length + own.provider.refundLookUps.length, before)
      assert.strictEqual((yield* bookOf(payment)).payment.version, listed?.version)
      const settled = Result.getOrThrow(yield* settle(payment, yield* named(payment, stated)))
      assert.deepInclude(settled, { state: becomes, review: null })
    })
  }

  itIn("a look at what is still under way is followed by another a week later", world(), function* (own) {
    const payment = yield* given["an accepted charge"](own)
    own.provider.onLookUpCharge = () => silent
    yield* checkedAfter(8 * day)(payment, own)
    Result.getOrThrow(yield* settle(payment, nothing))
    yield* checkedAfter(6 * day)(payment, own)
    assert.deepStrictEqual(yield* waiting, [])
    yield* checkedAfter(2 * day)(payment, own)
    assert.lengthOf(yield* waiting, 1)
  })
})

describe("a step that tells operations nothing", () => {
  const own = world()
  for (const type of ["payment.unknown", "payment.conflict", "payment.amount_mismatch"] as const) {
    itIn(`${type} without a review is a defect when written, and nothing is stored`, own, function* () {
      const ledger = yield* Ledger
      const payment = yield* created(captured)(own)
      const after = { ...payment, version: payment.version + 1 }
      const event = { type, paymentId: payment.id, createdAt: 0, data: {} }
      const change = { tenant: payment.tenant, payment: { expected: payment.version, after }, attempts: [] }
      assert.isTrue(Exit.hasDies(yield* Effect.exit(ledger.commit({ ...change, events: [event] }))))
      assert.deepStrictEqual((yield* bookOf(payment)).payment, payment)
      yield* ledger.commit({ ...change, events: [] })
    })
  }
})

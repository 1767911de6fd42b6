/** What operators have to review, and the effect of a report of what the provider's record says. */
import { assert, describe, it } from "@effect/vitest"
import { type OperatorStatement, type Payment, type PaymentState, Pointsman, type ReviewReason } from "@pointsman/core"
import { brokenBalance, brokenInvariant } from "@pointsman/core/internal"
import { type ChargeState, Ledger, Unanswered } from "@pointsman/core/ports"
import { Effect, Exit, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { operate } from "./support/Operations.ts"
import { anotherWriter, liveCaller, liveConnections, paged } from "./support/Pages.ts"
import { caller, request, type World, world } from "./support/World.ts"

const providerRef = "ref"
const silent = Effect.fail(new Unanswered({ reason: "time-out" }))
const too = (minorUnits: number): ChargeState => ({
  _tag: "Captured",
  providerRef,
  stated: { currency: "EUR", minorUnits }
})
const create = (own: World, charge: ChargeState, captureMethod: "automatic" | "manual" = "automatic") =>
  Effect.gen(function* () {
    own.provider.onCharge = () => Effect.succeed(charge)
    return (yield* (yield* Pointsman).create(caller, request({ details: { captureMethod } }))).payment
  })
const authorized = (own: World) => create(own, { _tag: "Authorized", providerRef }, "manual")

/** How a payment enters review; returns the payment as it was created. */
const given = {
  "an unanswered charge": (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = () => silent
      return (yield* (yield* Pointsman).create(caller, request({ idempotencyKey: "key-0001" }))).payment
    }),
  "an unanswered charge to authorize": (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = () => silent
      return (yield* (yield* Pointsman).create(caller, request({ details: { captureMethod: "manual" } }))).payment
    }),
  "a charge for more than was asked": (own: World) => create(own, too(2000)),
  "an unanswered capture": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* authorized(own)
      own.provider.onCapture = () => silent
      yield* operate("capture", payment.id, { amountMinor: 1500 })
      return payment
    }),
  "an unanswered void": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* authorized(own)
      own.provider.onVoid = () => silent
      yield* operate("void", payment.id)
      return payment
    }),
  "an unanswered refund": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* create(own, { _tag: "Captured", providerRef })
      own.provider.onRefund = () => silent
      yield* operate("refund", payment.id, { amountMinor: 500 })
      return payment
    }),
  "an accepted refund and an unanswered one": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* create(own, { _tag: "Captured", providerRef })
      own.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" })
      yield* operate("refund", payment.id, { amountMinor: 300 })
      own.provider.onRefund = () => silent
      yield* operate("refund", payment.id, { amountMinor: 500 })
      return payment
    }),
  "a confirmed capture": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* authorized(own)
      yield* operate("capture", payment.id, { amountMinor: 1500 })
      return payment
    }),
  "a confirmed capture, refunded in part": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* given["a confirmed capture"](own)
      yield* operate("refund", payment.id, { amountMinor: 500 })
      return payment
    }),
  "an accepted capture": (own: World) => accepted.capture(own),
  "an accepted void": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* authorized(own)
      own.provider.onVoid = () => Effect.succeed({ _tag: "Pending", providerRef })
      yield* operate("void", payment.id)
      return payment
    }),
  "a confirmed void": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* authorized(own)
      yield* operate("void", payment.id)
      return payment
    }),
  "a refund": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* create(own, { _tag: "Captured", providerRef })
      yield* operate("refund", payment.id, { amountMinor: 500 })
      return payment
    }),
  "a refused refund": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* create(own, { _tag: "Captured", providerRef })
      own.provider.onRefund = () => Effect.succeed({ _tag: "Rejected", code: "no", message: "No." })
      yield* operate("refund", payment.id, { amountMinor: 500 })
      return payment
    }),
  "a reversed refund": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* given["a refund"](own)
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
  capture: (own: World) =>
    Effect.gen(function* () {
      const payment = yield* authorized(own)
      own.provider.onCapture = () => Effect.succeed({ _tag: "Pending", providerRef })
      yield* operate("capture", payment.id)
      return payment
    }),
  refund: (own: World) =>
    Effect.gen(function* () {
      const payment = yield* create(own, { _tag: "Captured", providerRef })
      own.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" })
      yield* operate("refund", payment.id, { amountMinor: 500 })
      return payment
    }),
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

interface Case {
  readonly given: keyof typeof given
  readonly waits: ReadonlyArray<ReviewReason>
  readonly stated: OperatorStatement
  readonly becomes: PaymentState
  readonly amounts?: Partial<Payment>
  readonly events: ReadonlyArray<string>
  /** What it still waits for. */
  readonly left?: ReadonlyArray<ReviewReason>
}

const cases: ReadonlyArray<Case> = [
  {
    given: "an unanswered charge",
    waits: ["unknown"],
    stated: says("captured"),
    becomes: "Captured",
    amounts: { authorizedMinor: 1999, capturedMinor: 1999, providerRef },
    events: ["payment.captured"]
  },
  {
    given: "an unanswered charge",
    waits: ["unknown"],
    stated: says("captured", { amountMinor: 1000 }),
    becomes: "Captured",
    amounts: { authorizedMinor: 1000, capturedMinor: 1000 },
    events: ["payment.captured"]
  },
  {
    given: "an unanswered charge",
    waits: ["unknown"],
    stated: says("never_received", { providerRef: null }),
    becomes: "Failed",
    amounts: { authorizedMinor: 0, capturedMinor: 0, providerRef: null },
    events: ["payment.failed"]
  },
  {
    given: "an unanswered charge",
    waits: ["unknown"],
    stated: says("declined"),
    becomes: "Declined",
    amounts: { capturedMinor: 0 },
    events: ["payment.declined"]
  },
  {
    given: "an unanswered charge",
    waits: ["unknown"],
    stated: says("canceled"),
    becomes: "Cancelled",
    events: ["payment.cancelled"]
  },
  {
    given: "an unanswered charge to authorize",
    waits: ["unknown"],
    stated: says("authorized"),
    becomes: "Authorized",
    amounts: { authorizedMinor: 1999, capturedMinor: 0 },
    events: ["payment.authorized"]
  },
  {
    given: "a charge for more than was asked",
    waits: ["unknown", "amount_mismatch"],
    stated: says("captured", { amountMinor: 1999 }),
    becomes: "Captured",
    amounts: { capturedMinor: 1999 },
    events: ["payment.captured"]
  },
  {
    given: "a charge for more than was asked",
    waits: ["unknown", "amount_mismatch"],
    stated: says("canceled"),
    becomes: "Cancelled",
    amounts: { capturedMinor: 0 },
    events: ["payment.cancelled"]
  },
  {
    given: "an unanswered capture",
    waits: ["unknown"],
    stated: says("captured"),
    becomes: "Captured",
    amounts: { authorizedMinor: 1999, capturedMinor: 1500 },
    events: ["payment.captured"]
  },
  {
    given: "an unanswered capture",
    waits: ["unknown"],
    stated: says("authorized"),
    becomes: "Authorized",
    amounts: { capturedMinor: 0 },
    events: ["payment.authorized"]
  },
  {
    given: "an unanswered capture",
    waits: ["unknown"],
    stated: says("canceled"),
    becomes: "Voided",
    events: ["payment.cancelled"]
  },
  {
    given: "an unanswered void",
    waits: ["unknown"],
    stated: says("canceled"),
    becomes: "Voided",
    events: ["payment.cancelled"]
  },
  {
    given: "an unanswered void",
    waits: ["unknown"],
    stated: says("authorized"),
    becomes: "Authorized",
    events: ["payment.authorized"]
  },
  {
    given: "an unanswered void",
    waits: ["unknown"],
    stated: says("captured"),
    becomes: "Captured",
    amounts: { capturedMinor: 1999 },
    events: ["payment.captured"]
  },
  {
    given: "an unanswered refund",
    waits: ["refund_unknown"],
    stated: refund("succeeded"),
    becomes: "PartiallyRefunded",
    amounts: { refundedMinor: 500, refundPendingMinor: 0 },
    events: ["payment.refunded"]
  },
  {
    given: "an unanswered refund",
    waits: ["refund_unknown"],
    stated: refund("failed"),
    becomes: "Captured",
    amounts: { refundedMinor: 0, refundPendingMinor: 0 },
    events: ["payment.refund_failed"]
  },
  {
    given: "an unanswered refund",
    waits: ["refund_unknown"],
    stated: refund("never_received"),
    becomes: "Captured",
    amounts: { refundedMinor: 0, refundPendingMinor: 0 },
    events: ["payment.refund_failed"]
  },
  {
    given: "an accepted refund and an unanswered one",
    waits: ["refund_unknown"],
    stated: refund("succeeded"),
    becomes: "PartiallyRefunded",
    amounts: { refundedMinor: 500, refundPendingMinor: 300 },
    events: ["payment.refunded"]
  },
  {
    given: "a decline that was a capture",
    waits: ["conflict"],
    stated: nothing,
    becomes: "Captured",
    amounts: { capturedMinor: 1999 },
    events: []
  },
  {
    given: "a second charge",
    waits: ["double_charge"],
    stated: nothing,
    becomes: "Captured",
    amounts: { capturedMinor: 1999, connectionId: "backup" },
    events: []
  }
]

/** Of payments that need not wait for anybody. */
const corrections: ReadonlyArray<Case> = [
  {
    given: "a confirmed capture",
    waits: [],
    stated: says("capture_failed"),
    becomes: "Authorized",
    amounts: { capturedMinor: 0, authorizedMinor: 1999 },
    events: ["payment.capture_failed"]
  },
  {
    given: "an accepted capture",
    waits: [],
    stated: says("capture_failed"),
    becomes: "Authorized",
    amounts: { capturedMinor: 0 },
    events: ["payment.capture_failed"]
  },
  {
    given: "a confirmed capture, refunded in part",
    waits: [],
    stated: says("capture_failed"),
    becomes: "PartiallyRefunded",
    amounts: { capturedMinor: 1500, refundedMinor: 500 },
    events: ["payment.conflict"],
    // Its refunds are closed until somebody reviews it again.
    left: ["capture_failed"]
  },
  {
    given: "a decline that was a capture",
    waits: ["conflict"],
    stated: says("capture_failed"),
    becomes: "Captured",
    amounts: { capturedMinor: 1999 },
    events: ["payment.conflict"],
    left: ["capture_failed"]
  },
  {
    given: "an accepted void",
    waits: [],
    stated: says("void_failed"),
    becomes: "Authorized",
    events: ["payment.void_failed"]
  },
  {
    given: "a confirmed capture",
    waits: [],
    stated: says("captured", { amountMinor: 1800 }),
    becomes: "Captured",
    amounts: { capturedMinor: 1800 },
    events: ["payment.amount_mismatch"]
  },
  {
    given: "a refund",
    waits: [],
    stated: refund("failed"),
    becomes: "Captured",
    amounts: { refundedMinor: 0 },
    events: ["payment.refund_failed"]
  },
  {
    given: "a refused refund",
    waits: [],
    stated: refund("succeeded"),
    becomes: "PartiallyRefunded",
    amounts: { refundedMinor: 500 },
    events: ["payment.conflict", "payment.refunded"]
  },
  {
    given: "a reversed refund",
    waits: [],
    stated: refund("succeeded"),
    becomes: "PartiallyRefunded",
    amounts: { refundedMinor: 500 },
    events: ["payment.conflict", "payment.refunded"]
  },
  {
    given: "a second charge",
    waits: ["double_charge"],
    stated: says("captured"),
    becomes: "Captured",
    amounts: { connectionId: "backup" },
    events: []
  }
]

const nameOf = (stated: OperatorStatement): string =>
  stated._tag === "NothingToChange"
    ? "nothing has to change"
    : `${stated.says}${"amountMinor" in stated && stated.amountMinor !== null ? ` ${stated.amountMinor}` : ""}`

describe("what somebody found in the provider's record", () => {
  for (const one of [...cases, ...corrections]) {
    const own = world()
    it.effect(`${nameOf(one.stated)} makes ${one.given} ${one.becomes}`, () =>
      Effect.gen(function* () {
        const payment = yield* given[one.given](own)
        yield* TestClock.adjust(untilOld)
        const [listed] = yield* waiting
        assert.strictEqual(listed?.id, one.waits.length === 0 ? undefined : payment.id)
        assert.deepStrictEqual(listed?.review?.reasons ?? [], one.waits)
        const told = (yield* newEvents(payment, 0)).length
        const calls = own.provider.charges.length

        const settled = Result.getOrThrow(yield* settle(payment, yield* named(payment, one.stated)))

        const { payment: stored, refunds } = yield* bookOf(payment)
        assert.deepStrictEqual(stored, settled)
        assert.deepInclude(stored, { state: one.becomes, ...one.amounts })
        assert.isUndefined(brokenInvariant(stored) ?? brokenBalance(stored, refunds))
        assert.deepStrictEqual(stored.review?.reasons ?? [], one.left ?? [])
        assert.lengthOf(yield* waiting, (one.left ?? []).length === 0 ? 0 : 1)
        const [note, ...others] = yield* newEvents(payment, told)
        assert.deepInclude(note?.data, { reviewed_by: "Jo", evidence: seen.evidence })
        assert.strictEqual(note?.type, "payment.reviewed")
        assert.deepStrictEqual(
          others.map(({ type }) => type),
          one.events
        )
        assert.lengthOf(own.provider.charges, calls)
      }).pipe(Effect.provide(own.layer))
    )
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
    const own = world()
    it.effect(`${before} refuses ${JSON.stringify(stated)}, and nothing is written`, () =>
      Effect.gen(function* () {
        const payment = yield* given[before](own)
        yield* TestClock.adjust(untilOld)
        const stored = yield* bookOf(payment)
        const isNamed = stated._tag === "Refund" && stated.refundId !== ""
        const refused = yield* settle(payment, isNamed ? stated : yield* named(payment, stated))
        assert.isTrue(Result.isFailure(refused))
        if (!Result.isFailure(refused) || refused.failure._tag !== "pointsman/StatementRefused") throw refused
        assert.match(refused.failure.reason, reason)
        assert.deepStrictEqual(yield* bookOf(payment), stored)
      }).pipe(Effect.provide(own.layer))
    )
  }

  const young: ReadonlyArray<readonly [keyof typeof given, OperatorStatement]> = [
    ["an unanswered charge", says("never_received", { providerRef: null })],
    ["an unanswered capture", says("authorized")],
    ["an unanswered void", says("authorized")],
    ["an unanswered refund", refund("never_received")]
  ]
  for (const [before, stated] of young) {
    const own = world()
    it.effect(`${before} that may still arrive is not yet one that never did`, () =>
      Effect.gen(function* () {
        const payment = yield* given[before](own)
        const stored = yield* bookOf(payment)
        yield* TestClock.adjust(untilOld - 1)
        const early = yield* settle(payment, yield* named(payment, stated))
        assert.isTrue(Result.isFailure(early) && early.failure._tag === "pointsman/StatementRefused")
        assert.deepStrictEqual(yield* bookOf(payment), stored)
        yield* TestClock.adjust(1)
        assert.isTrue(Result.isSuccess(yield* settle(payment, yield* named(payment, stated))))
      }).pipe(Effect.provide(own.layer))
    )
  }

  const own = world()
  it.effect("the field without evidence, a name or a valid amount is named", () =>
    Effect.gen(function* () {
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
    }).pipe(Effect.provide(own.layer))
  )

  const calm = world()
  it.effect("a payment that needs no person has no review and nothing to settle", () =>
    Effect.gen(function* () {
      const payment = yield* create(calm, { _tag: "Captured", providerRef })
      const pointsman = yield* Pointsman
      assert.deepStrictEqual(yield* waiting, [])
      const read = yield* Effect.result(pointsman.reviewOf(payment.id))
      assert.isTrue(Result.isFailure(read))
      const refused = yield* settle(payment, nothing)
      assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "pointsman/StatementRefused")
      const stranger = yield* settle({ ...payment, id: "00000000-0000-7000-8000-000000000000" }, nothing)
      assert.isTrue(Result.isFailure(stranger) && stranger.failure._tag === "pointsman/PaymentNotFound")
    }).pipe(Effect.provide(calm.layer))
  )
})

describe("a review beside others", () => {
  const own = world()
  it.effect("a review file has the attempts, operations, refunds and timeline on record", () =>
    Effect.gen(function* () {
      const payment = yield* given["an unanswered refund"](own)
      const file = yield* (yield* Pointsman).reviewOf(payment.id)
      assert.strictEqual(file.payment.id, payment.id)
      assert.lengthOf(file.attempts, 1)
      assert.lengthOf(file.refunds, 1)
      assert.deepStrictEqual(
        file.timeline.map(({ type }) => type),
        ["payment.created", "payment.captured", "payment.refund_unknown"]
      )
    }).pipe(Effect.provide(own.layer))
  )

  const keyed = world()
  it.effect("a request under the key of a statement gets it back, and nothing is sent", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const payment = yield* given["an unanswered charge"](keyed)
      Result.getOrThrow(yield* settle(payment, says("captured")))
      yield* pointsman.create(caller, request({ idempotencyKey: "key-0001" }))
      assert.lengthOf(keyed.provider.charges, 1)
    }).pipe(Effect.provide(keyed.layer))
  )

  const raced = world()
  it.effect("a statement is decided again, and refused, if the background settles it first", () =>
    Effect.gen(function* () {
      const payment = yield* given["an unanswered charge"](raced)
      yield* TestClock.adjust(untilOld)
      const context = yield* Effect.context<Ledger>()
      const capturedBehind = anotherWriter(payment, {
        on: "ChargeCaptured",
        amountMinor: 1999,
        connectionId: "main",
        providerRef
      })
      let isFirst = true
      raced.ledger.beforeCommit = () => {
        if (!isFirst) return Effect.void
        isFirst = false
        return Effect.provideContext(capturedBehind, context)
      }
      const refused = yield* settle(payment, says("never_received"))
      assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "pointsman/StatementRefused")
      assert.strictEqual((yield* bookOf(payment)).payment.state, "Captured")
    }).pipe(Effect.provide(raced.layer))
  )

  for (const fault of ["unwritten", "lost", "unheard"] as const) {
    const faulty = world()
    it.effect(`a statement whose commit ends ${fault} is written once, or surely not`, () =>
      Effect.gen(function* () {
        const payment = yield* given["an unanswered charge"](faulty)
        const before = faulty.ledger.calls.commit
        faulty.ledger.onCommit = (number) => (number === before + 1 ? fault : undefined)
        const settled = yield* settle(payment, says("captured"))
        assert.strictEqual(Result.isFailure(settled), fault === "unwritten")
        const types = (yield* newEvents(payment, 0)).map(({ type }) => type)
        const isWritten = fault !== "unwritten"
        assert.strictEqual(types.filter((type) => type === "payment.reviewed").length, isWritten ? 1 : 0)
        assert.strictEqual((yield* bookOf(payment)).payment.state, isWritten ? "Captured" : "ChargeUnknown")
      }).pipe(Effect.provide(faulty.layer))
    )
  }

  const endless = world({ connections: liveConnections })
  it.effect("a checkout without an end waits for a person to say that it was not paid", () =>
    Effect.gen(function* () {
      endless.provider.onOpenCheckout = () =>
        Effect.succeed({ _tag: "CheckoutOpened", reference: "co_1", url: "https://pay.example/1", expiresAt: null })
      const { payment, token } = yield* paged(liveCaller)
      yield* (yield* Pointsman).openCheckout(token, "https://pay.example/return")
      yield* TestClock.adjust(untilOld)
      const [listed] = yield* waiting
      assert.deepStrictEqual(listed?.review?.reasons, ["open_checkout"])
      const settled = Result.getOrThrow(yield* settle(payment, says("never_received", { providerRef: null })))
      assert.deepInclude(settled, { state: "Cancelled", review: null })
    }).pipe(Effect.provide(endless.layer))
  )
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
    const own = world()
    it.effect(`an accepted ${what} asks for a person's look after ${days} days`, () =>
      Effect.gen(function* () {
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
      }).pipe(Effect.provide(own.layer))
    )
  }

  const waited = world()
  it.effect("a look at what is still under way is followed by another a week later", () =>
    Effect.gen(function* () {
      const payment = yield* accepted.charge(waited)
      waited.provider.onLookUpCharge = () => silent
      yield* TestClock.adjust(8 * day)
      yield* checkAll
      Result.getOrThrow(yield* settle(payment, nothing))
      yield* TestClock.adjust(6 * day)
      yield* checkAll
      assert.deepStrictEqual(yield* waiting, [])
      yield* TestClock.adjust(2 * day)
      yield* checkAll
      assert.lengthOf(yield* waiting, 1)
    }).pipe(Effect.provide(waited.layer))
  )
})

describe("a step that tells operations nothing", () => {
  const own = world()
  for (const type of ["payment.unknown", "payment.conflict", "payment.amount_mismatch"] as const) {
    it.effect(`${type} without a review is a defect when written, and nothing is stored`, () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const payment = yield* create(own, { _tag: "Captured", providerRef })
        const after = { ...payment, version: payment.version + 1 }
        const event = { type, paymentId: payment.id, createdAt: 0, data: {} }
        const change = { tenant: payment.tenant, payment: { expected: payment.version, after }, attempts: [] }
        assert.isTrue(Exit.hasDies(yield* Effect.exit(ledger.commit({ ...change, events: [event] }))))
        assert.deepStrictEqual((yield* bookOf(payment)).payment, payment)
        yield* ledger.commit({ ...change, events: [] })
      }).pipe(Effect.provide(own.layer))
    )
  }
})

/** What background checks do with unknown results, requests whose process died, and expired pages. */
import { assert, describe, it } from "@effect/vitest"
import { type Payment, type PaymentState, Pointsman } from "@pointsman/core"
import { type ChargeState, type Found, Ledger, type RefundState, Unanswered } from "@pointsman/core/ports"
import { Effect, Fiber, Option, Result } from "effect"
import { TestClock } from "effect/testing"
import { operate } from "./support/Operations.ts"
import { anotherWriter, comeBack, hosted, live, liveCaller, liveConnections, paged } from "./support/Pages.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const silent = Effect.fail(new Unanswered({ reason: "time-out" }))
const providerRef = "ref"
const never = { _tag: "NotFound", conclusive: true } as const
const perhaps = { _tag: "NotFound", conclusive: false } as const
const found = <State>(state: State): Found<State> => ({ _tag: "Found", state })

/** Runs the background until nothing is due. */
const checkAll = Effect.gen(function* () {
  const pointsman = yield* Pointsman
  yield* Effect.repeat(pointsman.checkDue, { while: (count) => count > 0 })
})

const stateOf = ({ id }: Payment) =>
  Effect.gen(function* () {
    const pointsman = yield* Pointsman
    return yield* pointsman.payment(tenant, id)
  })

const lastEvent = ({ id }: Payment) =>
  Effect.gen(function* () {
    const pointsman = yield* Pointsman
    return (yield* pointsman.timeline(tenant, id, { limit: 100 })).items.at(-1)?.type
  })

/** How a payment enters a state with something open. */
const given = {
  ChargeUnknown: (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = () => silent
      return (yield* (yield* Pointsman).create(caller, request())).payment
    }),
  ChargePending: (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = () => Effect.succeed({ _tag: "Pending", providerRef })
      return (yield* (yield* Pointsman).create(caller, request())).payment
    }),
  Authorized: (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = () => Effect.succeed({ _tag: "Authorized", providerRef })
      return (yield* (yield* Pointsman).create(caller, request({ details: { captureMethod: "manual" } }))).payment
    }),
  CaptureUnknown: (own: World) =>
    Effect.gen(function* () {
      const payment = yield* given.Authorized(own)
      own.provider.onCapture = () => silent
      yield* operate("capture", payment.id, { amountMinor: 1500 })
      return payment
    }),
  CapturePending: (own: World) =>
    Effect.gen(function* () {
      const payment = yield* given.Authorized(own)
      own.provider.onCapture = () => Effect.succeed({ _tag: "Pending", providerRef })
      yield* operate("capture", payment.id, { amountMinor: 1500 })
      return payment
    }),
  VoidUnknown: (own: World) =>
    Effect.gen(function* () {
      const payment = yield* given.Authorized(own)
      own.provider.onVoid = () => silent
      yield* operate("void", payment.id)
      return payment
    }),
  RefundUnknown: (own: World) =>
    Effect.gen(function* () {
      const { payment } = yield* (yield* Pointsman).create(caller, request())
      own.provider.onRefund = () => silent
      yield* operate("refund", payment.id, { amountMinor: 500 })
      return payment
    }),
  RefundPending: (own: World) =>
    Effect.gen(function* () {
      const { payment } = yield* (yield* Pointsman).create(caller, request())
      own.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "refund" })
      yield* operate("refund", payment.id, { amountMinor: 500 })
      return payment
    })
}

interface Case {
  readonly given: keyof typeof given
  readonly says: string
  readonly charge?: Found<ChargeState>
  readonly refund?: Found<RefundState>
  /** When the lookup comes; the time-out is 30 seconds. */
  readonly after?: number
  readonly becomes: PaymentState
  readonly amounts?: Partial<Pick<Payment, "capturedMinor" | "refundedMinor" | "refundPendingMinor">>
  readonly event?: string
}

const cases: ReadonlyArray<Case> = [
  {
    given: "ChargeUnknown",
    says: "captured",
    charge: found({ _tag: "Captured", providerRef }),
    becomes: "Captured",
    amounts: { capturedMinor: 1999 },
    event: "payment.captured"
  },
  {
    given: "ChargeUnknown",
    says: "declined",
    charge: found({ _tag: "Declined", providerRef, category: "expired_card", code: "expired", soft: false }),
    becomes: "Declined",
    event: "payment.declined"
  },
  {
    given: "ChargeUnknown",
    says: "canceled",
    charge: found({ _tag: "Canceled", providerRef }),
    becomes: "Cancelled",
    event: "payment.cancelled"
  },
  {
    given: "ChargeUnknown",
    says: "pending",
    charge: found({ _tag: "Pending", providerRef }),
    becomes: "ChargePending",
    event: "payment.pending"
  },
  {
    given: "ChargeUnknown",
    says: "captured, and more than was asked",
    charge: found({ _tag: "Captured", providerRef, stated: { minorUnits: 5000, currency: "EUR" } }),
    becomes: "ChargeMismatched",
    event: "payment.amount_mismatch"
  },
  {
    given: "ChargeUnknown",
    says: "never received, after twice the time-out",
    after: 5 * minute,
    charge: never,
    becomes: "Failed",
    event: "payment.failed"
  },
  {
    given: "ChargeUnknown",
    says: "not found, and perhaps later",
    charge: perhaps,
    becomes: "ChargeUnknown",
    event: "payment.unknown"
  },
  {
    given: "ChargePending",
    says: "captured",
    charge: found({ _tag: "Captured", providerRef }),
    after: hour,
    becomes: "Captured",
    event: "payment.captured"
  },
  {
    given: "ChargePending",
    says: "never received",
    charge: never,
    after: hour,
    becomes: "ChargePending",
    event: "payment.conflict"
  },
  {
    given: "Authorized",
    says: "captured",
    charge: found({ _tag: "Captured", providerRef }),
    after: day,
    becomes: "Captured",
    event: "payment.captured"
  },
  {
    given: "Authorized",
    says: "canceled",
    charge: found({ _tag: "Canceled", providerRef }),
    after: day,
    becomes: "Voided",
    event: "payment.cancelled"
  },
  {
    given: "Authorized",
    says: "never received",
    charge: never,
    after: day,
    becomes: "Authorized",
    event: "payment.conflict"
  },
  {
    given: "CaptureUnknown",
    says: "captured",
    charge: found({ _tag: "Captured", providerRef, stated: { minorUnits: 1500, currency: "EUR" } }),
    becomes: "Captured",
    amounts: { capturedMinor: 1500 },
    event: "payment.captured"
  },
  {
    given: "CaptureUnknown",
    says: "authorized still, after twice the time-out",
    after: 5 * minute,
    charge: found({ _tag: "Authorized", providerRef }),
    becomes: "Authorized",
    event: "payment.authorized"
  },
  {
    given: "CaptureUnknown",
    says: "pending",
    charge: found({ _tag: "Pending", providerRef }),
    becomes: "CapturePending",
    event: "payment.pending"
  },
  {
    given: "CaptureUnknown",
    says: "canceled",
    charge: found({ _tag: "Canceled", providerRef }),
    becomes: "Voided",
    event: "payment.cancelled"
  },
  {
    given: "CaptureUnknown",
    says: "captured, and more than was asked",
    charge: found({ _tag: "Captured", providerRef, stated: { minorUnits: 1999, currency: "EUR" } }),
    becomes: "CaptureUnknown",
    event: "payment.amount_mismatch"
  },
  {
    given: "CaptureUnknown",
    says: "that it knows no such charge",
    charge: never,
    becomes: "CaptureUnknown",
    event: "payment.capture_unknown"
  },
  {
    given: "CapturePending",
    says: "captured",
    charge: found({ _tag: "Captured", providerRef, stated: { minorUnits: 1500, currency: "EUR" } }),
    after: hour,
    becomes: "Captured",
    event: "payment.captured"
  },
  {
    given: "CapturePending",
    says: "authorized still",
    charge: found({ _tag: "Authorized", providerRef }),
    after: hour,
    becomes: "CapturePending",
    event: "payment.authorized"
  },
  {
    given: "VoidUnknown",
    says: "canceled",
    charge: found({ _tag: "Canceled", providerRef }),
    becomes: "Voided",
    event: "payment.cancelled"
  },
  {
    given: "VoidUnknown",
    says: "authorized still, after twice the time-out",
    after: 5 * minute,
    charge: found({ _tag: "Authorized", providerRef }),
    becomes: "Authorized",
    event: "payment.authorized"
  },
  {
    given: "VoidUnknown",
    says: "captured",
    charge: found({ _tag: "Captured", providerRef }),
    becomes: "Captured",
    event: "payment.captured"
  },
  {
    given: "RefundUnknown",
    says: "succeeded",
    refund: found({ _tag: "Succeeded", providerRefundId: "refund" }),
    after: day,
    becomes: "PartiallyRefunded",
    amounts: { refundedMinor: 500, refundPendingMinor: 0 },
    event: "payment.refunded"
  },
  {
    given: "RefundUnknown",
    says: "failed",
    refund: found({ _tag: "RefundFailed", providerRefundId: "refund", reason: "closed" }),
    after: day,
    becomes: "Captured",
    amounts: { refundedMinor: 0, refundPendingMinor: 0 },
    event: "payment.refund_failed"
  },
  {
    given: "RefundUnknown",
    says: "never received",
    refund: never,
    after: day,
    becomes: "Captured",
    amounts: { refundPendingMinor: 0 },
    event: "payment.refund_failed"
  },
  {
    given: "RefundUnknown",
    says: "not found, and perhaps later",
    refund: perhaps,
    after: day,
    becomes: "Captured",
    amounts: { refundPendingMinor: 500 },
    event: "payment.refund_unknown"
  },
  {
    given: "RefundUnknown",
    says: "pending",
    refund: found({ _tag: "RefundPending", providerRefundId: "refund" }),
    after: day,
    becomes: "Captured",
    amounts: { refundPendingMinor: 500 },
    event: "payment.refund_pending"
  },
  {
    given: "RefundPending",
    says: "succeeded",
    refund: found({ _tag: "Succeeded", providerRefundId: "refund" }),
    after: day,
    becomes: "PartiallyRefunded",
    amounts: { refundedMinor: 500, refundPendingMinor: 0 },
    event: "payment.refunded"
  },
  {
    given: "RefundPending",
    says: "failed",
    refund: found({ _tag: "RefundFailed", providerRefundId: "refund", reason: "closed" }),
    after: day,
    becomes: "Captured",
    amounts: { refundPendingMinor: 0 },
    event: "payment.refund_failed"
  },
  {
    given: "RefundPending",
    says: "never received",
    refund: never,
    after: day,
    becomes: "Captured",
    amounts: { refundPendingMinor: 500 },
    event: "payment.conflict"
  }
]

describe("what the provider's record says", () => {
  for (const one of cases) {
    const own = world()
    it.effect(`${one.given} with a record of ${one.says} is ${one.becomes}`, () =>
      Effect.gen(function* () {
        const payment = yield* given[one.given](own)
        own.provider.onLookUpCharge = () => Effect.succeed(one.charge ?? perhaps)
        own.provider.onLookUpRefund = () => Effect.succeed(one.refund ?? perhaps)
        const sent = own.provider.charges.length + own.provider.captures.length + own.provider.refunds.length
        yield* TestClock.adjust(one.after ?? minute)
        yield* checkAll
        const after = yield* stateOf(payment)
        assert.strictEqual(after.state, one.becomes)
        assert.deepInclude(after, one.amounts ?? {})
        assert.strictEqual(yield* lastEvent(payment), one.event)
        assert.strictEqual(own.provider.lookUps.length + own.provider.refundLookUps.length, 1)
        // A lookup is all that the background ever sends.
        assert.strictEqual(
          own.provider.charges.length + own.provider.captures.length + own.provider.refunds.length,
          sent
        )
      }).pipe(Effect.provide(own.layer))
    )
  }
})

describe("when it looks", () => {
  const often = world()
  it.effect("an UNKNOWN charge is asked after 1 and 5 minutes, then every 30 minutes", () =>
    Effect.gen(function* () {
      yield* given.ChargeUnknown(often)
      const looks = [minute, 5 * minute, 30 * minute, 60 * minute, 90 * minute]
      for (const [index, at] of looks.entries()) {
        const now = yield* Effect.clockWith((clock) => clock.currentTimeMillis)
        yield* TestClock.adjust(at - now - 1)
        yield* checkAll
        assert.lengthOf(often.provider.lookUps, index)
        yield* TestClock.adjust(1)
        yield* checkAll
        assert.lengthOf(often.provider.lookUps, index + 1)
      }
    }).pipe(Effect.provide(often.layer))
  )

  const young = world({ providerTimeoutMillis: 40 * second })
  it.effect("'never received' is not believed of a charge younger than twice its timeout", () =>
    Effect.gen(function* () {
      const payment = yield* given.ChargeUnknown(young)
      young.provider.onLookUpCharge = () => Effect.succeed(never)
      yield* TestClock.adjust(minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "ChargeUnknown")
      yield* TestClock.adjust(4 * minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "Failed")
    }).pipe(Effect.provide(young.layer))
  )

  for (const kind of ["ChargeUnknown", "CaptureUnknown", "VoidUnknown", "RefundUnknown"] as const) {
    const quick = world({
      providerTimeoutMillis: 2 * second,
      checkIntervals: { unknownMillis: second, refundMillis: second }
    })
    it.effect(`twice the timeout of ${kind} runs from the last moment at which it may have left`, () =>
      Effect.gen(function* () {
        const payment = yield* given[kind](quick)
        quick.provider.onLookUpCharge = () =>
          Effect.succeed(kind === "ChargeUnknown" ? never : found({ _tag: "Authorized", providerRef }))
        quick.provider.onLookUpRefund = () => Effect.succeed(never)
        const open = yield* stateOf(payment)
        for (let passed = 1; passed <= 8; passed++) {
          yield* TestClock.adjust(second)
          yield* checkAll
        }
        assert.deepStrictEqual(yield* stateOf(payment), open)
        yield* TestClock.adjust(second)
        yield* checkAll
        const after = yield* stateOf(payment)
        const settled = { ChargeUnknown: "Failed", CaptureUnknown: "Authorized", VoidUnknown: "Authorized" } as const
        if (kind === "RefundUnknown") assert.strictEqual(after.refundPendingMinor, 0)
        else assert.strictEqual(after.state, settled[kind])
      }).pipe(Effect.provide(quick.layer))
    )
  }

  const own = world({ checkIntervals: { unknownMillis: 10 * second } })
  it.effect("each look comes no later than the connection's own interval", () =>
    Effect.gen(function* () {
      yield* given.ChargeUnknown(own)
      for (let look = 1; look <= 5; look++) {
        yield* TestClock.adjust(10 * second)
        yield* checkAll
        assert.lengthOf(own.provider.lookUps, look)
      }
    }).pipe(Effect.provide(own.layer))
  )

  const down = world()
  it.effect("a lookup without an answer changes nothing and is repeated later", () =>
    Effect.gen(function* () {
      const payment = yield* given.ChargeUnknown(down)
      down.provider.onLookUpCharge = () => silent
      yield* TestClock.adjust(minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "ChargeUnknown")
      down.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Captured", providerRef }))
      yield* TestClock.adjust(4 * minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "Captured")
    }).pipe(Effect.provide(down.layer))
  )

  it.effect("a lookup during which the process is stopped is repeated at the next interval", () =>
    Effect.gen(function* () {
      const payment = yield* given.ChargeUnknown(down)
      down.provider.onLookUpCharge = () => Effect.never
      yield* TestClock.adjust(minute)
      const background = yield* Effect.forkChild((yield* Pointsman).keepChecking(second), { startImmediately: true })
      yield* Effect.yieldNow
      yield* Fiber.interrupt(background)
      down.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Captured", providerRef }))
      yield* TestClock.adjust(4 * minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "Captured")
    }).pipe(Effect.provide(down.layer))
  )

  it.effect("a lookup that the store could not record is repeated at the next interval", () =>
    Effect.gen(function* () {
      const payment = yield* given.ChargeUnknown(down)
      down.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Captured", providerRef }))
      down.ledger.onCommit = () => "unwritten"
      yield* TestClock.adjust(minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "ChargeUnknown")
      down.ledger.onCommit = () => undefined
      yield* TestClock.adjust(4 * minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "Captured")
    }).pipe(Effect.provide(down.layer))
  )
})

describe("requests that died mid-call", () => {
  const kinds = ["create", "capture", "void", "refund"] as const
  const unknownState = { create: "ChargeUnknown", capture: "CaptureUnknown", void: "VoidUnknown", refund: "Captured" }
  for (const kind of kinds) {
    const own = world({ providerTimeoutMillis: 60 * minute, checkIntervals: { deadRequestMillis: minute } })
    it.effect(`a ${kind} without a key is unknown once the claim window is over, and not before`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        own.provider.onCharge = kind === "create" ? () => Effect.never : own.provider.onCharge
        own.provider.onCapture = () => Effect.never
        own.provider.onVoid = () => Effect.never
        own.provider.onRefund = () => Effect.never
        const captureMethod = kind === "capture" || kind === "void" ? "manual" : "automatic"
        const created = pointsman.create(caller, request({ details: { captureMethod } }))
        if (kind === "create") yield* Effect.forkDetach(created, { startImmediately: true })
        else yield* Effect.forkDetach(operate(kind, (yield* created).payment.id), { startImmediately: true })
        const [before] = (yield* pointsman.payments(tenant, { limit: 1 })).items
        assert.isDefined(before)
        if (before === undefined) return
        yield* TestClock.adjust(15 * minute - 1)
        yield* checkAll
        assert.strictEqual((yield* stateOf(before)).state, before.state)
        // Long before its call would have timed out.
        yield* TestClock.adjust(minute)
        yield* checkAll
        const after = yield* stateOf(before)
        assert.strictEqual(after.state, unknownState[kind])
        assert.strictEqual(yield* lastEvent(before), kind === "create" ? "payment.unknown" : `payment.${kind}_unknown`)
      }).pipe(Effect.provide(own.layer))
    )
  }

  const keyed = world({ providerTimeoutMillis: 60 * minute, checkIntervals: { deadRequestMillis: minute } })
  it.effect("a capture's key says that the result is unknown if the background was first", () =>
    Effect.gen(function* () {
      const payment = yield* given.Authorized(keyed)
      keyed.provider.onCapture = () => Effect.never
      const ask = operate("capture", payment.id, { idempotencyKey: "capture-01" })
      yield* Effect.forkDetach(ask, { startImmediately: true })
      yield* TestClock.adjust(15 * minute)
      yield* checkAll
      keyed.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Authorized", providerRef }))
      yield* TestClock.adjust(3 * hour)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "Authorized")
      const again = yield* ask
      assert.isTrue(Result.isFailure(again) && again.failure._tag === "pointsman/ResultUnknown")
      assert.lengthOf(keyed.provider.captures, 1)
    }).pipe(Effect.provide(keyed.layer))
  )
})

describe("what was recorded already", () => {
  const pending = world()
  it.effect("an accepted capture that is still pending is written once and looked up daily", () =>
    Effect.gen(function* () {
      const payment = yield* given.CapturePending(pending)
      const before = yield* stateOf(payment)
      pending.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Pending", providerRef }))
      for (let hours = 0; hours < 72; hours++) {
        yield* TestClock.adjust(hour)
        yield* checkAll
      }
      assert.deepStrictEqual(yield* stateOf(payment), before)
      // 24 in the first day, and two on the days after it.
      assert.lengthOf(pending.provider.lookUps, 26)
    }).pipe(Effect.provide(pending.layer))
  )

  const mismatched = world()
  it.effect("an unusable amount is reported once, and looked up every 30 minutes", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const payment = yield* given.CaptureUnknown(mismatched)
      const stated = { minorUnits: 1999, currency: "EUR" } as const
      mismatched.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Captured", providerRef, stated }))
      for (let minutes = 0; minutes < 120; minutes++) {
        yield* TestClock.adjust(minute)
        yield* checkAll
      }
      const told = (yield* pointsman.timeline(tenant, payment.id, { limit: 100 })).items.map(({ type }) => type)
      assert.lengthOf(
        told.filter((type) => type === "payment.amount_mismatch"),
        1
      )
      // At 1 minute; then, counted from there, at 1, 5, 30, 60 and 90.
      assert.lengthOf(mismatched.provider.lookUps, 6)
    }).pipe(Effect.provide(mismatched.layer))
  )

  const refunds = world()
  it.effect("a refund of another amount, and one still pending, are each reported once", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const payment = yield* given.RefundPending(refunds)
      refunds.provider.onRefund = () => silent
      yield* operate("refund", payment.id, { amountMinor: 700 })
      refunds.provider.onLookUpRefund = ({ money }) =>
        Effect.succeed(
          money.minorUnits === 500
            ? found({ _tag: "RefundPending", providerRefundId: "refund" })
            : found({
                _tag: "Succeeded",
                providerRefundId: "other",
                stated: { minorUnits: money.minorUnits + 1, currency: "EUR" }
              })
        )
      for (let days = 0; days < 5; days++) {
        yield* TestClock.adjust(day)
        yield* checkAll
      }
      assert.lengthOf(refunds.provider.refundLookUps, 10)
      const told = (yield* pointsman.timeline(tenant, payment.id, { limit: 100 })).items.map(({ type }) => type)
      assert.deepStrictEqual(told, [
        "payment.created",
        "payment.captured",
        "payment.refund_pending",
        "payment.refund_unknown",
        "payment.amount_mismatch"
      ])
      assert.strictEqual((yield* stateOf(payment)).refundPendingMinor, 1200)
    }).pipe(Effect.provide(refunds.layer))
  )
})

describe("what comes in between", () => {
  const followed = world({
    providerTimeoutMillis: 14 * minute,
    checkIntervals: { deadRequestMillis: minute, unknownMillis: 10 * second }
  })
  it.effect("a second attempt that begins while the first is given up is looked up", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      // Both are slow beyond their own time-out; the first was rejected in the end, the second takes the money.
      followed.provider.onCharge = ({ connectionId }) =>
        connectionId === "main"
          ? Effect.delay(Effect.succeed({ _tag: "Rejected", code: "down", message: "down" }), 14 * minute)
          : Effect.never
      yield* Effect.forkDetach(pointsman.create(caller, request()), { startImmediately: true })
      yield* TestClock.adjust(14 * minute)
      const [payment] = (yield* pointsman.payments(tenant, { limit: 1 })).items
      assert.isDefined(payment)
      if (payment === undefined) return
      assert.lengthOf(followed.provider.charges, 2)
      followed.provider.onLookUpCharge = ({ connectionId }) =>
        Effect.succeed(connectionId === "backup" ? found({ _tag: "Captured", providerRef }) : never)
      yield* TestClock.adjust(15 * minute)
      yield* checkAll
      yield* TestClock.adjust(minute)
      yield* checkAll
      const after = yield* stateOf(payment)
      assert.deepInclude(after, { state: "Captured", connectionId: "backup" })
      assert.deepStrictEqual(
        after.routing?.attempts.map(({ outcome }) => outcome),
        ["Rejected", "Captured"]
      )
    }).pipe(Effect.provide(followed.layer))
  )

  const overtaken = world({ providerTimeoutMillis: 60 * minute, checkIntervals: { deadRequestMillis: minute } })
  it.effect("a charge in flight is left to a write that comes between", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      overtaken.provider.onCharge = () => Effect.never
      yield* Effect.forkDetach(pointsman.create(caller, request()), { startImmediately: true })
      const [payment] = (yield* pointsman.payments(tenant, { limit: 1 })).items
      assert.isDefined(payment)
      if (payment === undefined) return
      yield* TestClock.adjust(15 * minute)
      const ledger = yield* Ledger
      let isFirst = true
      overtaken.ledger.beforeCommit = () => {
        if (!isFirst) return Effect.void
        isFirst = false
        // As a further attempt would be written: the payment stays in Charging.
        return Effect.provideService(anotherWriter(payment, { on: "AttemptFollowed" }), Ledger, ledger)
      }
      yield* checkAll
      assert.deepInclude(yield* stateOf(payment), { state: "Charging", version: 2 })
    }).pipe(Effect.provide(overtaken.layer))
  )

  const late = world({ providerTimeoutMillis: 5 * minute, checkIntervals: { deadRequestMillis: minute } })
  it.effect("a recorded capture is kept when an older lookup finds nothing", () =>
    Effect.gen(function* () {
      const ledger = yield* Ledger
      const payment = yield* given.Authorized(late)
      // The provider confirmed, and the store takes everything but that.
      let isRefusing = true
      late.ledger.onCommit = (_number, { operations = [] }) =>
        isRefusing && operations.some(({ outcome }) => outcome === "Confirmed") ? "unwritten" : undefined
      yield* Effect.forkDetach(operate("capture", payment.id), { startImmediately: true })
      yield* TestClock.adjust(15 * minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "CaptureUnknown")
      late.provider.onLookUpCharge = () =>
        Effect.delay(Effect.succeed(found({ _tag: "Authorized", providerRef })), 200 * second)
      yield* TestClock.adjust(minute)
      const looking = yield* Effect.forkDetach(checkAll, { startImmediately: true })
      isRefusing = false
      yield* TestClock.adjust(200 * second)
      yield* Fiber.join(looking)
      const after = Option.getOrThrow(yield* ledger.book(tenant, payment.id))
      assert.strictEqual(after.payment.state, "Captured")
      assert.deepInclude(after.operations[0], { outcome: "Confirmed", reason: null })
    }).pipe(Effect.provide(late.layer))
  )
})

describe("a hosted page", () => {
  const over = world()
  it.effect("a payment whose time is over is CANCELLED in the list without an action, once", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      const { payment } = yield* paged()
      yield* TestClock.adjust(30 * minute - 1)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "AwaitingCustomer")
      yield* TestClock.adjust(1)
      yield* checkAll
      const { items } = yield* pointsman.payments(tenant, { states: ["Cancelled"], limit: 10 })
      assert.deepStrictEqual(
        items.map(({ id }) => id),
        [payment.id]
      )
      yield* TestClock.adjust(day)
      assert.strictEqual(yield* pointsman.checkDue, 0)
      const told = (yield* pointsman.timeline(tenant, payment.id, { limit: 10 })).items.map(({ type }) => type)
      assert.deepStrictEqual(told, ["payment.requires_action", "payment.cancelled"])
    }).pipe(Effect.provide(over.layer))
  )

  const died = world({ providerTimeoutMillis: 60 * minute, checkIntervals: { deadRequestMillis: minute } })
  it.effect("a charge is settled after its process died, and its key keeps its answer", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      died.provider.onCharge = () => Effect.never
      const { payment, token } = yield* paged(caller, { idempotencyKey: "page-0001" })
      yield* Effect.forkDetach(pointsman.actOnHostedPage(token, { _tag: "Approve" }), { startImmediately: true })
      assert.strictEqual((yield* stateOf(payment)).state, "Charging")
      yield* TestClock.adjust(15 * minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "ChargeUnknown")
      died.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Captured", providerRef }))
      yield* TestClock.adjust(minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "Captured")
      const again = yield* pointsman.create(caller, hosted({ idempotencyKey: "page-0001" }))
      assert.deepInclude(again, { payment, isReplay: true })
    }).pipe(Effect.provide(died.layer))
  )
})

describe("a provider's own checkout", () => {
  const challenged = world({ connections: liveConnections })
  it.effect("a pending payment is not declined while the customer is at a challenge again", () =>
    Effect.gen(function* () {
      const pointsman = yield* Pointsman
      challenged.provider.onOpenCheckout = ({ attemptId }) =>
        Effect.succeed({
          _tag: "CheckoutOpened",
          reference: attemptId,
          url: "https://pay.example/1",
          expiresAt: 4 * hour
        })
      const { payment, token } = yield* paged(liveCaller)
      yield* pointsman.openCheckout(token, comeBack)
      challenged.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Pending", providerRef }))
      assert.strictEqual((yield* pointsman.returnFromCheckout(token)).payment.state, "ChargePending")
      challenged.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "NeedsCustomer", providerRef }))
      yield* TestClock.adjust(hour)
      yield* checkAll
      assert.lengthOf(challenged.provider.lookUps, 2)
      assert.strictEqual((yield* pointsman.payment(live, payment.id)).state, "ChargePending")
    }).pipe(Effect.provide(challenged.layer))
  )
})

describe("an attempt that nobody answered while another one holds the money", () => {
  const rivals: ReadonlyArray<readonly [string, Found<ChargeState>, ReadonlyArray<string>, string]> = [
    ["captured", found({ _tag: "Captured", providerRef: "ref-2" }), ["payment.conflict"], "Captured"],
    ["authorized", found({ _tag: "Authorized", providerRef: "ref-2" }), ["payment.conflict"], "Authorized"],
    ["canceled", found({ _tag: "Canceled", providerRef: "ref-2" }), [], "Canceled"],
    ["never received", never, [], "Rejected"]
  ]
  for (const [says, record, told, outcome] of rivals) {
    const own = world()
    it.effect(`a payment whose provider says ${says} is ${outcome}, reported once, and left`, () =>
      Effect.gen(function* () {
        const pointsman = yield* Pointsman
        const ledger = yield* Ledger
        own.provider.onCharge = ({ connectionId }) =>
          connectionId === "main"
            ? Effect.succeed({ _tag: "Declined", providerRef, category: "do_not_honor", code: "05", soft: true })
            : silent
        const { payment } = yield* pointsman.create(caller, request())
        const [first] = yield* ledger.attempts(tenant, payment.id)
        yield* pointsman.recordMessage({
          connectionId: "main",
          tenant,
          receivedAt: 0,
          body: "{}",
          reason: null,
          message: {
            id: "msg_1",
            at: 0,
            about: {
              _tag: "Charge",
              charge: { attemptId: first?.id ?? "" },
              state: () => ({ _tag: "Captured", providerRef })
            }
          }
        })
        const before = yield* stateOf(payment)
        assert.deepInclude(before, { state: "Captured", connectionId: "main" })
        // Its provider is asked, and waits in its own connection's share.
        assert.strictEqual(own.ledger.changes.at(-1)?.checkedConnection, "backup")
        const events = (yield* pointsman.timeline(tenant, payment.id, { limit: 100 })).items.length
        own.provider.onLookUpCharge = () => Effect.succeed(record)

        yield* TestClock.adjust(30 * minute - 1)
        yield* checkAll
        assert.lengthOf(own.provider.lookUps, 0)
        yield* TestClock.adjust(1)
        yield* checkAll
        assert.lengthOf(own.provider.lookUps, 1)
        const { payment: after, attempts } = Option.getOrThrow(yield* ledger.book(tenant, payment.id))
        assert.strictEqual(attempts.at(-1)?.outcome, outcome)
        assert.deepInclude(after, { state: "Captured", connectionId: "main", capturedMinor: 1999 })
        const { items } = yield* pointsman.timeline(tenant, payment.id, { limit: 100 })
        assert.deepStrictEqual(
          items.slice(events).map(({ type }) => type),
          told
        )
        assert.deepStrictEqual(after.review?.reasons ?? [], told.length === 0 ? [] : ["double_charge"])
        yield* TestClock.adjust(2 * day)
        yield* checkAll
        assert.lengthOf(own.provider.lookUps, 1)
      }).pipe(Effect.provide(own.layer))
    )
  }
})

/** What background checks do with unknown results, requests whose process died, and expired pages. */
import { assert, describe } from "@effect/vitest"
import { type Payment, type PaymentState, Pointsman } from "@pointsman/core"
import { type ChargeState, type Found, Ledger, type RefundState, Unanswered } from "@pointsman/core/ports"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import { ofAttempt, say } from "./support/Messages.ts"
import { authorized, created, operate, payable, told as toldBy } from "./support/Operations.ts"
import {
  anotherWriter,
  attemptsOf,
  bookOf,
  comeBack,
  hosted,
  live,
  liveCaller,
  liveConnections,
  newest,
  paged,
  typesOf
} from "./support/Pages.ts"
import { assertFields } from "./support/Steps.ts"
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
  yield* Effect.repeat((yield* Pointsman).checkDue, { while: (count) => count > 0 })
})

const stateOf = ({ id }: Payment) => Effect.flatMap(Pointsman, ({ payment }) => payment(tenant, id))

const lastEvent = (of: Payment) => Effect.map(typesOf(of), (types) => types.at(-1))

/** How a payment enters a state with something open. */
const given = {
  ChargeUnknown: (own: World) => {
    own.provider.onCharge = () => silent
    return created()
  },
  ChargePending: (own: World) => {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Pending", providerRef })
    return created()
  },
  Authorized: (own: World) => {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Authorized", providerRef })
    return authorized
  },
  CaptureUnknown: (own: World) => {
    own.provider.onCapture = () => silent
    return Effect.tap(given.Authorized(own), ({ id }) => operate("capture", id, { amountMinor: 1500 }))
  },
  CapturePending: (own: World) => {
    own.provider.onCapture = () => Effect.succeed({ _tag: "Pending", providerRef })
    return Effect.tap(given.Authorized(own), ({ id }) => operate("capture", id, { amountMinor: 1500 }))
  },
  VoidUnknown: (own: World) => {
    own.provider.onVoid = () => silent
    return Effect.tap(given.Authorized(own), ({ id }) => operate("void", id))
  },
  RefundUnknown: (own: World) => {
    own.provider.onRefund = () => silent
    return Effect.tap(created(), ({ id }) => operate("refund", id, { amountMinor: 500 }))
  },
  RefundPending: (own: World) => {
    own.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "refund" })
    return Effect.tap(created(), ({ id }) => operate("refund", id, { amountMinor: 500 }))
  }
}

interface Records {
  readonly charge?: Found<ChargeState>
  readonly refund?: Found<RefundState>
}
const captured = (minorUnits?: number): Records => {
  const stated = minorUnits === undefined ? {} : { stated: { minorUnits, currency: "EUR" } }
  return { charge: found({ _tag: "Captured", providerRef, ...stated }) }
}
const declined: Records = {
  charge: found({ _tag: "Declined", providerRef, category: "expired_card", code: "expired", soft: false })
}
const canceled: Records = { charge: found({ _tag: "Canceled", providerRef }) }
const held: Records = { charge: found({ _tag: "Authorized", providerRef }) }
const pending: Records = {
  charge: found({ _tag: "Pending", providerRef }),
  refund: found({ _tag: "RefundPending", providerRefundId: "refund" })
}
const succeeded: Records = { refund: found({ _tag: "Succeeded", providerRefundId: "refund" }) }
const failed: Records = { refund: found({ _tag: "RefundFailed", providerRefundId: "refund", reason: "closed" }) }
const unreceived: Records = { charge: never, refund: never }

type Row = readonly [
  says: string,
  record: Records,
  becomes: PaymentState,
  event: string,
  amounts?: Partial<Pick<Payment, "capturedMinor" | "refundedMinor" | "refundPendingMinor">>,
  after?: number
]

/** By the state, when its lookup comes unless a row says otherwise (the time-out is 30 seconds), and what it says. */
const cases: Readonly<Record<keyof typeof given, readonly [after: number, ReadonlyArray<Row>]>> = {
  ChargeUnknown: [
    minute,
    [
      ["captured", captured(), "Captured", "payment.captured", { capturedMinor: 1999 }],
      ["declined", declined, "Declined", "payment.declined"],
      ["canceled", canceled, "Cancelled", "payment.cancelled"],
      ["pending", pending, "ChargePending", "payment.pending"],
      ["captured, and more than was asked", captured(5000), "ChargeMismatched", "payment.amount_mismatch"],
      ["never received, after twice the time-out", unreceived, "Failed", "payment.failed", {}, 5 * minute],
      ["not found, and perhaps later", {}, "ChargeUnknown", "payment.unknown"]
    ]
  ],
  ChargePending: [
    hour,
    [
      ["captured", captured(), "Captured", "payment.captured"],
      ["never received", unreceived, "ChargePending", "payment.conflict"]
    ]
  ],
  Authorized: [
    day,
    [
      ["captured", captured(), "Captured", "payment.captured"],
      ["canceled", canceled, "Voided", "payment.cancelled"],
      ["never received", unreceived, "Authorized", "payment.conflict"]
    ]
  ],
  CaptureUnknown: [
    minute,
    [
      ["captured", captured(1500), "Captured", "payment.captured", { capturedMinor: 1500 }],
      ["authorized still, after twice the time-out", held, "Authorized", "payment.authorized", {}, 5 * minute],
      ["pending", pending, "CapturePending", "payment.pending"],
      ["canceled", canceled, "Voided", "payment.cancelled"],
      ["captured, and more than was asked", captured(1999), "CaptureUnknown", "payment.amount_mismatch"],
      ["that it knows no such charge", unreceived, "CaptureUnknown", "payment.capture_unknown"]
    ]
  ],
  CapturePending: [
    hour,
    [
      ["captured", captured(1500), "Captured", "payment.captured"],
      ["authorized still", held, "CapturePending", "payment.authorized"]
    ]
  ],
  VoidUnknown: [
    minute,
    [
      ["canceled", canceled, "Voided", "payment.cancelled"],
      ["authorized still, after twice the time-out", held, "Authorized", "payment.authorized", {}, 5 * minute],
      ["captured", captured(), "Captured", "payment.captured"]
    ]
  ],
  RefundUnknown: [
    day,
    [
      ["succeeded", succeeded, "PartiallyRefunded", "payment.refunded", { refundedMinor: 500, refundPendingMinor: 0 }],
      ["failed", failed, "Captured", "payment.refund_failed", { refundedMinor: 0, refundPendingMinor: 0 }],
      ["never received", unreceived, "Captured", "payment.refund_failed", { refundPendingMinor: 0 }],
      ["not found, and perhaps later", {}, "Captured", "payment.refund_unknown", { refundPendingMinor: 500 }],
      ["pending", pending, "Captured", "payment.refund_pending", { refundPendingMinor: 500 }]
    ]
  ],
  RefundPending: [
    day,
    [
      ["succeeded", succeeded, "PartiallyRefunded", "payment.refunded", { refundedMinor: 500, refundPendingMinor: 0 }],
      ["failed", failed, "Captured", "payment.refund_failed", { refundPendingMinor: 0 }],
      ["never received", unreceived, "Captured", "payment.conflict", { refundPendingMinor: 500 }]
    ]
  ]
}

const states = Object.keys(cases) as Array<keyof typeof given>
const rows = states.flatMap((from) => cases[from][1].map((row) => [from, cases[from][0], row] as const))
for (const [from, usual, [says, { charge, refund }, becomes, event, amounts = {}, after = usual]] of rows) {
  itHere(`${from} with a record of ${says} is ${becomes}`, function* (own) {
    const payment = yield* given[from](own)
    own.provider.onLookUpCharge = () => Effect.succeed(charge ?? perhaps)
    own.provider.onLookUpRefund = () => Effect.succeed(refund ?? perhaps)
    const sent = own.provider.charges.length + own.provider.captures.length + own.provider.refunds.length
    yield* TestClock.adjust(after)
    yield* checkAll
    assert.deepInclude(yield* stateOf(payment), { state: becomes, ...amounts })
    assert.strictEqual(yield* lastEvent(payment), event)
    assert.strictEqual(own.provider.lookUps.length + own.provider.refundLookUps.length, 1)
    // A lookup is all that the background ever sends.
    assert.strictEqual(own.provider.charges.length + own.provider.captures.length + own.provider.refunds.length, sent)
  })
}

describe("when it looks", () => {
  for (const [title, unknownMillis, looks] of [
    ["an UNKNOWN charge is asked after 1 and 5 minutes, then every 30 minutes", null, [1, 5, 30, 60, 90]],
    ["each look comes no later than the connection's own interval", minute / 6, [1 / 6, 2 / 6, 3 / 6, 4 / 6, 5 / 6]]
  ] as const) {
    const own = world(unknownMillis === null ? {} : { checkIntervals: { unknownMillis } })
    itIn(title, own, function* () {
      yield* given.ChargeUnknown(own)
      for (const [index, minutes] of looks.entries()) {
        yield* TestClock.setTime(minutes * minute - 1)
        yield* checkAll
        assert.lengthOf(own.provider.lookUps, index)
        yield* TestClock.adjust(1)
        yield* checkAll
        assert.lengthOf(own.provider.lookUps, index + 1)
      }
    })
  }

  const young = world({ providerTimeoutMillis: 40 * second })
  itIn("'never received' is not believed of a charge younger than twice its timeout", young, function* () {
    const payment = yield* given.ChargeUnknown(young)
    young.provider.onLookUpCharge = () => Effect.succeed(never)
    yield* TestClock.adjust(minute)
    yield* checkAll
    assert.strictEqual((yield* stateOf(payment)).state, "ChargeUnknown")
    yield* TestClock.adjust(4 * minute)
    yield* checkAll
    assert.strictEqual((yield* stateOf(payment)).state, "Failed")
  })

  for (const kind of ["ChargeUnknown", "CaptureUnknown", "VoidUnknown", "RefundUnknown"] as const) {
    const quick = world({
      providerTimeoutMillis: 2 * second,
      checkIntervals: { unknownMillis: second, refundMillis: second }
    })
    itIn(`twice the timeout of ${kind} runs from the last moment at which it may have left`, quick, function* () {
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
    })
  }

  const lost: Readonly<Record<string, (own: World) => void>> = {
    "without an answer": ({ provider }) => {
      provider.onLookUpCharge = () => silent
    },
    "during which the process is stopped": ({ provider }) => {
      provider.onLookUpCharge = () => Effect.never
    },
    "that the store could not record": ({ ledger }) => {
      ledger.onCommit = () => "unwritten"
    }
  }
  for (const [what, lose] of Object.entries(lost)) {
    itHere(`a lookup ${what} changes nothing and is repeated at the next interval`, function* (own, pointsman) {
      const payment = yield* given.ChargeUnknown(own)
      const captures = () => Effect.succeed(found({ _tag: "Captured", providerRef } as const))
      own.provider.onLookUpCharge = captures
      lose(own)
      yield* TestClock.adjust(minute)
      const background = yield* Effect.forkChild(pointsman.keepChecking(second), { startImmediately: true })
      for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
      yield* Fiber.interrupt(background)
      assert.lengthOf(own.provider.lookUps, 1)
      assert.strictEqual((yield* stateOf(payment)).state, "ChargeUnknown")
      own.provider.onLookUpCharge = captures
      own.ledger.onCommit = () => undefined
      yield* TestClock.adjust(4 * minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(payment)).state, "Captured")
    })
  }
})

describe("requests that died mid-call", () => {
  const kinds = ["create", "capture", "void", "refund"] as const
  const unknownState = { create: "ChargeUnknown", capture: "CaptureUnknown", void: "VoidUnknown", refund: "Captured" }
  for (const kind of kinds) {
    const own = world({ providerTimeoutMillis: 60 * minute, checkIntervals: { deadRequestMillis: minute } })
    itIn(`a ${kind} without a key is unknown once the claim window is over, and not before`, own, function* () {
      own.provider.onCharge = kind === "create" ? () => Effect.never : own.provider.onCharge
      own.provider.onCapture = () => Effect.never
      own.provider.onVoid = () => Effect.never
      own.provider.onRefund = () => Effect.never
      const asked = kind === "create" ? created() : operate(kind, (yield* payable(kind)).id)
      yield* Effect.forkDetach(Effect.exit<unknown, unknown, Pointsman>(asked), { startImmediately: true })
      const before = yield* newest
      yield* TestClock.adjust(15 * minute - 1)
      yield* checkAll
      assert.strictEqual((yield* stateOf(before)).state, before.state)
      // Long before its call would have timed out.
      yield* TestClock.adjust(minute)
      yield* checkAll
      const after = yield* stateOf(before)
      assert.strictEqual(after.state, unknownState[kind])
      assert.strictEqual(yield* lastEvent(before), kind === "create" ? "payment.unknown" : `payment.${kind}_unknown`)
    })
  }

  const keyed = world({ providerTimeoutMillis: 60 * minute, checkIntervals: { deadRequestMillis: minute } })
  itIn("a capture's key says that the result is unknown if the background was first", keyed, function* () {
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
    assert.strictEqual(toldBy(yield* ask), "pointsman/ResultUnknown")
    assert.lengthOf(keyed.provider.captures, 1)
  })
})

describe("what was recorded already", () => {
  itHere("an accepted capture that is still pending is written once and looked up daily", function* (own) {
    const payment = yield* given.CapturePending(own)
    const before = yield* stateOf(payment)
    own.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Pending", providerRef }))
    for (let hours = 0; hours < 72; hours++) {
      yield* TestClock.adjust(hour)
      yield* checkAll
    }
    assert.deepStrictEqual(yield* stateOf(payment), before)
    // 24 in the first day, and two on the days after it.
    assert.lengthOf(own.provider.lookUps, 26)
  })

  itHere("an unusable amount is reported once, and looked up every 30 minutes", function* (own, _pointsman) {
    const payment = yield* given.CaptureUnknown(own)
    const stated = { minorUnits: 1999, currency: "EUR" } as const
    own.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "Captured", providerRef, stated }))
    for (let minutes = 0; minutes < 120; minutes++) {
      yield* TestClock.adjust(minute)
      yield* checkAll
    }
    const told = (yield* typesOf(payment)).filter((type) => type === "payment.amount_mismatch")
    assert.lengthOf(told, 1)
    // At 1 minute; then, counted from there, at 1, 5, 30, 60 and 90.
    assert.lengthOf(own.provider.lookUps, 6)
  })

  itHere("a refund of another amount, and one still pending, are each reported once", function* (own) {
    const payment = yield* given.RefundPending(own)
    own.provider.onRefund = () => silent
    yield* operate("refund", payment.id, { amountMinor: 700 })
    own.provider.onLookUpRefund = ({ money }) =>
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
    assert.lengthOf(own.provider.refundLookUps, 10)
    assert.deepStrictEqual(yield* typesOf(payment), [
      "payment.created",
      "payment.captured",
      "payment.refund_pending",
      "payment.refund_unknown",
      "payment.amount_mismatch"
    ])
    assert.strictEqual((yield* stateOf(payment)).refundPendingMinor, 1200)
  })
})

describe("what comes in between", () => {
  const followed = world({
    providerTimeoutMillis: 14 * minute,
    checkIntervals: { deadRequestMillis: minute, unknownMillis: 10 * second }
  })
  itIn("a second attempt that begins while the first is given up is looked up", followed, function* (_, pointsman) {
    // Both are slow beyond their own time-out; the first was rejected in the end, the second takes the money.
    followed.provider.onCharge = ({ connectionId }) =>
      connectionId === "main"
        ? Effect.delay(Effect.succeed({ _tag: "Rejected", code: "down", message: "down" }), 14 * minute)
        : Effect.never
    yield* Effect.forkDetach(pointsman.create(caller, request()), { startImmediately: true })
    yield* TestClock.adjust(14 * minute)
    const payment = yield* newest
    assert.lengthOf(followed.provider.charges, 2)
    followed.provider.onLookUpCharge = ({ connectionId }) =>
      Effect.succeed(connectionId === "backup" ? found({ _tag: "Captured", providerRef }) : never)
    yield* TestClock.adjust(15 * minute)
    yield* checkAll
    yield* TestClock.adjust(minute)
    yield* checkAll
    const after = yield* stateOf(payment)
    assert.deepInclude(after, { state: "Captured", connectionId: "backup" })
    assertFields(after.routing?.attempts, "outcome", "Rejected", "Captured")
  })

  const overtaken = world({ providerTimeoutMillis: 60 * minute, checkIntervals: { deadRequestMillis: minute } })
  itIn("a charge in flight is left to a write that comes between", overtaken, function* (_, pointsman) {
    overtaken.provider.onCharge = () => Effect.never
    yield* Effect.forkDetach(pointsman.create(caller, request()), { startImmediately: true })
    const payment = yield* newest
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
  })

  const late = world({ providerTimeoutMillis: 5 * minute, checkIntervals: { deadRequestMillis: minute } })
  itIn("a recorded capture is kept when an older lookup finds nothing", late, function* () {
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
    const after = yield* bookOf(payment)
    assert.strictEqual(after.payment.state, "Captured")
    assert.deepInclude(after.operations[0], { outcome: "Confirmed", reason: null })
  })
})

describe("a hosted page", () => {
  itHere("a payment whose time is over is CANCELLED in the list without an action, once", function* (_, pointsman) {
    const { payment } = yield* paged()
    yield* TestClock.adjust(30 * minute - 1)
    yield* checkAll
    assert.strictEqual((yield* stateOf(payment)).state, "AwaitingCustomer")
    yield* TestClock.adjust(1)
    yield* checkAll
    const { items } = yield* pointsman.payments(tenant, { states: ["Cancelled"], limit: 10 })
    assert.deepStrictEqual(items.map(({ id }) => id).join(), payment.id)
    yield* TestClock.adjust(day)
    assert.strictEqual(yield* pointsman.checkDue, 0)
    assert.deepStrictEqual(yield* typesOf(payment), ["payment.requires_action", "payment.cancelled"])
  })

  const died = world({ providerTimeoutMillis: 60 * minute, checkIntervals: { deadRequestMillis: minute } })
  itIn("a charge is settled after its process died, and its key keeps its answer", died, function* (_, pointsman) {
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
  })
})

const challenged = world({ connections: liveConnections })
itIn("a pending payment is not declined while the customer is at a challenge again", challenged, function* () {
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
})

const rivals: ReadonlyArray<readonly [string, Found<ChargeState>, ReadonlyArray<string>, string]> = [
  ["captured", found({ _tag: "Captured", providerRef: "ref-2" }), ["payment.conflict"], "Captured"],
  ["authorized", found({ _tag: "Authorized", providerRef: "ref-2" }), ["payment.conflict"], "Authorized"],
  ["canceled", found({ _tag: "Canceled", providerRef: "ref-2" }), [], "Canceled"],
  ["never received", never, [], "Rejected"]
]
for (const [says, record, told, outcome] of rivals) {
  itHere(`a payment whose provider says ${says} is ${outcome}, reported once, and left`, function* (own) {
    own.provider.onCharge = ({ connectionId }) =>
      connectionId === "main"
        ? Effect.succeed({ _tag: "Declined", providerRef, category: "do_not_honor", code: "05", soft: true })
        : silent
    const payment = yield* created()
    const [first] = yield* attemptsOf(payment)
    yield* say(ofAttempt(first, { _tag: "Captured", providerRef }))
    const before = yield* stateOf(payment)
    assert.deepInclude(before, { state: "Captured", connectionId: "main" })
    // Its provider is asked, and waits in its own connection's share.
    assert.strictEqual(own.ledger.changes.at(-1)?.checkedConnection, "backup")
    const events = (yield* typesOf(payment)).length
    own.provider.onLookUpCharge = () => Effect.succeed(record)

    yield* TestClock.adjust(30 * minute - 1)
    yield* checkAll
    assert.lengthOf(own.provider.lookUps, 0)
    yield* TestClock.adjust(1)
    yield* checkAll
    assert.lengthOf(own.provider.lookUps, 1)
    const { payment: after, attempts } = yield* bookOf(payment)
    assert.strictEqual(attempts.at(-1)?.outcome, outcome)
    assert.deepInclude(after, { state: "Captured", connectionId: "main", capturedMinor: 1999 })
    assert.deepStrictEqual((yield* typesOf(payment)).slice(events), told)
    assert.deepStrictEqual(after.review?.reasons ?? [], told.length === 0 ? [] : ["double_charge"])
    yield* TestClock.adjust(2 * day)
    yield* checkAll
    assert.lengthOf(own.provider.lookUps, 1)
  })
}

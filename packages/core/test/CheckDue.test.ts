/** What background checks do with unknown results, requests whose process died, and expired pages. */
import { assert, describe } from "@effect/vitest"
import { type EventType, type Payment, Pointsman } from "@pointsman/core"
import { type ChargeState, type Found, Ledger, type RefundState } from "@pointsman/core/ports"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { itHere, itIn } from "./support/ItIn.ts"
import { onMain, operate, payable, told as toldBy } from "./support/Operations.ts"
import {
  anotherWriter,
  bookOf,
  checkoutOpened,
  comeBack,
  hosted,
  live,
  liveCaller,
  liveConnections,
  newest,
  paged,
  typesOf
} from "./support/Pages.ts"
import {
  answering,
  asks,
  authorized,
  canceled,
  captured,
  capturedBy,
  charge,
  checkedAfter,
  created,
  declined,
  ends,
  followedBy,
  itWalks,
  keeps,
  pending,
  providerRef,
  refundedBy,
  rejected,
  repaid,
  repayFailed,
  type Step,
  stating,
  times,
  unanswered,
  unchanged,
  voidedBy
} from "./support/Statements.ts"
import { assertFields } from "./support/Steps.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const second = 1_000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const silent = Effect.fail(unanswered)
const never = { _tag: "NotFound", conclusive: true } as const
const perhaps = { _tag: "NotFound", conclusive: false } as const
const found = <State>(state: State): Found<State> => ({ _tag: "Found", state })
const accepted: RefundState = { _tag: "RefundPending", providerRefundId: "re" }

/** Runs the background until nothing is due. */
const checkAll = Effect.gen(function* () {
  yield* Effect.repeat((yield* Pointsman).checkDue, { while: (count) => count > 0 })
})

const stateOf = ({ id }: Payment) => Effect.flatMap(Pointsman, ({ payment }) => payment(tenant, id))

/** How a payment enters a state with something open. */
const given = {
  ChargeUnknown: created(unanswered),
  ChargePending: created(pending),
  Authorized: created(authorized, "manual"),
  CaptureUnknown: capturedBy(unanswered, 1500),
  CapturePending: capturedBy(pending, 1500),
  VoidUnknown: voidedBy(unanswered),
  RefundUnknown: refundedBy(unanswered, 500),
  RefundPending: refundedBy(accepted, 500)
}

/** What the provider's record says from then on of a charge, and of a refund. */
const recording = (charge: Found<ChargeState>, refund: Found<RefundState> = perhaps): Step =>
  answering({ onLookUpCharge: () => Effect.succeed(charge), onLookUpRefund: () => Effect.succeed(refund) })

const lookUps =
  (count: number): Step =>
  (_, { provider }) =>
    Effect.sync(() => assert.lengthOf([...provider.lookUps, ...provider.refundLookUps], count))

const sends =
  (count: number): Step =>
  (_, { provider }) =>
    Effect.sync(() =>
      assert.lengthOf([...provider.charges, ...provider.captures, ...provider.voids, ...provider.refunds], count)
    )

const repeatedly = (count: number, step: Step): ReadonlyArray<Step> => Array.from({ length: count }, () => step)

type Row = readonly [says: string, Step, becomes: string, EventType, after?: number]
const more = (minorUnits: number) => recording(found(stating(minorUnits)))
const missing = recording(never, never)
const unfound = recording(perhaps)
const aged = "after twice the time-out"

/** By the state, when its lookup comes unless a row says otherwise (the time-out is 30 seconds), and what it says. */
const cases: Readonly<Record<keyof typeof given, readonly [after: number, ReadonlyArray<Row>]>> = {
  ChargeUnknown: [
    minute,
    [
      ["captured", recording(found(captured)), "Captured 1999", "payment.captured"],
      ["declined", recording(found(declined)), "Declined 0", "payment.declined"],
      ["canceled", recording(found(canceled)), "Cancelled 0", "payment.cancelled"],
      ["pending", recording(found(pending)), "ChargePending 0", "payment.pending"],
      ["captured, too much", more(5000), "ChargeMismatched 0 unknown amount_mismatch", "payment.amount_mismatch"],
      [`never received, ${aged}`, missing, "Failed 0", "payment.failed", 5 * minute],
      ["not found, and perhaps later", unfound, "ChargeUnknown 0 unknown", "payment.unknown"]
    ]
  ],
  ChargePending: [
    hour,
    [
      ["captured", recording(found(captured)), "Captured 1999", "payment.captured"],
      ["never received", missing, "ChargePending 0 conflict", "payment.conflict"]
    ]
  ],
  Authorized: [
    day,
    [
      ["captured", recording(found(captured)), "Captured 1999", "payment.captured"],
      ["canceled", recording(found(canceled)), "Voided 0", "payment.cancelled"],
      ["never received", missing, "Authorized 0 conflict", "payment.conflict"]
    ]
  ],
  CaptureUnknown: [
    minute,
    [
      ["captured", more(1500), "Captured 1500", "payment.captured"],
      [`authorized still, ${aged}`, recording(found(authorized)), "Authorized 0", "payment.authorized", 5 * minute],
      ["pending", recording(found(pending)), "CapturePending 0", "payment.pending"],
      ["canceled", recording(found(canceled)), "Voided 0", "payment.cancelled"],
      ["captured, too much", more(1999), "CaptureUnknown 0 unknown amount_mismatch", "payment.amount_mismatch"],
      ["that it knows no such charge", missing, "CaptureUnknown 0 unknown", "payment.capture_unknown"]
    ]
  ],
  CapturePending: [
    hour,
    [
      ["captured", more(1500), "Captured 1500", "payment.captured"],
      ["authorized still", recording(found(authorized)), "CapturePending 0", "payment.authorized"]
    ]
  ],
  VoidUnknown: [
    minute,
    [
      ["canceled", recording(found(canceled)), "Voided 0", "payment.cancelled"],
      [`authorized still, ${aged}`, recording(found(authorized)), "Authorized 0", "payment.authorized", 5 * minute],
      ["captured", recording(found(captured)), "Captured 1999", "payment.captured"]
    ]
  ],
  RefundUnknown: [
    day,
    [
      ["succeeded", recording(perhaps, found(repaid)), "PartiallyRefunded 1999 -500", "payment.refunded"],
      ["failed", recording(perhaps, found(repayFailed)), "Captured 1999", "payment.refund_failed"],
      ["never received", missing, "Captured 1999", "payment.refund_failed"],
      ["not found, and perhaps later", unfound, "Captured 1999 ~500 refund_unknown", "payment.refund_unknown"],
      ["pending", recording(perhaps, found(accepted)), "Captured 1999 ~500", "payment.refund_pending"]
    ]
  ],
  RefundPending: [
    day,
    [
      ["succeeded", recording(perhaps, found(repaid)), "PartiallyRefunded 1999 -500", "payment.refunded"],
      ["failed", recording(perhaps, found(repayFailed)), "Captured 1999", "payment.refund_failed"],
      ["never received", missing, "Captured 1999 ~500 conflict", "payment.conflict"]
    ]
  ]
}

const states = Object.keys(cases) as Array<keyof typeof given>
const rows = states.flatMap((from) => cases[from][1].map((row) => [from, cases[from][0], row] as const))
for (const [from, usual, [says, record, becomes, event, after = usual]] of rows) {
  // A lookup is all that the background ever sends.
  const sent = sends(from.startsWith("Charge") || from === "Authorized" ? 1 : 2)
  itWalks(`${from} with a record of ${says} is ${becomes}`, given[from], [
    [[record, checkedAfter(after)], becomes, ends(event), lookUps(1), sent]
  ])
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
  itWalks(
    "'never received' is not believed of a charge younger than twice its timeout",
    given.ChargeUnknown,
    [
      [[missing, checkedAfter(minute)], "ChargeUnknown 0 unknown"],
      [checkedAfter(4 * minute), "Failed 0"]
    ],
    young
  )

  for (const [kind, charge, open, settled] of [
    ["ChargeUnknown", never, "ChargeUnknown 0 unknown", "Failed 0"],
    ["CaptureUnknown", found(authorized), "CaptureUnknown 0 unknown", "Authorized 0"],
    ["VoidUnknown", found(authorized), "VoidUnknown 0 unknown", "Authorized 0"],
    ["RefundUnknown", perhaps, "Captured 1999 ~500 refund_unknown", "Captured 1999"]
  ] as const) {
    const checkIntervals = { unknownMillis: second, refundMillis: second }
    const title = `twice the timeout of ${kind} runs from the last moment at which it may have left`
    const looks = unchanged(...repeatedly(8, checkedAfter(second)))
    itWalks(
      title,
      given[kind],
      [
        [[recording(charge, never), looks], open],
        [checkedAfter(second), settled]
      ],
      world({ providerTimeoutMillis: 2 * second, checkIntervals })
    )
  }

  for (const [what, lost, onCommit] of [
    ["without an answer", silent],
    ["during which the process is stopped", Effect.never],
    ["that the store could not record", Effect.succeed(found(captured)), () => "unwritten"]
  ] as ReadonlyArray<
    readonly [string, ReturnType<World["provider"]["onLookUpCharge"]>, World["ledger"]["onCommit"]?]
  >) {
    const looks: Step = (_, own) =>
      Effect.gen(function* () {
        own.ledger.onCommit = onCommit ?? (() => undefined)
        const { keepChecking } = yield* Pointsman
        const background = yield* Effect.forkChild(keepChecking(second), { startImmediately: true })
        for (let turn = 0; turn < 20; turn++) yield* Effect.yieldNow
        yield* Fiber.interrupt(background)
        own.ledger.onCommit = () => undefined
      })
    const losing = [answering({ onLookUpCharge: () => lost }), () => TestClock.adjust(minute), looks]
    const title = `a lookup ${what} changes nothing and is repeated at the next interval`
    itWalks(title, given.ChargeUnknown, [
      [losing, "ChargeUnknown 0 unknown", lookUps(1)],
      [[recording(found(captured)), checkedAfter(4 * minute)], "Captured 1999"]
    ])
  }
})

const slow = (minutes = 60, more: NonNullable<Parameters<typeof world>[0]>["checkIntervals"] = {}) =>
  world({ providerTimeoutMillis: minutes * minute, checkIntervals: { deadRequestMillis: minute, ...more } })

describe("requests that died mid-call", () => {
  for (const [kind, unknownState, event] of [
    ["create", "ChargeUnknown", "payment.unknown"],
    ["capture", "CaptureUnknown", "payment.capture_unknown"],
    ["void", "VoidUnknown", "payment.void_unknown"],
    ["refund", "Captured", "payment.refund_unknown"]
  ] as const) {
    const title = `a ${kind} without a key is unknown once the claim window is over, and not before`
    itIn(title, slow(), function* (own, { create }) {
      const { onCharge } = own.provider
      const hangs = () => Effect.never
      Object.assign(own.provider, { onCapture: hangs, onVoid: hangs, onRefund: hangs })
      own.provider.onCharge = kind === "create" ? hangs : onCharge
      const asked = kind === "create" ? create(caller, request()) : operate(kind, (yield* payable(kind)).id)
      yield* Effect.forkDetach(Effect.exit<unknown, unknown, Pointsman>(asked), { startImmediately: true })
      const before = yield* newest
      yield* TestClock.adjust(15 * minute - 1)
      yield* checkAll
      assert.strictEqual((yield* stateOf(before)).state, before.state)
      // Long before its call would have timed out.
      yield* TestClock.adjust(minute)
      yield* checkAll
      assert.strictEqual((yield* stateOf(before)).state, unknownState)
      assert.strictEqual((yield* typesOf(before)).at(-1), event)
    })
  }

  itIn("a capture's key says that the result is unknown if the background was first", slow(), function* (keyed) {
    const payment = yield* given.Authorized(keyed)
    keyed.provider.onCapture = () => Effect.never
    const ask = operate("capture", payment.id, { idempotencyKey: "capture-01" })
    yield* Effect.forkDetach(ask, { startImmediately: true })
    yield* TestClock.adjust(15 * minute)
    yield* checkAll
    keyed.provider.onLookUpCharge = () => Effect.succeed(found(authorized))
    yield* TestClock.adjust(3 * hour)
    yield* checkAll
    assert.strictEqual((yield* stateOf(payment)).state, "Authorized")
    assert.strictEqual(toldBy(yield* ask), "pointsman/ResultUnknown")
    assert.lengthOf(keyed.provider.captures, 1)
  })
})

describe("what was recorded already", () => {
  const daily = "an accepted capture that is still pending is written once and looked up daily"
  const hourly = unchanged(...repeatedly(72, checkedAfter(hour)))
  itWalks(daily, given.CapturePending, [
    // 24 in the first day, and two on the days after it.
    [[recording(found(pending)), hourly], "CapturePending 0", lookUps(26)]
  ])

  itWalks("an unusable amount is reported once, and looked up every 30 minutes", given.CaptureUnknown, [
    [
      [more(1999), ...repeatedly(120, checkedAfter(minute))],
      "CaptureUnknown 0 unknown amount_mismatch",
      times("payment.amount_mismatch", 1),
      // At 1 minute; then, counted from there, at 1, 5, 30, 60 and 90.
      lookUps(6)
    ]
  ])

  const other = (minorUnits: number): RefundState => ({
    ...{ _tag: "Succeeded", providerRefundId: "other" },
    stated: { minorUnits: minorUnits + 1, currency: "EUR" }
  })
  const bySize = answering({
    onRefund: () => silent,
    onLookUpRefund: ({ money: { minorUnits } }) =>
      Effect.succeed(found(minorUnits === 500 ? accepted : other(minorUnits)))
  })
  const told = ["payment.refund_pending", "payment.refund_unknown", "payment.amount_mismatch"] as const
  itWalks("a refund of another amount, and one still pending, are each reported once", given.RefundPending, [
    [
      [bySize, asks("refund", "ResultUnknown", { amountMinor: 700 }), ...repeatedly(5, checkedAfter(day))],
      "Captured 1999 ~1200 refund_unknown amount_mismatch",
      ends("payment.created", "payment.captured", ...told),
      lookUps(10)
    ]
  ])
})

describe("what comes in between", () => {
  const followed = slow(14, { unknownMillis: 10 * second })
  itIn("a second attempt that begins while the first is given up is looked up", followed, function* (_, pointsman) {
    // Both are slow beyond their own time-out; the first was rejected in the end, the second takes the money.
    followed.provider.onCharge = onMain(Effect.delay(Effect.succeed(rejected), 14 * minute), Effect.never)
    yield* Effect.forkDetach(pointsman.create(caller, request()), { startImmediately: true })
    yield* TestClock.adjust(14 * minute)
    const payment = yield* newest
    assert.lengthOf(followed.provider.charges, 2)
    followed.provider.onLookUpCharge = ({ connectionId }) =>
      Effect.succeed(connectionId === "backup" ? found(captured) : never)
    yield* TestClock.adjust(15 * minute)
    yield* checkAll
    yield* TestClock.adjust(minute)
    yield* checkAll
    const after = yield* stateOf(payment)
    assert.deepInclude(after, { state: "Captured", connectionId: "backup" })
    assertFields(after.routing?.attempts, "outcome", "Rejected", "Captured")
  })

  itIn("a charge in flight is left to a write that comes between", slow(), function* (overtaken, pointsman) {
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

  itIn("a recorded capture is kept when an older lookup finds nothing", slow(5), function* (late) {
    const payment = yield* given.Authorized(late)
    // The provider confirmed, and the store takes everything but that.
    let isRefusing = true
    late.ledger.onCommit = (_number, { operations = [] }) =>
      isRefusing && operations.some(({ outcome }) => outcome === "Confirmed") ? "unwritten" : undefined
    yield* Effect.forkDetach(operate("capture", payment.id), { startImmediately: true })
    yield* TestClock.adjust(15 * minute)
    yield* checkAll
    assert.strictEqual((yield* stateOf(payment)).state, "CaptureUnknown")
    late.provider.onLookUpCharge = () => Effect.delay(Effect.succeed(found(authorized)), 200 * second)
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

  itIn("a charge is settled after its process died, and its key keeps its answer", slow(), function* (died, pointsman) {
    died.provider.onCharge = () => Effect.never
    const { payment, token } = yield* paged(caller, { idempotencyKey: "page-0001" })
    yield* Effect.forkDetach(pointsman.actOnHostedPage(token, { _tag: "Approve" }), { startImmediately: true })
    assert.strictEqual((yield* stateOf(payment)).state, "Charging")
    yield* TestClock.adjust(15 * minute)
    yield* checkAll
    assert.strictEqual((yield* stateOf(payment)).state, "ChargeUnknown")
    died.provider.onLookUpCharge = () => Effect.succeed(found(captured))
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
  challenged.provider.onOpenCheckout = () => Effect.succeed(checkoutOpened({ expiresAt: 4 * hour }))
  const { payment, token } = yield* paged(liveCaller)
  yield* pointsman.openCheckout(token, comeBack)
  challenged.provider.onLookUpCharge = () => Effect.succeed(found(pending))
  assert.strictEqual((yield* pointsman.returnFromCheckout(token)).payment.state, "ChargePending")
  challenged.provider.onLookUpCharge = () => Effect.succeed(found({ _tag: "NeedsCustomer", providerRef }))
  yield* TestClock.adjust(hour)
  yield* checkAll
  assert.lengthOf(challenged.provider.lookUps, 2)
  assert.strictEqual((yield* pointsman.payment(live, payment.id)).state, "ChargePending")
})

for (const [says, record, told, outcome] of [
  ["captured", found({ ...captured, providerRef: "ref-2" }), ["payment.conflict"], "Captured"],
  ["authorized", found({ ...authorized, providerRef: "ref-2" }), ["payment.conflict"], "Authorized"],
  ["canceled", found({ ...canceled, providerRef: "ref-2" }), [], "Canceled"],
  ["never received", never, [], "Rejected"]
] as const) {
  const after = told.length === 0 ? "Captured 1999" : "Captured 1999 double_charge"
  const ofMain = keeps(({ connectionId }) => connectionId, "main")
  const ended = (payment: Payment) =>
    Effect.map(bookOf(payment), ({ attempts }) => assert.strictEqual(attempts.at(-1)?.outcome, outcome))
  // Its provider is asked, and waits in its own connection's share.
  const waits: Step = (_, { ledger }) =>
    Effect.sync(() => assert.strictEqual(ledger.changes.at(-1)?.checkedConnection, "backup"))
  const title = `a payment whose provider says ${says} is ${outcome}, reported once, and left`
  itWalks(title, followedBy(unanswered), [
    [charge(captured), "Captured 1999", ofMain, waits],
    [[recording(record), checkedAfter(30 * minute - 1)], "Captured 1999", lookUps(0)],
    [checkedAfter(1), after, ofMain, ended, ends("payment.captured", ...told), lookUps(1)],
    [checkedAfter(2 * day), after, lookUps(1)]
  ])
}

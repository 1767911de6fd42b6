/** What a lookup says against the record, which is never dropped, and when a lookup decides what a message states. */
import { assert, describe } from "@effect/vitest"
import { type EventType, type Payment, Pointsman } from "@pointsman/core"
import {
  type ChargeState,
  type Found,
  type OperationState,
  type PaymentBook,
  type ProviderMessage,
  type RefundState,
  Unanswered
} from "@pointsman/core/ports"
import { Deferred, Effect, Fiber } from "effect"
import { itIn } from "./support/ItIn.ts"
import { operate } from "./support/Operations.ts"
import { attemptIdOf, bookOf, stored, typesOf } from "./support/Pages.ts"
import {
  answering,
  asks,
  authorized,
  canceled,
  captured,
  capturedBy,
  checkedAfter,
  confirmed,
  created,
  declined,
  ends,
  failed,
  itWalks,
  operation,
  passes,
  pending,
  refund,
  rejected,
  repaid,
  repayFailed,
  retried,
  say,
  stating,
  times,
  unanswered
} from "./support/Statements.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const never = { _tag: "NotFound", conclusive: true } as const
const found = <State>(state: State): Found<State> => ({ _tag: "Found", state })
const silent = Effect.fail(unanswered)
const unsupported = Effect.fail(new Unanswered({ reason: "no such lookup", isUnsupported: true }))

/** The numbers of lookups of operations, and of charges, until then. */
const lookUps =
  (operations: number, charges: number) =>
  (_: Payment, { provider }: World) =>
    Effect.sync(() =>
      assert.deepStrictEqual([provider.operationLookUps.length, provider.lookUps.length], [operations, charges])
    )

/** A message that is not decided yet. */
const waits = (said: ReturnType<typeof operation>) => (payment: Payment) =>
  Effect.map(said(payment), (outcome) => assert.strictEqual(outcome, "waits"))

const givens = {
  "an authorization": created(authorized, "manual"),
  "an accepted charge": created(pending),
  "an accepted capture": capturedBy(pending)
}

const other: ChargeState = { ...captured, providerRef: "other" }

describe("a lookup that says something else than the record", () => {
  const dollars = found(stating(100, "USD"))
  const cases: ReadonlyArray<readonly [keyof typeof givens, says: string, Found<ChargeState>, becomes: string]> = [
    ["an authorization", "declined", found(declined), "Authorized 0 conflict"],
    ["an authorization", "pending", found(pending), "Authorized 0 conflict"],
    ["an authorization", "never received", never, "Authorized 0 conflict"],
    ["an authorization", "captured too much", found(stating(2000)), "Captured 1999 amount_mismatch"],
    ["an authorization", "captured in dollars", dollars, "ChargeMismatched 0 unknown amount_mismatch"],
    ["an authorization", "another captured", found(other), "Authorized 0 double_charge"],
    ["an authorization", "authorized (control)", found(authorized), "Authorized 0"],
    ["an accepted charge", "never received", never, "ChargePending 0 conflict"],
    ["an accepted capture", "declined", found(declined), "CapturePending 0 conflict"],
    ["an accepted capture", "never received", never, "CapturePending 0 conflict"],
    ["an accepted capture", "authorized (control)", found(authorized), "CapturePending 0"]
  ]
  for (const [before, says, record, becomes] of cases) {
    const lookUp = answering({ onLookUpCharge: () => Effect.succeed(record) })
    const day = checkedAfter("1 day")
    itWalks(`${before} is reviewed as listed if the record says ${says}`, givens[before], [
      [
        [lookUp, day, day, day],
        becomes,
        times("payment.conflict", /conflict|double_charge/u.test(becomes) ? 1 : 0),
        times("payment.amount_mismatch", becomes.includes("amount_mismatch") ? 1 : 0)
      ]
    ])
  }
})

/** At a provider that looks operations up so. */
const lookedUp =
  (record: World["provider"]["onLookUpOperation"], start: ReturnType<typeof created>) => (own: World) => {
    own.provider.onLookUpOperation = record
    return start(own)
  }

describe("a capture or a void that its provider can look up", () => {
  const inPart: OperationState = { ...confirmed, stated: { minorUnits: 500, currency: "EUR" } }
  const cases: ReadonlyArray<readonly [string, Found<OperationState>, string, EventType]> = [
    ["confirmed", found(confirmed), "Captured 1999", "payment.captured"],
    ["confirmed, in part", found(inPart), "Captured 500", "payment.captured"],
    ["pending", found({ _tag: "OperationPending" }), "CapturePending 0", "payment.pending"],
    ["failed", found(failed), "Authorized 0", "payment.capture_failed"],
    ["failed, and tried again", found(retried), "CaptureUnknown 0 unknown", "payment.capture_unknown"],
    ["never received", never, "Authorized 0", "payment.authorized"]
  ]
  for (const [says, record, becomes, event] of cases) {
    const start = lookedUp(() => Effect.succeed(record), capturedBy(unanswered))
    itWalks(`an unanswered capture becomes ${becomes} by one lookup that says ${says}`, start, [
      [checkedAfter("2 minutes"), becomes, ends(event), lookUps(1, 0)]
    ])
  }
  const missing = lookedUp(() => Effect.succeed(never), capturedBy(pending))
  itWalks("operators review an accepted capture whose record is missing", missing, [
    [checkedAfter("1 hour"), "CapturePending 0 conflict"]
  ])
  const chargeOnly = answering({ onLookUpCharge: () => Effect.succeed(found(captured)) })
  const without = lookedUp(() => unsupported, capturedBy(pending))
  itWalks("the record of the charge is asked at an account without that lookup", without, [
    [[chargeOnly, checkedAfter("1 hour")], "Captured 1999", lookUps(1, 1)]
  ])
})

describe("a failure that the provider states of a capture that it can look up", () => {
  const cases: ReadonlyArray<readonly [string, Effect.Effect<Found<OperationState>, Unanswered>, string]> = [
    ["says so too", Effect.succeed(found(failed)), "Authorized 0"],
    ["shows it under way again", Effect.succeed(found({ _tag: "OperationPending" })), "CapturePending 0"],
    ["shows it confirmed", Effect.succeed(found(confirmed)), "Captured 1999"],
    ["is missing", Effect.succeed(never), "Captured 1999 conflict"],
    ["is not answered", silent, "Captured 1999 conflict"],
    ["cannot be asked for", unsupported, "Authorized 0"]
  ]
  for (const [says, record, becomes] of cases) {
    const start = lookedUp(() => record, capturedBy())
    itWalks(`one lookup decides a confirmed capture that fails: it ${says}, so ${becomes}`, start, [
      [[passes("1 day"), waits(operation(failed, 10))], "Captured 1999"],
      [waits(operation(failed, 10)), "Captured 1999"],
      [checkedAfter("10 seconds"), becomes],
      [
        checkedAfter("2 minutes"),
        becomes,
        lookUps(1, 0),
        times("payment.conflict", becomes.includes("conflict") ? 1 : 0)
      ]
    ])
  }
})

describe("a success without a time after a failure", () => {
  for (const [says, record, becomes] of [
    ["says so too", Effect.succeed(found(confirmed)), "Captured 1999"],
    ["shows the failure", Effect.succeed(found(failed)), "Authorized 0"],
    ["is not answered", silent, "Authorized 0 conflict"]
  ] as const) {
    const start = lookedUp(() => Effect.succeed(found(failed)), capturedBy())
    itWalks(`a failed capture whose record ${says} is ${becomes}`, start, [
      [[operation(failed, 10), checkedAfter("10 seconds")], "Authorized 0"],
      [[answering({ onLookUpOperation: () => record }), waits(operation(confirmed, null))], "Authorized 0"],
      [checkedAfter("10 seconds"), becomes]
    ])
  }
  for (const [says, record, becomes] of [
    ["says so too", Effect.succeed(found<RefundState>(repaid)), "Refunded 1999 -1999 conflict reversal"],
    ["is not answered", silent, "Captured 1999 conflict reversal"]
  ] as const) {
    const lookUp = answering({ onRefund: () => Effect.succeed(repaid), onLookUpRefund: () => record })
    itWalks(`a reversed refund whose record ${says} makes the payment ${becomes}`, created(captured), [
      [[lookUp, asks("refund", "done"), refund(repayFailed, 10)], "Captured 1999 reversal"],
      [[waits(refund(repaid, null)), checkedAfter("10 seconds")], becomes]
    ])
  }
})

describe("the answer to a charge that a message was faster than", () => {
  for (const [says, answer, reasons] of [
    ["declined", declined, ["conflict"]],
    ["canceled", canceled, ["conflict", "capture_failed"]],
    ["captured, and less", stating(500), ["conflict"]],
    ["captured under another reference", other, ["double_charge"]],
    ["authorized (control)", authorized, []],
    ["captured (control)", captured, []]
  ] as const) {
    itIn(`a message of a capture is reviewed as listed if the answer says ${says}`, world(), function* (own) {
      const asked = yield* Deferred.make<string>()
      const answered = yield* Deferred.make<ChargeState>()
      own.provider.onCharge = ({ attemptId }) =>
        Effect.andThen(Deferred.succeed(asked, attemptId), Deferred.await(answered))
      const { create } = yield* Pointsman
      const creating = yield* Effect.forkDetach(create(caller, request()), { startImmediately: true })
      const attemptId = yield* Deferred.await(asked)
      yield* say({ tenant }, { _tag: "Charge", charge: { attemptId }, state: () => captured })
      yield* Deferred.succeed(answered, answer)
      const { capturedMinor, review, state } = yield* stored((yield* Fiber.join(creating)).payment)
      assert.deepStrictEqual([state, capturedMinor, review?.reasons ?? []], ["Captured", 1999, reasons])
    })
  }
})

describe("the answer to a capture or a refund that a message was faster than", () => {
  /** Sends a request, records what `tell` says while it is in flight, and lets the provider reject it then. */
  const during = Effect.fnUntraced(function* (
    own: World,
    payment: Payment,
    kind: "capture" | "refund",
    tell: (book: PaymentBook) => ProviderMessage["about"]
  ) {
    const asked = yield* Deferred.make<void>()
    const answered = yield* Deferred.make<void>()
    const answer = () =>
      Effect.as(Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(answered)), rejected)
    Object.assign(own.provider, { onCapture: answer, onRefund: answer })
    const sending = yield* Effect.forkDetach(operate(kind, payment.id), { startImmediately: true })
    yield* Deferred.await(asked)
    yield* say(payment, tell(yield* bookOf(payment)))
    yield* Deferred.succeed(answered, undefined)
    yield* Fiber.join(sending)
    const { operations, payment: now, refunds } = yield* bookOf(payment)
    const conflicts = (yield* typesOf(payment)).filter((type) => type === "payment.conflict").length
    return [now.state, operations[0]?.outcome ?? refunds[0]?.stage, now.review?.reasons ?? [], conflicts]
  })

  itIn("a capture confirmed by a message stays and is reviewed if the answer rejects it", world(), function* (own) {
    const found = yield* during(own, yield* created(authorized, "manual")(own), "capture", ({ operations }) => ({
      _tag: "Operation",
      operationId: operations[0]?.id ?? "",
      state: () => confirmed
    }))
    assert.deepStrictEqual<ReadonlyArray<unknown>>(found, ["Captured", "Confirmed", ["conflict"], 1])
  })

  itIn("a refund succeeded by a message stays and is reviewed if its answer rejects it", world(), function* (own) {
    const found = yield* during(own, yield* created(captured)(own), "refund", ({ refunds }) => ({
      _tag: "Refund",
      refundId: refunds[0]?.id ?? "",
      state: () => repaid
    }))
    assert.deepStrictEqual<ReadonlyArray<unknown>>(found, ["Refunded", "Succeeded", ["conflict"], 1])
  })
})

describe("a message that says that nothing was received", () => {
  itIn("a message is not believed of an unknown charge that is old enough", world(), function* (own) {
    const payment = yield* created(unanswered)(own)
    yield* passes("1 day")(payment, own)
    // As a connector could that is not type-checked.
    const state = () => JSON.parse(JSON.stringify(never))
    const outcome = yield* say(payment, { _tag: "Charge", charge: { attemptId: attemptIdOf(payment) }, state })
    assert.deepStrictEqual([outcome, (yield* stored(payment)).state], ["unreadable", "ChargeUnknown"])
  })
})

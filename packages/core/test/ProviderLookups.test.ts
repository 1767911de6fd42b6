/** What a lookup says against the record, which is never dropped, and when a lookup decides what a message states. */
import { assert, describe } from "@effect/vitest"
import { type Payment, type PaymentState, Pointsman, type ReviewReason } from "@pointsman/core"
import {
  type ChargeState,
  type Found,
  Ledger,
  type OperationState,
  type PaymentBook,
  type ProviderMessage,
  type RefundState,
  Unanswered
} from "@pointsman/core/ports"
import { Deferred, type Duration, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { operate } from "./support/Operations.ts"
import { attemptsOf, stored, typesOf } from "./support/Pages.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const providerRef = "ref"
const captured: ChargeState = { _tag: "Captured", providerRef }
const authorized: ChargeState = { _tag: "Authorized", providerRef }
const declined: ChargeState = { _tag: "Declined", providerRef, category: "other", code: "05", soft: false }
const never = { _tag: "NotFound", conclusive: true } as const
const found = <State>(state: State): Found<State> => ({ _tag: "Found", state })

const checkDue = Effect.gen(function* () {
  yield* Effect.repeat((yield* Pointsman).checkDue, { while: (count) => count > 0 })
})

const given = {
  "an authorization": (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = () => Effect.succeed(authorized)
      return (yield* (yield* Pointsman).create(caller, request({ details: { captureMethod: "manual" } }))).payment
    }),
  "an accepted charge": (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = () => Effect.succeed({ _tag: "Pending", providerRef })
      return (yield* (yield* Pointsman).create(caller, request())).payment
    }),
  "an unanswered charge": (own: World) =>
    Effect.gen(function* () {
      own.provider.onCharge = () => Effect.fail(new Unanswered({ reason: "no answer" }))
      return (yield* (yield* Pointsman).create(caller, request())).payment
    }),
  "an accepted capture": (own: World) =>
    Effect.gen(function* () {
      const payment = yield* given["an authorization"](own)
      own.provider.onCapture = () => Effect.succeed({ _tag: "Pending", providerRef })
      yield* operate("capture", payment.id)
      return payment
    })
}

type Case = readonly [
  before: keyof typeof given,
  says: string,
  record: Found<ChargeState>,
  becomes: PaymentState,
  reasons: ReadonlyArray<ReviewReason>
]

describe("a lookup that says something else than the record", () => {
  const cases: ReadonlyArray<Case> = [
    ["an authorization", "declined", found(declined), "Authorized", ["conflict"]],
    ["an authorization", "pending", found({ ...captured, _tag: "Pending" }), "Authorized", ["conflict"]],
    ["an authorization", "never received", never, "Authorized", ["conflict"]],
    [
      "an authorization",
      "captured, more than was authorized",
      found({ ...captured, stated: { minorUnits: 2000, currency: "EUR" } }),
      "Captured",
      ["amount_mismatch"]
    ],
    [
      "an authorization",
      "captured in another currency",
      found({ ...captured, stated: { minorUnits: 100, currency: "USD" } }),
      "ChargeMismatched",
      ["unknown", "amount_mismatch"]
    ],
    [
      "an authorization",
      "captured under another reference",
      found({ ...captured, providerRef: "other" }),
      "Authorized",
      ["double_charge"]
    ],
    ["an authorization", "authorized (control)", found(authorized), "Authorized", []],
    ["an accepted charge", "never received", never, "ChargePending", ["conflict"]],
    ["an accepted capture", "declined", found(declined), "CapturePending", ["conflict"]],
    ["an accepted capture", "never received", never, "CapturePending", ["conflict"]],
    ["an accepted capture", "authorized (control)", found(authorized), "CapturePending", []]
  ]
  for (const [before, says, record, becomes, reasons] of cases) {
    itIn(`${before} is reviewed as listed if the record says ${says}`, world(), function* (own) {
      const payment = yield* given[before](own)
      own.provider.onLookUpCharge = () => Effect.succeed(record)
      for (let days = 0; days < 3; days++) {
        yield* TestClock.adjust("1 day")
        yield* checkDue
      }
      const after = yield* stored(payment)
      assert.deepStrictEqual([after.state, after.review?.reasons ?? []], [becomes, reasons])
      const types = yield* typesOf(payment)
      const told = types.filter((type) => type === "payment.conflict" || type === "payment.amount_mismatch")
      assert.lengthOf(told, reasons.length === 0 ? 0 : 1)
    })
  }
})

const confirmed: OperationState = { _tag: "OperationConfirmed" }
const failed: OperationState = { _tag: "OperationFailed", isFinal: true, reason: "no funds" }
const retried: OperationState = { _tag: "OperationFailed", isFinal: false, reason: "technical" }
const repaid: RefundState = { _tag: "Succeeded", providerRefundId: "re" }
const silent = Effect.fail(new Unanswered({ reason: "no answer" }))

const recorded = Effect.fnUntraced(function* (payment: Payment) {
  return Option.getOrThrow(yield* (yield* Ledger).book(tenant, payment.id))
})

/** Of a message about the newest operation or refund; gives what became of it. */
const say = Effect.fnUntraced(function* (about: ProviderMessage["about"], at: number | null) {
  const pointsman = yield* Pointsman
  const message = { id: `msg_${++written}`, at, about }
  yield* pointsman.recordMessage({ connectionId: "main", tenant, receivedAt: 0, body: "{}", reason: null, message })
  return (yield* pointsman.messages({ limit: 10 })).items.find(({ eventId }) => eventId === message.id)?.outcome
})
let written = 0

const sayOperation = (payment: Payment, state: OperationState, at: number | null) =>
  Effect.flatMap(recorded(payment), ({ operations }) =>
    say({ _tag: "Operation", operationId: operations.at(-1)?.id ?? "", state: () => state }, at)
  )

const checkedAfter = Effect.fnUntraced(function* (payment: Payment, wait: Duration.Input) {
  yield* TestClock.adjust(wait)
  yield* checkDue
  const { payment: now } = yield* recorded(payment)
  assert.deepStrictEqual(now.reported?.undecided ?? [], [])
  return [now.state, now.capturedMinor, now.review?.reasons ?? []] as ReadonlyArray<unknown>
})

/** A payment that is captured by an operation, at a provider that looks operations up so. */
const capturedBy = Effect.fnUntraced(function* (own: World, record: World["provider"]["onLookUpOperation"]) {
  own.provider.onLookUpOperation = record
  const payment = yield* given["an authorization"](own)
  own.provider.onCapture = () => Effect.succeed(captured)
  yield* operate("capture", payment.id)
  return payment
})

describe("a capture or a void that its provider can look up", () => {
  const cases: ReadonlyArray<readonly [string, Found<OperationState>, ReadonlyArray<unknown>, string]> = [
    ["confirmed", found(confirmed), ["Captured", 1999, []], "payment.captured"],
    [
      "confirmed, in part",
      found({ ...confirmed, stated: { minorUnits: 500, currency: "EUR" } }),
      ["Captured", 500, []],
      "payment.captured"
    ],
    ["pending", found({ _tag: "OperationPending" }), ["CapturePending", 0, []], "payment.pending"],
    ["failed", found(failed), ["Authorized", 0, []], "payment.capture_failed"],
    ["failed, and tried again", found(retried), ["CaptureUnknown", 0, ["unknown"]], "payment.capture_unknown"],
    ["never received", never, ["Authorized", 0, []], "payment.authorized"]
  ]
  for (const [says, record, becomes, event] of cases) {
    itIn(`an unanswered capture becomes ${becomes[0]} by one lookup that says ${says}`, world(), function* (own) {
      own.provider.onLookUpOperation = () => Effect.succeed(record)
      const payment = yield* given["an authorization"](own)
      own.provider.onCapture = () => silent
      yield* operate("capture", payment.id)
      assert.deepStrictEqual(yield* checkedAfter(payment, "2 minutes"), becomes)
      assert.strictEqual((yield* typesOf(payment)).at(-1), event)
      assert.deepStrictEqual([own.provider.operationLookUps.length, own.provider.lookUps.length], [1, 0])
    })
  }

  itIn("operators review an accepted capture whose record is missing", world(), function* (own) {
    own.provider.onLookUpOperation = () => Effect.succeed(never)
    const payment = yield* given["an accepted capture"](own)
    assert.deepStrictEqual(yield* checkedAfter(payment, "1 hour"), ["CapturePending", 0, ["conflict"]])
  })

  itIn("the record of the charge is asked at an account without that lookup", world(), function* (own) {
    own.provider.onLookUpOperation = () =>
      Effect.fail(new Unanswered({ reason: "no such lookup", isUnsupported: true }))
    own.provider.onLookUpCharge = () => Effect.succeed(found(captured))
    const payment = yield* given["an accepted capture"](own)
    assert.deepStrictEqual(yield* checkedAfter(payment, "1 hour"), ["Captured", 1999, []])
    assert.deepStrictEqual([own.provider.operationLookUps.length, own.provider.lookUps.length], [1, 1])
  })
})

describe("a failure that the provider states of a capture that it can look up", () => {
  const cases: ReadonlyArray<
    readonly [string, Effect.Effect<Found<OperationState>, Unanswered>, ReadonlyArray<unknown>]
  > = [
    ["says so too", Effect.succeed(found(failed)), ["Authorized", 0, []]],
    ["shows it under way again", Effect.succeed(found({ _tag: "OperationPending" })), ["CapturePending", 0, []]],
    ["shows it confirmed", Effect.succeed(found(confirmed)), ["Captured", 1999, []]],
    ["is missing", Effect.succeed(never), ["Captured", 1999, ["conflict"]]],
    ["is not answered", silent, ["Captured", 1999, ["conflict"]]],
    [
      "cannot be asked for",
      Effect.fail(new Unanswered({ reason: "no such lookup", isUnsupported: true })),
      ["Authorized", 0, []]
    ]
  ]
  for (const [says, record, becomes] of cases) {
    itIn(`one lookup decides a confirmed capture that fails: it ${says}, so ${becomes[0]}`, world(), function* (own) {
      const payment = yield* capturedBy(own, () => record)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* sayOperation(payment, failed, 10), "waits")
      assert.strictEqual((yield* stored(payment)).state, "Captured")
      assert.strictEqual(yield* sayOperation(payment, failed, 10), "waits")
      assert.deepStrictEqual(yield* checkedAfter(payment, "10 seconds"), becomes)
      assert.deepStrictEqual(yield* checkedAfter(payment, "2 minutes"), becomes)
      assert.lengthOf(own.provider.operationLookUps, 1)
      const conflicts = (yield* typesOf(payment)).filter((type) => type === "payment.conflict")
      assert.lengthOf(conflicts, String(becomes[2]) === "conflict" ? 1 : 0)
    })
  }
})

describe("a success without a time after a failure", () => {
  const reversed = Effect.fnUntraced(function* (own: World, record: World["provider"]["onLookUpOperation"]) {
    const payment = yield* capturedBy(own, record)
    yield* sayOperation(payment, failed, 10)
    assert.deepStrictEqual(yield* checkedAfter(payment, "10 seconds"), ["Authorized", 0, []])
    return payment
  })

  for (const [says, record, becomes] of [
    ["says so too", Effect.succeed(found(confirmed)), ["Captured", 1999, []]],
    ["shows the failure", Effect.succeed(found(failed)), ["Authorized", 0, []]],
    ["is not answered", silent, ["Authorized", 0, ["conflict"]]]
  ] as const) {
    itIn(`a failed capture whose record ${says} is ${becomes[0]}`, world(), function* (own) {
      let isFailed = true
      const payment = yield* reversed(own, () => (isFailed ? Effect.succeed(found(failed)) : record))
      isFailed = false
      assert.strictEqual(yield* sayOperation(payment, confirmed, null), "waits")
      assert.deepStrictEqual(yield* checkedAfter(payment, "10 seconds"), becomes)
    })
  }

  for (const [says, record, becomes] of [
    ["says so too", Effect.succeed(found<RefundState>(repaid)), ["Refunded", ["conflict", "reversal"]]],
    ["is not answered", silent, ["Captured", ["conflict", "reversal"]]]
  ] as const) {
    itIn(`a reversed refund whose record ${says} makes the payment ${becomes[0]}`, world(), function* (own) {
      own.provider.onRefund = () => Effect.succeed(repaid)
      own.provider.onLookUpRefund = () => record
      const { payment } = yield* (yield* Pointsman).create(caller, request())
      yield* operate("refund", payment.id)
      const { refunds } = yield* recorded(payment)
      const about = (state: RefundState) =>
        ({ _tag: "Refund", refundId: refunds[0]?.id ?? "", state: () => state }) as const
      yield* say(about({ _tag: "RefundFailed", providerRefundId: "re", reason: null }), 10)
      assert.strictEqual(yield* say(about(repaid), null), "waits")
      const [state, , reasons] = yield* checkedAfter(payment, "10 seconds")
      assert.deepStrictEqual<ReadonlyArray<unknown>>([state, reasons], becomes)
    })
  }
})

describe("the answer to a charge that a message was faster than", () => {
  for (const [says, answer, reasons] of [
    ["declined", declined, ["conflict"]],
    ["canceled", { _tag: "Canceled", providerRef }, ["conflict", "capture_failed"]],
    ["captured, and less", { ...captured, stated: { minorUnits: 500, currency: "EUR" } }, ["conflict"]],
    ["captured under another reference", { ...captured, providerRef: "other" }, ["double_charge"]],
    ["authorized (control)", authorized, []],
    ["captured (control)", captured, []]
  ] as const) {
    itIn(`a message of a capture is reviewed as listed if the answer says ${says}`, world(), function* (own) {
      const asked = yield* Deferred.make<string>()
      const answered = yield* Deferred.make<ChargeState>()
      own.provider.onCharge = ({ attemptId }) =>
        Effect.andThen(Deferred.succeed(asked, attemptId), Deferred.await(answered))
      const creating = yield* Effect.forkDetach((yield* Pointsman).create(caller, request()), {
        startImmediately: true
      })
      const attemptId = yield* Deferred.await(asked)
      yield* say({ _tag: "Charge", charge: { attemptId }, state: () => captured }, 0)
      yield* Deferred.succeed(answered, answer)
      const { payment } = yield* Fiber.join(creating)
      const now = yield* stored(payment)
      assert.deepStrictEqual([now.state, now.capturedMinor, now.review?.reasons ?? []], ["Captured", 1999, reasons])
    })
  }
})

describe("the answer to a capture or a refund that a message was faster than", () => {
  const rejected = { _tag: "Rejected", code: "no", message: "No." } as const
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
    own.provider.onCapture = answer
    own.provider.onRefund = answer
    const sending = yield* Effect.forkDetach(operate(kind, payment.id), { startImmediately: true })
    yield* Deferred.await(asked)
    yield* say(tell(yield* recorded(payment)), 0)
    yield* Deferred.succeed(answered, undefined)
    yield* Fiber.join(sending)
    const { operations, payment: now, refunds } = yield* recorded(payment)
    const conflicts = (yield* typesOf(payment)).filter((type) => type === "payment.conflict").length
    return [now.state, operations[0]?.outcome ?? refunds[0]?.stage, now.review?.reasons ?? [], conflicts]
  })

  itIn("a capture confirmed by a message stays and is reviewed if the answer rejects it", world(), function* (own) {
    const payment = yield* given["an authorization"](own)
    const found = yield* during(own, payment, "capture", ({ operations }) => ({
      _tag: "Operation",
      operationId: operations[0]?.id ?? "",
      state: () => confirmed
    }))
    assert.deepStrictEqual<ReadonlyArray<unknown>>(found, ["Captured", "Confirmed", ["conflict"], 1])
  })

  itIn("a refund succeeded by a message stays and is reviewed if its answer rejects it", world(), function* (own) {
    const { payment } = yield* (yield* Pointsman).create(caller, request())
    const found = yield* during(own, payment, "refund", ({ refunds }) => ({
      _tag: "Refund",
      refundId: refunds[0]?.id ?? "",
      state: () => repaid
    }))
    assert.deepStrictEqual<ReadonlyArray<unknown>>(found, ["Refunded", "Succeeded", ["conflict"], 1])
  })
})

describe("a message that says that nothing was received", () => {
  /** As a connector could that is not type-checked. */
  const state = () => JSON.parse(JSON.stringify(never))
  const sayCharge = (payment: Payment) =>
    Effect.flatMap(attemptsOf(payment), ([attempt]) =>
      say({ _tag: "Charge", charge: { attemptId: attempt?.id ?? "" }, state }, 0)
    )

  itIn("a message is not believed of an unknown charge that is old enough", world(), function* (own) {
    const payment = yield* given["an unanswered charge"](own)
    yield* TestClock.adjust("1 day")
    assert.strictEqual(yield* sayCharge(payment), "unreadable")
    assert.strictEqual((yield* stored(payment)).state, "ChargeUnknown")
  })
})

/**
 * Statements of a provider that arrive early, late or against the record: none about money is dropped, and a reversal
 * is a new fact, not an old message.
 */
import { assert, describe } from "@effect/vitest"
import { Pointsman } from "@pointsman/core"
import { Ledger, type OperationState, type RefundAnswer, type RefundState } from "@pointsman/core/ports"
import { Effect, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { type Kind, operate } from "./support/Operations.ts"
import { bookOf, stored } from "./support/Pages.ts"
import {
  answering,
  asks,
  authorized,
  canceled,
  captured,
  capturedBy,
  captureFailed,
  charge,
  checkedAfter,
  confirmed,
  conflicts,
  created,
  declined,
  dispute,
  ends,
  failed,
  itWalks,
  keeps,
  operation,
  passes,
  payout,
  pending,
  refund,
  refundedBy,
  rejected,
  repaid,
  repayFailed,
  retried,
  say,
  stating,
  tells,
  times,
  unanswered,
  voidedBy
} from "./support/Statements.ts"
import { caller, request, type World, world } from "./support/World.ts"

const opened = dispute("opened")
const repayRetried: RefundState = { ...repayFailed, isFinal: false }

/** A captured payment whose refunds the provider answers so. */
const refunding = (answer: RefundAnswer | ((id: string) => RefundAnswer)) => (own: World) => {
  own.provider.onRefund = ({ refundId }) => Effect.succeed(typeof answer === "function" ? answer(refundId) : answer)
  return created(captured)(own)
}
const repaidAs = (id: string): RefundState => ({ ...repaid, providerRefundId: id })

const stage = (last: string) => (payment: Parameters<typeof bookOf>[0]) =>
  Effect.map(bookOf(payment), ({ refunds }) => assert.strictEqual(refunds.at(-1)?.stage, last))
const outcome = (last: string) => (payment: Parameters<typeof bookOf>[0]) =>
  Effect.map(bookOf(payment), ({ operations }) => assert.strictEqual(operations.at(-1)?.outcome, last))
const isPaidOut = (expected: boolean) => keeps(({ reported }) => reported?.isPaidOut, expected)

describe("a dispute before the payment is captured", () => {
  for (const [name, state] of [
    ["UNKNOWN", unanswered],
    ["PENDING", pending]
  ] as const) {
    itWalks(`a dispute of a payment ${name} makes its capture CHARGEBACK, and not refundable`, created(state), [
      [[opened, charge(captured)], "ChargedBack 1999", ends("payment.captured", "payment.chargeback")],
      [asks("refund", "NotRefundable"), "ChargedBack 1999"],
      [dispute("won", 1), "Captured 1999"]
    ])
  }
  itWalks("the capture confirmed after a dispute opened during it is CHARGEBACK", capturedBy(pending), [
    [opened, "CapturePending 0"],
    [operation(confirmed), "ChargedBack 1999"]
  ])
  itWalks("control: a dispute won before the charge was known leaves a capture CAPTURED", created(pending), [
    [[opened, dispute("won", 1), charge(captured)], "Captured 1999"]
  ])
  itWalks("a payout stated while the charge is pending makes its capture SETTLED once", created(pending), [
    [[payout(), charge(captured), payout()], "Settled 1999", times("payment.settled", 1)]
  ])
  for (const [name, captureMethod, end, seen] of [
    ["declined", "automatic", declined, "Declined 0 conflict"],
    ["cancelled", "automatic", canceled, "Cancelled 0 conflict"],
    ["authorized", "manual", authorized, "Authorized 0 conflict"]
  ] as const) {
    const start = created(pending, captureMethod)
    itWalks(`operations review a dispute of a pending charge once when it is ${name}`, start, [
      [opened, "ChargePending 0"],
      [charge(end), seen],
      [opened, seen, conflicts(["dp_1", "dispute_opened"])]
    ])
  }
  itWalks("a capture that fails during a dispute has one review; the next one is CHARGEBACK", capturedBy(pending), [
    [[opened, operation(failed, 1)], "Authorized 0 conflict", conflicts(["dp_1", "dispute_opened"])],
    [[answering({ onCapture: () => Effect.succeed(captured) }), asks("capture", "done")], "ChargedBack 1999 conflict"]
  ])

  itIn("operations review a dispute during a recorded capture that is given back unsent", world(), function* (own) {
    const payment = yield* created(authorized, "manual")(own)
    // The claim is written, and its process is not told; what gives it back is not written at first.
    own.ledger.onCommit = (number) => (number === 3 ? "unheard" : number === 4 ? "unwritten" : undefined)
    yield* Effect.forkDetach(operate("capture", payment.id), { startImmediately: true })
    const claimed = yield* stored(payment)
    assert.strictEqual(claimed.state, "Capturing")
    // Another process records it: in this one the capture has its turn.
    const disputes = [{ disputeId: "dp_1", attemptId: "", verdict: "opened", at: 0 }] as const
    yield* (yield* Ledger).commit({
      ...{ tenant: payment.tenant, attempts: [], events: [], checkAt: null },
      payment: {
        expected: claimed.version,
        after: {
          ...claimed,
          version: claimed.version + 1,
          reported: { isPaidOut: false, disputes, contradictions: [] }
        }
      }
    })
    yield* TestClock.adjust("5 seconds")
    const { review, state } = yield* stored(payment)
    assert.deepStrictEqual([state, review?.reasons], ["Authorized", ["conflict"]])
    yield* conflicts(["dp_1", "dispute_opened"])(payment, own)
  })

  const both = conflicts(["dp_1", "dispute_lost"], [null, "settled"])
  itWalks("operations review a dispute and a payout that came before a void is confirmed", voidedBy(pending), [
    [[dispute("lost"), payout(), operation(confirmed)], "Voided 0 conflict", both]
  ])
  itWalks("control: operations review no dispute won before its charge is declined", created(pending), [
    [[opened, dispute("won", 1), charge(declined)], "Declined 0"]
  ])
  itWalks("operations review the dispute of a declined payment once", created(declined), [
    [[opened, opened], "Declined 0 conflict", times("payment.conflict", 1)]
  ])
})

describe("a refund that fails after it succeeded", () => {
  const types = ends("payment.refunded", "payment.refund_failed")
  itWalks("a full refund that failed at the provider is refundable again, and reviewed", refundedBy(), [
    [[], "Refunded 1999 -1999"],
    [refund(repayFailed, 10), "Captured 1999 reversal", types, stage("Reversed")]
  ])
  itWalks("a reversed refund's success counts only where it is dated after the failure", refundedBy(), [
    [[refund(repayFailed, 10), refund(repaid, 5)], "Captured 1999 reversal"],
    [refund(repaid, 11), "Refunded 1999 -1999 conflict reversal"]
  ])
  const retriedTypes = ends("payment.refunded", "payment.refund_pending", "payment.refunded")
  itWalks("a full refund that is tried again is pending, and only a later success counts", refundedBy(), [
    [refund(repayRetried, 10), "Captured 1999 ~1999"],
    [[refund(repayRetried, 10), refund(repaid, 5)], "Captured 1999 ~1999"],
    [refund(repaid, 11), "Refunded 1999 -1999", retriedTypes]
  ])
  itWalks("the amount of a refund that is tried again and fails for good is refundable", refundedBy(), [
    [[refund(repayRetried, 10), refund(repayFailed, 11)], "Captured 1999", stage("Failed")]
  ])
  const second = { amountMinor: 200, idempotencyKey: "second-refund" }
  const both = [
    asks("refund", "done", { amountMinor: 100, idempotencyKey: "first-refund" }),
    asks("refund", "done", second)
  ]
  const fails = refund((id) => ({ ...repayFailed, providerRefundId: id }), 10)
  itWalks("one of two refunds reversed leaves a part; its request is refused after a day", refunding(repaidAs), [
    [[...both, fails, asks("refund", "replayed", second)], "PartiallyRefunded 1999 -100 reversal"],
    [[passes("25 hours"), asks("refund", "ProviderRefused", second)], "PartiallyRefunded 1999 -100 reversal"]
  ])
})

describe("a capture that fails after the provider accepted or confirmed it", () => {
  const again = asks("capture", "done", { idempotencyKey: "capture-key" })
  itWalks("a pending capture that fails for good is AUTHORIZED with a free key", capturedBy(pending), [
    [operation(failed, 10), "Authorized 0", ends("payment.capture_failed")],
    [[answering({ onCapture: () => Effect.succeed(captured) }), again], "Captured 1999"]
  ])
  for (const kind of ["capture", "void"] as const) {
    const order = { idempotencyKey: "next-key" }
    const dies = ({ id }: { readonly id: string }) =>
      Effect.forkDetach(operate(kind, id, order), { startImmediately: true })
    const silence = answering({ onCapture: () => Effect.never, onVoid: () => Effect.never })
    itWalks(`a dead ${kind} conflicts when a failed capture is done: the ${kind} has ended`, capturedBy(), [
      [operation(failed, 10), "Authorized 0"],
      [[silence, dies, operation(confirmed, 11, 0)], "Captured 1999", outcome("Conflicted")],
      [asks(kind, "StateConflict", order), "Captured 1999"],
      // What the provider did of it, if anything, is not what failed: nothing is taken back.
      [operation(failed, 12), "Captured 1999"]
    ])
  }
  itWalks("a confirmed capture that fails captures nothing, also by older confirmations", capturedBy(), [
    [[operation(failed, 10), operation(confirmed, 5), charge(captured, 5)], "Authorized 0"],
    [operation(confirmed, 11), "Captured 1999"]
  ])
  itWalks("a confirmed capture that the provider tries again is PENDING", capturedBy(), [
    // The success before the failure arrives again, as a statement about the capture and about the charge.
    [[operation(retried, 10), operation(confirmed, 5), charge(captured, 5)], "CapturePending 0"],
    [operation(confirmed, 11), "Captured 1999"]
  ])
  itWalks("a refunded capture that fails is reviewed, and its refunds are closed", capturedBy(), [
    [asks("refund", "done", { amountMinor: 100 }), "PartiallyRefunded 1999 -100"],
    [operation(failed, 10), "PartiallyRefunded 1999 -100 conflict capture_failed"],
    [asks("refund", "NotRefundable"), "PartiallyRefunded 1999 -100 conflict capture_failed"]
  ])
  itWalks("a pending void that fails for good leaves the payment AUTHORIZED", voidedBy(pending), [
    [operation(failed, 10), "Authorized 0", ends("payment.void_failed")]
  ])
  itWalks("operations review a confirmed void of which the provider states a failure", voidedBy(canceled), [
    [operation(failed, 10), "Voided 0 conflict"]
  ])
})

describe("a capture that the provider makes by itself and that fails", () => {
  for (const [name, state, seen] of [
    ["CAPTURED", captured, "Captured 1999"],
    ["PENDING", pending, "ChargePending 0"]
  ] as const) {
    itWalks(`a failed capture of a payment ${name} is reviewed once, and refunds are closed`, created(state), [
      [[captureFailed, captureFailed], `${seen} conflict capture_failed`, times("payment.conflict", 1)],
      [[charge(captured), asks("refund", "NotRefundable")], "Captured 1999 conflict capture_failed"]
    ])
  }
  itWalks("a failed capture of an authorization is reviewed, and nothing is closed", created(authorized, "manual"), [
    [captureFailed, "Authorized 0 conflict"]
  ])
  itWalks("control: a failed capture of a declined payment changes nothing", created(declined), [
    [captureFailed, "Declined 0"]
  ])
})

describe("a reversal of what a dispute or an older statement is about", () => {
  itWalks("a void that failed stays AUTHORIZED after a cancellation dated before it", voidedBy(pending), [
    [[operation(failed, 10), charge(canceled, 5)], "Authorized 0"],
    [charge(canceled, 11), "Voided 0"]
  ])
  itWalks("a paid-out disputed payment whose capture fails has its next capture paid anew", capturedBy(), [
    [[payout(), opened, operation(failed, 10)], "ChargedBack 0", isPaidOut(false)]
  ])
  itWalks("a disputed payment whose capture failed is AUTHORIZED once the dispute is won", capturedBy(), [
    [[opened, operation(failed, 10)], "ChargedBack 0"],
    [dispute("won", 11), "Authorized 0", ends("payment.chargeback_reversed", "dispute.won")]
  ])
  itWalks("a disputed failed capture confirmed later is recorded until the next failure", capturedBy(), [
    [[opened, operation(failed, 10)], "ChargedBack 0"],
    [operation(confirmed, 11), "ChargedBack 1999 amount_mismatch", outcome("Confirmed")],
    [operation(failed, 12), "ChargedBack 0 amount_mismatch"]
  ])
  itWalks("operations review a capture that failed, was captured after all, and fails again", capturedBy(), [
    // The failure comes again, and is older.
    [[operation(failed, 10), charge(captured, 11), operation(failed, 10)], "Captured 1999"],
    [operation(failed, 12), "Captured 1999 conflict", conflicts([null, "OperationFailed"])]
  ])
  itWalks("operations review no repeated failure of a capture that another one replaced", capturedBy(), [
    [[operation(failed, 10), asks("capture", "done"), operation(failed, 12, 0)], "Captured 1999"]
  ])
  itWalks("a payout dated before its capture failed changes nothing", capturedBy(), [
    [[operation(failed, 10), payout()], "Authorized 0", isPaidOut(false)]
  ])
  itWalks("a payout dated before a capture failed changes nothing while that is tried again", capturedBy(pending), [
    [[operation(retried, 10), payout(null, 5), operation(confirmed, 11)], "Captured 1999", isPaidOut(false)]
  ])
  itWalks("the timeline has each amount once when the provider corrects one too large", capturedBy(stating(5_000)), [
    [charge(stating(5_000)), "CaptureUnknown 0 unknown amount_mismatch", times("payment.amount_mismatch", 1)],
    [charge(stating(6_000)), "CaptureUnknown 0 unknown amount_mismatch", times("payment.amount_mismatch", 2)],
    [charge(stating(6_000)), "CaptureUnknown 0 unknown amount_mismatch", times("payment.amount_mismatch", 2)]
  ])
})

describe("an amount or a status that differs from the record", () => {
  const confirming = (minorUnits: number): OperationState => ({ ...confirmed, stated: { minorUnits, currency: "EUR" } })
  const amounts = (type: "payment.amount_mismatch" | "payment.conflict", ...expected: ReadonlyArray<number>) =>
    tells(type, (data) => data["stated_amount"], ...expected)

  const larger = capturedBy(stating(1_799), 1_799)
  itWalks("a larger capture by the provider is recorded up to the authorization, reviewed", larger, [
    [charge(stating(1_899)), "Captured 1899 amount_mismatch"],
    [charge(stating(2_099)), "Captured 1999 amount_mismatch"],
    // The amount that was asked for, stated before the provider captured more.
    [charge(stating(1_799)), "Captured 1999 amount_mismatch", times("payment.amount_mismatch", 2)]
  ])
  const authorizes = keeps(({ authorizedMinor }) => authorizedMinor, 1999)
  itWalks("all of an authorization is recorded after a smaller capture was stated", created(authorized, "manual"), [
    [charge(stating(500)), "Captured 500", authorizes],
    [charge(stating(600)), "Captured 600 amount_mismatch", authorizes],
    [charge(stating(1_999)), "Captured 1999 amount_mismatch"]
  ])
  for (const [name, state, reasons] of [
    ["less was captured", stating(1), " conflict"],
    ["it was canceled", canceled, " conflict capture_failed"],
    ["it was declined", declined, " conflict"],
    ["it was captured (control)", captured, ""],
    ["it was authorized (control)", authorized, ""]
  ] as const) {
    const once = times("payment.conflict", reasons === "" ? 0 : 1)
    itWalks(`a captured payment is reviewed as listed when the provider states that ${name}`, created(captured), [
      [[charge(state), charge(state)], `Captured 1999${reasons}`, once]
    ])
  }
  itWalks("the evidence has both amounts once when a charge exceeded what was asked", created(stating(2_000)), [
    [charge(stating(2_000)), "ChargeMismatched 0 unknown amount_mismatch", amounts("payment.amount_mismatch", 2_000)],
    [charge(stating(2_001)), "ChargeMismatched 0 unknown amount_mismatch conflict"],
    [charge(stating(2_001)), "ChargeMismatched 0 unknown amount_mismatch conflict", amounts("payment.conflict", 2_001)]
  ])
  itWalks("a smaller amount stays if it overtakes an older one of a capture in flight", capturedBy(pending), [
    [[charge(stating(250), 11), operation(confirming(1_999), 10)], "Captured 250"],
    [operation(confirming(1_999), 12), "Captured 1999 amount_mismatch"]
  ])
  const tooLarge = capturedBy(stating(501), 500)
  itWalks("a smaller amount stays if it overtakes the confirmation of a too large capture", tooLarge, [
    [[charge(stating(250), 11), operation(confirming(501), 10)], "Captured 250 amount_mismatch"],
    [operation(confirming(501), 12), "Captured 501 amount_mismatch"]
  ])
  itWalks("a smaller capture stays when its message and then an older, larger one arrive", capturedBy(stating(250)), [
    [[charge(stating(250), 11), operation(confirming(501), 10)], "Captured 250"]
  ])
  itWalks("another amount of a confirmed operation is weighed as that of the charge", capturedBy(stating(250)), [
    [operation(confirming(250)), "Captured 250"],
    [operation(confirming(300)), "Captured 300 amount_mismatch"],
    [operation(confirming(200)), "Captured 300 amount_mismatch conflict", amounts("payment.conflict", 200)]
  ])
  const asAsked = capturedBy(stating(500), 500)
  itWalks("only the date tells a lowered amount, once raised, from an older statement", asAsked, [
    [[charge(stating(600), 10), charge(stating(500), 5)], "Captured 600 amount_mismatch"],
    [charge(stating(500), 11), "Captured 600 amount_mismatch conflict", amounts("payment.conflict", 500)]
  ])
})

describe("an authorization of a payment that was voided", () => {
  const voided = Effect.fnUntraced(function* (own: World) {
    own.provider.onCharge = () => Effect.delay(Effect.succeed(authorized), "1 minute")
    const { create } = yield* Pointsman
    const asked = yield* Effect.forkChild(create(caller, request({ details: { captureMethod: "manual" } })))
    yield* TestClock.adjust("1 second")
    const { attemptId, paymentId, ...sent } = own.provider.charges[0] ?? assert.fail("nothing was sent")
    const state = () => authorized
    yield* say({ tenant: caller.tenant }, { _tag: "Charge", charge: { attemptId }, state }, 1, sent.connectionId)
    own.provider.onVoid = () => Effect.succeed(canceled)
    yield* operate("void", paymentId)
    yield* TestClock.adjust("1 hour")
    return (yield* Fiber.join(asked)).payment
  })

  itWalks("an answer, or a message older than the void, leaves the payment CANCELLED", voided, [
    [charge(authorized, 2), "Voided 0"]
  ])
  itWalks("money is held by a message that is newer than the void", voided, [
    [charge(authorized, 2_000_000), "Authorized 0 conflict"]
  ])
  const another = { ...authorized, providerRef: "another" }
  itWalks("money is held by a message about another charge, whatever its date", voided, [
    [charge(another, 2), "Authorized 0 conflict", keeps(({ providerRef }) => providerRef, another.providerRef)]
  ])
})

describe("the end of a charge that is stated while a capture or a void is under way", () => {
  const once = conflicts([null, "declined"])
  const endsOf = (count: number) => keeps(({ reported }) => reported?.chargeEnds?.length ?? 0, count)
  itWalks("operations review a capture confirmed after the charge was declined once", capturedBy(pending), [
    [[charge(declined), charge(declined)], "CapturePending 0", endsOf(1)],
    [operation(confirmed, 10), "Captured 1999 conflict", once],
    [charge(declined), "Captured 1999 conflict", once]
  ])
  const types = ends("payment.capture_failed", "payment.cancelled")
  itWalks("a capture that fails after the charge was canceled leaves it CANCELLED", capturedBy(pending), [
    [charge(canceled), "CapturePending 0"],
    [operation(failed, 10), "Voided 0", types, endsOf(0)]
  ])

  itIn("the request of a capture refused after the charge was canceled says so", world(), function* (own) {
    const payment = yield* created(authorized, "manual")(own)
    own.provider.onCapture = () => Effect.delay(Effect.succeed(rejected), "1 second")
    const asked = yield* Effect.forkChild(operate("capture", payment.id))
    yield* TestClock.adjust(1)
    yield* charge(canceled)(payment)
    yield* TestClock.adjust("1 second")
    const answer = yield* Fiber.join(asked)
    assert.strictEqual(Result.isFailure(answer) && answer.failure._tag, "pointsman/StateConflict")
    assert.strictEqual((yield* stored(payment)).state, "Voided")
  })

  itWalks("nothing is reviewed when a void is confirmed after the charge was declined", voidedBy(pending), [
    [[charge(declined), operation(confirmed, 10)], "Voided 0"]
  ])
})

describe("a failure that arrives after a newer success", () => {
  for (const [name, answer, success] of [
    ["accepted", pending, operation(confirmed, 20)],
    ["confirmed", captured, operation(confirmed, 20)],
    ["confirmed, as a charge", captured, charge(captured, 20)],
    ["accepted, as a charge", pending, charge(captured, 20)]
  ] as const) {
    itWalks(`a capture that was ${name} has an older failure, and a newer one counts`, capturedBy(answer), [
      [[success, operation(failed, 10)], "Captured 1999"],
      [operation(failed, 30), "Authorized 0"]
    ])
  }
  for (const [name, paidAt, seen] of [
    ["before", 5, "Settled 1999 conflict"],
    ["after", 15, "Settled 1999"]
  ] as const) {
    itWalks(`a payout dated ${name} the failure makes the payment ${seen}`, capturedBy(), [
      [[payout(null, paidAt), operation(confirmed, 20), operation(failed, 10)], seen]
    ])
  }
  itWalks("a failure is older than its refund, and a newer one counts", refundedBy(), [
    [[refund(repaid, 20), refund(repayFailed, 10)], "Refunded 1999 -1999"],
    [refund(repayFailed, 30), "Captured 1999 reversal"]
  ])
  itWalks("a failure that arrives again is older than the refund's success after it", refundedBy(), [
    [[refund(repayFailed, 10), refund(repaid, 20), refund(repayFailed, 10)], "Refunded 1999 -1999 conflict reversal"]
  ])
  const dates = keeps(
    ({ reported }) => reported?.confirmed?.map(({ at }) => at),
    Array.from({ length: 20 }, (_, index) => index + 6)
  )
  const one = (index: number) => [asks("refund", "done", { amountMinor: 1 }), refund(repaidAs, index + 1)]
  itWalks("a payment keeps the dates of the newest of many refunds", refunding(repaidAs), [
    [Array.from({ length: 25 }, (_, index) => one(index)).flat(), "PartiallyRefunded 1999 -25", dates]
  ])
})

describe("a success of a refund that had failed", () => {
  const failedRefund = (own: World) =>
    Effect.tap(refundedBy({ _tag: "RefundPending", providerRefundId: "re" }, 100)(own), (payment) =>
      Effect.andThen(refund(repayFailed, 10)(payment), stage("Failed")(payment))
    )

  itWalks("a success dated before the failure is older; one dated after it refunds", failedRefund, [
    [refund(repaid, 10), "Captured 1999"],
    [refund(repaid, 11), "PartiallyRefunded 1999 -100 conflict"]
  ])
  for (const [name, found, seen] of [
    ["the refund", { _tag: "Found", state: repaid }, "PartiallyRefunded 1999 -100 conflict"],
    ["its failure", { _tag: "Found", state: repayFailed }, "Captured 1999"],
    ["nothing that is certain", { _tag: "NotFound", conclusive: false }, "Captured 1999 conflict"]
  ] as const) {
    itWalks(`${name} that a lookup finds counts without a date`, failedRefund, [
      [refund(repaid, null), "Captured 1999"],
      [[answering({ onLookUpRefund: () => Effect.succeed(found) }), checkedAfter("1 hour")], seen]
    ])
  }
  const later = (own: World) => Effect.tap(refunding(rejected)(own), () => TestClock.adjust("1 minute"))
  itWalks("a success counts whatever its date if the request was rejected at once", later, [
    [asks("refund", "ProviderRefused", { amountMinor: 100 }), "Captured 1999"],
    [refund(repaid, 5), "PartiallyRefunded 1999 -100 conflict"]
  ])
})

describe("an id that the provider gave to another refund", () => {
  const answered = (kind: Kind, how: string) => asks(kind, how, { amountMinor: 200 })
  itWalks("an answer makes the refund unknown", refundedBy(repaid, 100), [
    [answered("refund", "ResultUnknown"), "PartiallyRefunded 1999 -100 ~200 refund_unknown"]
  ])
  const other = answering({ onRefund: () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_2" }) })
  itWalks("operations review a message, and nothing moves", refundedBy(repaid, 100), [
    [[other, answered("refund", "RefundPending")], "PartiallyRefunded 1999 -100 ~200"],
    [refund(repaid, 10), "PartiallyRefunded 1999 -100 ~200 conflict"]
  ])
})

describe("a provider that states something else each time", () => {
  const amounts = Array.from({ length: 120 }, (_, index) => charge(stating(index + 1)))
  const newest = keeps(({ reported }) => reported?.contradictions.at(-1), "captured:120")
  itWalks("each of many amounts is a contradiction, and the payment keeps the newest", created(captured), [
    [amounts, "Captured 1999 conflict", keeps(({ reported }) => reported?.contradictions.length, 100), newest]
  ])
  const one = keeps(
    ({ reported, routing }) =>
      reported?.disputes.map(({ attemptId, ...said }) => [attemptId === routing?.attempts[0]?.attemptId, said]),
    [[true, { disputeId: "dp_1", verdict: "won", at: 25 }]]
  )
  const often = Array.from({ length: 20 }, (_, index) => dispute("opened", index + 1))
  itWalks("a payment keeps the statement that counts of many about one dispute", created(captured), [
    [[...often, dispute("won", 5)], "ChargedBack 1999"],
    [[dispute("won", 25), dispute("opened", 24)], "Captured 1999", one]
  ])
  const many = Array.from({ length: 50 }, (_, index) => dispute("opened", index + 1, `dp_${index + 1}`))
  const kept = keeps(({ reported }) => reported?.disputes.length, 50)
  itWalks("more disputes than are kept make the payment CHARGEBACK, and are reviewed", created(captured), [
    [[dispute("won", 0, "dp_0"), ...many], "ChargedBack 1999 conflict", conflicts(["dp_50", "dispute_opened"]), kept]
  ])
})

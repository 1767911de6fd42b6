import { assert, describe, expect, it } from "@effect/vitest"
import { eventTypes, type PaymentState, paymentStates, paymentStatuses, statesOf, statusOf } from "@pointsman/core"
import { Machine, type PaymentEvent, PaymentMachine } from "@pointsman/core/internal"
import { Result } from "effect"

type From = PaymentState | Machine.Start

const from: ReadonlyArray<From> = [Machine.Start, ...paymentStates]

/** One of our provider calls is in flight. */
const inFlight: ReadonlyArray<PaymentState> = ["Charging", "Capturing", "Voiding"]
const unknown = paymentStates.filter((state) => state.endsWith("Unknown"))

/** Where a state goes on a fact and what it emits, or what the table says where it goes nowhere. */
const cell = (state: From, event: PaymentEvent): string =>
  Result.match(Machine.step(PaymentMachine, state, event), {
    onFailure: (refusal) => refusal,
    onSuccess: ({ to, emits }) => `-> ${to}${emits.length === 0 ? "" : ` (${emits.join(", ")})`}`
  })

describe("the payment's table", () => {
  it("a state and a fact have at most one row", () => {
    const cells = PaymentMachine.rows.map(({ from, on }) => `${from} on ${on}`)
    assert.deepStrictEqual(
      cells.filter((cell, index) => cells.indexOf(cell) !== index),
      []
    )
  })

  it("every state is reached by a walk of the table from the start", () => {
    assert.sameMembers([...Machine.walk(PaymentMachine).keys()], [...from])
  })

  it("every state can be left", () => {
    assert.deepStrictEqual(Machine.finalStates(PaymentMachine), [])
  })

  it("every fact moves some payment", () => {
    const moving = new Set(PaymentMachine.rows.map(({ on }) => on))
    assert.deepStrictEqual(
      PaymentMachine.events.filter((event) => !moving.has(event)),
      []
    )
  })

  it("each type that a row emits is one that events have", () => {
    const known: ReadonlyArray<string> = eventTypes
    assert.deepStrictEqual(
      PaymentMachine.rows.flatMap(({ emits }) => emits).filter((type) => !known.includes(type)),
      []
    )
  })

  it("every row says why", () => {
    for (const { why } of PaymentMachine.rows) assert.match(why, /^\S.+\.$/)
  })
})

describe("money moves once", () => {
  it("a charge, a capture and a void have one unknown state each", () => {
    assert.deepStrictEqual(unknown, ["ChargeUnknown", "CaptureUnknown", "VoidUnknown"])
  })

  it("nothing is sent again from an unknown result, whatever fact comes", () => {
    const sent = PaymentMachine.rows.filter(
      (row) => unknown.some((state) => state === row.from) && inFlight.includes(row.to)
    )
    assert.deepStrictEqual(sent, [])
  })

  it("these rows and no other begin a provider call", () => {
    const begins = PaymentMachine.rows.filter(
      ({ from, on, to }) => inFlight.includes(to) && (from !== to || on === "AttemptFollowed")
    )
    assert.deepStrictEqual(
      begins.map(({ from, on, to }) => `${from} on ${on} -> ${to}`),
      [
        "CheckoutOpen on CompletionSent -> Charging",
        "Start on ChargeSent -> Charging",
        "AwaitingCustomer on ChargeSent -> Charging",
        "Charging on AttemptFollowed -> Charging",
        "Authorized on CaptureClaimed -> Capturing",
        "Authorized on VoidClaimed -> Voiding"
      ]
    )
  })

  it("a call in flight without an answer makes the payment unknown, and says so", () => {
    const rows = PaymentMachine.rows.filter(({ on }) => on.endsWith("Unanswered"))
    assert.deepStrictEqual(
      rows.map(({ from, to, emits }) => [from, to, emits]),
      [
        ["Charging", "ChargeUnknown", ["payment.unknown"]],
        ["Capturing", "CaptureUnknown", ["payment.capture_unknown"]],
        ["Voiding", "VoidUnknown", ["payment.void_unknown"]]
      ]
    )
  })

  it("a lookup that found nothing settles only unknown results", () => {
    const settled = PaymentMachine.rows.filter(({ on }) => on.endsWith("NotFound"))
    assert.deepStrictEqual(
      settled.map(({ from, to }) => [from, to]),
      [
        ["ChargeUnknown", "Failed"],
        ["CaptureUnknown", "Authorized"],
        ["VoidUnknown", "Authorized"]
      ]
    )
  })

  it("a payment that was given up is a conflict when the provider holds its money", () => {
    for (const state of ["Failed", "Declined", "Cancelled"] as const) {
      for (const row of PaymentMachine.rows.filter((row) => row.from === state)) {
        assert.strictEqual(row.emits[0], "payment.conflict", `${state} on ${row.on}`)
      }
    }
  })

  it("a move into money taken by a charge or capture emits payment.captured once", () => {
    const taking = PaymentMachine.rows.filter(({ on }) => on === "ChargeCaptured" || on === "CaptureConfirmed")
    assert.isNotEmpty(taking)
    for (const { to, emits } of taking) {
      assert.strictEqual(to, "Captured")
      assert.strictEqual(emits.filter((type) => type === "payment.captured").length, 1)
    }
    const elsewhere = PaymentMachine.rows.filter(
      (row) => !taking.includes(row) && row.emits.includes("payment.captured")
    )
    assert.deepStrictEqual(elsewhere, [])
  })
})

describe("the wire", () => {
  it("every status but CREATED has at least one state", () => {
    assert.deepStrictEqual(
      paymentStatuses.filter((status) => statesOf(status).length === 0),
      ["CREATED"]
    )
  })

  it("a move to another status of the API that emits nothing is one of these", () => {
    // Our calls begin and are refused without an event, because the caller's response reports it.
    const silent = PaymentMachine.rows.filter(
      ({ from, to, emits }) => from !== Machine.Start && emits.length === 0 && statusOf[from] !== statusOf[to]
    )
    assert.deepStrictEqual(
      silent.map(({ from, on, to }) => `${from} on ${on} -> ${to}`),
      [
        "Charging on CheckoutOpened -> CheckoutOpen",
        "CheckoutOpen on CompletionSent -> Charging",
        "Charging on CheckoutApproved -> CheckoutOpen",
        "AwaitingCustomer on ChargeSent -> Charging",
        "Authorized on CaptureClaimed -> Capturing",
        "Capturing on CaptureRefused -> Authorized",
        "Authorized on VoidClaimed -> Voiding",
        "Voiding on VoidRefused -> Authorized",
        // The refund's own table emits `payment.refund_failed` in the same commit.
        "PartiallyRefunded on RefundReversedInFull -> Captured",
        "Refunded on RefundReversedInFull -> Captured",
        "PartiallyRefunded on RefundReversedSettled -> Settled",
        "Refunded on RefundReversedSettled -> Settled",
        "Refunded on RefundReversedInPart -> PartiallyRefunded"
      ]
    )
  })
})

describe("the whole table", () => {
  // Every cell of states and facts: the moves, state by state, and for all other cells what the fact means there.
  it("these cells of all states and facts move", () => {
    const moves = from.map((state) => [
      state,
      PaymentMachine.events
        .filter((event) => Result.isSuccess(Machine.step(PaymentMachine, state, event)))
        .map((event) => `${event} ${cell(state, event)}`)
    ])
    expect(Object.fromEntries(moves)).toMatchInlineSnapshot(`
      {
        "Authorized": [
          "ChargeCaptured -> Captured (payment.captured)",
          "MismatchStated -> ChargeMismatched (payment.amount_mismatch, payment.unknown)",
          "SecondChargeReported -> Authorized (payment.conflict)",
          "CaptureClaimed -> Capturing",
          "CaptureAccepted -> CapturePending (payment.pending)",
          "CaptureConfirmed -> Captured (payment.captured)",
          "CaptureMismatched -> CaptureUnknown (payment.amount_mismatch, payment.capture_unknown)",
          "VoidClaimed -> Voiding",
          "VoidAccepted -> VoidPending (payment.pending)",
          "VoidMismatched -> VoidUnknown (payment.amount_mismatch, payment.void_unknown)",
          "AuthorizationLapsed -> Voided (payment.cancelled)",
        ],
        "AwaitingCustomer": [
          "CustomerCancelled -> Cancelled (payment.cancelled)",
          "CustomerDeclined -> Declined (payment.declined)",
          "PageExpired -> Cancelled (payment.cancelled)",
          "NoRouteFound -> Failed (payment.failed)",
          "ChargeSent -> Charging",
        ],
        "Cancelled": [
          "ChargeAuthorized -> Authorized (payment.conflict, payment.authorized)",
          "ChargeCaptured -> Captured (payment.conflict, payment.captured)",
          "MismatchStated -> ChargeMismatched (payment.conflict, payment.amount_mismatch)",
        ],
        "CapturePending": [
          "SecondChargeReported -> CapturePending (payment.conflict)",
          "CaptureConfirmed -> Captured (payment.captured)",
          "CaptureRefused -> Authorized (payment.authorized)",
          "CaptureMismatched -> CaptureUnknown (payment.amount_mismatch, payment.capture_unknown)",
          "CaptureFailed -> Authorized (payment.capture_failed)",
          "AuthorizationLapsed -> Voided (payment.cancelled)",
        ],
        "CaptureUnknown": [
          "SecondChargeReported -> CaptureUnknown (payment.conflict)",
          "CaptureAccepted -> CapturePending (payment.pending)",
          "CaptureConfirmed -> Captured (payment.captured)",
          "CaptureRefused -> Authorized (payment.authorized)",
          "CaptureMismatched -> CaptureUnknown (payment.amount_mismatch)",
          "CaptureNotFound -> Authorized (payment.authorized)",
          "CaptureFailed -> Authorized (payment.capture_failed)",
          "AuthorizationLapsed -> Voided (payment.cancelled)",
        ],
        "Captured": [
          "SecondChargeReported -> Captured (payment.conflict)",
          "CaptureFailed -> Authorized (payment.capture_failed)",
          "CaptureRetried -> CapturePending (payment.pending)",
          "CaptureFailedInPart -> Captured (payment.capture_failed)",
          "CaptureCorrected -> Captured (payment.amount_mismatch)",
          "ExcessCaptureStated -> Captured (payment.amount_mismatch)",
          "RefundedInPart -> PartiallyRefunded (payment.refunded)",
          "RefundedInFull -> Refunded (payment.refunded)",
          "SettlementReported -> Settled (payment.settled)",
          "DisputeOpened -> ChargedBack (payment.chargeback)",
        ],
        "Capturing": [
          "SecondChargeReported -> Capturing (payment.conflict)",
          "CaptureAccepted -> CapturePending",
          "CaptureConfirmed -> Captured (payment.captured)",
          "CaptureRefused -> Authorized",
          "CaptureUnanswered -> CaptureUnknown (payment.capture_unknown)",
          "CaptureMismatched -> CaptureUnknown (payment.amount_mismatch, payment.capture_unknown)",
          "CaptureFailed -> Authorized (payment.capture_failed)",
          "AuthorizationLapsed -> Voided (payment.cancelled)",
        ],
        "ChargeMismatched": [
          "ChargeAuthorized -> Authorized (payment.authorized)",
          "ChargeCaptured -> Captured (payment.captured)",
          "ChargeCancelled -> Cancelled (payment.cancelled)",
        ],
        "ChargePending": [
          "ChargeAuthorized -> Authorized (payment.authorized)",
          "ChargeCaptured -> Captured (payment.captured)",
          "ChargeDeclined -> Declined (payment.declined)",
          "ChargeCancelled -> Cancelled (payment.cancelled)",
          "MismatchStated -> ChargeMismatched (payment.amount_mismatch, payment.unknown)",
          "ReferenceReused -> ChargeMismatched (payment.conflict, payment.unknown)",
        ],
        "ChargeUnknown": [
          "CheckoutOpened -> CheckoutOpen (payment.requires_action)",
          "CheckoutEnded -> Cancelled (payment.cancelled)",
          "CheckoutApproved -> CheckoutOpen (payment.requires_action)",
          "ChargeAbandoned -> Failed (payment.failed)",
          "ChargeAccepted -> ChargePending (payment.pending)",
          "ChargeAuthorized -> Authorized (payment.authorized)",
          "ChargeCaptured -> Captured (payment.captured)",
          "ChargeDeclined -> Declined (payment.declined)",
          "ChargeFailed -> Failed (payment.failed)",
          "ChargeCancelled -> Cancelled (payment.cancelled)",
          "ChargeNotFound -> Failed (payment.failed)",
          "MismatchStated -> ChargeMismatched (payment.amount_mismatch)",
          "ReferenceReused -> ChargeMismatched (payment.conflict)",
        ],
        "ChargedBack": [
          "SecondChargeReported -> ChargedBack (payment.conflict)",
          "CaptureFailedInPart -> ChargedBack (payment.capture_failed)",
          "CaptureCorrected -> ChargedBack (payment.amount_mismatch)",
          "ExcessCaptureStated -> ChargedBack (payment.amount_mismatch)",
          "RefundedInPart -> ChargedBack (payment.refunded)",
          "RefundedInFull -> ChargedBack (payment.refunded)",
          "SettlementReported -> ChargedBack (payment.settled)",
          "DisputeWonUncaptured -> Authorized (payment.chargeback_reversed)",
          "DisputeWonUnrefunded -> Captured (payment.chargeback_reversed)",
          "DisputeWonPartlyRefunded -> PartiallyRefunded (payment.chargeback_reversed)",
          "DisputeWonRefunded -> Refunded (payment.chargeback_reversed)",
          "DisputeWonSettled -> Settled (payment.chargeback_reversed)",
        ],
        "Charging": [
          "CheckoutOpened -> CheckoutOpen",
          "CheckoutApproved -> CheckoutOpen",
          "AttemptFollowed -> Charging",
          "ChargeAbandoned -> Failed (payment.failed)",
          "ChargeAccepted -> ChargePending (payment.pending)",
          "ChargeAuthorized -> Authorized (payment.authorized)",
          "ChargeCaptured -> Captured (payment.captured)",
          "ChargeDeclined -> Declined (payment.declined)",
          "ChargeFailed -> Failed (payment.failed)",
          "ChargeCancelled -> Cancelled (payment.cancelled)",
          "ChargeUnanswered -> ChargeUnknown (payment.unknown)",
          "MismatchStated -> ChargeMismatched (payment.amount_mismatch, payment.unknown)",
          "ReferenceReused -> ChargeMismatched (payment.conflict, payment.unknown)",
        ],
        "CheckoutOpen": [
          "CheckoutEnded -> Cancelled (payment.cancelled)",
          "CompletionSent -> Charging",
          "ChargeAccepted -> ChargePending (payment.pending)",
          "ChargeAuthorized -> Authorized (payment.authorized)",
          "ChargeCaptured -> Captured (payment.captured)",
          "ChargeDeclined -> Declined (payment.declined)",
          "ChargeCancelled -> Cancelled (payment.cancelled)",
          "MismatchStated -> ChargeMismatched (payment.amount_mismatch, payment.unknown)",
          "ReferenceReused -> ChargeMismatched (payment.conflict, payment.unknown)",
        ],
        "Declined": [
          "ChargeAuthorized -> Authorized (payment.conflict, payment.authorized)",
          "ChargeCaptured -> Captured (payment.conflict, payment.captured)",
          "MismatchStated -> ChargeMismatched (payment.conflict, payment.amount_mismatch)",
        ],
        "Failed": [
          "ChargeAuthorized -> Authorized (payment.conflict, payment.authorized)",
          "ChargeCaptured -> Captured (payment.conflict, payment.captured)",
          "MismatchStated -> ChargeMismatched (payment.conflict, payment.amount_mismatch)",
        ],
        "PartiallyRefunded": [
          "SecondChargeReported -> PartiallyRefunded (payment.conflict)",
          "CaptureCorrected -> PartiallyRefunded (payment.amount_mismatch)",
          "ExcessCaptureStated -> PartiallyRefunded (payment.amount_mismatch)",
          "RefundedInPart -> PartiallyRefunded (payment.refunded)",
          "RefundedInFull -> Refunded (payment.refunded)",
          "RefundReversedInFull -> Captured",
          "RefundReversedInPart -> PartiallyRefunded",
          "RefundReversedSettled -> Settled",
          "SettlementReported -> PartiallyRefunded (payment.settled)",
          "DisputeOpened -> ChargedBack (payment.chargeback)",
        ],
        "Refunded": [
          "SecondChargeReported -> Refunded (payment.conflict)",
          "CaptureCorrected -> PartiallyRefunded (payment.amount_mismatch)",
          "ExcessCaptureStated -> Refunded (payment.amount_mismatch)",
          "RefundReversedInFull -> Captured",
          "RefundReversedInPart -> PartiallyRefunded",
          "RefundReversedSettled -> Settled",
          "SettlementReported -> Refunded (payment.settled)",
          "DisputeOpened -> ChargedBack (payment.chargeback)",
        ],
        "Settled": [
          "SecondChargeReported -> Settled (payment.conflict)",
          "CaptureFailed -> Authorized (payment.capture_failed)",
          "CaptureRetried -> CapturePending (payment.pending)",
          "CaptureFailedInPart -> Settled (payment.capture_failed)",
          "CaptureCorrected -> Settled (payment.amount_mismatch)",
          "ExcessCaptureStated -> Settled (payment.amount_mismatch)",
          "RefundedInPart -> PartiallyRefunded (payment.refunded)",
          "RefundedInFull -> Refunded (payment.refunded)",
          "DisputeOpened -> ChargedBack (payment.chargeback)",
        ],
        "Start": [
          "CustomerAwaited -> AwaitingCustomer (payment.requires_action)",
          "ChargeSent -> Charging (payment.created)",
        ],
        "VoidPending": [
          "SecondChargeReported -> VoidPending (payment.conflict)",
          "CaptureConfirmed -> Captured (payment.captured)",
          "VoidConfirmed -> Voided (payment.cancelled)",
          "VoidRefused -> Authorized (payment.authorized)",
          "VoidMismatched -> VoidUnknown (payment.amount_mismatch, payment.void_unknown)",
          "VoidFailed -> Authorized (payment.void_failed)",
        ],
        "VoidUnknown": [
          "SecondChargeReported -> VoidUnknown (payment.conflict)",
          "CaptureConfirmed -> Captured (payment.captured)",
          "VoidAccepted -> VoidPending (payment.pending)",
          "VoidConfirmed -> Voided (payment.cancelled)",
          "VoidRefused -> Authorized (payment.authorized)",
          "VoidMismatched -> VoidUnknown (payment.amount_mismatch)",
          "VoidNotFound -> Authorized (payment.authorized)",
          "VoidFailed -> Authorized (payment.void_failed)",
        ],
        "Voided": [
          "ChargeAuthorized -> Authorized (payment.conflict, payment.authorized)",
          "ChargeCaptured -> Captured (payment.conflict, payment.captured)",
        ],
        "Voiding": [
          "SecondChargeReported -> Voiding (payment.conflict)",
          "CaptureConfirmed -> Captured (payment.captured)",
          "VoidAccepted -> VoidPending",
          "VoidConfirmed -> Voided (payment.cancelled)",
          "VoidRefused -> Authorized",
          "VoidUnanswered -> VoidUnknown (payment.void_unknown)",
          "VoidMismatched -> VoidUnknown (payment.amount_mismatch, payment.void_unknown)",
          "VoidFailed -> Authorized (payment.void_failed)",
        ],
      }
    `)
  })

  it("every fact without a row means this", () => {
    expect(PaymentMachine.otherwise).toMatchInlineSnapshot(`
      {
        "AttemptFollowed": "Ignored",
        "AuthorizationLapsed": "Ignored",
        "CaptureAccepted": "Ignored",
        "CaptureClaimed": "NotCapturable",
        "CaptureConfirmed": "StateConflict",
        "CaptureCorrected": "Ignored",
        "CaptureFailed": "Ignored",
        "CaptureFailedInPart": "Ignored",
        "CaptureMismatched": "Ignored",
        "CaptureNotFound": "Ignored",
        "CaptureRefused": "Ignored",
        "CaptureRetried": "Ignored",
        "CaptureUnanswered": "Ignored",
        "ChargeAbandoned": "Ignored",
        "ChargeAccepted": "Ignored",
        "ChargeAuthorized": "Ignored",
        "ChargeCancelled": "Ignored",
        "ChargeCaptured": "Ignored",
        "ChargeDeclined": "Ignored",
        "ChargeFailed": "Ignored",
        "ChargeNotFound": "Ignored",
        "ChargeSent": "Ignored",
        "ChargeUnanswered": "Ignored",
        "CheckoutApproved": "Ignored",
        "CheckoutEnded": "Ignored",
        "CheckoutOpened": "Ignored",
        "CompletionSent": "Ignored",
        "CustomerAwaited": "Ignored",
        "CustomerCancelled": "Ignored",
        "CustomerDeclined": "Ignored",
        "DisputeOpened": "Ignored",
        "DisputeWonPartlyRefunded": "Ignored",
        "DisputeWonRefunded": "Ignored",
        "DisputeWonSettled": "Ignored",
        "DisputeWonUncaptured": "Ignored",
        "DisputeWonUnrefunded": "Ignored",
        "ExcessCaptureStated": "Ignored",
        "MismatchStated": "Ignored",
        "NoRouteFound": "Ignored",
        "PageExpired": "Ignored",
        "ReferenceReused": "Ignored",
        "RefundReversedInFull": "Ignored",
        "RefundReversedInPart": "Ignored",
        "RefundReversedSettled": "Ignored",
        "RefundedInFull": "Ignored",
        "RefundedInPart": "Ignored",
        "SecondChargeReported": "Ignored",
        "SettlementReported": "Ignored",
        "VoidAccepted": "Ignored",
        "VoidClaimed": "NotVoidable",
        "VoidConfirmed": "StateConflict",
        "VoidFailed": "Ignored",
        "VoidMismatched": "Ignored",
        "VoidNotFound": "Ignored",
        "VoidRefused": "Ignored",
        "VoidUnanswered": "Ignored",
      }
    `)
  })
})

import { assert, describe, it } from "@effect/vitest"
import { type PaymentState, paymentStates, paymentStatuses, statesOf, statusOf } from "@pointsman/core"
import { Machine, PaymentMachine } from "@pointsman/core/internal"
import { Result } from "effect"
import { assertFields } from "./support/Steps.ts"

/** One of our provider calls is in flight. */
const inFlight: ReadonlyArray<PaymentState> = ["Charging", "Capturing", "Voiding"]
const unknown = paymentStates.filter((state) => state.endsWith("Unknown"))

describe("the payment's table", () => {
  it("a state and a fact have at most one row", () => {
    const cells = PaymentMachine.rows.map(({ from, on }) => `${from} on ${on}`)
    assert.deepStrictEqual(
      cells.filter((cell, index) => cells.indexOf(cell) !== index),
      []
    )
  })

  it("every state is reached by a walk of the table from the start", () => {
    assert.sameMembers([...Machine.walk(PaymentMachine).keys()], [Machine.Start, ...paymentStates])
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
    assertFields(
      rows,
      ["from", "to", "emits"],
      ["Charging", "ChargeUnknown", ["payment.unknown"]],
      ["Capturing", "CaptureUnknown", ["payment.capture_unknown"]],
      ["Voiding", "VoidUnknown", ["payment.void_unknown"]]
    )
  })

  it("a lookup that found nothing settles only unknown results", () => {
    const settled = PaymentMachine.rows.filter(({ on }) => on.endsWith("NotFound"))
    assertFields(
      settled,
      ["from", "to"],
      ["ChargeUnknown", "Failed"],
      ["CaptureUnknown", "Authorized"],
      ["VoidUnknown", "Authorized"]
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

// `docs/states/payment.md` lists the rows and what each fact means elsewhere: a change of them is reviewed there.
describe("the whole table", () => {
  it("a fact moves a state as its row says, and without one it moves nothing", () => {
    for (const from of [Machine.Start, ...paymentStates]) {
      for (const on of PaymentMachine.events) {
        const row = PaymentMachine.rows.find((row) => row.from === from && row.on === on)
        const expected = row === undefined ? Result.fail(PaymentMachine.otherwise[on]) : Result.succeed(row)
        assert.deepStrictEqual(Machine.step(PaymentMachine, from, on), expected)
      }
    }
  })

  it("a fact without a row is ignored, but for claims and for late confirmations", () => {
    const { CaptureClaimed, CaptureConfirmed, VoidClaimed, VoidConfirmed, ...others } = PaymentMachine.otherwise
    assert.deepStrictEqual([CaptureClaimed, VoidClaimed], ["NotCapturable", "NotVoidable"])
    assert.deepStrictEqual([CaptureConfirmed, VoidConfirmed], ["StateConflict", "StateConflict"])
    assert.deepStrictEqual(new Set(Object.values(others)), new Set(["Ignored"]))
  })
})

import { assert, describe, it } from "@effect/vitest"
import { type Attempt, type EventType, money, type Operation, type Payment, type Refund } from "@pointsman/core"
import { PaymentMachine, type PaymentRow, paymentEvent } from "@pointsman/core/internal"
import { Ids } from "@pointsman/core/ports"
import { Effect } from "effect"
import { brokenInvariants, type PaymentRecord } from "../src/Invariants.ts"
import { blank, moveAlong, newTenant, rowOf, type Walked } from "../src/storage/Given.ts"

/** A payment that went along the rows, as a sound store would hold it. */
const walk = Effect.fnUntraced(function* (rows: ReadonlyArray<PaymentRow>) {
  const ids = yield* Ids
  let walked: Walked = yield* blank(yield* newTenant())
  const events: Array<PaymentRecord["events"][number]> = []
  for (const row of rows) {
    const { after, change } = yield* moveAlong(walked, row)
    for (const event of change.events) events.push({ ...event, id: yield* ids.event })
    walked = after
  }
  return { ...walked, events } satisfies PaymentRecord
}, Effect.provide(Ids.layer))

/** A captured payment after a rejected first attempt. */
const captured = walk([
  rowOf("Start", "ChargeSent"),
  rowOf("Charging", "AttemptFollowed"),
  rowOf("Charging", "ChargeCaptured")
])

/** Authorized; a capture that was refused and one of 900 of 1000; refunds of 450 and 225. */
const refunded = walk([
  rowOf("Start", "ChargeSent"),
  rowOf("Charging", "ChargeAuthorized"),
  rowOf("Authorized", "CaptureClaimed"),
  rowOf("Capturing", "CaptureRefused"),
  rowOf("Authorized", "CaptureClaimed"),
  rowOf("Capturing", "CaptureConfirmed"),
  rowOf("Captured", "RefundedInPart"),
  rowOf("PartiallyRefunded", "RefundedInPart")
])

const payment =
  (fields: Partial<Payment>) =>
  (record: PaymentRecord): PaymentRecord => ({ ...record, payment: { ...record.payment, ...fields } })

const attempt =
  (number: number, fields: Partial<Attempt>) =>
  (record: PaymentRecord): PaymentRecord => ({
    ...record,
    attempts: record.attempts.map((attempt) => (attempt.number === number ? { ...attempt, ...fields } : attempt))
  })

const operation =
  (index: number, fields: Partial<Operation>) =>
  (record: PaymentRecord): PaymentRecord => ({
    ...record,
    operations: record.operations.map((operation, at) => (at === index ? { ...operation, ...fields } : operation))
  })

const refund =
  (index: number, fields: Partial<Refund>) =>
  (record: PaymentRecord): PaymentRecord => ({
    ...record,
    refunds: record.refunds.map((refund, at) => (at === index ? { ...refund, ...fields } : refund))
  })

const another =
  (type: EventType) =>
  (record: PaymentRecord): PaymentRecord => ({
    ...record,
    events: [...record.events, { ...paymentEvent(type, record.payment), id: "evt_~" }]
  })

type Spoilt = readonly [name: string, spoil: (record: PaymentRecord) => PaymentRecord, told: RegExp]

const spoilt: ReadonlyArray<Spoilt> = [
  ["more is captured than was authorized", payment({ authorizedMinor: 1 }), /captured more than was authorized/],
  ["it is Captured with nothing captured", payment({ capturedMinor: 0 }), /Captured with 0 captured/],
  ["it is Declined with money captured", payment({ state: "Declined" }), /Declined with 1000 captured/],
  [
    "it is Authorized with nothing authorized",
    payment({ state: "Authorized", authorizedMinor: 0, capturedMinor: 0 }),
    /nothing authorized/
  ],
  ["it is Refunded in part", payment({ state: "Refunded", refundedMinor: 1 }), /not all of it/],
  ["it is PartiallyRefunded in full", payment({ state: "PartiallyRefunded", refundedMinor: 1000 }), /not a part/],
  ["no connection holds its money", payment({ connectionId: null }), /no connection holds it/],
  ["two attempts took money", attempt(1, { outcome: "Captured" }), /2 attempts took money/],
  ["another attempt took the money", attempt(2, { connectionId: "second" }), /another connection/],
  [
    "an unanswered attempt was followed",
    attempt(1, { outcome: "Unanswered" }),
    /followed although it came to Unanswered/
  ],
  ["an attempt in flight was followed", attempt(1, { outcome: null }), /followed although it came to no answer/],
  ["an attempt is missing", (record) => ({ ...record, attempts: record.attempts.slice(1) }), /has the number 2/],
  ["an attempt is for more", attempt(2, { money: { minorUnits: 1001, currency: "EUR" } }), /another amount/],
  ["it was captured twice", another("payment.captured"), /2 events payment.captured/],
  [
    "the capture was not told",
    (record) => ({ ...record, events: record.events.slice(0, 1) }),
    /0 events payment.captured/
  ],
  [
    "it reports a refund that did not happen",
    (record) => ({
      ...record,
      events: [
        ...record.events,
        { ...paymentEvent("payment.refunded", record.payment, { refunded_total: 5 }), id: "evt_~" }
      ]
    }),
    /do not add up/
  ],
  ["it has a move that is in no table", another("payment.declined"), /no walk of the table to Captured/],
  [
    "the timeline is in another order",
    (record) => ({ ...record, events: record.events.toReversed() }),
    /do not ascend/
  ],
  [
    "an event is of the other environment",
    payment({ tenant: { workspaceId: "ws", environment: "production" } }),
    /other environment/
  ],
  ["an event is another payment's", payment({ id: "another" }), /another payment's event/]
]

const spoiltRefunded: ReadonlyArray<Spoilt> = [
  [
    "two operations are in flight",
    (record) => {
      const flying = operation(0, { outcome: null })(record)
      return operation(1, { outcome: null })(flying)
    },
    /2 operations are in flight/
  ],
  [
    "a capture is confirmed and nothing is captured",
    payment({ capturedMinor: 0 }),
    /a capture is confirmed, and nothing is captured/
  ],
  ["an operation is another payment's", operation(1, { paymentId: "another" }), /op_.* is another payment's/],
  ["an operation is for more", operation(1, { money: money(1001, "EUR") }), /op_.* is for 1001 of 1000/],
  ["an operation is for less than nothing", operation(1, { money: money(-1, "EUR") }), /op_.* is for -1 of 1000/],
  ["an operation is in another currency", operation(1, { money: money(900, "USD") }), /op_.* is in another currency/],
  [
    "its operations are in another order",
    (record) => ({
      ...record,
      operations: record.operations.map((operation, at) => ({ ...operation, sentAt: operation.sentAt - at }))
    }),
    /op_.* is not in the order of sending/
  ],
  [
    "a refund is for more than the payment says",
    refund(0, { money: money(451, "EUR") }),
    /add up to 676 and 0 pending/
  ],
  ["a refund is missing", (record) => ({ ...record, refunds: record.refunds.slice(1) }), /add up to 225 and 0 pending/],
  ["a refund that the payment counts is pending", refund(1, { stage: "Unknown" }), /add up to 450 and 225 pending/],
  [
    "a refund was not told",
    (record) => ({ ...record, events: record.events.slice(0, -1) }),
    /2 refunds succeeded, with 1/
  ],
  ["the payment reserves what no refund asks for", payment({ refundPendingMinor: 5 }), /the payment says 675 and 5/],
  ["refunded and pending exceed what was captured", payment({ refundPendingMinor: 226 }), /exceed what was captured/],
  [
    "two refunds have one key",
    (record) => refund(1, { idempotencyKey: "k" })(refund(0, { idempotencyKey: "k" })(record)),
    /two refunds have the same key/
  ],
  ["a refund is another payment's", refund(1, { paymentId: "another" }), /rf_.* is another payment's/],
  ["a refund is for more than was captured", refund(1, { money: money(901, "EUR") }), /rf_.* is for 901 of 900/]
]

describe("brokenInvariants", () => {
  it.effect("a sound captured payment has no finding", () =>
    Effect.map(captured, (record) => assert.deepStrictEqual(brokenInvariants(record), []))
  )

  for (const [name, spoil, told] of spoilt) {
    it.effect(`a captured payment has a finding when ${name}`, () =>
      Effect.map(captured, (record) => assert.match(brokenInvariants(spoil(record)).join("; "), told))
    )
  }

  it.effect("a sound payment with operations and refunds has no finding", () =>
    Effect.gen(function* () {
      const record = yield* refunded
      assert.deepStrictEqual(brokenInvariants(record), [])
      assert.deepStrictEqual(
        [record.operations, record.refunds].map((entries) => entries.map((entry) => entry.money.minorUnits)),
        [
          [1000, 1000],
          [450, 225]
        ]
      )
    })
  )

  for (const [name, spoil, told] of spoiltRefunded) {
    it.effect(`a partly refunded payment has a finding when ${name}`, () =>
      Effect.map(refunded, (record) => assert.match(brokenInvariants(spoil(record)).join("; "), told))
    )
  }

  it("the invariants know of each state that holds money whether it was taken", () => {
    // A state that is added to the table must be added to one of the sets, or balances go unchecked for it.
    const unchecked = PaymentMachine.states.filter((state) => {
      const record = { id: "p", state, money: { minorUnits: 10, currency: "EUR" } }
      const ask = (amounts: Partial<Payment>) =>
        brokenInvariants({
          payment: {
            ...record,
            tenant: { workspaceId: "w", environment: "sandbox" },
            authorizedMinor: 0,
            capturedMinor: 0,
            refundedMinor: 0,
            refundPendingMinor: 0,
            connectionId: "c",
            ...amounts
          } as Payment,
          attempts: [],
          operations: [],
          refunds: [],
          events: []
        }).some((sentence) => sentence.startsWith(`${state} with`))
      return !ask({}) && !ask({ authorizedMinor: 10 })
    })
    // Of a charge whose amount was misstated something may be authorized, or nothing.
    assert.deepStrictEqual(unchecked, ["ChargeMismatched"])
  })
})

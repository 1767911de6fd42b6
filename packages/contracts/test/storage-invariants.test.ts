import { assert, describe, it } from "@effect/vitest"
import { type Attempt, type EventType, Ids, type Payment, PaymentMachine, paymentEvent } from "@pointsman/core"
import { Effect } from "effect"
import { brokenInvariants, type PaymentRecord } from "../src/Invariants.ts"
import { blank, moveAlong, newTenant, rowOf, type Walked } from "../src/storage/Given.ts"

/** A captured payment after a rejected first attempt, as a sound store would hold it. */
const captured = Effect.gen(function* () {
  const ids = yield* Ids
  let walked: Walked = yield* blank(yield* newTenant())
  const events: Array<PaymentRecord["events"][number]> = []
  for (const row of [
    rowOf("Start", "ChargeSent"),
    rowOf("Charging", "AttemptFollowed"),
    rowOf("Charging", "ChargeCaptured")
  ]) {
    const { after, change } = yield* moveAlong(walked, row)
    for (const event of change.events) events.push({ ...event, id: yield* ids.event })
    walked = after
  }
  return { ...walked, events } satisfies PaymentRecord
}).pipe(Effect.provide(Ids.layer))

const payment =
  (fields: Partial<Payment>) =>
  (record: PaymentRecord): PaymentRecord => ({ ...record, payment: { ...record.payment, ...fields } })

const attempt =
  (number: number, fields: Partial<Attempt>) =>
  (record: PaymentRecord): PaymentRecord => ({
    ...record,
    attempts: record.attempts.map((attempt) => (attempt.number === number ? { ...attempt, ...fields } : attempt))
  })

const another =
  (type: EventType) =>
  (record: PaymentRecord): PaymentRecord => ({
    ...record,
    events: [...record.events, { ...paymentEvent(type, record.payment), id: "evt_~" }]
  })

const spoilt: ReadonlyArray<readonly [name: string, spoil: (record: PaymentRecord) => PaymentRecord, told: RegExp]> = [
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
    "it tells of a refund that was not",
    (record) => ({
      ...record,
      events: [
        ...record.events,
        { ...paymentEvent("payment.refunded", record.payment, { refunded_total: 5 }), id: "evt_~" }
      ]
    }),
    /do not add up/
  ],
  ["it tells of a move that no table has", another("payment.declined"), /no walk of the table to Captured/],
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

describe("brokenInvariants", () => {
  it.effect("given a payment that was captured, when it is sound, then nothing is told", () =>
    Effect.map(captured, (record) => assert.deepStrictEqual(brokenInvariants(record), []))
  )

  for (const [name, spoil, told] of spoilt) {
    it.effect(`given a payment that was captured, when ${name}, then it is told`, () =>
      Effect.map(captured, (record) => assert.match(brokenInvariants(spoil(record)).join("; "), told))
    )
  }

  it("given the table, when a state holds money, then the invariants know whether it was taken", () => {
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
          events: []
        }).some((sentence) => sentence.startsWith(`${state} with`))
      return !ask({}) && !ask({ authorizedMinor: 10 })
    })
    assert.deepStrictEqual(unchecked, [])
  })
})

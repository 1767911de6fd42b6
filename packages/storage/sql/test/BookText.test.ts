/** What is stored short reads as it was, also after the payment moved on. */
import { describe, expect, it } from "@effect/vitest"
import type { Event, Payment, RoutingDecision } from "@pointsman/core"
import { newClaim } from "@pointsman/core/internal"
import { Ids, type PaymentBook } from "@pointsman/core/ports"
import {
  type BookColumns,
  bookText,
  claimText,
  detailsText,
  numberOfType,
  readBookTexts,
  readClaimText
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { newChange, newOperation, plainRows as rows, tenant } from "./Given.ts"

const attemptId = "att_01a21000-8800-8e56-8ba9-a1c2010b3823"

const decision: RoutingDecision = {
  path: "engine",
  strategy: "priority",
  mode: "failover",
  rule: null,
  maxAttempts: 2,
  candidates: [
    { connectionId: "first", name: "First", priority: 1, score: null, rates: null },
    {
      connectionId: "second",
      name: "Second",
      priority: 2,
      score: 0.5,
      rates: { connection: { succeeded: 1, failed: 0 }, segment: { succeeded: 0, failed: 1 } }
    }
  ],
  attempts: [
    { attemptId: "att_1", connectionId: "first", outcome: "Rejected", code: "no" },
    { attemptId, connectionId: "second", outcome: "Captured", code: null }
  ],
  excluded: [],
  eligibilityVersion: "1",
  degraded: false,
  draws: [],
  note: null,
  given: { merchantCountry: "NL", merchantCategory: null, instruments: null, unable: [], circuits: [] }
}

const captured = (fields: Partial<Payment> = {}): Partial<Payment> => ({
  version: 2,
  state: "Captured",
  authorizedMinor: 1000,
  capturedMinor: 1000,
  connectionId: "second",
  providerRef: "ref-1",
  idempotencyKey: "key-0001",
  updatedAt: 5,
  settledAt: 5,
  routing: decision,
  ...fields
})

const claimOf = (payment: Payment, answer: Payment) => ({
  ...newClaim({ key: "key-0001", fingerprint: "ab".repeat(32), paymentId: payment.id, claimedAt: 1 }),
  state: "Answered" as const,
  answeredAt: 5,
  answer
})

const paymentOf = (fields: Partial<Payment>) => Effect.map(newChange(fields), ({ payment }): Payment => payment.after)

/** What the row of a direct payment may say later. */
const later: Partial<Payment> = {
  version: 7,
  state: "PartiallyRefunded",
  authorizedMinor: 900,
  capturedMinor: 800,
  refundedMinor: 100,
  refundPendingMinor: 50,
  connectionId: "first",
  providerRef: "ref-2",
  declineCategory: "other",
  declineReason: "late",
  reported: null,
  review: { since: 9, reasons: ["conflict"] },
  updatedAt: 9,
  settledAt: 8,
  routing: {
    ...decision,
    attempts: decision.attempts.map((attempt) => ({ ...attempt, outcome: "Mismatched" as const })),
    skipped: [{ connectionId: "third", name: "Third", code: "CIRCUIT_OPEN", reason: "open" }]
  }
}

/** As a store writes the columns, and reads them. */
const columnsOf = (payment: Payment): BookColumns => ({
  id: payment.id,
  tenant: payment.tenant,
  version: payment.version,
  state: payment.state,
  money: payment.money,
  authorizedMinor: payment.authorizedMinor,
  capturedMinor: payment.capturedMinor,
  refundedMinor: payment.refundedMinor,
  refundPendingMinor: payment.refundPendingMinor,
  createdAt: payment.createdAt,
  reference: payment.reference,
  connectionId: payment.connectionId
})

const readAgain = (book: PaymentBook): PaymentBook =>
  readBookTexts(columnsOf(book.payment), { details: detailsText(book.payment), book: bookText(book) })

describe("texts of books", () => {
  const answers: Readonly<Record<string, Partial<Payment>>> = {
    "a captured payment": captured(),
    "a declined one": captured({
      state: "Declined",
      authorizedMinor: 0,
      capturedMinor: 0,
      connectionId: null,
      providerRef: null,
      declineCategory: "other",
      declineReason: "51"
    }),
    "one whose result is unknown": captured({
      state: "ChargeUnknown",
      version: 4294967298,
      settledAt: null,
      providerRef: null,
      review: { since: 5, reasons: ["unknown"] }
    }),
    "one that skipped a connection": captured({
      routing: {
        ...decision,
        skipped: [{ connectionId: "third", name: "Third", code: "CIRCUIT_OPEN", reason: "open" }]
      }
    }),
    "one without a routing decision": captured({ routing: null }),
    "one without a key": captured({ idempotencyKey: null })
  }
  for (const [what, fields] of Object.entries(answers)) {
    it.effect(`${what} is the same once its book is written and read`, () =>
      Effect.gen(function* () {
        const { attempts, payment } = yield* newChange(fields)
        const after = payment.after
        const operations = [
          newOperation(after, { answeredAt: 6, reply: { _tag: "Done", payment: after } }),
          newOperation(after, {
            id: "op_other",
            idempotencyKey: null,
            reason: "late",
            code: "c",
            requestedMinor: 7,
            answeredAt: null
          })
        ]
        const book: PaymentBook = { payment: after, attempts, operations, refunds: [] }
        expect(readAgain(book)).toStrictEqual(book)
        expect(readAgain(readAgain(book))).toStrictEqual(book)
      }).pipe(Effect.provide(Ids.layer))
    )

    it.effect(`an answer with ${what} reads as it was after its payment moved on`, () =>
      Effect.gen(function* () {
        const answer = yield* paymentOf(fields)
        const claim = claimOf(answer, answer)
        const text = claimText(claim, answer)
        const moved = { ...answer, ...later, routing: answer.routing === null ? null : (later.routing ?? null) }
        expect(readClaimText(text, claim, moved)).toStrictEqual(claim)
        expect(readClaimText(text, claim, answer)).toStrictEqual(claim)
        expect(text.length).toBeLessThan(JSON.stringify(answer).length / 2)
      }).pipe(Effect.provide(Ids.layer))
    )
  }

  it.effect("a payment whose amounts contradict each other is a defect when read", () =>
    Effect.gen(function* () {
      const payment = yield* paymentOf({ capturedMinor: 5 })
      expect(() => readAgain({ payment, attempts: [], operations: [], refunds: [] })).toThrow(/^Ledger: payment /)
    }).pipe(Effect.provide(Ids.layer))
  )

  it("stored data of events reads as it was, names in their order", () => {
    const usual = {
      payment_id: "p",
      reference: "order-1",
      payment_status: "CAPTURED",
      environment: "sandbox",
      amount: 1000,
      currency: "EUR"
    }
    const datas: ReadonlyArray<Event["data"]> = [
      usual,
      { ...usual, payment_status: "UNKNOWN" },
      { ...usual, reference: null, metadata: { order: "1" } },
      { ...usual, payment_status: "UNKNOWN", decline_code: null },
      { payment_id: "p" },
      { ...usual, environment: "production" },
      { ...usual, payment_id: "q" },
      { reference: "order-1", payment_id: "p" }
    ]
    for (const data of datas) {
      for (const type of ["payment.captured", "payment.conflict"] as const) {
        const event: Event = { id: "evt_1", type, paymentId: "p", createdAt: 1, data }
        const stored = rows.bindData(event, { tenant })
        const row = { id: "evt_1", type: numberOfType(type), payment: "p", created_at: 1 }
        expect(
          JSON.stringify(rows.readEvent({ readId: String, readEventId: String }, tenant, { ...row, data: stored }))
        ).toBe(JSON.stringify(event))
      }
    }
    expect(rows.bindData({ type: "payment.captured", paymentId: "p", data: usual }, { tenant })).toBe(
      '["order-1",1000,"EUR"]'
    )
  })
})

/** What is stored short reads as it was, also after the payment moved on. */
import { describe, expect, it } from "@effect/vitest"
import { type Attempt, type Event, type Payment, type RoutingDecision, routingModes } from "@pointsman/core"
import { newClaim } from "@pointsman/core/internal"
import { Ids } from "@pointsman/core/ports"
import { makeRows, type Owner, type Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { newChange, newOperation, tenant } from "./Given.ts"

const rows = makeRows<string | number | boolean | null>({
  bindText: (text) => text,
  readText: (value) => value as string,
  bindTexts: (texts) => JSON.stringify(texts),
  readTexts: (value) => JSON.parse(value as string),
  bindBoolean: (value) => value,
  readBoolean: (value) => value as boolean
})

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

const ownerOf = (payment: Payment, isDerived?: boolean): Owner => ({
  tenant,
  payment: { expected: payment.version - 1, after: payment },
  isDerived
})

const written = (
  columns: Readonly<Record<string, (record: never, owner: Owner) => unknown>>,
  record: unknown,
  owner: Owner
): Row => Object.fromEntries(Object.entries(columns).map(([name, take]) => [name, take(record as never, owner)]))

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

describe("a method by name", () => {
  const purchase = { description: null, locale: "nl", lines: null }
  const payments: Readonly<Record<string, Partial<Payment>>> = {
    "a method and a purchase": { paymentMethod: "ideal", purchase },
    "a method alone": { paymentMethod: "ideal", purchase: null },
    "a purchase alone": { purchase },
    neither: { purchase: null }
  }
  for (const [what, fields] of Object.entries(payments)) {
    it.effect(`given ${what}, when it is written and read, then it is the same`, () =>
      Effect.gen(function* () {
        const payment = yield* paymentOf(captured(fields))
        const totals = { refunded_minor: payment.refundedMinor, refund_pending_minor: payment.refundPendingMinor }
        const row: Row = { ...written(rows.paymentColumns, payment, ownerOf(payment)), ...totals }
        const read = rows.readPayment(row)
        expect(read).toEqual(payment)
        expect("paymentMethod" in read).toBe("paymentMethod" in fields)
      }).pipe(Effect.provide(Ids.layer))
    )
  }
})

describe("short forms", () => {
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
    it.effect(`given an answer with ${what}, when its payment has moved on, then the answer reads as it was`, () =>
      Effect.gen(function* () {
        const answer = yield* paymentOf(fields)
        const row = written(rows.claimColumns, claimOf(answer, answer), ownerOf(answer))
        const moved = { ...answer, ...later, routing: answer.routing === null ? null : (later.routing ?? null) }
        expect(rows.readClaim(row, moved)).toStrictEqual(claimOf(answer, answer))
        expect(String(row["answer"]).length).toBeLessThan(JSON.stringify(answer).length / 2)

        const operation = newOperation(answer, { answeredAt: 6, reply: { _tag: "Done", payment: answer } })
        const stored = written(rows.operationColumns, operation, ownerOf(answer))
        expect(rows.readOperation(stored, moved)).toStrictEqual(operation)
      }).pipe(Effect.provide(Ids.layer))
    )
  }

  const firstAttempt = { attemptId, connectionId: "second", outcome: "Captured" as const, code: null }
  const ofFirst = captured({ routing: { ...decision, attempts: [firstAttempt] } })
  /** What a storage that keeps the first reference has in the column for it. */
  const replacedBy = (answer: Payment, payment: Payment) =>
    answer.providerRef === payment.providerRef ? null : answer.providerRef

  it.effect(
    "given a payment that its first attempt captured, when it has moved on, then its derived answer is as it was",
    () =>
      Effect.gen(function* () {
        const answer = yield* paymentOf(ofFirst)
        const row = written(rows.claimColumns, claimOf(answer, answer), ownerOf(answer, true))
        expect(row["answer"]).toBe('{"t":1}')
        const added = { attemptId: "att_2", connectionId: "first", outcome: "Captured" as const, code: null }
        const routing = {
          ...decision,
          attempts: [{ ...firstAttempt, outcome: "Mismatched" as const, code: "x" }, added]
        }
        const moved: Payment = { ...answer, ...later, routing }
        expect(rows.readClaim(row, moved, replacedBy(answer, moved))).toStrictEqual(claimOf(answer, answer))
        expect(rows.readClaim(row, answer)).toStrictEqual(claimOf(answer, answer))
      }).pipe(Effect.provide(Ids.layer))
  )

  const notDerived: Readonly<Record<string, Partial<Payment>>> = {
    "a later change": { version: 3 },
    "no reference": { providerRef: null },
    "two attempts": { routing: decision },
    "an attempt with a code": { routing: { ...decision, attempts: [{ ...firstAttempt, code: "late" }] } }
  }
  for (const [what, fields] of Object.entries(notDerived)) {
    it.effect(`given an answer with ${what}, when it is stored where others are derived, then nothing is derived`, () =>
      Effect.gen(function* () {
        const answer = yield* paymentOf({ ...ofFirst, ...fields })
        const row = written(rows.claimColumns, claimOf(answer, answer), ownerOf(answer, true))
        const moved: Payment = { ...answer, ...later, routing: { ...decision, attempts: [] } }
        expect(rows.readClaim(row, moved)).toStrictEqual(claimOf(answer, answer))
      }).pipe(Effect.provide(Ids.layer))
    )
  }

  it.effect("given attempts at candidates and at others, when a derived decision is read, then it is as it was", () =>
    Effect.gen(function* () {
      const unknown = { attemptId: "att_3", connectionId: "third", outcome: null, code: null }
      for (const attempts of [[], decision.attempts, [firstAttempt], [{ ...firstAttempt, outcome: null }], [unknown]]) {
        for (const mode of routingModes) {
          const payment = yield* paymentOf(captured({ routing: { ...decision, attempts, mode } }))
          const row = written(rows.paymentColumns, payment, ownerOf(payment, true))
          const totals = { refunded_minor: 0, refund_pending_minor: 0 }
          expect(rows.readPayment({ ...row, ...totals })).toStrictEqual(payment)
        }
      }
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("given a payment without its key, when it gets one later, then earlier answers have none", () =>
    Effect.gen(function* () {
      const answer = yield* paymentOf(captured({ idempotencyKey: null }))
      const operation = newOperation(answer, { answeredAt: 6, reply: { _tag: "Done", payment: answer } })
      const stored = written(rows.operationColumns, operation, ownerOf(answer))
      expect(rows.readOperation(stored, { ...answer, idempotencyKey: "key-0002" })).toStrictEqual(operation)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("given an answer of another payment's making, when it is stored, then what differs is stored with it", () =>
    Effect.gen(function* () {
      const payment = yield* paymentOf(captured({ metadata: { order: "1" } }))
      const answer = { ...payment, cardBrand: "other", country: "FR", money: { minorUnits: 5, currency: "JPY" } }
      const row = written(rows.claimColumns, claimOf(payment, answer), ownerOf(payment))
      expect(rows.readClaim(row, payment).answer).toStrictEqual(answer)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("given an erased payment, when its answer is read, then it has no texts either", () =>
    Effect.gen(function* () {
      const answer = yield* paymentOf(captured({ metadata: { order: "1" } }))
      const row = written(rows.claimColumns, claimOf(answer, answer), ownerOf(answer))
      expect(JSON.stringify(row)).not.toContain("order")
      const erased = { ...answer, reference: null, metadata: null }
      expect(rows.readClaim(row, erased).answer).toStrictEqual(erased)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("given a hosted payment, which is routed later, when it is answered, then its answer is stored whole", () =>
    Effect.gen(function* () {
      const hosted = { tokenHash: "h", returnUrl: "https://a.example", cancelUrl: null, expiresAt: 9 }
      const answer = yield* paymentOf(captured({ hosted, routing: null }))
      const row = written(rows.claimColumns, claimOf(answer, answer), ownerOf(answer))
      expect(JSON.parse(String(row["answer"]))).toStrictEqual(answer)
      expect(rows.readClaim(row, { ...answer, routing: decision }).answer).toStrictEqual(answer)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("given a decision that changed otherwise, when the answer is stored, then it is stored whole", () =>
    Effect.gen(function* () {
      const payment = yield* paymentOf(captured())
      const answer = { ...payment, routing: { ...decision, note: "another" } }
      const row = written(rows.claimColumns, claimOf(payment, answer), ownerOf(payment))
      expect(rows.readClaim(row, payment).answer).toStrictEqual(answer)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("given decisions with every field, and with fields of other releases, then they read as they were", () =>
    Effect.gen(function* () {
      const { candidates: _, ...rest } = decision
      const decisions: ReadonlyArray<RoutingDecision> = [
        decision,
        {
          ...decision,
          path: "rule",
          strategy: "auto",
          rule: "euros",
          degraded: true,
          draws: [{ purpose: "control", drawn: 0.1 }],
          note: "n",
          excluded: [{ connectionId: "third", name: "Third", code: "CIRCUIT_OPEN", reason: "open" }],
          skipped: [],
          given: { ...decision.given, instruments: [], unable: ["third"], merchantCountry: null }
        },
        { ...decision, skipped: [{ connectionId: "third", name: "Third", code: "CIRCUIT_OPEN", reason: "open" }] },
        { ...decision, candidates: [], attempts: [] },
        // Stored before these fields were kept, or with one that is not known here.
        { ...rest, candidates: decision.candidates.map(({ connectionId, name }) => ({ connectionId, name })) } as never,
        { ...decision, given: undefined } as never,
        { ...decision, later: 1 } as never,
        { ...decision, given: { ...decision.given, later: 1 } } as never
      ]
      for (const routing of decisions) {
        const payment = yield* paymentOf(captured({ routing }))
        const row = written(rows.paymentColumns, payment, ownerOf(payment))
        const { routing: read } = rows.readPayment({ ...row, refunded_minor: 0, refund_pending_minor: 0 })
        expect(read).toStrictEqual(JSON.parse(JSON.stringify(routing)))
      }
    }).pipe(Effect.provide(Ids.layer))
  )

  it("given data of events, when they are stored, then they read as they were, names in their order", () => {
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
        const stored = rows.bindData(event, { tenant } as Owner)
        const row = { id: "evt_1", type, payment_id: "p", created_at: 1, environment: "sandbox" }
        expect(JSON.stringify(rows.readEvent({ ...row, data: stored }))).toBe(JSON.stringify(event))
      }
    }
    expect(rows.bindData({ type: "payment.captured", paymentId: "p", data: usual }, { tenant } as Owner)).toBe(
      '["order-1",1000,"EUR"]'
    )
  })

  it.effect("given an attempt id of another form, when the decision is stored, then it is kept", () =>
    Effect.gen(function* () {
      const ids: ReadonlyArray<Attempt["id"]> = [attemptId, attemptId.toUpperCase(), "att_1", "", "other"]
      const attempts = ids.map((id) => ({ attemptId: id, connectionId: "first", outcome: null, code: null }))
      const payment = yield* paymentOf(captured({ routing: { ...decision, attempts } }))
      const row = written(rows.paymentColumns, payment, ownerOf(payment))
      expect(rows.readPayment({ ...row, refunded_minor: 0, refund_pending_minor: 0 }).routing?.attempts).toStrictEqual(
        attempts
      )
    }).pipe(Effect.provide(Ids.layer))
  )
})

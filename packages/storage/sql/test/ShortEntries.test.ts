/** What was asked of providers reads as it was written, also after the payment moved on. */
import { describe, expect, it } from "@effect/vitest"
import type { Event, JsonObject, Operation, Payment, Refund } from "@pointsman/core"
import { newClaim } from "@pointsman/core/internal"
import { Ids } from "@pointsman/core/ports"
import { bookText, claimText, detailsText, numberOfType, readBookTexts, readClaimText } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { newChange, newOperation, newRefund, plainRows as rows, tenant } from "./Given.ts"

const uuidKey = "7f1c0d52-8a0e-4c39-9a53-0f2d6f1f5a10"
const keys = [
  uuidKey,
  uuidKey.toUpperCase(),
  `~${uuidKey}`,
  `refund-${uuidKey}`,
  `~~${uuidKey}~`,
  "~~",
  "~",
  "order 1",
  ""
]

const given = (fields: Partial<Payment>) => Effect.map(newChange(fields), ({ payment }): Payment => payment.after)

const captured: Partial<Payment> = {
  version: 4,
  state: "Captured",
  authorizedMinor: 1000,
  capturedMinor: 1000,
  connectionId: "first",
  providerRef: "ref-1",
  updatedAt: 40
}

const refunded = { stage: "Succeeded", answeredAt: 50, settledAt: 50, providerRefundId: "re_1" } as const

const stored = (payment: Payment, operations: ReadonlyArray<Operation>, refunds: ReadonlyArray<Refund>) => {
  const book = { payment, attempts: [], operations, refunds }
  const texts = { details: detailsText(payment), book: bookText(book) }
  expect(readBookTexts(payment, texts)).toStrictEqual(book)
  return texts
}

describe("entries of a book", () => {
  it.effect("a capture's reply is the payment as it was before its refund", () =>
    Effect.gen(function* () {
      const then = yield* given(captured)
      const capture = newOperation(then, { answeredAt: 40, reply: { _tag: "Done", payment: then } })
      const now: Payment = { ...then, version: 6, state: "Refunded", refundedMinor: 1000, updatedAt: 50 }
      const refund = newRefund(now, { ...refunded, reply: { _tag: "Done", payment: now } })
      const { book } = stored(now, [capture], [refund])
      const { F, O } = JSON.parse(book)
      expect([O[0].y, F[0].y]).toEqual([{ v: 4 }, {}])
      stored(
        { ...now, version: 7, state: "Captured", refundedMinor: 0, updatedAt: 60 },
        [capture],
        [newRefund(now, { ...refunded, stage: "Failed", reply: { _tag: "Done", payment: now } })]
      )
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("other replies and times are stored as they were", () =>
    Effect.gen(function* () {
      const payment = yield* given(captured)
      const replies: ReadonlyArray<Operation["reply"]> = [null, { _tag: "ResultUnknown" }, { _tag: "StateConflict" }]
      for (const reply of replies) stored(payment, [newOperation(payment, { answeredAt: 40, reply })], [])
      const open = newOperation(payment, { answeredAt: null, outcome: null, reply: null })
      stored(payment, [open, newOperation(payment, { id: "op_2", kind: "void", answeredAt: 41 })], [])
      const pending = { ...payment, refundPendingMinor: 1000 }
      for (const settledAt of [null, 50, 51]) {
        const refund = newRefund(pending, {
          ...refunded,
          stage: "Pending",
          settledAt,
          reply: { _tag: "RefundPending" }
        })
        stored(pending, [], [refund])
      }
      stored(pending, [], [newRefund(pending)])
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("keys of every form are stored as they were", () =>
    Effect.gen(function* () {
      for (const key of keys) {
        const payment = yield* given({ ...captured, idempotencyKey: key })
        const operation = newOperation(payment, { idempotencyKey: key, claimedBy: key, answeredAt: 40 })
        const { details } = stored(payment, [operation], [])
        expect(details.includes(uuidKey)).toBe(key === `~~${uuidKey}~`)
        const claim = newClaim({ key: "other", fingerprint: "f", paymentId: payment.id, claimedAt: 1 })
        for (const one of [claim, { ...claim, key }, { ...claim, answeredAt: 45, state: "Answered" as const }]) {
          expect(readClaimText(claimText(one, payment), one, payment)).toStrictEqual(one)
        }
      }
    }).pipe(Effect.provide(Ids.layer))
  )
})

describe("events of refunds", () => {
  const data = {
    payment_id: "p",
    reference: null,
    payment_status: "REFUNDED",
    environment: "sandbox",
    amount: 5,
    currency: "EUR"
  }
  const refund = {
    refund_id: `rf_${uuidKey}`,
    origin: "api",
    refund_amount: 5,
    refunded_total: 5,
    refund_pending_amount: 0
  }
  const { refund_id: _, ...unnamed } = refund
  const datas: ReadonlyArray<JsonObject> = [
    { ...data, ...refund },
    { ...data, ...refund, refund_id: "~other" },
    { ...data, ...refund, payment_status: "PARTIALLY_REFUNDED" },
    { ...data, ...refund, refund_id: null },
    { ...data, ...refund, failure_reason: "late" },
    { ...data, ...unnamed, refund_id: "rf_1" },
    { ...data, ...unnamed }
  ]

  it("stored data of a refund reads as it was, names in their order", () => {
    for (const one of datas) {
      const event: Event = { id: "evt_1", type: "payment.refunded", paymentId: "p", createdAt: 1, data: one }
      const written = rows.bindData(event, { tenant })
      const row = {
        id: "evt_1",
        type: numberOfType(event.type),
        payment: "p",
        created_at: 1
      }
      expect(
        JSON.stringify(rows.readEvent({ readId: String, readEventId: String }, tenant, { ...row, data: written }))
      ).toBe(JSON.stringify(event))
    }
    const [usual = {}] = datas
    const event = { type: "payment.refunded", paymentId: "p", data: usual } as const
    expect(rows.bindData(event, { tenant })).toMatch(/^\[null,5,"EUR",0,\["~[\w-]{22}","api",5,5,0\]\]$/u)
  })
})

/** Rows are written in their short and derived forms, and read as they were. */

import { randomBytes, randomUUID } from "node:crypto"
import { describe, expect, it } from "@effect/vitest"
import { itRunsLive } from "@pointsman/contracts/vitest"
import type { Claim, Payment, Refund } from "@pointsman/core"
import { moveClaim } from "@pointsman/core/internal"
import { type Change, Ids, Ledger } from "@pointsman/core/ports"
import { Effect, Option, type Redacted } from "effect"
import { newChange, newRefund, tenant, withStorage } from "./Given.ts"
import { hasServer, newDatabase } from "./support/TestDatabase.ts"
import { clientOf } from "./support/Waiting.ts"

const fingerprint = "0123456789abcdef".repeat(4)
const attemptId = "att_01a21000-8800-8e56-8ba9-a1c2010b3823"

/** Commits a payment and its answer under a key; gives what was stored. */
const answered = Effect.gen(function* () {
  const ledger = yield* Ledger
  const first = yield* newChange({
    routing: {
      path: "engine",
      strategy: "priority",
      mode: "failover",
      rule: null,
      maxAttempts: 1,
      candidates: [{ connectionId: "first", name: "First", priority: 1, score: null, rates: null }],
      attempts: [{ attemptId, connectionId: "first", outcome: "Captured", code: null }],
      excluded: [],
      eligibilityVersion: "1",
      degraded: false,
      draws: [],
      note: null,
      given: { merchantCountry: "NL", merchantCategory: null, instruments: null, unable: [], circuits: [] }
    }
  })
  const claim: Claim = { ...first.claim.after, fingerprint }
  yield* ledger.commit({ ...first, claim: { expected: 0, after: claim } })
  const payment: Payment = {
    ...first.payment.after,
    version: 2,
    state: "Captured",
    authorizedMinor: 1000,
    capturedMinor: 1000,
    connectionId: "first",
    providerRef: `ref-${first.payment.after.id}`,
    updatedAt: 7,
    settledAt: 7
  }
  const data = {
    payment_id: payment.id,
    reference: payment.reference,
    payment_status: "CAPTURED",
    environment: tenant.environment,
    amount: 1000,
    currency: "EUR"
  }
  const after = moveClaim(claim, "RequestAnswered", { answeredAt: 7, answer: payment })
  const second: Change = {
    tenant,
    payment: { expected: 1, after: payment },
    attempts: [],
    events: [{ type: "payment.captured", paymentId: payment.id, createdAt: 7, data }],
    claim: { expected: 1, after }
  }
  yield* ledger.commit(second)
  return { payment, claim: after, data }
})

const isRead = Effect.fnUntraced(function* ({ claim, data, payment }: Effect.Success<typeof answered>) {
  const ledger = yield* Ledger
  expect(Option.getOrThrow(yield* ledger.payment(tenant, payment.id))).toStrictEqual(payment)
  expect(Option.getOrThrow(yield* ledger.claim(tenant, claim.key))).toStrictEqual(claim)
  const timeline = yield* ledger.timeline(tenant, payment.id, { limit: 10 })
  expect(timeline.map((event) => event.data)).toStrictEqual([{ payment_id: payment.id }, data])
})

const write = (url: Redacted.Redacted) => withStorage({ url })(answered).pipe(Effect.provide(Ids.layer))

describe.skipIf(!hasServer)("short rows", () => {
  const storedOf = Effect.fnUntraced(function* (url: Redacted.Redacted, paymentId: string) {
    const sql = yield* clientOf(url, 1)
    const [row] = yield* sql<{ claim: string; data: string }>`
      select p.claim, e.data from payments as p
        join events as e on e.payment = p.id and e.type = 5 where p.id = ${paymentId}`
    return row
  })

  itRunsLive("the rows of an answered payment are short", function* () {
    const url = yield* newDatabase
    const written = yield* write(url)
    const row = yield* storedOf(url, written.payment.id)
    expect(row?.data).toBe('["order-1",1000,"EUR"]')
    expect(row?.claim.length).toBeLessThan(200)
    yield* withStorage({ url })(isRead(written)).pipe(Effect.provide(Ids.layer))
  })

  it.live("a payment with 100 refunds under keys takes at most 8,000 bytes", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const first = yield* newChange({
        ...{ state: "Captured", authorizedMinor: 100_000, capturedMinor: 100_000, refundedMinor: 3_000 },
        ...{ money: { minorUnits: 100_000, currency: "EUR" }, connectionId: "first", providerRef: "pi_1", version: 1 }
      })
      const { after } = first.payment
      const refunds = Array.from({ length: 100 }, (_, index): Refund => {
        const id = randomUUID()
        const version = 4 + 2 * index
        const sentAt = 86_400_000 + index * 3_600_000 + ((index ** 3 * 7_919) % 3_500_009)
        const money = { minorUnits: 30, currency: "EUR" }
        const [answeredAt, updatedAt, settledAt] = [sentAt + 300, sentAt + 300, sentAt + 300]
        const providerRefundId = `re_${randomBytes(8).toString("base64url").slice(0, 10)}`
        return newRefund(after, {
          ...{ id: `rf_${id}`, idempotencyKey: randomUUID(), money, requestedMinor: 30, sentAt, answeredAt, settledAt },
          ...{ stage: "Succeeded", providerRefundId },
          reply: { _tag: "Done", payment: { ...after, version, refundedMinor: 30 * (index + 1), updatedAt } }
        })
      })
      const stored = yield* withStorage({ url })(
        Effect.gen(function* () {
          const ledger = yield* Ledger
          yield* ledger.commit({ ...first, refunds })
          return yield* ledger.book(tenant, after.id)
        })
      )
      expect(Option.getOrThrow(stored).refunds).toStrictEqual(refunds)
      const sql = yield* clientOf(url, 1)
      const [row] = yield* sql<{ bytes: number }>`select pg_column_size(payments) as bytes from payments`
      expect(row?.bytes).toBeLessThan(8_000)
    }).pipe(Effect.provide(Ids.layer))
  )

  for (const batchCommits of [true, false]) {
    itRunsLive(`an answer keeps its first references on later ones (batches: ${batchCommits})`, function* () {
      const url = yield* newDatabase
      yield* withStorage({ url, batchCommits })(
        Effect.gen(function* () {
          const { claim, payment } = yield* answered
          const ledger = yield* Ledger
          let before = payment
          for (const providerRef of ["ref-second", null, "ref-third"]) {
            const after = { ...before, version: before.version + 1, providerRef }
            yield* ledger.commit({
              tenant,
              payment: { expected: before.version, after },
              attempts: [],
              events: []
            })
            expect(Option.getOrThrow(yield* ledger.payment(tenant, payment.id))).toStrictEqual(after)
            expect(Option.getOrThrow(yield* ledger.claim(tenant, claim.key))).toStrictEqual(claim)
            before = after
          }
          const [old] = yield* ledger.oldClaims({ claimedBefore: Number.MAX_SAFE_INTEGER, limit: 1 })
          expect(old?.claim).toStrictEqual(claim)
          const another = yield* newChange()
          const claimed = { ...claim, paymentId: another.payment.after.id, version: 1, answer: null }
          const taken = yield* Effect.flip(ledger.commit({ ...another, claim: { expected: 0, after: claimed } }))
          expect(taken).toMatchObject({ _tag: "pointsman/KeyTaken", claim })
        })
      ).pipe(Effect.provide(Ids.layer))
    })
  }
})

/** The journal of a tenant, read through the door. */
import { assert, describe, it } from "@effect/vitest"
import { type JournalQuery, type Payment, Pointsman, type PostedMovement } from "@pointsman/core"
import { ReportedMovements } from "@pointsman/core/ports"
import { Effect, Exit, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { day, lines } from "./support/JournalGiven.ts"
import { operate } from "./support/Operations.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const start = Date.UTC(2026, 10, 3)
const december = Date.UTC(2026, 11, 1)
const all: JournalQuery = { before: Date.UTC(2030, 0, 1) }

const create = (own: World, connectionId = "main") =>
  Effect.gen(function* () {
    own.provider.onCharge = () => Effect.succeed({ _tag: "Captured", providerRef: `ch_${connectionId}_${++charges}` })
    return (yield* (yield* Pointsman).create(caller, request())).payment
  })
let charges = 0

/** `receivable EUR 1999, sales EUR -1999` for each transaction, and `pending refund 500` for what is not posted. */
const read = (query: JournalQuery = all) =>
  Effect.gen(function* () {
    const entries = yield* Stream.runCollect((yield* Pointsman).journal(tenant, query))
    return entries.map((entry) =>
      entry._tag === "Transaction"
        ? lines(entry.transaction).join(", ")
        : `pending ${entry.pending.what} ${entry.pending.minorUnits}`
    )
  })

const sale = "receivable EUR 1999, sales EUR -1999"

const reported = (payment: Payment, over: Partial<PostedMovement> = {}): PostedMovement => ({
  connectionId: "main",
  rowId: "bt_1",
  kind: "charge",
  paymentId: payment.id,
  refundId: null,
  gross: { minorUnits: 1999, currency: "EUR" },
  converted: null,
  fee: { minorUnits: 40, currency: "EUR" },
  net: { minorUnits: 1959, currency: "EUR" },
  payoutId: null,
  occurredAt: start,
  recordedAt: december + 2 * day,
  ...over
})

/** What providers' reports said, in the order of the rows' ids. `before` runs before those of payments are read. */
const movements = (rows: ReadonlyArray<PostedMovement>, before: Effect.Effect<unknown> = Effect.void) =>
  Layer.succeed(ReportedMovements, {
    ofPayments: (_, ids) =>
      Effect.as(
        before,
        rows.filter(({ paymentId }) => ids.some((id) => id === paymentId))
      ),
    withoutPayment: (_, { after, limit }) =>
      Effect.succeed(
        rows.filter(({ paymentId, rowId }) => paymentId === null && rowId > (after?.rowId ?? "")).slice(0, limit)
      )
  })

const withReports = (own: World, rows: Array<PostedMovement>) => Layer.provide(own.layer, movements(rows))

describe("the journal of a tenant", () => {
  it.effect("given payments of more than a page and a refund, then each is posted once, newest first", () => {
    const own = world()
    return Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const first = yield* create(own)
      for (let count = 0; count < 200; count++) yield* create(own)
      yield* operate("refund", first.id, { amountMinor: 500, idempotencyKey: "refund-key" })
      const journal = yield* read()
      assert.strictEqual(journal.length, 202)
      assert.deepStrictEqual(journal.slice(-3), [sale, sale, "receivable EUR -500, refunds EUR 500"])
    }).pipe(Effect.provide(own.layer))
  })

  it.effect("given facts of two months, when one is read, then it has its own alone, and the two are all", () => {
    const own = world()
    return Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const payment = yield* create(own)
      yield* TestClock.setTime(december)
      yield* operate("refund", payment.id, { amountMinor: 500, idempotencyKey: "refund-key" })
      assert.deepStrictEqual(yield* read({ before: december }), [sale])
      assert.deepStrictEqual(yield* read({ ...all, from: december }), ["receivable EUR -500, refunds EUR 500"])
    }).pipe(Effect.provide(own.layer))
  })

  it.effect(
    "given an exported month, when its report arrives after it was closed, then the month stays as it was",
    () => {
      const own = world()
      const rows: Array<PostedMovement> = []
      return Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const payment = yield* create(own)
        const november = { from: start, before: december, closeAfterMillis: 5 * day }
        const exported = yield* read(november)
        rows.push(reported(payment, { recordedAt: december + 5 * day }))
        assert.deepStrictEqual(yield* read(november), exported)
        assert.deepStrictEqual(yield* read({ ...november, from: december, before: all.before }), [
          "receivable EUR -40, fees EUR 40"
        ])
        rows.splice(0, 1, reported(payment))
        assert.deepStrictEqual(yield* read(november), [...exported, "receivable EUR -40, fees EUR 40"])
      }).pipe(Effect.provide(withReports(own, rows)))
    }
  )

  it.effect("given rows without a payment, in several pages and corrected, then they follow the payments", () => {
    const own = world()
    const payout = (number: number, over: Partial<PostedMovement> = {}) => ({
      ...reported({ id: "" } as Payment),
      ...{ kind: "payout" as const, paymentId: null, fee: null, net: null },
      rowId: `po_${1_000 + number}`,
      gross: { minorUnits: -100, currency: "EUR" },
      ...over
    })
    const rows = Array.from({ length: 450 }, (_, index) => payout(index + 1))
    rows.splice(1, 0, payout(1, { gross: { minorUnits: -90, currency: "EUR" }, recordedAt: december + 3 * day }))
    return Effect.gen(function* () {
      yield* TestClock.setTime(start)
      yield* create(own)
      const journal = yield* read()
      assert.strictEqual(journal.length, 452)
      assert.deepStrictEqual(journal.slice(0, 4), [
        sale,
        "receivable EUR -100, payouts EUR 100",
        "receivable EUR 10, payouts EUR -10",
        "receivable EUR -100, payouts EUR 100"
      ])
    }).pipe(Effect.provide(withReports(own, rows)))
  })

  it.effect("given money whose result is not known, then it is listed and not posted", () => {
    const own = world()
    return Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const payment = yield* create(own)
      own.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" })
      yield* operate("refund", payment.id, { amountMinor: 500, idempotencyKey: "refund-key" })
      assert.deepStrictEqual(yield* read(), [sale, "pending refund 500"])
      assert.deepStrictEqual(yield* read({ ...all, connectionId: "backup" }), [])
      assert.deepStrictEqual(yield* read({ ...all, connectionId: "main" }), [sale, "pending refund 500"])
    }).pipe(Effect.provide(own.layer))
  })

  it.effect("given a refund that is recorded between the two reads of its payment, then it is posted once", () => {
    const own = world()
    let between: Effect.Effect<unknown> = Effect.void
    return Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const pointsman = yield* Pointsman
      const payment = yield* create(own)
      // The payments were read: their rows and their events are read next.
      between = operate("refund", payment.id, { amountMinor: 500, idempotencyKey: "refund-key" }).pipe(
        Effect.provideService(Pointsman, pointsman)
      )
      const entries = yield* Stream.runCollect(pointsman.journal(tenant, all))
      assert.deepStrictEqual(
        entries.map((entry) => (entry._tag === "Transaction" ? entry.transaction.subject : "pending")),
        ["capture", "refund"]
      )
    }).pipe(
      Effect.provide(
        Layer.provide(
          own.layer,
          movements(
            [],
            Effect.suspend(() => between)
          )
        )
      )
    )
  })

  it.effect("given a storage that fails after the first page, then the journal fails", () => {
    const own = world()
    return Effect.gen(function* () {
      yield* TestClock.setTime(start)
      for (let count = 0; count < 201; count++) yield* create(own)
      const before = own.ledger.calls.payments
      own.ledger.canRead = (method) => method !== "payments" || own.ledger.calls.payments - before < 2
      assert.isTrue(Exit.isFailure(yield* Effect.exit(read())))
    }).pipe(Effect.provide(own.layer))
  })
})

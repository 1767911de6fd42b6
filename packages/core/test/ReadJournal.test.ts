/** The journal of a tenant, read through the door. */
import { assert, describe } from "@effect/vitest"
import { type JournalQuery, Pointsman, type SettlementEntry } from "@pointsman/core"
import { newRun } from "@pointsman/core/internal"
import { Settlements } from "@pointsman/core/ports"
import { Effect, Exit, Stream } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { day, entry, eur, lines } from "./support/JournalGiven.ts"
import { operate } from "./support/Operations.ts"
import { caller, request, tenant, type World, world } from "./support/World.ts"

const start = Date.UTC(2026, 10, 3)
const december = Date.UTC(2026, 11, 1)
const all: JournalQuery = { before: Date.UTC(2030, 0, 1) }

const create = Effect.fnUntraced(function* (own: World, connectionId = "main") {
  own.provider.onCharge = () => Effect.succeed({ _tag: "Captured", providerRef: `ch_${connectionId}_${++charges}` })
  return (yield* (yield* Pointsman).create(caller, request())).payment
})
let charges = 0

/** `receivable EUR 1999, sales EUR -1999` for each transaction, and `pending refund 500` for what is not posted. */
const read = Effect.fnUntraced(function* (query: JournalQuery = all) {
  const entries = yield* Stream.runCollect((yield* Pointsman).journal(tenant, query))
  return entries.map((entry) =>
    entry._tag === "Transaction"
      ? lines(entry.transaction).join(", ")
      : `pending ${entry.pending.what} ${entry.pending.minorUnits}`
  )
})

const sale = "receivable EUR 1999, sales EUR -1999"

const reported = (paymentId: string | null, over: Partial<SettlementEntry> = {}) =>
  entry({
    ...{ paymentId, gross: eur(1999), fee: eur(40), net: eur(1959) },
    ...{ occurredAt: start, recordedAt: december + 2 * day },
    ...over
  })

/** What a provider's report said. */
const store = Effect.fnUntraced(function* (entries: ReadonlyArray<SettlementEntry>) {
  const settlements = yield* Settlements
  const named = { id: "rec_1", tenant, connectionId: "main", format: "http", fileName: "november.csv", sha256: "ab" }
  const lease = { holder: "test", until: start + 60_000 }
  const begun = yield* settlements.begin(newRun(named, start), { ...lease, now: start })
  assert(begun._tag === "Begun")
  const { run } = begun
  const after = { ...run, version: run.version + 1 }
  const batch = { tenant, connectionId: "main", lease, run: { expected: run.version, after } }
  assert.isTrue(yield* settlements.applyBatch({ ...batch, entries, closes: [], corrections: [] }))
})

describe("the journal of a tenant", () => {
  itIn("payments of several pages and a refund are each posted once, newest first", world(), function* (own) {
    yield* TestClock.setTime(start)
    const first = yield* create(own)
    for (let count = 0; count < 200; count++) yield* create(own)
    yield* operate("refund", first.id, { amountMinor: 500, idempotencyKey: "refund-key" })
    const journal = yield* read()
    assert.strictEqual(journal.length, 202)
    assert.deepStrictEqual(journal.slice(-3), [sale, sale, "receivable EUR -500, refunds EUR 500"])
  })

  itIn("other work has turns between many payments that a fast storage reads", world(), function* (own) {
    for (let count = 0; count < 64; count++) yield* create(own)
    let turns = 0
    let isOver = false
    const turn = () => {
      turns++
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    yield* read()
    isOver = true
    // Eight payments are read at once.
    assert.isAtLeast(turns, 64 / 8)
  })

  itIn("each of two months has only its own facts, and the two are all", world(), function* (own) {
    yield* TestClock.setTime(start)
    const payment = yield* create(own)
    yield* TestClock.setTime(december)
    yield* operate("refund", payment.id, { amountMinor: 500, idempotencyKey: "refund-key" })
    assert.deepStrictEqual(yield* read({ before: december }), [sale])
    assert.deepStrictEqual(yield* read({ ...all, from: december }), ["receivable EUR -500, refunds EUR 500"])
  })

  itIn("an exported month stays as it was when a report arrives after it was closed", world(), function* (own) {
    yield* TestClock.setTime(start)
    const late = yield* create(own)
    const inTime = yield* create(own)
    const november = { from: start, before: december, closeAfterMillis: 5 * day }
    const exported = yield* read(november)
    yield* store([reported(late.id, { recordedAt: december + 5 * day })])
    assert.deepStrictEqual(yield* read(november), exported)
    const fee = "receivable EUR -40, fees EUR 40"
    assert.deepStrictEqual(yield* read({ ...november, from: december, before: all.before }), [fee])
    yield* store([reported(inTime.id, { rowId: "bt_2" })])
    assert.deepStrictEqual(yield* read(november), [sale, fee, sale])
  })

  itIn("rows without a payment, in pages and corrected, follow the payments", world(), function* (own) {
    const payout = (number: number, over: Partial<SettlementEntry> = {}) =>
      reported(null, {
        ...{ kind: "payout", fee: null, net: null, rowId: `po_${1_000 + number}`, gross: eur(-100) },
        ...over
      })
    const at = december + 3 * day
    const rows = Array.from({ length: 449 }, (_, index) => payout(index + 2))
    const corrected = payout(1, { corrected: { by: "po_1001#c", at } })

    yield* TestClock.setTime(start)
    yield* create(own)
    yield* store([corrected, payout(1, { rowId: "po_1001#c", gross: eur(-90), recordedAt: at }), ...rows])
    const journal = yield* read()
    assert.strictEqual(journal.length, 453)
    assert.deepStrictEqual(journal.slice(0, 5), [
      sale,
      "receivable EUR -100, payouts EUR 100",
      "receivable EUR 100, payouts EUR -100",
      "receivable EUR -90, payouts EUR 90",
      "receivable EUR -100, payouts EUR 100"
    ])
  })

  itIn("money whose result is not known is listed and not posted", world(), function* (own) {
    yield* TestClock.setTime(start)
    const payment = yield* create(own)
    own.provider.onRefund = () => Effect.succeed({ _tag: "RefundPending", providerRefundId: "re_1" })
    yield* operate("refund", payment.id, { amountMinor: 500, idempotencyKey: "refund-key" })
    assert.deepStrictEqual(yield* read(), [sale, "pending refund 500"])
    assert.deepStrictEqual(yield* read({ ...all, connectionId: "backup" }), [])
    assert.deepStrictEqual(yield* read({ ...all, connectionId: "main" }), [sale, "pending refund 500"])
  })

  itIn("a refund recorded between the two reads of its payment is posted once", world(), function* (own) {
    yield* TestClock.setTime(start)
    const payment = yield* create(own)
    const pointsman = yield* Pointsman
    const settlements = yield* Settlements
    // The payments were read: their rows and their events are read next.
    const between = operate("refund", payment.id, { amountMinor: 500, idempotencyKey: "refund-key" }).pipe(
      Effect.provideService(Pointsman, pointsman)
    )
    const reader = yield* own.another.pipe(
      Effect.provideService(Settlements, {
        ...settlements,
        entriesOf: (...asked) => Effect.andThen(between, settlements.entriesOf(...asked))
      })
    )
    const entries = yield* Stream.runCollect(reader.journal(tenant, all))
    assert.deepStrictEqual(
      entries.map((entry) => (entry._tag === "Transaction" ? entry.transaction.subject : "pending")),
      ["capture", "refund"]
    )
  })

  itIn("a journal fails if the storage fails after the first page", world(), function* (own) {
    yield* TestClock.setTime(start)
    for (let count = 0; count < 201; count++) yield* create(own)
    const before = own.ledger.calls.search
    own.ledger.canRead = (method) => method !== "search" || own.ledger.calls.search - before < 2
    assert.isTrue(Exit.isFailure(yield* Effect.exit(read())))
  })
})

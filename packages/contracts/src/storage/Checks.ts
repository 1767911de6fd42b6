/** What is open about a payment comes back when its time comes, to one taker alone. */
import { expect } from "@effect/vitest"
import { Ledger, type PaymentBook } from "@pointsman/core/ports"
import { Effect } from "effect"
import { firstChange, moveAlong, newTenant, reach, rowOf, written } from "./Given.ts"
import { newRefund, writeEntries } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"
import { atOnce, timesFrom } from "./Unguarded.ts"

const someTime = timesFrom(4_000_000_000_000)

const due = Effect.fnUntraced(function* (checkAt: number | null, checkedConnection: string | null = "main") {
  const { after, change } = yield* firstChange(yield* newTenant())
  yield* (yield* Ledger).commit({ ...change, checkAt, checkedConnection })
  return after
})

const unlimited = { limit: 1000, limitPerConnection: 1000, underWay: new Map() }

/** Those among the given ones that are due. */
const taken = Effect.fnUntraced(function* (now: number, books: ReadonlyArray<PaymentBook>, leaseMillis = 1000) {
  const found = yield* (yield* Ledger).takeDue({ ...unlimited, now, leaseMillis })
  return found.map(({ paymentId }) => paymentId).filter((id) => books.some(({ payment }) => payment.id === id))
})

export const checks = chapter("checks", (it) => {
  it("a payment is taken with its tenant when its time has come, and not before", function* ({ ledger }) {
    const at = someTime()
    const book = yield* due(at)
    expect(yield* taken(at - 1, [book])).toEqual([])
    const found = yield* ledger.takeDue({ ...unlimited, now: at, leaseMillis: 1000 })
    expect(found.filter(({ paymentId }) => paymentId === book.payment.id)).toEqual([
      { tenant: book.payment.tenant, paymentId: book.payment.id, connectionId: "main" }
    ])
  })

  it("checks are counted, as far as was asked, and the first is reported", function* ({ ledger, tenant }) {
    // Before all that other tests left behind.
    const firstAt = -1_000_000
    const before = yield* ledger.watched(100_000)
    const [first, second] = yield* Effect.all([due(firstAt), due(firstAt + 1), due(null)])
    const after = yield* ledger.watched(100_000)
    expect(after).toEqual({ payments: before.payments + 2, withRefunds: before.withRefunds, firstAt })
    expect(yield* ledger.watched(1)).toEqual({ payments: 1, withRefunds: 0, firstAt })

    const { walked } = yield* reach(tenant, "Captured")
    const asked = writeEntries(walked, { refunds: [yield* newRefund(walked.payment)] })
    yield* ledger.commit({ ...asked.change, checkAt: firstAt - 1 })
    expect(yield* ledger.watched(1)).toEqual({ payments: 1, withRefunds: 1, firstAt: firstAt - 1 })
    // They do not block others.
    for (const { payment } of [first, second, asked.after]) yield* ledger.postpone(payment, null)
    expect(yield* ledger.watched(100_000)).toEqual(before)
  })

  it("a taken check is due again when the lease is over, and not before", function* () {
    const at = someTime()
    const book = yield* due(at)
    expect(yield* taken(at, [book], 500)).toEqual([book.payment.id])
    expect(yield* taken(at + 499, [book], 500)).toEqual([])
    expect(yield* taken(at + 500, [book], 500)).toEqual([book.payment.id])
  })

  it("those that wait longest are taken first, and no more than were asked for", function* ({ ledger }) {
    // Before all that other tests left behind.
    const ids = (yield* Effect.forEach([-30, -20, -10], (at) => due(at))).map(({ payment }) => payment.id)
    const two = Effect.map(ledger.takeDue({ ...unlimited, now: 0, leaseMillis: 1, limit: 2 }), (found) =>
      found.map(({ paymentId }) => paymentId).toSorted()
    )
    expect(yield* two).toEqual(ids.slice(0, 2).toSorted())
    expect(yield* two).toEqual(ids.slice(2))
  })

  it("a page of many of one connection also has others that wait for less long", function* ({ ledger }) {
    // Before all that other tests left behind, and longest of all those of the one that hangs.
    const hanging = yield* Effect.forEach(Array.from({ length: 12 }), (_, index) => due(-1_000 + index, "hanging"))
    const books = yield* Effect.all([due(-30, "second"), due(-20, null), due(-10, "second")])
    const take = Effect.map(ledger.takeDue({ ...unlimited, now: -10, leaseMillis: 1_000_000, limit: 4 }), (found) =>
      found.map(({ connectionId, paymentId }) => [connectionId, paymentId])
    )
    const id = (book: PaymentBook | undefined) => book?.payment.id
    expect(yield* take).toEqual([
      ["hanging", id(hanging[0])],
      ["second", id(books[0])],
      [null, id(books[1])],
      ["hanging", id(hanging[1])]
    ])
    const rest = [...hanging.slice(2, 5).map((one) => ["hanging", id(one)]), ["second", id(books[2])]]
    expect((yield* take).toSorted()).toEqual(rest.toSorted())
    for (const { payment } of [...hanging, ...books]) yield* ledger.postpone(payment, null)
  })

  it("a connection's share leaves what is not under way, and all of others", function* ({ ledger }) {
    const at = -2_000
    const books = yield* Effect.forEach(["hanging", "hanging", "hanging", null, null, "other"], (connection, index) =>
      due(at + index, connection)
    )
    const query = { now: at + 10, leaseMillis: 1_000_000, limit: 100, limitPerConnection: 3 }
    const take = (...underWay: ReadonlyArray<readonly [string | null, number]>) =>
      Effect.map(ledger.takeDue({ ...query, underWay: new Map(underWay) }), (found) =>
        found.map(({ connectionId }) => connectionId)
      )
    expect(yield* take(["hanging", 2], [null, 3])).toEqual(["other", "hanging"])
    expect(yield* take(["hanging", 3])).toEqual([null, null])
    expect(yield* take(["hanging", 3])).toEqual([])
    expect(yield* take()).toEqual(["hanging", "hanging"])
    for (const { payment } of books) yield* ledger.postpone(payment, null)
  })

  it("checks that are due are counted by connection, as far as was asked", function* ({ ledger }) {
    const at = -3_000
    const books = yield* Effect.forEach(["one", "one", "one", null, "two"], (connection, index) =>
      due(at + index, connection)
    )
    const counted = (now: number, limit: number) =>
      Effect.map(ledger.dueByConnection({ now, limit }), (counts) =>
        Object.fromEntries(counts.map(({ connectionId, payments }) => [String(connectionId), payments]))
      )
    expect(yield* counted(at - 1, 10)).toEqual({})
    expect(yield* counted(at + 3, 10)).toEqual({ one: 3, null: 1 })
    expect(yield* counted(at + 4, 2)).toEqual({ one: 2, null: 1, two: 1 })
    for (const { payment } of books) yield* ledger.postpone(payment, null)
  })

  it("the connection that a write names is the one that is asked", function* ({ ledger }) {
    const at = -4_000
    const book = yield* due(at, "first")
    const moved = yield* moveAlong(book, rowOf("Charging", "ChargeUnanswered"))
    yield* ledger.commit({ ...moved.change, checkAt: at, checkedConnection: "second" })
    expect(yield* ledger.takeDue({ ...unlimited, now: at, leaseMillis: 0 })).toEqual([
      { tenant: book.payment.tenant, paymentId: book.payment.id, connectionId: "second" }
    ])
    yield* ledger.postpone(moved.after.payment, null)
  })

  it("each payment goes to one of 16 takers at once", function* () {
    const at = someTime()
    const books = yield* Effect.forEach(Array.from({ length: 20 }), () => due(at))
    const all = yield* atOnce(Array.from({ length: 16 }), () => taken(at, books))
    expect(all.flat().toSorted()).toEqual(books.map(({ payment }) => payment.id).toSorted())
  })

  it("a write's time replaces the one before, and a write without one ends it", function* ({ ledger }) {
    const at = someTime()
    const book = yield* due(at)
    const moved = yield* moveAlong(book, rowOf("Charging", "ChargeUnanswered"))
    yield* ledger.commit({ ...moved.change, checkAt: at + 100 })
    expect(yield* taken(at + 99, [book])).toEqual([])
    expect(yield* taken(at + 100, [book])).toEqual([book.payment.id])
    yield* written(moveAlong(moved.after, rowOf("ChargeUnknown", "ChargeNotFound")))
    expect(yield* taken(at + 10_000, [book])).toEqual([])
    // Nor is one taken that never had a time.
    expect(yield* taken(Number.MAX_SAFE_INTEGER - 1000, [yield* due(null)], 0)).toEqual([])
  })

  it("a check is postponed to its time, and stays as written where it was since", function* ({ ledger }) {
    const at = someTime()
    const book = yield* due(at)
    yield* ledger.postpone(book.payment, at + 50)
    expect(yield* taken(at + 49, [book])).toEqual([])
    expect(yield* taken(at + 50, [book])).toEqual([book.payment.id])
    const moved = yield* moveAlong(book, rowOf("Charging", "ChargeUnanswered"))
    yield* ledger.commit({ ...moved.change, checkAt: at + 200 })
    yield* ledger.postpone(book.payment, at + 60)
    yield* ledger.postpone(book.payment, null)
    expect(yield* taken(at + 199, [book])).toEqual([])
    expect(yield* taken(at + 200, [book])).toEqual([book.payment.id])
    yield* ledger.postpone(moved.after.payment, null)
    expect(yield* taken(at + 10_000, [book])).toEqual([])
  })
})

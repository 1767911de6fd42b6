/** A payment's book holds each operation and refund once, oldest first, and is of one moment. */
import { expect } from "@effect/vitest"
import { Ledger } from "@pointsman/core/ports"
import { Effect, Fiber, Option } from "effect"
import { moveAlong, reach, rowOf, type Walked, written } from "./Given.ts"
import { newOperation, newRefund, writeEntries } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"

/** Writes entries of the payment, and gives it as it is then. */
const write = Effect.fnUntraced(function* (before: Walked, entries: Parameters<typeof writeEntries>[1]) {
  const { after, change } = writeEntries(before, entries)
  yield* (yield* Ledger).commit(change)
  return after
})

const bookOf = Effect.fnUntraced(function* ({ payment }: Walked) {
  return Option.getOrThrow(yield* (yield* Ledger).book(payment.tenant, payment.id))
})

export const books = chapter("books", (it) => {
  it("an operation written again is replaced and the others stay", function* ({ tenant }) {
    const { walked } = yield* reach(tenant, "Authorized")
    const [first, second] = [yield* newOperation(walked.payment), yield* newOperation(walked.payment)]
    const begun = yield* write(walked, { operations: [{ ...first, outcome: "Refused", answeredAt: 3 }, second] })
    expect(yield* bookOf(begun)).toStrictEqual(begun)

    const ended = {
      ...second,
      idempotencyKey: "key-0001",
      requestedMinor: 900,
      money: { ...second.money, minorUnits: 900 },
      answeredAt: 5,
      outcome: "Confirmed",
      code: "00",
      reason: "as asked",
      reply: { _tag: "Done", payment: walked.payment }
    } as const
    const after = yield* write(begun, { operations: [ended] })
    expect((yield* bookOf(after)).operations).toStrictEqual([{ ...first, outcome: "Refused", answeredAt: 3 }, ended])
    expect(yield* bookOf(after)).toStrictEqual(after)
  })

  it("a refund written again is replaced and the others stay", function* ({ tenant }) {
    const { walked } = yield* reach(tenant, "Captured")
    const money = { ...walked.payment.money, minorUnits: 300 }
    const [first, second] = [yield* newRefund(walked.payment, { money }), yield* newRefund(walked.payment, { money })]
    const begun = yield* write(walked, { refunds: [first, second] })
    expect(begun.payment.refundPendingMinor).toBe(600)
    expect(yield* bookOf(begun)).toStrictEqual(begun)

    const ended = {
      ...second,
      stage: "Succeeded",
      money: { ...money, minorUnits: 250 },
      requestedMinor: 300,
      reason: "a broken lamp",
      idempotencyKey: "key-0001",
      providerRefundId: "re_1",
      answeredAt: 5,
      settledAt: 6,
      code: "00",
      failureReason: "none",
      reply: { _tag: "Done", payment: walked.payment }
    } as const
    const after = yield* write(begun, { refunds: [ended] })
    expect(after.payment).toMatchObject({ refundedMinor: 250, refundPendingMinor: 300 })
    expect((yield* bookOf(after)).refunds).toStrictEqual([first, ended])
    expect(yield* bookOf(after)).toStrictEqual(after)
  })

  it("a book has entries written in any order with the oldest first", function* ({ tenant }) {
    const { walked } = yield* reach(tenant, "Captured")
    const { payment } = walked
    const money = { ...payment.money, minorUnits: 1 }
    const operations = yield* Effect.forEach(Array(4).keys(), () => newOperation(payment, { outcome: "Refused" }))
    const refunds = yield* Effect.forEach(Array(4).keys(), () => newRefund(payment, { money }))
    let after = walked
    for (const index of [2, 0]) {
      after = yield* write(after, {
        operations: [...operations.slice(index, index + 2)].toReversed(),
        refunds: [...refunds.slice(index, index + 2)].toReversed()
      })
    }
    const book = yield* bookOf(walked)
    expect(book.operations).toStrictEqual(operations)
    expect(book.refunds).toStrictEqual(refunds)
  })

  it("the book of a payment without operations has its attempts in order", function* ({ tenant }) {
    const { walked } = yield* reach(tenant, "Charging")
    let last = walked
    for (let count = 0; count < 3; count++) {
      const { after } = yield* written(moveAlong(last, rowOf("Charging", "AttemptFollowed")))
      last = after
    }
    expect(yield* bookOf(last)).toStrictEqual(last)
    expect((yield* bookOf(last)).attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4])
  })

  it("a book read during a write is of one moment each time", function* ({ tenant }) {
    const { walked } = yield* reach(tenant, "Captured")
    const { version } = walked.payment
    const writes = 40
    const writer = yield* Effect.forkChild(
      Effect.gen(function* () {
        let last = walked
        for (let count = 0; count < writes; count++) {
          const refund = yield* newRefund(last.payment, { money: { ...last.payment.money, minorUnits: 1 } })
          const operation = yield* newOperation(last.payment, { outcome: "Refused" })
          last = yield* write(last, { operations: [operation], refunds: [refund] })
        }
      })
    )
    let seen = 0
    // Far more than the writer can take, so that a missed write ends the test.
    for (let poll = 0; poll < 100_000 && seen < writes; poll++) {
      const { operations, payment, refunds } = yield* bookOf(walked)
      seen = payment.version - version
      expect([operations.length, refunds.length, payment.refundPendingMinor]).toEqual([seen, seen, seen])
      yield* Effect.yieldNow
    }
    yield* Fiber.join(writer)
    expect(seen).toBe(writes)
  })
})

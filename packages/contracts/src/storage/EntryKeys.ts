/**
 * A key names one refund of a payment for good, and one operation of a payment and kind for as long as it is in flight
 * or has a reply. A second one is no race, which the version settles, but a defect: it dies and writes nothing.
 */
import { expect } from "@effect/vitest"
import { type Change, Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { dies, newTenant, reach, type Walked } from "./Given.ts"
import { newOperation, newRefund, writeEntries } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"

const idempotencyKey = "key-0001"
const part = { minorUnits: 100, currency: "EUR" } as const

const commits = Effect.fnUntraced(function* ({ after, change }: ReturnType<typeof writeEntries>) {
  const ledger = yield* Ledger
  yield* ledger.commit(change)
  expect(Option.getOrThrow(yield* ledger.book(change.tenant, after.payment.id))).toStrictEqual(after)
  return after
})

const diesWith = ({ change }: { readonly change: Change }) => dies(change)

const given = (state: "Captured" | "Authorized") =>
  Effect.map(
    Effect.flatMap(newTenant(), (tenant) => reach(tenant, state)),
    ({ walked }) => walked
  )
const captured = given("Captured")
const authorized = given("Authorized")

const refundUnderKey = ({ payment }: Walked) => newRefund(payment, { money: part, idempotencyKey })

export const entryKeys = chapter("keys of operations and refunds", (it) => {
  for (const stage of ["Sending", "Unknown", "Succeeded", "Refused", "Failed"] as const) {
    it(`another refund with the key of one that is ${stage} dies`, function* () {
      const start = yield* captured
      const first = yield* commits(writeEntries(start, { refunds: [{ ...(yield* refundUnderKey(start)), stage }] }))
      yield* diesWith(writeEntries(first, { refunds: [yield* refundUnderKey(first)] }))
    })
  }

  it("a new key of two refunds of one change dies", function* () {
    const start = yield* captured
    yield* diesWith(writeEntries(start, { refunds: [yield* refundUnderKey(start), yield* refundUnderKey(start)] }))
  })

  it("a refund is written with the key of another payment's", function* () {
    const { tenant } = (yield* captured).payment
    for (let count = 0; count < 2; count++) {
      const { walked } = yield* reach(tenant, "Captured")
      yield* commits(writeEntries(walked, { refunds: [yield* refundUnderKey(walked)] }))
    }
  })

  it("operations and refunds without a key are all written as more of them come", function* () {
    let last = yield* captured
    for (let count = 0; count < 2; count++) {
      const reply = { _tag: "ResultUnknown" } as const
      last = yield* commits(
        writeEntries(last, {
          operations: [yield* newOperation(last.payment, { outcome: "Refused", reply })],
          refunds: [yield* newRefund(last.payment, { money: part })]
        })
      )
    }
  })

  const replied = { outcome: "Unanswered", reply: { _tag: "ResultUnknown" } } as const
  for (const [words, fields] of [
    ["in flight", {}],
    ["with a reply", replied]
  ] as const) {
    it(`another operation with the kind and key of one ${words} dies`, function* () {
      const start = yield* authorized
      const operations = [yield* newOperation(start.payment, { idempotencyKey, ...fields })]
      const first = yield* commits(writeEntries(start, { operations }))
      yield* diesWith(writeEntries(first, { operations: [yield* newOperation(start.payment, { idempotencyKey })] }))
    })
  }

  it("another operation with the key of a refused one is written beside it", function* () {
    let last = yield* authorized
    for (let count = 0; count < 3; count++) {
      const operation = yield* newOperation(last.payment, { idempotencyKey })
      last = yield* commits(writeEntries(last, { operations: [operation] }))
      last = yield* commits(writeEntries(last, { operations: [{ ...operation, outcome: "Refused" }] }))
    }
    expect(last.operations).toHaveLength(3)
  })

  it("a void and another payment's capture are written with a capture's key", function* () {
    const start = yield* authorized
    const first = yield* commits(
      writeEntries(start, {
        operations: [
          yield* newOperation(start.payment, { idempotencyKey, kind: "capture" }),
          yield* newOperation(start.payment, { idempotencyKey, kind: "void" })
        ]
      })
    )
    const { walked: other } = yield* reach(first.payment.tenant, "Authorized")
    yield* commits(writeEntries(other, { operations: [yield* newOperation(other.payment, { idempotencyKey })] }))
  })
})

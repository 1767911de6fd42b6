/** Refunds are an account: after every change they add up to what their payment says. What does not dies, unwritten. */
import { expect } from "@effect/vitest"
import { type Payment, type Refund, refundStages } from "@pointsman/core"
import { type Change, Ledger } from "@pointsman/core/ports"
import { Effect, Exit, Option } from "effect"
import { dies, moveAlong, newTenant, reach, rowOf, traceOf, written } from "./Given.ts"
import { newRefund, writeEntries } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"
import { atOnce } from "./Unguarded.ts"

/** A captured payment of 1000, of which 300 are being given back and 200 were. */
const given = Effect.gen(function* () {
  const { walked } = yield* reach(yield* newTenant(), "Captured")
  const { money } = walked.payment
  const pending = yield* newRefund(walked.payment, { stage: "Pending", money: { ...money, minorUnits: 300 } })
  const succeeded = yield* newRefund(walked.payment, { stage: "Succeeded", money: { ...money, minorUnits: 200 } })
  const another = yield* newRefund(walked.payment, { money: { ...money, minorUnits: 100 } })
  const { after, change } = writeEntries(walked, { refunds: [pending, succeeded] })
  yield* (yield* Ledger).commit(change)
  return { another, pending, stored: after, succeeded }
})
type Given = Effect.Success<typeof given>

/** A sound change, but for what its payment says. */
const saying = ({ stored }: Given, refunds: ReadonlyArray<Refund>, said: Partial<Payment>): Change => {
  const { change } = writeEntries(stored, { refunds })
  return { ...change, payment: { ...change.payment, after: { ...change.payment.after, ...said } } }
}

const totals = (refundedMinor: number, refundPendingMinor: number) => ({ refundedMinor, refundPendingMinor })

const mismatches: Readonly<Record<string, (given: Given) => Change>> = {
  "the payment reserves more than its refunds": (given) => saying(given, [given.another], totals(200, 401)),
  "the payment does not reserve what a new refund asks for": (given) =>
    saying(given, [given.another], totals(200, 300)),
  "the payment forgets the refunds before it": (given) => saying(given, [given.another], totals(0, 100)),
  "a refund succeeds and its amount stays reserved": (given) =>
    saying(given, [{ ...given.pending, stage: "Succeeded" }], totals(200, 300)),
  "a refund fails and its amount stays reserved": (given) =>
    saying(given, [{ ...given.pending, stage: "Failed" }], totals(200, 300)),
  "a refund is not settled and its amount counts as refunded": (given) =>
    saying(given, [given.pending], totals(500, 0)),
  "more is given back than the payment says, which says all of it": (given) =>
    saying(given, [{ ...given.another, money: { ...given.another.money, minorUnits: 501 } }], totals(200, 800)),
  "the totals move without a refund": (given) => saying(given, [], totals(500, 0)),
  "the totals are cleared without a refund": (given) => saying(given, [], totals(0, 0)),
  "the payment is of another amount than it was created for": (given) =>
    saying(given, [], { money: { ...given.stored.payment.money, minorUnits: 2000 } }),
  "the payment is in another currency than it was created in": (given) =>
    saying(given, [], { money: { ...given.stored.payment.money, currency: "GBP" } }),
  "the payment was created at another time": (given) =>
    saying(given, [], { createdAt: given.stored.payment.createdAt - 1 })
}

export const balances = chapter("balances", (it) => {
  it("the payment's totals are the sums of its refunds in every stage", function* ({ ledger, tenant }) {
    const { walked } = yield* reach(tenant, "Captured")
    const refunds = yield* Effect.forEach(refundStages, (stage, index) =>
      newRefund(walked.payment, { stage, money: { ...walked.payment.money, minorUnits: 2 ** index } })
    )
    const { after, change } = writeEntries(walked, { refunds })
    yield* ledger.commit(change)
    const book = Option.getOrThrow(yield* ledger.book(after.payment.tenant, after.payment.id))
    // Sending, Pending and Unknown are 1, 2 and 4; Succeeded is 8.
    expect(book.payment).toMatchObject(totals(8, 7))
    expect(book).toStrictEqual(after)
  })

  it("the totals stay the refund's when its payment moves for another reason", function* () {
    const { stored } = yield* given
    const { after, change } = yield* written(moveAlong(stored, rowOf("Captured", "DisputeOpened")))
    expect(yield* traceOf(change)).toMatchObject({ book: Option.some(after) })
  })

  for (const [because, spoil] of Object.entries(mismatches)) {
    it(`refunds die and write nothing when ${because}`, function* ({ ledger }) {
      const all = yield* given
      const sound = writeEntries(all.stored, { refunds: [all.another] })
      const broken = { ...spoil(all), attempts: all.stored.attempts.map((one) => ({ ...one, code: "changed" })) }
      yield* dies(broken)
      // It left nothing in the way.
      yield* ledger.commit(sound.change)
      expect(yield* traceOf(sound.change)).toMatchObject({ book: Option.some(sound.after) })
    })
  }

  it("Stale is reported first of a stale change that would not add up either", function* ({ ledger }) {
    const { another, stored } = yield* given
    const first = writeEntries(stored, { refunds: [another] })
    const second = writeEntries(stored, { refunds: [yield* newRefund(stored.payment, { money: another.money })] })
    yield* ledger.commit(first.change)
    expect((yield* Effect.flip(ledger.commit(second.change)))._tag).toBe("pointsman/Stale")
  })

  it("one of several changes at once that does not add up dies; the others are written", function* ({ ledger }) {
    const all = yield* Effect.forEach(Array(8).keys(), () => given)
    const sound = all.map(({ another, stored }) => writeEntries(stored, { refunds: [another] }))
    const changes = sound.map(({ change }, index) =>
      index === 3
        ? { ...change, payment: { ...change.payment, after: { ...change.payment.after, refundPendingMinor: 0 } } }
        : change
    )
    const exits = yield* atOnce(changes, (change) => Effect.exit(ledger.commit(change)))
    for (const [index, exit] of exits.entries()) {
      const { after, change } = sound[index] as (typeof sound)[number]
      expect(Exit.isSuccess(exit)).toBe(index !== 3)
      expect(Exit.hasDies(exit)).toBe(index === 3)
      const { stored } = all[index] as Given
      expect(yield* traceOf(change)).toMatchObject({ book: Option.some(index === 3 ? stored : after) })
    }
  })
})

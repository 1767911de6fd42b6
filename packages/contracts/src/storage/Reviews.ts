/** Payments under review are found at once, among however many payments, and only by their own tenant. */
import { expect } from "@effect/vitest"
import { type Correction, money, type Payment, type Tenant } from "@pointsman/core"
import { Ledger, type ReviewQuery } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { firstChange, moveAlong, newTenant, reach, rowOf, written } from "./Given.ts"
import { nextOf } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"
import { pagesOf } from "./Unguarded.ts"

/** Of those that this test made: the store is shared. */
const waiting = Effect.fnUntraced(function* (made: ReadonlyArray<Payment>, query: Partial<ReviewQuery> = {}) {
  const found = yield* (yield* Ledger).reviews({ limit: 1000, ...query })
  return found.filter(({ id }) => made.some((one) => one.id === id))
})

const unknown = Effect.fnUntraced(function* (tenant: Tenant) {
  yield* TestClock.adjust(1)
  return (yield* reach(tenant, "ChargeUnknown")).walked
})

const correction: Correction = {
  id: "cor_01a1fe08-9226-7266-a33a-e3e7f1609a4e",
  state: "proposed",
  stated: { _tag: "Charge", says: "captured", attemptId: null, amountMinor: 1999, providerRef: "ch_1" },
  target: { attemptId: "att_1", operationId: null, amountMinor: 1999 },
  evidence: { evidence: "dashboard “Ü” \n", by: "Jo", fileHash: "0".repeat(64), providerReference: "case 17" },
  proposedBy: { of: "operators", id: "opr_01a1fe08-9226-7266-a33a-e3e7f1609a4e", name: "Jo" },
  proposedAt: 1,
  version: 3,
  decision: null
}

export const reviews = chapter("reviews", (it) => {
  it("an unknown result waits with its tenant, and ends with the result", function* () {
    const walked = yield* unknown(yield* newTenant("production"))
    expect(yield* waiting([walked.payment])).toStrictEqual([walked.payment])
    expect(walked.payment.review).toEqual({ since: walked.payment.updatedAt, reasons: ["unknown"] })
    const { after } = yield* written(moveAlong(walked, rowOf("ChargeUnknown", "ChargeCaptured")))
    expect(yield* waiting([after.payment])).toEqual([])
  })

  it("a contradiction waits also when the payment continues", function* ({ tenant }) {
    const { walked } = yield* reach(tenant, "Captured")
    const told = yield* written(moveAlong(walked, rowOf("Captured", "SecondChargeReported")))
    const later = yield* written(moveAlong(told.after, rowOf("Captured", "SettlementReported")))
    expect(yield* waiting([walked.payment])).toStrictEqual([later.after.payment])
    expect(later.after.payment.review?.reasons).toEqual(["double_charge"])
  })

  it("the longest waiting of several tenants come first, or a named tenant's own", function* () {
    const [one, other] = [yield* newTenant("production"), yield* newTenant("sandbox")]
    const first = (yield* unknown(one)).payment
    const second = (yield* unknown(other)).payment
    const third = (yield* unknown(one)).payment
    const made = [first, second, third]
    expect(yield* waiting(made)).toEqual(made)
    expect(yield* waiting(made, { tenant: one })).toEqual([first, third])
    expect(yield* waiting(made, { tenant: { ...one, environment: "sandbox" } })).toEqual([])
    expect(yield* waiting(made, { paymentId: second.id })).toEqual([second])
    expect(yield* waiting(made, { paymentId: second.id, tenant: one })).toEqual([])
    expect(yield* waiting(made, { paymentId: "" })).toEqual([])
  })

  it("corrections are read as written, with and without a provider's report", function* ({ ledger, tenant }) {
    for (const reported of [null, { isPaidOut: true, disputes: [], contradictions: ["charge:Canceled"] }]) {
      const before = (yield* unknown(tenant)).payment
      const review = { since: before.updatedAt, reasons: ["unknown", "correction"] as const }
      const proposed = nextOf(before, { reported, review, corrections: [correction] })
      const payment = proposed.payment.after
      yield* ledger.commit(proposed)
      expect(yield* ledger.payment(tenant, payment.id)).toStrictEqual(Option.some(payment))
      expect(yield* waiting([payment], { tenant })).toStrictEqual([payment])
      const decision = { by: correction.proposedBy, at: 7, reason: "another amount" }
      const decided = { ...correction, state: "rejected" as const, decision }
      const rejected = nextOf(payment, { corrections: [decided, correction] })
      yield* ledger.commit(rejected)
      expect(yield* ledger.payment(tenant, payment.id)).toStrictEqual(Option.some(rejected.payment.after))
    }
  })

  it("each page of reviews begins after the last, also where two wait as long", function* ({ ledger, tenant }) {
    yield* TestClock.adjust(1)
    const alike = yield* Effect.forEach([1, 2], () => reach(tenant, "ChargeUnknown"))
    const made = [...alike.map(({ walked }) => walked.payment), (yield* unknown(tenant)).payment]
    const seen = yield* pagesOf((last?: Payment) =>
      ledger.reviews({ tenant, after: last && { since: last.review?.since ?? 0, paymentId: last.id }, limit: 1 })
    )
    expect(seen).toEqual(made)
  })

  it("pages in the order of amounts begin with the largest of each currency", function* ({ ledger }) {
    const tenant = yield* newTenant("production")
    const made: Array<Payment> = []
    for (const [minorUnits, currency] of [
      [900, "EUR"],
      [5, "USD"],
      [10_000, "EUR"],
      [900, "EUR"],
      [7000, "CHF"]
    ] as const) {
      const { after } = yield* written(firstChange(tenant, { payment: { money: money(minorUnits, currency) } }))
      const unknown = yield* written(moveAlong(after, rowOf("Charging", "ChargeUnanswered")))
      made.push(unknown.after.payment)
    }
    const expected = [4, 2, 0, 3, 1].map((at) => made[at])
    expect(yield* ledger.reviews({ tenant, byAmount: {}, limit: 10 })).toStrictEqual(expected)
    const seen = yield* pagesOf((last?: Payment) =>
      ledger.reviews({ tenant, byAmount: { after: last && { money: last.money, paymentId: last.id } }, limit: 1 })
    )
    expect(seen).toStrictEqual(expected)
    expect(yield* ledger.reviews({ tenant: { ...tenant, environment: "sandbox" }, byAmount: {}, limit: 1 })).toEqual([])
  })
})

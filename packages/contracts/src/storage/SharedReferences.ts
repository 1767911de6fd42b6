/** One reference of a provider that many payments name, none of which it moved money for: few of them are read at once. */
import { expect } from "@effect/vitest"
import type { Attempt, Payment, Tenant } from "@pointsman/core"
import { mostNamed } from "@pointsman/core/internal"
import { Ledger, type PaymentFilter } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { firstChange, moveAlong, rowOf } from "./Given.ts"
import { nextOf, withReference } from "./GivenEntries.ts"
import { walk } from "./PaymentSearch.ts"
import { chapter } from "./StorageTest.ts"

const reference = "ch-1"
const charge = { connectionId: "first", providerRef: reference }
const many = mostNamed + 5

export const sharedReferences = chapter("a reference of many payments", (it) => {
  it("a message may be about any of declined attempts, and the oldest are named", function* ({ ledger, tenant }) {
    const ids = yield* writeDeclined(tenant, many)
    expect(yield* meant(tenant)).toEqual(ids.slice(0, mostNamed))
    const change = yield* captured(tenant)
    yield* ledger.commit(change)
    expect(yield* meant(tenant)).toEqual([change.payment.after.id])
  })

  it("a message that names one attempt id of many payments means the newest", function* ({ ledger, tenant }) {
    const ids = yield* writeDeclined(tenant, many, { attemptId: "att-1" })
    const found = yield* ledger.bookOf(tenant, { attemptId: "att-1" })
    expect(Option.map(found, ({ book }) => book.payment.id)).toEqual(Option.some(ids.at(-1)))
  })

  it("a message that names an attempt id means the payment that was sent", function* ({ ledger, tenant }) {
    const [sent, givenUp] = yield* writeDeclined(tenant, 2, { attemptId: "att-1" })
    const found = Effect.map(
      ledger.bookOf(tenant, { attemptId: "att-1" }),
      Option.map(({ book }) => book.payment.id)
    )
    expect(yield* found).toEqual(Option.some(givenUp))
    const abandoned = (one: Attempt) => ({ ...one, outcome: "Abandoned", providerRef: null }) as const
    yield* writeAttempts(tenant, givenUp, abandoned)
    expect(yield* found).toEqual(Option.some(sent))
    yield* writeAttempts(tenant, sent, abandoned)
    expect(yield* found).toEqual(Option.some(givenUp))
  })

  it("all that share a reference are found by it, in pages, each once", function* ({ ledger, tenant }) {
    const ids = yield* writeDeclined(tenant, many)
    const second = { number: 2, connectionId: "second" }
    yield* writeAttempts(tenant, ids[0], (one) => ({ ...one, id: `${one.id}-2`, ...second }))
    const [renamed] = yield* writeDeclined(tenant, 1)
    yield* writeAttempts(tenant, renamed, (one) => ({ ...one, providerRef: "ch-2" }))
    const change = yield* captured(tenant)
    yield* ledger.commit(change)
    const payment = change.payment.after
    const declined = ids.toReversed()
    const all = [payment.id, ...declined]
    for (const [filter, expected] of [
      [{}, all],
      [{ currency: payment.money.currency }, all],
      [{ states: ["Declined"] }, declined]
    ] satisfies ReadonlyArray<readonly [PaymentFilter, ReadonlyArray<string>]>) {
      const asked = { ...filter, providerRef: reference }
      expect(idsOf(yield* ledger.payments(tenant, { ...asked, limit: 100 }))).toEqual(expected)
      expect(idsOf(yield* ledger.payments(tenant, { ...asked, limit: 7 }))).toEqual(expected.slice(0, 7))
      expect(idsOf(yield* walk(tenant, asked))).toEqual(expected)
    }
  })
})

const idsOf = (payments: ReadonlyArray<Payment>): ReadonlyArray<string> => payments.map(({ id }) => id)

/** The payments that a message about the charge is about. */
const meant = Effect.fnUntraced(function* (tenant: Tenant) {
  const { book, others } = Option.getOrThrow(yield* (yield* Ledger).bookOf(tenant, charge))
  return [book.payment.id, ...others]
})

/** Payments that were declined under the reference: their ids, the oldest first. */
const writeDeclined = Effect.fnUntraced(function* (
  tenant: Tenant,
  count: number,
  { attemptId }: { readonly attemptId?: string } = {}
) {
  const ledger = yield* Ledger
  const named = (one: Attempt): Attempt => ({ ...one, id: attemptId ?? one.id, ...charge })
  const ids: Array<string> = []
  for (let at = 0; at < count; at++) {
    const { after, change } = yield* firstChange(tenant)
    yield* ledger.commit({ ...change, attempts: change.attempts.map((one) => ({ ...named(one), providerRef: null })) })
    const declined = (yield* moveAlong(after, rowOf("Charging", "ChargeDeclined"))).change
    yield* ledger.commit({ ...declined, attempts: declined.attempts.map(named) })
    ids.push(after.payment.id)
  }
  return ids
})

/** A charge that has the reference, not yet written. */
const captured = Effect.fnUntraced(function* (tenant: Tenant) {
  const { after, change } = yield* firstChange(tenant)
  yield* (yield* Ledger).commit(change)
  const moved = yield* moveAlong(after, rowOf("Charging", "ChargeCaptured"))
  return withReference(moved.change, reference)
})

const writeAttempts = Effect.fnUntraced(function* (
  tenant: Tenant,
  id: string | undefined,
  change: (attempt: Attempt) => Attempt
) {
  const ledger = yield* Ledger
  const { attempts, payment } = Option.getOrThrow(yield* ledger.book(tenant, id ?? ""))
  yield* ledger.commit(nextOf(payment, {}, { attempts: attempts.map(change) }))
})

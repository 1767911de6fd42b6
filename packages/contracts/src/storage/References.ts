/**
 * A provider's reference belongs to one payment of a connection: a second commit fails with the first payment's id. Few of
 * many payments that name one reference, none of which it moved money for, are read at once.
 */
import { expect } from "@effect/vitest"
import type { Attempt, Payment, Tenant } from "@pointsman/core"
import { mostNamed } from "@pointsman/core/internal"
import { type Change, Ledger, type PaymentFilter, ReferenceTaken } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { firstChange, moveAlong, newTenant, reach, rowOf, traceOf, type Walked, written } from "./Given.ts"
import { nextOf, withReference } from "./GivenEntries.ts"
import { walk } from "./PaymentSearch.ts"
import { chapter } from "./StorageTest.ts"
import { race, racers, rounds } from "./Unguarded.ts"

export const references = chapter("references of charges", (it) => {
  it("another payment's reference is refused with its name, and nothing is written", function* ({ ledger, tenant }) {
    const first = yield* written(captured(tenant, "ch-1"))
    const second = yield* captured(tenant, "ch-1")
    const before = yield* traceOf(second.change)
    expect(yield* failureOf(second.change)).toEqual(taken("ch-1", first.change))
    expect(yield* traceOf(second.change)).toStrictEqual(before)
    // Whatever the provider says of it next.
    const other = yield* written(captured(tenant, "ch-2", second.before))
    expect(yield* ledger.payment(tenant, other.change.payment.after.id)).toStrictEqual(
      Option.some(other.change.payment.after)
    )
  })

  it("a payment written again keeps its reference, and may take another one", function* ({ ledger, tenant }) {
    const { after } = yield* written(captured(tenant, "ch-1"))
    const settled = yield* written(moveAlong(after, rowOf("Captured", "SettlementReported")))
    const { payment } = settled.after
    yield* ledger.commit(nextOf(payment, { providerRef: "ch-2" }))
    expect(Option.getOrThrow(yield* ledger.payment(tenant, payment.id)).providerRef).toBe("ch-2")
  })

  it("a change after a later writer of the payment is stale and takes nothing", function* ({ ledger, tenant }) {
    const { before, change } = yield* captured(tenant, "ch-1")
    const late = yield* captured(tenant, "ch-2", before)
    yield* ledger.commit(change)
    expect(yield* failureOf(late.change)).toMatchObject({ _tag: "pointsman/Stale" })
    yield* written(captured(tenant, "ch-2"))
  })

  it("other connections, workspaces and environments each have the reference once", function* ({ ledger, tenant }) {
    const elsewhere: Tenant = { ...tenant, environment: "production" }
    yield* written(captured(tenant, "ch-1"))
    yield* written(captured(elsewhere, "ch-1"))
    yield* ledger.commit((yield* captured(yield* newTenant(), "ch-1")).change)
    const { change } = yield* captured(tenant, "ch-1")
    const connectionId = "second"
    yield* ledger.commit({
      ...change,
      payment: { ...change.payment, after: { ...change.payment.after, connectionId } },
      attempts: change.attempts.map((attempt) => ({ ...attempt, connectionId }))
    })
  })

  for (const outcome of ["Authorized", "Captured", "Pending", "Mismatched"] as const) {
    it(`an attempt that ended ${outcome} keeps its reference beside its payment's own`, function* ({ ledger, tenant }) {
      const first = yield* captured(tenant, "ch-1")
      const attempts = first.change.attempts.map((attempt) => ({ ...attempt, outcome, providerRef: "ch-2" }))
      yield* ledger.commit({ ...first.change, attempts })
      for (const reference of ["ch-1", "ch-2"]) {
        const { change } = yield* captured(tenant, reference)
        expect(yield* failureOf(change)).toEqual(taken(reference, first.change))
      }
    })
  }

  for (const outcome of ["Declined", "Rejected", "Canceled"] as const) {
    it(`an attempt that ended ${outcome} takes no reference, nor names another's`, function* ({ ledger, tenant }) {
      const { change } = yield* captured(tenant, "ch-1")
      const attempts = change.attempts.map((attempt) => ({ ...attempt, outcome, providerRef: "ch-2" }))
      yield* ledger.commit({ ...change, attempts })
      const second = yield* written(captured(tenant, "ch-2"))
      const third = (yield* captured(tenant, "ch-3")).change
      const named = third.attempts.map((attempt) => ({ ...attempt, outcome, providerRef: "ch-2" }))
      expect(yield* failureOf({ ...third, attempts: named })).toEqual(taken("ch-2", second.change))
    })
  }

  const references = {
    empty: "",
    "with what databases do not hold": "a\u0000b\ud800",
    "longer than an index holds": "x".repeat(10_000),
    "like another but for its case": "CH-1"
  }
  for (const [name, reference] of Object.entries(references)) {
    it(`a reference that is ${name} is one like all others`, function* ({ tenant }) {
      yield* written(captured(tenant, "ch-1"))
      const first = yield* written(captured(tenant, reference))
      expect(yield* failureOf((yield* captured(tenant, reference)).change)).toEqual(taken(reference, first.change))
    })
  }

  it(`one of ${racers} payments takes a reference at once, and others learn who`, function* ({ ledger }) {
    for (let round = 0; round < rounds / 5; round++) {
      const tenant = yield* newTenant()
      const { lost, won } = yield* raceFor(tenant, () => "ch-1")
      expect(won).toHaveLength(1)
      const winner = won[0] as Change
      expect(lost.map(({ failure }) => failure)).toEqual(Array(racers - 1).fill(taken("ch-1", winner)))
      const found = yield* ledger.bookOf(tenant, { connectionId: "first", providerRef: "ch-1" })
      expect(Option.map(found, ({ book, others }) => [book.payment.id, others])).toEqual(
        Option.some([winner.payment.after.id, []])
      )
    }
  })

  it("a reference for each two payments is taken once by all at once", function* ({ tenant }) {
    const { lost, won } = yield* raceFor(tenant, (index) => `ch-${index % (racers / 2)}`)
    expect(new Set(won.map(({ payment }) => payment.after.providerRef)).size).toBe(racers / 2)
    expect(lost.map(({ failure }) => failure._tag)).toEqual(Array(racers / 2).fill("pointsman/ReferenceTaken"))
  })

  it("control: all payments with references of their own are written at once", function* ({ tenant }) {
    const { won } = yield* raceFor(tenant, (index) => `ch-${index}`)
    expect(won).toHaveLength(racers)
  })
})

/** A charge that is answered with the reference, not yet written. */
const captured = Effect.fnUntraced(function* (tenant: Tenant, reference: string, charging?: Walked) {
  const before = charging ?? (yield* reach(tenant, "Charging")).walked
  const moved = yield* moveAlong(before, rowOf("Charging", "ChargeCaptured"))
  const change = withReference(moved.change, reference)
  return { before, change, after: { ...moved.after, payment: change.payment.after, attempts: change.attempts } }
})

const taken = (providerRef: string, { payment }: Change) =>
  new ReferenceTaken({ connectionId: "first", providerRef, paymentId: payment.after.id })

const failureOf = (change: Change) => Effect.flip(Effect.flatMap(Ledger, ({ commit }) => commit(change)))

const raceFor = Effect.fnUntraced(function* (tenant: Tenant, reference: (index: number) => string) {
  const ledger = yield* Ledger
  const changes = yield* Effect.forEach(Array(racers).keys(), (index) =>
    Effect.map(captured(tenant, reference(index)), ({ change }) => change)
  )
  return yield* race(changes, (change) => ledger.commit(change))
})

const reference = "ch-1"
const charge = { connectionId: "first", providerRef: reference }
const many = mostNamed + 5

export const sharedReferences = chapter("a reference of many payments", (it) => {
  it("a message may be about any of declined attempts, and the oldest are named", function* ({ tenant }) {
    const ids = yield* writeDeclined(tenant, many)
    expect(yield* meant(tenant)).toEqual(ids.slice(0, mostNamed))
    const { change } = yield* written(captured(tenant, reference))
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
    const { change } = yield* written(captured(tenant, reference))
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

const writeAttempts = Effect.fnUntraced(function* (
  tenant: Tenant,
  id: string | undefined,
  change: (attempt: Attempt) => Attempt
) {
  const ledger = yield* Ledger
  const { attempts, payment } = Option.getOrThrow(yield* ledger.book(tenant, id ?? ""))
  yield* ledger.commit(nextOf(payment, {}, { attempts: attempts.map(change) }))
})

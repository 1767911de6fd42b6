/**
 * Payments in every state, as they leave: those that may leave do, what is left and what left add up to what was there,
 * and a process that dies at any point of it leaves nothing that the next one does not finish.
 */
import { expect } from "@effect/vitest"
import { type Payment, type PaymentState, paymentStates, type Tenant } from "@pointsman/core"
import { removePayments } from "@pointsman/core/internal"
import { BeforeRemoval, Ledger, Retention, type StorageError, type WholePayment } from "@pointsman/core/ports"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { moveAlong, reach, rowOf } from "./Given.ts"
import { chapter } from "./StorageTest.ts"

const day = 24 * 60 * 60_000
const year = 366 * day

/** Where the table's shortest way leads without a review. */
const leaving: ReadonlySet<PaymentState> = new Set([
  "Captured",
  "PartiallyRefunded",
  "Refunded",
  "Settled",
  "Declined",
  "Failed",
  "Cancelled",
  "Voided"
])

const sweep = (tenant: Tenant, isDryRun = false) =>
  removePayments({ tenant, retentionMillis: year, isDryRun, pause: Effect.yieldNow, goesOn: Effect.succeed(true) })

const stored = (tenant: Tenant) => Effect.flatMap(Ledger, ({ payments }) => payments(tenant, { limit: 1000 }))

const sumsOf = (payments: ReadonlyArray<Payment>) =>
  payments.reduce(
    (sums, { authorizedMinor, capturedMinor, refundedMinor }) => ({
      payments: sums.payments + 1,
      authorized: sums.authorized + authorizedMinor,
      captured: sums.captured + capturedMinor,
      refunded: sums.refunded + refundedMinor
    }),
    { payments: 0, authorized: 0, captured: 0, refunded: 0 }
  )

/** What was given away before the removal, by id, as it was given last. */
const newArchive = () => {
  const given = new Map<string, WholePayment>()
  const archive = (payments: ReadonlyArray<WholePayment>) =>
    Effect.sync(() => {
      for (const one of payments) given.set(one.book.payment.id, one)
    })
  return { given, archive }
}

interface Death {
  readonly at: number
  calls: number
}

/** The process ends before a call or after it; what comes after is not done. */
const mortal = <Args extends ReadonlyArray<never>, A>(
  death: Death,
  call: (...args: Args) => Effect.Effect<A, StorageError>
) =>
  Effect.fnUntraced(function* (...args: Args) {
    const end = Effect.suspend(() => (++death.calls === death.at ? Effect.die("the process ended") : Effect.void))
    yield* end
    const done = yield* call(...args)
    yield* end
    return done
  })

export const retentionSweep = chapter("sweeps of payments", (it) => {
  it("closed payments leave after years, and the sums stay", function* ({ tenant }) {
    for (const state of paymentStates) yield* reach(tenant, state)
    const before = yield* stored(tenant)
    yield* TestClock.adjust(540 * day - 1)
    const { archive, given } = newArchive()
    const swept = Effect.provideService(sweep(tenant), BeforeRemoval, archive)
    const counted = yield* sweep(tenant, true)
    // Without money nothing can be disputed.
    expect(counted.kept.dispute_window).toBe(4)
    const early = yield* swept
    expect(early).toEqual({ payments: counted.payments, kept: {} })
    yield* TestClock.adjust(1)
    const late = yield* swept
    const left = [...given.values()].map(({ book }) => book.payment)
    expect(early.payments + late.payments).toBe(left.length)
    const statesOf = (payments: ReadonlyArray<Payment>) => payments.map(({ state }) => state).toSorted()
    expect(statesOf(left)).toEqual([...leaving].toSorted())
    const stays = yield* stored(tenant)
    expect(statesOf(stays)).toEqual(paymentStates.filter((state) => !leaving.has(state)).toSorted())
    expect(sumsOf([...left, ...stays])).toEqual(sumsOf(before))
  })

  it("a removal after one that died at any point finishes it and loses nothing", function* ({ retention, tenant }) {
    const { archive, given } = newArchive()
    let points = 0
    for (let at = 1; at <= 20; at++) {
      for (const state of ["Captured", "Failed", "Authorized"] as const) yield* reach(tenant, state)
      yield* TestClock.adjust(2 * year)
      const before = yield* stored(tenant)
      given.clear()
      const death: Death = { at, calls: 0 }
      const dying = sweep(tenant).pipe(
        Effect.provideService(BeforeRemoval, mortal(death, archive)),
        Effect.provideService(Retention, {
          ...retention,
          oldPayments: mortal(death, retention.oldPayments),
          remove: mortal(death, retention.remove)
        })
      )
      const isDead = Exit.isFailure(yield* Effect.exit(dying))
      const lost = before.filter(({ id }) => !given.has(id))
      const present = new Set((yield* stored(tenant)).map(({ id }) => id))
      expect(lost.filter(({ id }) => !present.has(id))).toEqual([])
      yield* Effect.provideService(sweep(tenant), BeforeRemoval, archive)
      const stays = yield* stored(tenant)
      expect(new Set(stays.map(({ state }) => state))).toEqual(new Set(["Authorized"]))
      const left = [...given.values()].map(({ book }) => book.payment)
      expect(sumsOf([...left, ...stays])).toEqual(sumsOf(before))
      if (!isDead) break
      points += 1
    }
    // The read, the archive and the removal, and a read of each of the four states without money, before and after each.
    expect(points).toBe(14)
  })

  it("a dispute between the archive and the removal leaves its payment whole", function* ({ ledger, tenant }) {
    const { walked } = yield* reach(tenant, "Captured")
    yield* reach(tenant, "Captured")
    yield* TestClock.adjust(2 * year)
    const { after, change } = yield* moveAlong(walked, rowOf("Captured", "DisputeOpened"))
    const disputes = () => Effect.orDie(ledger.commit(change))
    const removal = yield* Effect.provideService(sweep(tenant), BeforeRemoval, disputes)
    expect(removal.payments).toBe(1)
    expect(yield* stored(tenant)).toStrictEqual([after.payment])
    const again = yield* sweep(tenant)
    expect(again.payments).toBe(0)
  })

  it("each payment leaves once with two sweeps at once", function* ({ tenant }) {
    for (let count = 0; count < 5; count++) yield* reach(tenant, "Declined")
    yield* TestClock.adjust(2 * year)
    const both = yield* Effect.all([sweep(tenant), sweep(tenant)], { concurrency: 2 })
    expect(both.reduce((sum, { payments }) => sum + payments, 0)).toBe(5)
    expect(yield* stored(tenant)).toEqual([])
  })
})

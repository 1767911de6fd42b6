/**
 * Many writers, one winner. Each race has a control: the same race over a ledger that reads and then
 * writes without a guard. In the control all writers have read before one of them writes, and every one of them wins.
 */
import { expect } from "@effect/vitest"
import { PaymentMachine } from "@pointsman/core/internal"
import { type Change, type CommitFailure, type Ledger, Stale } from "@pointsman/core/ports"
import { Effect, Exit, Option } from "effect"
import { firstChange, moveAlong, newTenant, reach, reachRow, rowOf, traceOf, type Walked } from "./Given.ts"
import { newRefund, writeEntries } from "./GivenEntries.ts"
import { chapter } from "./StorageTest.ts"
import { atOnce, controlRacers, race, racers, retryRefused, unguarded } from "./Unguarded.ts"

export const races = chapter("races", (it) => {
  it(`one of ${racers} payments that claim one key wins and all others learn who`, function* ({ ledger }) {
    const { lost, tenant, won } = yield* raceForKey(ledger, racers)
    expect(won).toHaveLength(1)
    const { change: winner } = won[0] as { readonly change: Change }
    const taken = { failure: { _tag: "pointsman/KeyTaken", claim: winner.claim?.after } }
    expect(lost).toMatchObject(Array(racers - 1).fill(taken))

    expect(yield* ledger.payments(tenant, { limit: racers })).toStrictEqual([winner.payment.after])
    expect(yield* ledger.events(tenant, { limit: racers })).toHaveLength(1)
    for (const { writer } of lost) {
      expect(yield* ledger.attempts(tenant, writer.after.payment.id)).toEqual([])
    }
    expect(Option.getOrThrow((yield* traceOf(winner)).claim)).toStrictEqual(winner.claim?.after)
  })

  it("control: without a guard, several payments win the same key", function* ({ ledger }) {
    const { won } = yield* raceForKey(unguarded(ledger), controlRacers)
    expect(won).toHaveLength(controlRacers)
  })

  it(`one of ${racers} changes on one version wins and all others are stale`, function* ({ ledger }) {
    const { lost, start, won } = yield* raceForVersion(ledger, racers)
    expect(won).toHaveLength(1)
    const { change: winner } = won[0] as { readonly change: Change }
    expect(lost.map(({ failure }) => failure._tag)).toEqual(Array(racers - 1).fill("pointsman/Stale"))

    const stored = yield* traceOf(winner)
    expect(Option.getOrThrow(stored.payment)).toStrictEqual(winner.payment.after)
    const rejected = { outcome: "Rejected", answeredAt: winner.payment.after.updatedAt }
    expect(stored.attempts).toStrictEqual([{ ...start.attempts[0], ...rejected }, winner.attempts.at(-1)])
  })

  it("control: without a guard, several changes win the same version", function* ({ ledger }) {
    const { won } = yield* raceForVersion(unguarded(ledger), controlRacers)
    expect(won).toHaveLength(controlRacers)
  })

  it(`one of ${racers} changes that give all back is written, and others are stale`, function* ({ ledger }) {
    const { book, exits } = yield* raceForRefund(ledger, racers)
    expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
    expect(exits.filter(isStale)).toHaveLength(racers - 1)
    expect(book.refunds.map(({ money }) => money.minorUnits)).toEqual([1000])
    expect(book.payment).toMatchObject({ refundedMinor: 0, refundPendingMinor: 1000 })
  })

  it("control: without a guard, several changes give all of it back", function* ({ ledger }) {
    const { book, exits } = yield* raceForRefund(unguarded(ledger), controlRacers)
    expect(exits.filter(Exit.isSuccess)).toHaveLength(controlRacers)
    expect(book.refunds).toHaveLength(controlRacers)
  })

  it("writers without a guard let one refund through by the sums of the others", function* ({ ledger }) {
    const { book, exits } = yield* raceForRefund(unguarded(ledger, { forgets: false }), controlRacers)
    expect(exits.filter(Exit.isSuccess)).toHaveLength(1)
    expect(exits.filter(Exit.hasDies)).toHaveLength(controlRacers - 1)
    expect(book.refunds).toHaveLength(1)
  })

  // Where two operations could be begun at once, twice the same or one of each.
  const claiming = PaymentMachine.rows.filter((row) => row.on.endsWith("Claimed"))
  for (const one of claiming) {
    for (const other of claiming.filter((row) => row.from === one.from)) {
      it(`one of ${one.on} and ${other.on} at once wins in ${one.from}`, function* ({ ledger, tenant }) {
        const { walked } = yield* reachRow(tenant, one)
        const changes = [(yield* moveAlong(walked, one)).change, (yield* moveAlong(walked, other)).change]
        const { lost, won } = yield* race(changes, (change) => committed(ledger, change))
        expect(won).toHaveLength(1)
        expect(lost.map(({ failure }) => failure._tag)).toEqual(["pointsman/Stale"])
      })
    }
  }
})

/** A busy store refuses some before it writes anything: they come again. */
const committed = (ledger: Ledger["Service"], change: Change) =>
  retryRefused(ledger.commit(change), (failure) => failure._tag === "pointsman/StorageError")

const raceForKey = Effect.fnUntraced(function* (ledger: Ledger["Service"], writers: number) {
  const tenant = yield* newTenant()
  const key = "the-only-key"
  const contenders = yield* Effect.forEach(Array(writers).keys(), () => firstChange(tenant, { key }))
  return { ...(yield* race(contenders, ({ change }) => committed(ledger, change))), tenant }
})

const raceForVersion = Effect.fnUntraced(function* (ledger: Ledger["Service"], writers: number) {
  const { walked: start }: { readonly walked: Walked } = yield* reach(yield* newTenant(), "Charging")
  const row = rowOf("Charging", "AttemptFollowed")
  const contenders = yield* Effect.forEach(Array(writers).keys(), () => moveAlong(start, row))
  return { ...(yield* race(contenders, ({ change }) => committed(ledger, change))), start }
})

const raceForRefund = Effect.fnUntraced(function* (ledger: Ledger["Service"], writers: number) {
  const { walked: start } = yield* reach(yield* newTenant(), "Captured")
  const contenders = yield* Effect.forEach(Array(writers).keys(), () =>
    Effect.map(newRefund(start.payment), (refund) => writeEntries(start, { refunds: [refund] }))
  )
  const exits = yield* atOnce(contenders, ({ change }) => Effect.exit(committed(ledger, change)))
  const { id, tenant } = start.payment
  return { book: Option.getOrThrow(yield* ledger.book(tenant, id)), exits }
})

const isStale = (exit: Exit.Exit<boolean, CommitFailure>): boolean =>
  Exit.isFailure(exit) && exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error instanceof Stale)

/**
 * Many writers, one winner. Beside each race stands its control: the same race over a ledger that reads and then
 * writes without a guard. The control must show several winners, or the race proves nothing.
 */
import { describe, expect } from "@effect/vitest"
import { type Change, type CommitFailure, Ledger, PaymentMachine } from "@pointsman/core"
import { Effect, Option, Result } from "effect"
import { firstChange, moveAlong, newTenant, reach, reachRow, rowOf, traceOf, type Walked } from "./Given.ts"
import type { StorageTest } from "./StorageTest.ts"

/** Enough that no pool of connections and no batch serves them one after the other by chance. */
const racers = 64

export const races = (it: StorageTest): void => {
  describe("races", () => {
    it.effect(`given ${racers} payments, when all claim one key at once, then one wins and all others learn who`, () =>
      Effect.gen(function* () {
        const ledger = yield* Ledger
        const { lost, tenant, won } = yield* raceForKey(ledger)
        expect(won).toHaveLength(1)
        const winner = won[0] as Change
        expect(lost).toHaveLength(racers - 1)
        for (const { failure } of lost)
          expect(failure).toMatchObject({ _tag: "pointsman/KeyTaken", claim: winner.claim?.after })

        expect(yield* ledger.payments(tenant, { limit: racers })).toStrictEqual([winner.payment.after])
        expect(yield* ledger.events(tenant, { limit: racers })).toHaveLength(1)
        for (const { change } of lost) {
          expect(yield* ledger.attempts(tenant, change.payment.after.id)).toEqual([])
        }
        expect(Option.getOrThrow((yield* traceOf(winner)).claim)).toStrictEqual(winner.claim?.after)
      })
    )

    it.effect("control: without a guard, several payments win the same key", () =>
      Effect.gen(function* () {
        const { won } = yield* raceForKey(unguarded(yield* Ledger))
        expect(won.length).toBeGreaterThan(1)
      })
    )

    it.effect(
      `given one version, when ${racers} changes are decided on it, then one wins and all others are stale`,
      () =>
        Effect.gen(function* () {
          const ledger = yield* Ledger
          const { lost, start, won } = yield* raceForVersion(ledger)
          expect(won).toHaveLength(1)
          const winner = won[0] as Change
          expect(lost.map(({ failure }) => failure._tag)).toEqual(Array(racers - 1).fill("pointsman/Stale"))

          const stored = yield* traceOf(winner)
          expect(Option.getOrThrow(stored.payment)).toStrictEqual(winner.payment.after)
          expect(stored.attempts).toStrictEqual([
            ...start.attempts.map((first) => ({
              ...first,
              outcome: "Rejected",
              answeredAt: winner.payment.after.updatedAt
            })),
            winner.attempts.at(-1)
          ])
        })
    )

    it.effect("control: without a guard, several changes win the same version", () =>
      Effect.gen(function* () {
        const { won } = yield* raceForVersion(unguarded(yield* Ledger))
        expect(won.length).toBeGreaterThan(1)
      })
    )

    // Where two operations could be begun at once, twice the same or one of each.
    const claiming = PaymentMachine.rows.filter((row) => row.on.endsWith("Claimed"))
    for (const one of claiming) {
      for (const other of claiming.filter((row) => row.from === one.from)) {
        it.effect(`given ${one.from}, when ${one.on} and ${other.on} come at once, then one of them wins`, () =>
          Effect.gen(function* () {
            const ledger = yield* Ledger
            const { walked } = yield* reachRow(yield* newTenant(), one)
            const changes = [(yield* moveAlong(walked, one)).change, (yield* moveAlong(walked, other)).change]
            const { lost, won } = yield* race(ledger, changes)
            expect(won).toHaveLength(1)
            expect(lost.map(({ failure }) => failure._tag)).toEqual(["pointsman/Stale"])
          })
        )
      }
    }
  })
}

interface Outcome {
  readonly won: ReadonlyArray<Change>
  readonly lost: ReadonlyArray<{ readonly change: Change; readonly failure: CommitFailure }>
}

/** Commits all at once. */
const race = Effect.fnUntraced(function* (ledger: Ledger["Service"], changes: ReadonlyArray<Change>) {
  const results = yield* Effect.forEach(
    changes,
    (change) => Effect.map(Effect.result(ledger.commit(change)), (result) => ({ change, result })),
    { concurrency: "unbounded" }
  )
  return {
    won: results.flatMap(({ change, result }) => (Result.isSuccess(result) ? [change] : [])),
    lost: results.flatMap(({ change, result }) =>
      Result.isFailure(result) ? [{ change, failure: result.failure }] : []
    )
  } satisfies Outcome
})

const raceForKey = Effect.fnUntraced(function* (ledger: Ledger["Service"]) {
  const tenant = yield* newTenant()
  const key = "the-only-key"
  const contenders = yield* Effect.forEach(Array(racers).keys(), () => firstChange(tenant, { key }))
  const outcome = yield* race(
    ledger,
    contenders.map(({ change }) => change)
  )
  return { ...outcome, tenant }
})

const raceForVersion = Effect.fnUntraced(function* (ledger: Ledger["Service"]) {
  const { walked: start }: { readonly walked: Walked } = yield* reach(yield* newTenant(), "Charging")
  const row = rowOf("Charging", "AttemptFollowed")
  const contenders = yield* Effect.forEach(Array(racers).keys(), () => moveAlong(start, row))
  const outcome = yield* race(
    ledger,
    contenders.map(({ change }) => change)
  )
  return { ...outcome, start }
})

/** Reads, and then writes over whatever is stored by now: what an adapter without a guard would do. */
const unguarded = (ledger: Ledger["Service"]): Ledger["Service"] => ({
  ...ledger,
  commit: Effect.fnUntraced(function* (change: Change) {
    const { claim, payment } = change
    const seen = yield* traceOf(change).pipe(Effect.provideService(Ledger, ledger))
    yield* Effect.yieldNow
    if (claim?.expected === 0 && Option.isSome(seen.claim)) return yield* ledger.commit(change)
    if (payment.expected !== versionOf(seen.payment)) return yield* ledger.commit(change)
    yield* Effect.retry(
      Effect.gen(function* () {
        const now = yield* traceOf(change).pipe(Effect.provideService(Ledger, ledger))
        const version = versionOf(now.payment)
        const claimVersion = versionOf(now.claim)
        yield* ledger.commit({
          ...change,
          payment: { expected: version, after: { ...payment.after, version: version + 1 } },
          claim: claim && { expected: claimVersion, after: { ...claim.after, version: claimVersion + 1 } }
        })
      }),
      // Each round lets at least one writer through.
      { times: racers }
    )
  })
})

const versionOf = (stored: Option.Option<{ readonly version: number }>): number =>
  Option.match(stored, { onNone: () => 0, onSome: ({ version }) => version })

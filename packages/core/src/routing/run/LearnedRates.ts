/**
 * What this process knows of the connections' success rates: what the store says, and what happened here since. Routing
 * reads it from memory; nothing is asked of the store on a payment's way.
 *
 * What was learned here is written in the background, added to what other servers wrote. A process that dies loses the
 * outcomes since the last time: they are an estimate, not money. Sandbox outcomes are not kept at all.
 */
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import type { Applied } from "../../decide/Applied.ts"
import type { Attempt, AttemptOutcome } from "../../model/Attempt.ts"
import { noOutcomes } from "../../model/OutcomeCounts.ts"
import type { Payment, PaymentDetails } from "../../model/Payment.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import { type CandidateRates, faded, rateHalfLifeMillis, segmentOf, wholeConnection } from "../../model/SuccessRate.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { type StoredRate, SuccessRates } from "../../ports/SuccessRates.ts"
import { measuredOutcome } from "../MeasuredOutcome.ts"
import { makeRateTable } from "./RateTable.ts"

/** Servers' clocks differ, and a write takes its time: what is this much older is read again, in milliseconds. */
const overlapMillis = 60_000
/** Other writers can come between only so often; the rest is written the next time. */
const writesAtMost = 5
/** A rate that was not written for this long weighs less than a thousandth, in milliseconds. */
const forgottenAfterMillis = 10 * rateHalfLifeMillis

export class LearnedRates extends Context.Service<
  LearnedRates,
  {
    /** Of the tenant's connections, by their ids, for one payment. */
    readonly ratesFor: (
      tenant: Tenant,
      payment: PaymentDetails,
      now: number
    ) => (connectionId: string) => CandidateRates
    /** Counts how an attempt ended, where that says something of its connection. `before`: its outcome until now. */
    readonly learn: (payment: Payment, before: AttemptOutcome | null, after: Attempt, now: number) => void
    /** Writes what was learned here, and reads what others wrote. */
    readonly exchange: Effect.Effect<void>
    /** Deletes from the store what is too old to weigh anything. */
    readonly forget: Effect.Effect<void>
  }
>()("pointsman/routing/LearnedRates") {
  static readonly layer: Layer.Layer<LearnedRates, never, SuccessRates> = Layer.effect(
    LearnedRates,
    Effect.gen(function* () {
      const store = yield* SuccessRates
      const table = makeRateTable()
      let readUntil = 0

      const readOthers = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const changed = yield* store.changedSince(Math.max(0, readUntil - overlapMillis))
        for (const stored of changed) table.take(stored, now)
        readUntil = now
      })

      const writeOurs = Effect.gen(function* () {
        for (let write = 0; write < writesAtMost; write++) {
          const now = yield* Clock.currentTimeMillis
          const ours = table.unwritten(now)
          if (ours.length === 0) return
          const refused = yield* store.write(ours.map(({ row }) => row))
          table.written(ours, refused, now)
        }
      })

      return LearnedRates.of({
        ratesFor: (tenant, payment, now) => {
          if (tenant.environment !== "production") return () => ({ connection: noOutcomes, segment: noOutcomes })
          // Most payments ask for none.
          let segment: string | undefined
          return (connectionId) => {
            segment ??= segmentOf(payment)
            return {
              connection: table.weights(connectionId, wholeConnection, now),
              segment: table.weights(connectionId, segment, now)
            }
          }
        },
        learn: (payment, before, after, now) => {
          const { tenant } = payment
          if (tenant.environment !== "production") return
          const isSuccess = measuredOutcome(before, after)
          if (isSuccess === undefined) return
          table.count(tenant, after.connectionId, wholeConnection, isSuccess, now)
          try {
            table.count(tenant, after.connectionId, segmentOf(payment), isSuccess, now)
          } catch {
            // Untyped code may have made the payment: what a segment cannot be made of counts for the whole alone.
          }
        },
        // Uninterruptible: what was written and not heard of would be counted twice.
        exchange: Effect.uninterruptible(Effect.andThen(readOthers, writeOurs)).pipe(
          Effect.catchCause((cause) =>
            Effect.logWarning("success rates could not be synchronized with the database", cause)
          )
        ),
        forget: Effect.gen(function* () {
          const before = (yield* Clock.currentTimeMillis) - forgottenAfterMillis
          yield* store.forgetBefore(before)
          table.forgetBefore(before)
        }).pipe(Effect.catchCause((cause) => Effect.logWarning("old success rates could not be deleted", cause)))
      })
    })
  )
}

/** Counts how attempts ended by a statement that is written. `book`: as it was before. */
export const learnFrom = (
  learned: LearnedRates["Service"],
  { attempts, payment }: PaymentBook,
  applied: Applied,
  now: number
): void => {
  for (const attempt of applied.attempts) {
    learned.learn(payment, attempts.find(({ id }) => id === attempt.id)?.outcome ?? null, attempt, now)
  }
}

/** Lets the servers of an installation learn from one another, in the background. */
export const keepLearning = Effect.fnUntraced(function* (everyMillis: number) {
  const { exchange, forget } = yield* LearnedRates
  const exchanging = Effect.forever(Effect.andThen(exchange, Effect.sleep(everyMillis)))
  const forgetting = Effect.repeat(forget, Schedule.spaced("1 hour"))
  return yield* Effect.all([exchanging, forgetting], { concurrency: 2 }).pipe(
    Effect.andThen(Effect.never),
    // What was learned since the last time is not lost when a server stops.
    Effect.onInterrupt(() => exchange)
  )
})

/** As they weigh now; by connection and segment. */
export const successRates = Effect.fnUntraced(function* ({ environment, workspaceId }: Tenant) {
  const store = yield* SuccessRates
  const now = yield* Clock.currentTimeMillis
  const all = yield* store.changedSince(0)
  return all
    .filter(({ tenant }) => tenant.workspaceId === workspaceId && tenant.environment === environment)
    .map((stored): StoredRate => ({ ...stored, rate: faded(stored.rate, now) }))
    .sort((a, b) => byText(a.connectionId, b.connectionId) || byText(a.segment, b.segment))
})

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

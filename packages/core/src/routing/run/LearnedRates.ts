/**
 * What this process knows of the connections' success rates: what the store says, and what happened here since. Routing
 * reads it from memory; nothing is asked of the store on a payment's way.
 *
 * What was learned here is written in the background, added to what other servers wrote. A process that dies loses the
 * outcomes since the last time: they are an estimate, not money. Sandbox outcomes are not kept at all.
 */
import { Clock, Context, Effect, Layer } from "effect"
import type { Attempt } from "../../model/Attempt.ts"
import type { AttemptOutcome } from "../../model/AttemptOutcome.ts"
import type { Payment, PaymentDetails } from "../../model/Payment.ts"
import { segmentOf } from "../../model/Segment.ts"
import type { CandidateRates } from "../../model/SuccessRate.ts"
import {
  faded,
  noRate,
  type OutcomeCounts,
  rateHalfLifeMillis,
  type SuccessRate,
  weightOf,
  wholeConnection,
  withOutcomes
} from "../../model/SuccessRate.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { type StoredRate, SuccessRates } from "../../ports/SuccessRates.ts"
import { measuredOutcome } from "../MeasuredOutcome.ts"

/** Servers' clocks differ, and a write takes its time: what is this much older is read again, in milliseconds. */
const overlapMillis = 60_000
/** Other writers can come between only so often; the rest is written the next time. */
const writesAtMost = 5
/** Card brands come from requests: who makes them up must not fill the store. Beyond it only the whole is counted. */
const segmentsAtMost = 2_000
/** A rate that was not written for this long weighs less than a thousandth, in milliseconds. */
const forgottenAfterMillis = 10 * rateHalfLifeMillis

interface Entry {
  readonly tenant: Tenant
  readonly connectionId: string
  readonly segment: string
  /** As the store has it; `undefined` where it has none that we know of. */
  stored: StoredRate | undefined
  /** Learned here, and not written yet. */
  succeeded: number
  failed: number
  /** Both together. */
  rate: SuccessRate
}

const nothingKnown: OutcomeCounts = { succeeded: 0, failed: 0 }

/** What a decision was made on is stored with it: as much of it as anybody could want. */
const rounded = (weight: number): number => Math.round(weight * 1000) / 1000

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
      /** By connection and segment. */
      const entries = new Map<string, Map<string, Entry>>()
      const unwritten = new Set<Entry>()
      let readUntil = 0

      const entryOf = (tenant: Tenant, connectionId: string, segment: string): Entry | undefined => {
        const ofConnection = entries.get(connectionId) ?? new Map<string, Entry>()
        const found = ofConnection.get(segment)
        if (found !== undefined) return found
        if (ofConnection.size >= segmentsAtMost && segment !== wholeConnection) return undefined
        const made = { tenant, connectionId, segment, stored: undefined, succeeded: 0, failed: 0, rate: noRate }
        entries.set(connectionId, ofConnection.set(segment, made))
        return made
      }

      const weightsOf = (connectionId: string, segment: string, now: number): OutcomeCounts => {
        const entry = entries.get(connectionId)?.get(segment)
        if (entry === undefined) return nothingKnown
        const rate = faded(entry.rate, now)
        return { succeeded: rounded(rate.succeeded), failed: rounded(rate.failed) }
      }

      const count = (entry: Entry | undefined, isSuccess: boolean, now: number) => {
        if (entry === undefined) return
        if (isSuccess) entry.succeeded++
        else entry.failed++
        entry.rate = withOutcomes(entry.rate, isSuccess ? oneSuccess : oneFailure, now)
        unwritten.add(entry)
      }

      /** The store has this by now; what was learned here and is not in it comes on top. */
      const take = (stored: StoredRate, now: number) => {
        const entry = entryOf(stored.tenant, stored.connectionId, stored.segment)
        if (entry === undefined) return
        entry.stored = stored
        entry.rate = withOutcomes(stored.rate, entry, now)
      }

      const readOthers = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const changed = yield* store.changedSince(Math.max(0, readUntil - overlapMillis))
        for (const stored of changed) take(stored, now)
        readUntil = now
      })

      const writeOurs = Effect.gen(function* () {
        for (let write = 0; write < writesAtMost && unwritten.size > 0; write++) {
          const now = yield* Clock.currentTimeMillis
          const ours = [...unwritten].map((entry) => {
            const { connectionId, failed, segment, stored, succeeded, tenant } = entry
            const rate = withOutcomes(stored?.rate ?? noRate, { succeeded, failed }, now)
            return { entry, succeeded, failed, row: rowOf(tenant, connectionId, segment, rate, stored) }
          })
          const refused = yield* store.write(ours.map(({ row }) => row))
          const isRefused = new Set(refused.map(({ connectionId, segment }) => entries.get(connectionId)?.get(segment)))
          for (const { entry, failed, row, succeeded } of ours) {
            if (isRefused.has(entry)) continue
            // Outcomes that came while it was written are still ours.
            entry.succeeded -= succeeded
            entry.failed -= failed
            if (weightOf(entry) === 0) unwritten.delete(entry)
            take(row, now)
          }
          for (const stored of refused) take(stored, now)
        }
      })

      return LearnedRates.of({
        ratesFor: (tenant, payment, now) => {
          if (tenant.environment !== "production") return () => ({ connection: nothingKnown, segment: nothingKnown })
          // Most payments ask for none.
          let segment: string | undefined
          return (connectionId) => {
            segment ??= segmentOf(payment)
            return {
              connection: weightsOf(connectionId, wholeConnection, now),
              segment: weightsOf(connectionId, segment, now)
            }
          }
        },
        learn: (payment, before, after, now) => {
          const { tenant } = payment
          if (tenant.environment !== "production") return
          const isSuccess = measuredOutcome(before, after)
          if (isSuccess === undefined) return
          count(entryOf(tenant, after.connectionId, wholeConnection), isSuccess, now)
          try {
            count(entryOf(tenant, after.connectionId, segmentOf(payment)), isSuccess, now)
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
          for (const ofConnection of entries.values()) {
            for (const [segment, entry] of ofConnection) {
              if (entry.rate.at < before && !unwritten.has(entry)) ofConnection.delete(segment)
            }
          }
        }).pipe(Effect.catchCause((cause) => Effect.logWarning("old success rates could not be deleted", cause)))
      })
    })
  )
}

const oneSuccess: OutcomeCounts = { succeeded: 1, failed: 0 }
const oneFailure: OutcomeCounts = { succeeded: 0, failed: 1 }

const rowOf = (
  tenant: Tenant,
  connectionId: string,
  segment: string,
  rate: SuccessRate,
  stored: StoredRate | undefined
): StoredRate => ({ tenant, connectionId, segment, rate, version: (stored?.version ?? 0) + 1 })

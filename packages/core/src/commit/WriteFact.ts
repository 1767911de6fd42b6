/** Records a fact of a charge that a look-up brought, or that nobody asked a provider for. */
import { Clock, Effect, Option, Result } from "effect"
import { applyChargeFact, type ChargeFact } from "../decide/ChargeFact.ts"
import { withRouting } from "../decide/WithRouting.ts"
import { type Attempt, endAttempt } from "../model/Attempt.ts"
import type { AttemptOutcome } from "../model/AttemptOutcome.ts"
import type { Payment } from "../model/Payment.ts"
import type { ChargeState, Found } from "../model/ProviderStatement.ts"
import { Ledger } from "../ports/Ledger.ts"
import { StorageError } from "../ports/StorageError.ts"
import { LearnedRates } from "../routing/run/LearnedRates.ts"
import { decideAndCommit, done, write } from "./DecideAndCommit.ts"
import type { Stirring } from "./WakeDelivery.ts"

export interface Written {
  readonly payment: Payment
  /** `false` where the payment had moved meanwhile and the fact changes nothing any more. */
  readonly isWritten: boolean
}

/** The attempt that a look-up was for, as the provider's record tells it. */
export interface LookedUp {
  readonly attempt: Attempt
  /** Its outcome until now. */
  readonly before: AttemptOutcome | null
  /** All of the payment's, this one among them. */
  readonly attempts: ReadonlyArray<Attempt>
}

export const writeFact = Effect.fnUntraced(function* (
  payment: Payment,
  fact: ChargeFact,
  lookedUp: LookedUp | null = null
): Effect.fn.Return<Written, StorageError, Ledger | LearnedRates | Stirring> {
  const ledger = yield* Ledger
  const learned = yield* LearnedRates
  const { id, tenant } = payment
  const gaveUp = (cause: unknown) => new StorageError({ operation: `writing ${fact.on}`, cause })
  const written = yield* decideAndCommit({
    first: payment,
    decide: (stored: Payment, now) => {
      const moved = applyChargeFact(stored, fact, now)
      if (Result.isFailure(moved)) return Effect.succeed(done({ payment: stored, isWritten: false }))
      const after = lookedUp === null ? moved.success.payment : withRouting(moved.success.payment, lookedUp.attempts)
      const step = {
        tenant,
        payment: { expected: stored.version, after },
        attempts: lookedUp === null ? [] : [lookedUp.attempt],
        events: moved.success.events
      }
      return Effect.succeed(write(step, { payment: after, isWritten: true }))
    },
    read: () =>
      Effect.flatMap(
        ledger.payment(tenant, id),
        Option.match({ onNone: () => Effect.fail(gaveUp("the payment is not stored")), onSome: Effect.succeed })
      ),
    afterUnknown: (stored, { payment: { after } }) =>
      stored.version === after.version && stored.state === after.state && stored.updatedAt === after.updatedAt,
    storageErrors: "fail"
  }).pipe(Effect.mapError((failure) => (failure._tag === "NotWritten" ? failure.cause : gaveUp(failure))))
  if (lookedUp !== null && written.isWritten) {
    learned.learn(written.payment, lookedUp.before, lookedUp.attempt, written.payment.updatedAt)
  }
  return written
})

/** The attempts as a look-up leaves them: the one that was asked for ends as the provider's record says. */
export const toldOf = Effect.fnUntraced(function* (
  attempts: ReadonlyArray<Attempt>,
  attempt: Attempt,
  found: Found<ChargeState>,
  fact: ChargeFact
): Effect.fn.Return<LookedUp> {
  const now = yield* Clock.currentTimeMillis
  const told = found._tag === "NotFound" ? attempt : endAttempt(attempt, found.state, now)
  const ended: Attempt = fact.on === "MismatchStated" ? { ...told, outcome: "Mismatched" } : told
  return {
    attempt: ended,
    before: attempt.outcome,
    attempts: attempts.map((one) => (one.id === ended.id ? ended : one))
  }
})

/** Records a fact of a charge that a look-up brought, or that nobody asked a provider for. */
import { Clock, Effect, Option, Result } from "effect"
import type { ChargeState, Found } from "../ports/Connector.ts"
import { Ledger } from "../ports/Ledger.ts"
import { StorageError } from "../ports/StorageError.ts"
import { LearnedRates } from "../routing/success/LearnedRates.ts"
import { type Attempt, endAttempt } from "./Attempt.ts"
import type { AttemptOutcome } from "./AttemptOutcome.ts"
import { applyChargeFact, type ChargeFact } from "./ChargeFact.ts"
import { decisionsAtMost, withRouting } from "./ChargeInHand.ts"
import type { Payment } from "./Payment.ts"

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
): Effect.fn.Return<Written, StorageError, Ledger | LearnedRates> {
  const ledger = yield* Ledger
  const learned = yield* LearnedRates
  const { id, tenant } = payment
  const now = yield* Clock.currentTimeMillis
  let stored = payment
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const moved = applyChargeFact(stored, fact, now)
    if (Result.isFailure(moved)) return { payment: stored, isWritten: false }
    const after = lookedUp === null ? moved.success.payment : withRouting(moved.success.payment, lookedUp.attempts)
    const written = yield* Effect.result(
      ledger.commit({
        tenant,
        payment: { expected: stored.version, after },
        attempts: lookedUp === null ? [] : [lookedUp.attempt],
        events: moved.success.events
      })
    )
    if (Result.isSuccess(written)) {
      if (lookedUp !== null) learned.learn(after, lookedUp.before, lookedUp.attempt, now)
      return { payment: after, isWritten: true }
    }
    const failure = written.failure
    if (failure._tag === "pointsman/StorageError") return yield* failure
    const read = yield* ledger.payment(tenant, id)
    if (Option.isNone(read)) break
    stored = read.value
    const isOurs =
      failure._tag === "pointsman/CommitUnknown" && stored.version === after.version && stored.state === after.state
    if (isOurs) return { payment: stored, isWritten: true }
  }
  return yield* new StorageError({ operation: `writing ${fact.on}`, cause: new Error("other writers kept winning") })
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

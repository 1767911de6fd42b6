/**
 * The last commit of a charge: its outcome, the events, the stored answer.
 *
 * The rule that a reader would otherwise break: once a provider may have been asked, a store that fails is no reason
 * to say that nothing happened. What cannot be recorded is `PaymentResultUnknown`.
 */
import { Clock, Effect, Option, Result, Schedule } from "effect"
import { type Claim, moveClaim } from "../idempotency/Claim.ts"
import type { ClaimEvent } from "../idempotency/ClaimMachine.ts"
import type { ChargeState } from "../ports/Connector.ts"
import { type Change, Ledger } from "../ports/Ledger.ts"
import { type Attempt, abandonAttempt, endAttempt } from "./Attempt.ts"
import { applyChargeFact, type ChargeFact, chargeFactOf } from "./ChargeFact.ts"
import { type ChargeInHand, claimChange, decisionsAtMost, withRouting } from "./ChargeInHand.ts"
import { NothingSent, PaymentResultUnknown } from "./CreateRequest.ts"
import type { Payment } from "./Payment.ts"

/** A provider's statement about the charge. */
export const settleState = (inHand: ChargeInHand, state: ChargeState, now: number) => {
  const fact = chargeFactOf(inHand.payment, inHand.connection.id, state)
  const attempt = endAttempt(inHand.attempt, state, now)
  return settle(inHand, fact.on === "ChargeMismatched" ? { ...attempt, outcome: "Mismatched" } : attempt, fact)
}

/**
 * No attempt executed anything. A decline among them is the outcome; without one the payment failed. `unsent` are
 * attempts that may be stored and were never sent.
 */
export const settleUnexecuted = (inHand: ChargeInHand, after: Attempt, unsent: ReadonlyArray<Attempt> = []) => {
  const decline = [...inHand.earlier, after].findLast((attempt) => attempt.outcome === "Declined")
  return settle(
    inHand,
    after,
    decline === undefined
      ? { on: "ChargeFailed" }
      : { on: "ChargeDeclined", category: decline.declineCategory ?? "other", reason: decline.code ?? "" },
    { unsent }
  )
}

/** Nothing may be sent on the claim any more, and nothing was: the key is free again. */
export const abandon = Effect.fnUntraced(function* (inHand: ChargeInHand) {
  yield* settle(inHand, abandonAttempt(inHand.attempt), { on: "ChargeAbandoned" }, { claimEvent: "RequestAbandoned" })
  return yield* new NothingSent({ cause: "nothing was sent on the claim" })
})

interface SettleOptions {
  readonly claimEvent?: ClaimEvent
  readonly unsent?: ReadonlyArray<Attempt>
}

/** Records a fact, however often other writers come first, and gives the payment as it is answered. */
export const settle = Effect.fnUntraced(function* (
  inHand: ChargeInHand,
  attempt: Attempt,
  fact: ChargeFact,
  { claimEvent = "RequestAnswered", unsent = [] }: SettleOptions = {}
) {
  const ledger = yield* Ledger
  let { payment: stored, claim } = inHand
  const unknown = (cause: unknown) => new PaymentResultUnknown({ paymentId: stored.id, cause })
  const attempts = [...inHand.earlier, attempt, ...unsent]
  for (let decision = 0; decision < decisionsAtMost; decision++) {
    const now = yield* Clock.currentTimeMillis
    const moved = applyChargeFact(stored, fact, now)
    // Another courier settled it first, and that stands; the attempt and the answer are still written.
    const { payment: after, events } = Result.getOrElse(moved, () => ({
      payment: { ...stored, version: stored.version + 1, updatedAt: now },
      events: []
    }))
    const payment = withRouting(after, attempts)
    const answered = answerClaim(claim, claimEvent, payment, now)
    const written = yield* Effect.result(
      commitInsistently({
        tenant: payment.tenant,
        payment: { expected: stored.version, after: payment },
        attempts: [attempt, ...unsent],
        events,
        claim: claimChange(claim, answered)
      })
    )
    if (Result.isSuccess(written)) return payment
    const failure = written.failure
    if (failure._tag === "pointsman/StorageError") return yield* unknown(failure)
    const read = yield* Effect.mapError(ledger.payment(stored.tenant, stored.id), unknown)
    if (Option.isNone(read)) return yield* unknown(failure)
    if (failure._tag === "pointsman/CommitUnknown" && isSameWrite(read.value, payment)) return payment
    stored = read.value
    if (claim !== null)
      claim = Option.getOrNull(yield* Effect.mapError(ledger.claim(stored.tenant, claim.key), unknown))
  }
  return yield* unknown("other writers kept winning")
})

/** "Surely not written" may be tried again: six times over some three seconds, as long as a client waits. */
const commitInsistently = Effect.fnUntraced(function* (change: Change) {
  const ledger = yield* Ledger
  return yield* Effect.retry(ledger.commit(change), {
    while: (failure) => failure._tag === "pointsman/StorageError",
    schedule: Schedule.exponential("50 millis"),
    times: 6
  })
})

/** Whether a read shows the very write whose commit went unanswered. */
const isSameWrite = (read: Payment, written: Payment): boolean =>
  read.version === written.version && read.state === written.state && read.updatedAt === written.updatedAt

const answerClaim = (claim: Claim | null, on: ClaimEvent, payment: Payment, now: number): Claim | null => {
  // A retry after the claim window may have answered the key already: what it said stands.
  if (claim === null || claim.state !== "Claimed") return claim
  return moveClaim(claim, on, on === "RequestAbandoned" ? {} : { answeredAt: now, answer: payment })
}

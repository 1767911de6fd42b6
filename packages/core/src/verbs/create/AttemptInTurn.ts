/** Asks one connection after the other. Every attempt is stored before it is sent, while that is recent. */
import { Clock, Effect, Metric, Result } from "effect"
import { adoptAnswer } from "../../commit/AdoptAnswer.ts"
import { lastFact } from "../../decide/ChargeFact.ts"
import { withSkipped } from "../../decide/WithRouting.ts"
import { attemptsEnded, routesTaken } from "../../metrics/Metrics.ts"
import { type Attempt, type AttemptEnd, abandonAttempt, endAttempt, outcomeOf } from "../../model/Attempt.ts"
import type { Payment } from "../../model/Payment.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import type { RoutePlan } from "../../routing/RoutePlan.ts"
import { Circuits } from "../../routing/run/Circuits.ts"
import { LearnedRates } from "../../routing/run/LearnedRates.ts"
import type { ChargeInHand } from "./ChargeInHand.ts"
import { claimNext } from "./ClaimCharge.ts"
import { nextAttempt } from "./NextAttempt.ts"
import { recordEnd, recordUnexecuted } from "./RecordCharge.ts"

export interface AttemptSteps<E, R, R2> {
  /** Sends the attempt in hand, if it can begin in time (epoch milliseconds), and says how that ended. */
  readonly send: (inHand: ChargeInHand, beginBy: number) => Effect.Effect<AttemptEnd, never, R>
  /** The outcome of a first attempt that became too old to be sent. */
  readonly tooLate: (inHand: ChargeInHand) => Effect.Effect<Payment, E, R2>
}

/** Attempts, one after the other, until one is an outcome or none may follow. */
export const attemptInTurn = Effect.fnUntraced(function* <E, R, R2>(
  plan: RoutePlan,
  begun: ChargeInHand,
  { send, tooLate }: AttemptSteps<E, R, R2>
) {
  const { sendWithinMillis } = yield* PaymentSettings
  const circuits = yield* Circuits
  yield* Metric.update(routesTaken(plan.decision.path, plan.mode), 1)
  let inHand = begun
  // Bounded by the plan: every turn but the last one uses up a connection.
  for (;;) {
    const { connection, attempt } = inHand
    const beginBy = attempt.sentAt + sendWithinMillis
    if ((yield* Clock.currentTimeMillis) > beginBy) {
      circuits.giveBackProbe(connection, inHand.payment.id)
      if (inHand.earlier.length === 0) return yield* tooLate(inHand)
      return yield* recordUnexecuted(inHand, abandonAttempt(attempt))
    }
    circuits.began(connection, yield* Clock.currentTimeMillis)
    const end = yield* send(inHand, beginBy)
    const now = yield* Clock.currentTimeMillis
    const after = endAttempt(attempt, end, now)
    yield* noteEnd(inHand, end, after, now)

    const made = [...inHand.earlier, attempt]
    const { connection: next, skipped } = yield* nextAttempt(plan, inHand.payment.tenant, made, end, now)
    inHand = { ...inHand, payment: withSkipped(inHand.payment, skipped) }
    if (next === undefined) {
      const payment = yield* recordEnd(inHand, end, now)
      if (end._tag === "pointsman/Unanswered" && end.ofAnother !== undefined) {
        yield* adoptAnswer(payment.tenant, connection.id, end.ofAnother)
      }
      return payment
    }
    // From here on the attempt certainly executed nothing: after any other end there is no next connection.
    circuits.keepProbe(next, inHand.payment.id, now)
    const claimed = yield* claimNext(inHand, after, next)
    if (Result.isFailure(claimed)) {
      circuits.giveBackProbe(next, inHand.payment.id)
      return yield* recordUnexecuted(inHand, after, claimed.failure)
    }
    inHand = claimed.success
  }
})

/** Estimates, not money: whatever goes wrong with them, what the provider said is recorded. */
const noteEnd = Effect.fnUntraced(
  function* (inHand: ChargeInHand, end: AttemptEnd, after: Attempt, now: number) {
    const circuits = yield* Circuits
    const learned = yield* LearnedRates
    circuits.ended(inHand.connection, isHealthy(end), now)
    yield* Metric.update(attemptsEnded(inHand.connection.id, outcomeOf(end)), 1)
    if (!isMismatched(inHand, end, after)) learned.learn(inHand.payment, null, after, now)
  },
  Effect.catchCause((cause) => Effect.logError("the outcome of an attempt could not be recorded for routing", cause))
)

/** Neither good nor bad: somebody has to look at it. */
const isMismatched = ({ earlier, payment }: ChargeInHand, end: AttemptEnd, after: Attempt): boolean =>
  end._tag !== "CheckoutOpened" && lastFact(payment, earlier, after, end).on === "MismatchStated"

/** Declines and refusals of the payment are health; a provider that rejects our requests or is silent is not well. */
const isHealthy = (end: AttemptEnd): boolean =>
  end._tag !== "Rejected" && end._tag !== "pointsman/NotSent" && end._tag !== "pointsman/Unanswered"

/** Asks one connection after the other. Every attempt is stored before it is sent, while that is recent. */
import { Cause, Clock, Context, Effect, Result } from "effect"
import { adoptAnswer } from "../../commit/AdoptAnswer.ts"
import { lastFact } from "../../decide/ChargeFact.ts"
import { withSkipped } from "../../decide/WithRouting.ts"
import { attemptsEnded, routesTaken } from "../../metrics/Metrics.ts"
import { type Attempt, type AttemptEnd, abandonAttempt, endAttempt, outcomeOf } from "../../model/Attempt.ts"
import type { Connection } from "../../model/Connection.ts"
import type { Payment } from "../../model/Payment.ts"
import { PaymentSettings } from "../../ports/PaymentSettings.ts"
import { nextConnections } from "../../routing/NextStep.ts"
import type { RoutePlan } from "../../routing/RoutePlan.ts"
import { Circuits } from "../../routing/run/Circuits.ts"
import { LearnedRates } from "../../routing/run/LearnedRates.ts"
import { claimNext } from "./ClaimCharge.ts"
import type { ChargeInHand } from "./NewPayment.ts"
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
  const context = yield* Effect.context<Circuits | LearnedRates>()
  const { sendWithinMillis } = Context.get(context, PaymentSettings)
  const circuits = Context.get(context, Circuits)
  const clock = Context.get(context, Clock.Clock)
  routesTaken(plan.decision.path, plan.mode).updateUnsafe(1, context)
  let inHand = begun
  // Bounded by the plan: every turn but the last one uses up a connection.
  for (;;) {
    const { connection, attempt } = inHand
    const beginBy = attempt.sentAt + sendWithinMillis
    const begunAt = clock.currentTimeMillisUnsafe()
    if (begunAt > beginBy) {
      circuits.giveBackProbe(connection, inHand.payment.id)
      if (inHand.earlier.length === 0) return yield* tooLate(inHand)
      return yield* recordUnexecuted(inHand, abandonAttempt(attempt))
    }
    circuits.began(connection, begunAt)
    const end = yield* send(inHand, beginBy)
    const now = clock.currentTimeMillisUnsafe()
    const after = endAttempt(attempt, end, now)
    const trouble = noteEnd(context, inHand, end, after, now)
    if (trouble !== undefined) yield* trouble

    const others = nextConnections(plan, [...inHand.earlier, attempt], end)
    let next: Connection | undefined
    if (others.length > 0) {
      const found = yield* nextAttempt(plan, inHand.payment.tenant, others, now)
      next = found.connection
      inHand = { ...inHand, payment: withSkipped(inHand.payment, found.skipped) }
    }
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

/** Estimates, not money: whatever goes wrong with them, what the provider said is recorded. Gives what is logged of it. */
const noteEnd = (
  context: Context.Context<Circuits | LearnedRates>,
  inHand: ChargeInHand,
  end: AttemptEnd,
  after: Attempt,
  now: number
): Effect.Effect<void> | undefined => {
  try {
    Context.get(context, Circuits).ended(inHand.connection, isHealthy(end), now)
    attemptsEnded(inHand.connection.id, outcomeOf(end)).updateUnsafe(1, context)
    if (isMismatched(inHand, end, after)) return undefined
    Context.get(context, LearnedRates).learn(inHand.payment, null, after, now)
    return undefined
  } catch (cause) {
    return Effect.logError("the outcome of an attempt could not be recorded for routing", Cause.die(cause))
  }
}

/** Neither good nor bad: somebody has to look at it. */
const isMismatched = ({ earlier, payment }: ChargeInHand, end: AttemptEnd, after: Attempt): boolean =>
  end._tag !== "CheckoutOpened" && lastFact(payment, earlier, after, end).on === "MismatchStated"

/** Declines and refusals of the payment are health; a provider that rejects our requests or is silent is not well. */
const isHealthy = (end: AttemptEnd): boolean =>
  end._tag !== "Rejected" && end._tag !== "pointsman/NotSent" && end._tag !== "pointsman/Unanswered"

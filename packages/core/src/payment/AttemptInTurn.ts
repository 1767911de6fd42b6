/**
 * Asks one connection after the other, as far as the plan goes: a charge, or the opening of a checkout. Every attempt
 * is stored before it is sent, and sent only while that is recent.
 */
import { Clock, Effect, Result } from "effect"
import { Circuits } from "../routing/Circuits.ts"
import type { Connection } from "../routing/Connection.ts"
import { LearnedRates } from "../routing/LearnedRates.ts"
import { mayFollow, type NothingExecuted } from "../routing/NextStep.ts"
import type { RoutePlan } from "../routing/RoutePlan.ts"
import { type AttemptEnd, abandonAttempt, endAttempt } from "./Attempt.ts"
import type { ChargeInHand } from "./ChargeInHand.ts"
import { claimNext } from "./ClaimCharge.ts"
import type { Payment } from "./Payment.ts"
import { PaymentSettings } from "./PaymentSettings.ts"
import { settle, settleCheckout, settleState, settleUnexecuted } from "./SettleCharge.ts"

export interface Course<E, R, R2> {
  /** Sends the attempt in hand, if it can begin in time (epoch milliseconds), and says how that ended. */
  readonly send: (inHand: ChargeInHand, beginBy: number) => Effect.Effect<AttemptEnd, never, R>
  /** What becomes of a first attempt that grew too old to be sent. */
  readonly tooLate: (inHand: ChargeInHand) => Effect.Effect<Payment, E, R2>
}

/** Attempts, one after the other, until one is an outcome or none may follow. */
export const attemptInTurn = Effect.fnUntraced(function* <E, R, R2>(
  plan: RoutePlan,
  begun: ChargeInHand,
  { send, tooLate }: Course<E, R, R2>
) {
  const { sendWithinMillis } = yield* PaymentSettings
  const circuits = yield* Circuits
  const learned = yield* LearnedRates
  let inHand = begun
  // Bounded by the plan: every turn but the last one uses up a connection.
  for (;;) {
    const { connection, attempt } = inHand
    const beginBy = attempt.sentAt + sendWithinMillis
    if ((yield* Clock.currentTimeMillis) > beginBy) {
      if (inHand.earlier.length === 0) return yield* tooLate(inHand)
      return yield* settleUnexecuted(inHand, abandonAttempt(attempt))
    }
    circuits.began(connection, yield* Clock.currentTimeMillis)
    const end = yield* send(inHand, beginBy)
    const now = yield* Clock.currentTimeMillis
    circuits.ended(connection, isHealthy(end), now)
    learned.learn(inHand.payment, null, endAttempt(attempt, end, now), now)

    switch (end._tag) {
      case "CheckoutOpened":
        return yield* settleCheckout(inHand, end, now)
      case "pointsman/Unanswered":
        return yield* settle(inHand, endAttempt(attempt, end, now), {
          on: "ChargeUnanswered",
          connectionId: connection.id
        })
      case "pointsman/NotSent":
      case "Rejected":
        break
      case "Declined":
        if (end.soft) break
        return yield* settleState(inHand, end, now)
      default:
        return yield* settleState(inHand, end, now)
    }
    // From here on the attempt certainly executed nothing: the type of `end` says so to `mayFollow`.
    const nothing: NothingExecuted = end._tag === "Declined" ? { _tag: "Declined", soft: true } : end
    const after = endAttempt(attempt, end, now)
    const next = nextConnection(plan, inHand, nothing, (connection) => circuits.isOpen(connection, now))
    if (next === undefined) return yield* settleUnexecuted(inHand, after)
    const claimed = yield* claimNext(inHand, after, next)
    if (Result.isFailure(claimed)) return yield* settleUnexecuted(inHand, after, claimed.failure)
    inHand = claimed.success
  }
})

const nextConnection = (
  plan: RoutePlan,
  inHand: ChargeInHand,
  end: NothingExecuted,
  isCircuitOpen: (connection: Connection) => boolean
): Connection | undefined => {
  const made = [...inHand.earlier, inHand.attempt]
  if (made.length >= plan.maxAttempts || !mayFollow(plan.mode, end)) return undefined
  return plan.order.find(
    (connection) =>
      !made.some((attempt) => attempt.connectionId === connection.id) &&
      (plan.decision.degraded || !isCircuitOpen(connection))
  )
}

/** Declines and refusals of the payment are health; a provider that rejects our requests or is silent is not well. */
const isHealthy = (end: AttemptEnd): boolean =>
  end._tag !== "Rejected" && end._tag !== "pointsman/NotSent" && end._tag !== "pointsman/Unanswered"

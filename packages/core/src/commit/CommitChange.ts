/** The one place that writes a change. What becomes due with it is part of the change. */
import { Clock, Context, Effect, Random } from "effect"
import { checkedConnection, nextCheckAt } from "../decide/CheckSchedule.ts"
import { disputeCheckAt } from "../decide/DisputeReminders.ts"
import type { Attempt } from "../model/Attempt.ts"
import { spread } from "../model/Delivery.ts"
import { type Change, type ClaimGuard, type CommitFailure, Ledger } from "../ports/Ledger.ts"
import { DeliverySettings, PaymentSettings } from "../ports/PaymentSettings.ts"
import { keeping } from "./KeptBooks.ts"
import { DeliveryWake } from "./WakeDelivery.ts"

/** A change as it is decided; when the payment is checked and its events are delivered follows from it. */
export type Step = Omit<Change, "attempts" | "checkAt" | "checkedConnection" | "deliverAt"> &
  Partial<Pick<Change, "attempts">>

/** The routing decision of the payment stores the declines of its attempts. */
const withoutDecline = ({ decline: _, ...attempt }: Attempt): Attempt => attempt

/** The change is made when this is called, and is to be sent at once. */
export const commitIn = (
  context: Context.Context<Ledger | DeliveryWake>,
  { attempts = [], ...decided }: Step
): Effect.Effect<void, CommitFailure> => {
  const { checkIntervals, claimWindowMillis } = Context.get(context, PaymentSettings)
  const now = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
  const { disputes, events, payment, refunds = [] } = decided
  const checkAt = nextCheckAt(payment.after, refunds, checkIntervals, claimWindowMillis, now)
  const change: Change = {
    ...decided,
    attempts: attempts.map(withoutDecline),
    checkAt,
    checkedConnection: checkAt === null ? null : checkedConnection(payment.after),
    ...(disputes && {
      disputes: disputes.map((dispute) => ({
        ...dispute,
        checkAt: disputeCheckAt(dispute, checkIntervals, claimWindowMillis, now)
      }))
    }),
    ...(events.length > 0 && { deliverAt: now + firstDelay(context) })
  }
  const keep = keeping(context, change, now)
  return Effect.map(Context.get(context, Ledger).commit(change), (isDelivered) => {
    keep()
    if (isDelivered) Context.get(context, DeliveryWake).wake()
  })
}

/** Until the events are delivered, in milliseconds. */
const firstDelay = (context: Context.Context<never>): number => {
  const { scheduleMillis } = Context.get(context, DeliverySettings)
  return spread(scheduleMillis[0] ?? 0, Context.get(context, Random.Random).nextDoubleUnsafe())
}

export const claimGuard = ({ afterRestore }: PaymentSettings, key: ClaimGuard["key"]): ClaimGuard => ({
  refusesMissing: afterRestore === "refuse",
  key
})

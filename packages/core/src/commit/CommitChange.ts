/** The one place that writes a change. What becomes due with it is part of the change. */
import { Clock, Effect, Random } from "effect"
import { checkedConnection, nextCheckAt } from "../decide/CheckSchedule.ts"
import { disputeCheckAt } from "../decide/DisputeReminders.ts"
import type { Attempt } from "../model/Attempt.ts"
import { spread } from "../model/Delivery.ts"
import { type Change, Ledger } from "../ports/Ledger.ts"
import { DeliverySettings, PaymentSettings } from "../ports/PaymentSettings.ts"
import { keeping } from "./KeptBooks.ts"
import { DeliveryWake } from "./WakeDelivery.ts"

/** A change as it is decided; when the payment is checked and its events are delivered follows from it. */
export type Step = Omit<Change, "attempts" | "checkAt" | "checkedConnection" | "deliverAt"> &
  Partial<Pick<Change, "attempts">>

/** The routing decision of the payment stores the declines of its attempts. */
const withoutDecline = ({ decline: _, ...attempt }: Attempt): Attempt => attempt

export const commitChange = Effect.fnUntraced(function* ({ attempts = [], ...decided }: Step) {
  const step = { ...decided, attempts: attempts.map(withoutDecline) }
  const ledger = yield* Ledger
  const { checkIntervals, claimWindowMillis } = yield* PaymentSettings
  const now = yield* Clock.currentTimeMillis
  const checkAt = nextCheckAt(step.payment.after, step.refunds ?? [], checkIntervals, claimWindowMillis, now)
  const { disputes } = step
  const check = {
    checkAt,
    checkedConnection: checkAt === null ? null : checkedConnection(step.payment.after),
    ...(disputes && {
      disputes: disputes.map((dispute) => ({
        ...dispute,
        checkAt: disputeCheckAt(dispute, checkIntervals, claimWindowMillis, now)
      }))
    })
  }
  if (step.events.length === 0) return yield* keeping(step, ledger.commit({ ...step, ...check }))
  const { scheduleMillis } = yield* DeliverySettings
  const deliveryWake = yield* DeliveryWake
  const deliverAt = now + spread(scheduleMillis[0] ?? 0, yield* Random.next)
  yield* keeping(step, ledger.commit({ ...step, ...check, deliverAt }))
  yield* deliveryWake.wake
})

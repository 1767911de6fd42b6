/** A provider captured more than is recorded, under the same reference. Pure. */
import { Result } from "effect"
import { step } from "../machine/Machine.ts"
import type { Payment } from "../model/Payment.ts"
import { paymentEvent } from "../model/PaymentEvents.ts"
import { PaymentMachine } from "../model/PaymentMachine.ts"
import { nothingReported, withContradiction } from "../model/Reported.ts"
import type { Money } from "../money/Money.ts"
import { type Applied, unchanged } from "./Applied.ts"
import { excessName } from "./WeighReported.ts"
import { withReview } from "./WithReview.ts"

/**
 * The payment with the greater amount, which the provider stated at `at` by its clock, up to what was authorized.
 * Operations review it either way. `undefined` where nothing can be recorded, or the same excess was stated before.
 */
export const correctCapture = (payment: Payment, stated: Money, at: number, now: number): Applied | undefined => {
  const capturedMinor = Math.max(payment.capturedMinor, Math.min(stated.minorUnits, payment.authorizedMinor))
  const on = capturedMinor > payment.capturedMinor ? "CaptureCorrected" : "ExcessCaptureStated"
  const row = Result.getOrUndefined(step(PaymentMachine, payment.state, on))
  const reported = payment.reported ?? nothingReported
  const name = excessName(stated.minorUnits)
  if (row === undefined || (on === "ExcessCaptureStated" && reported.contradictions.includes(name))) return undefined
  const corrected: Payment = {
    ...payment,
    state: row.to,
    capturedMinor,
    reported: { ...reported, correctedAt: at, contradictions: withContradiction(reported.contradictions, name) },
    version: payment.version + 1,
    updatedAt: now
  }
  const after = withReview(corrected, { events: row.emits })
  return {
    ...unchanged,
    payment: after,
    events: row.emits.map((type) =>
      paymentEvent(type, after, {
        stated_amount: stated.minorUnits,
        stated_currency: stated.currency,
        captured_amount: capturedMinor
      })
    )
  }
}

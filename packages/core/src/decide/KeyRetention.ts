/** For how long an idempotency key of a create is kept. Pure. */
import { type Claim, keyRetentionMillis } from "../model/Claim.ts"
import type { Payment } from "../model/Payment.ts"
import { type PaymentStatus, statusOf } from "../model/PaymentMachine.ts"

/** Whether the retention may be over, so that the payment is worth reading: until then the key is kept in any state. */
export const mayBeOver = (claim: Claim, claimWindowMillis: number, now: number): boolean =>
  claim.state === "Answered"
    ? now >= (claim.answeredAt ?? now) + keyRetentionMillis
    : now >= claim.claimedAt + Math.max(keyRetentionMillis, claimWindowMillis)

/**
 * A key is kept for 24 hours after its answer, and for as long as the attempt has no answer or its payment is UNKNOWN.
 * Where the key's response had no outcome and a provider was called, the 24 hours run from the settlement: of a charge
 * that was answered PENDING, UNKNOWN or not at all, and of a hosted page whose customer paid after it was answered.
 */
export const isRetentionOver = (claim: Claim, payment: Payment, now: number): boolean => {
  if (payment.state === "Charging" || statusOf[payment.state] === "UNKNOWN") return false
  const from = wasAnsweredBefore(claim, payment) ? payment.settledAt : claim.answeredAt
  return from !== null && now >= from + keyRetentionMillis
}

/** What was sent may still be charged. */
const answeredOpen: ReadonlySet<PaymentStatus> = new Set(["PENDING", "UNKNOWN"])

/** Whether the key was answered before the outcome was known, and there is one to wait for. */
const wasAnsweredBefore = ({ answer }: Claim, payment: Payment): boolean => {
  if (answer === null) return true
  const status = statusOf[answer.state]
  // A page without a choice, or that ended without a route, asked no provider.
  return answeredOpen.has(status) || (status === "REQUIRES_ACTION" && payment.routing !== null)
}

/** What an attempt's end says about its connection. Pure. */
import type { Attempt, AttemptOutcome } from "../model/Attempt.ts"
import type { DeclineCategory } from "../model/Decline.ts"
import type { Payment } from "../model/Payment.ts"
import type { RoutingAttempt, RoutingDecision } from "../model/RoutingDecision.ts"

/** Whether it speaks for the connection; `null` where it says nothing, or nothing yet. */
const succeeded: Readonly<Record<AttemptOutcome, boolean | null>> = {
  Authorized: true,
  Captured: true,
  Declined: false,
  NeedsCustomer: false,
  Rejected: false,
  NotSent: false,
  Unanswered: false,
  // The customer is still paying, or the provider at work.
  CheckoutOpened: null,
  Pending: null,
  Canceled: null,
  Mismatched: null,
  Abandoned: null
}

/** Declines that another connection would have met with just the same. */
const ofTheCustomer: ReadonlySet<DeclineCategory> = new Set([
  "insufficient_funds",
  "expired_card",
  "invalid_card",
  "lost_or_stolen",
  "cancelled_by_customer"
])

/**
 * Whether the attempt succeeded; `undefined` where that is not to be counted: now, or again. An attempt counts once:
 * silence has counted as a failure, whatever a lookup finds later.
 */
export const measuredOutcome = (
  before: AttemptOutcome | null,
  after: Pick<Attempt, "outcome" | "declineCategory">
): boolean | undefined => {
  const isCounted = before !== null && succeeded[before] !== null
  if (isCounted || after.outcome === null) return undefined
  if (after.declineCategory !== null && ofTheCustomer.has(after.declineCategory)) return undefined
  return succeeded[after.outcome] ?? undefined
}

export interface MeasuredAttempt extends RoutingAttempt {
  readonly isSuccess: boolean
}

/** The attempts of a stored payment that count, by how they ended as far as it is known now. */
export const measuredAttempts = ({
  declineCategory,
  routing: { attempts }
}: Pick<Payment, "declineCategory"> & { readonly routing: RoutingDecision }): ReadonlyArray<MeasuredAttempt> =>
  attempts.flatMap((attempt, index) => {
    // Only the last decline is the payment's; those before it were soft.
    const category = index === attempts.length - 1 ? declineCategory : null
    const isSuccess = measuredOutcome(null, { outcome: attempt.outcome, declineCategory: category })
    return isSuccess === undefined ? [] : [{ ...attempt, isSuccess }]
  })

/**
 * What a provider's record, looked up, means for what we do not know (decisions, section 3). Pure.
 *
 * The rule that a reader would otherwise break: a record that is not there says "never executed" only when the call is
 * older than twice its time-out and the provider calls its answer conclusive. Until then it says nothing. What is
 * recorded already is no fact either: it would write the same again at every look, and put off all later ones.
 */

import { type Attempt, defaultSendWithinMillis, endAttempt } from "../model/Attempt.ts"
import type { Operation } from "../model/Operation.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import type { ChargeState, Found, RefundState } from "../model/ProviderStatement.ts"
import type { Refund } from "../model/Refund.ts"
import { type Applied, ofRival, replaced, unchanged } from "./Applied.ts"
import { type ChargeFact, chargeFactOf } from "./ChargeFact.ts"
import { type OperationFact, operationFactOf } from "./OperationFact.ts"
import { type RefundFact, refundFactOf } from "./RefundFact.ts"
import { withRouting } from "./WithRouting.ts"

/** A call to a provider, as it is recorded. */
export interface SentCall {
  /** Epoch milliseconds. */
  readonly sentAt: number
  readonly timeoutMillis: number
}

/**
 * Epoch milliseconds from which on "never executed" may be believed. The call is written before it is sent, and may go
 * out as late as the send window allows: from there on it is as old as its time-outs say.
 */
export const oldFrom = ({ sentAt, timeoutMillis }: SentCall): number =>
  sentAt + defaultSendWithinMillis + 2 * timeoutMillis

/** `askedAt`: epoch milliseconds, before the look-up began. */
export const isOldEnough = (call: SentCall, askedAt: number): boolean => askedAt >= oldFrom(call)

/** For a charge that is unknown or accepted. `undefined`: nothing is known yet. */
export const chargeVerdict = (
  payment: Payment,
  attempt: Attempt,
  found: Found<ChargeState>,
  askedAt: number
): ChargeFact | undefined => {
  if (found._tag === "Found") return chargeFactOf(payment, attempt.connectionId, found.state)
  // A checkout whose opening went unanswered may be open, and be paid on later: nothing found is no last word.
  const isCheckout = payment.hosted !== null && payment.tenant.environment === "production"
  const isNever = !isCheckout && payment.state === "ChargeUnknown" && found.conclusive && isOldEnough(attempt, askedAt)
  return isNever ? { on: "ChargeNotFound" } : undefined
}

/** For an attempt that nobody answered while another one holds the money. */
export const rivalVerdict = (
  book: PaymentBook,
  attempt: Attempt,
  found: Found<ChargeState>,
  askedAt: number,
  now: number
): Applied | undefined => {
  if (found._tag === "Found")
    return ofRival(book, attempt, found.state, now) ?? ofHarmless(book, attempt, found.state, now)
  if (!found.conclusive || !isOldEnough(attempt, askedAt)) return undefined
  return ofNothing(
    book,
    { ...attempt, outcome: "Rejected", answeredAt: now, reason: "the provider never received it" },
    now
  )
}

/** It ended, and holds nothing. */
const ofHarmless = (book: PaymentBook, attempt: Attempt, state: ChargeState, now: number): Applied | undefined =>
  state._tag === "Pending" ? undefined : ofNothing(book, endAttempt(attempt, state, now), now)

const ofNothing = ({ attempts, payment }: PaymentBook, ended: Attempt, now: number): Applied => {
  const next = { ...payment, version: payment.version + 1, updatedAt: now }
  return { ...unchanged, payment: withRouting(next, replaced(attempts, [ended])), attempts: [ended] }
}

/** For an authorization that nobody works on. */
export const authorizationVerdict = (
  payment: Payment,
  attempt: Attempt,
  found: Found<ChargeState>
): ChargeFact | undefined => {
  if (found._tag === "NotFound") return undefined
  if (found.state._tag === "Canceled") return { on: "AuthorizationLapsed" }
  return found.state._tag === "Captured" ? chargeFactOf(payment, attempt.connectionId, found.state) : undefined
}

/** For a capture or a void that is unknown or accepted, by the record of its charge. */
export const operationVerdict = (
  payment: Payment,
  operation: Operation,
  found: Found<ChargeState>,
  askedAt: number
): OperationFact | undefined => {
  if (found._tag === "NotFound") return undefined
  switch (found.state._tag) {
    case "Captured":
    case "Canceled":
    case "Pending": {
      const fact = operationFactOf(operation, payment.authorizedMinor, found.state)
      return isToldAlready(operation, fact) ? undefined : fact
    }
    case "Authorized": {
      // The authorization stands: what is only accepted may still be under way, and what is unknown never arrived.
      const isUnknown = payment.state === "CaptureUnknown" || payment.state === "VoidUnknown"
      return isUnknown && isOldEnough(operation, askedAt) ? { _tag: "NotFound" } : undefined
    }
    default:
      return undefined
  }
}

const isToldAlready = ({ answeredAt, outcome }: Operation, fact: OperationFact): boolean =>
  (fact._tag === "Accepted" && outcome === "Accepted") ||
  // An answer that is nothing to build on has a time; silence has none.
  (fact._tag === "Mismatched" && outcome === "Unanswered" && answeredAt !== null)

export const refundVerdict = (refund: Refund, found: Found<RefundState>, askedAt: number): RefundFact | undefined => {
  if (found._tag === "Found") {
    const fact = refundFactOf(refund.money, found.state)
    return isRefundToldAlready(refund, fact) ? undefined : fact
  }
  const isNever = refund.stage === "Unknown" && found.conclusive && isOldEnough(refund, askedAt)
  return isNever ? { on: "RefundNotFound" } : undefined
}

const isRefundToldAlready = ({ providerRefundId, stage }: Refund, fact: RefundFact): boolean =>
  (fact.on === "RefundAccepted" && stage === "Pending") ||
  (fact.on === "RefundMismatched" && stage === "Unknown" && providerRefundId === fact.providerRefundId)

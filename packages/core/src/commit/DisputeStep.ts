/** How a decision about a dispute is written: under the version of its payment, of which nothing else changes. */
import type { DisputeApplied } from "../decide/DisputeFact.ts"
import type { Dispute } from "../model/Dispute.ts"
import { movedPayment } from "../model/MovedPayment.ts"
import type { Payment } from "../model/Payment.ts"
import type { SealedEvidence } from "../ports/LedgerDisputes.ts"
import type { Step } from "./CommitChange.ts"

export const disputeStep = (
  payment: Payment,
  before: Dispute | undefined,
  { dispute, events }: DisputeApplied,
  evidence: ReadonlyArray<SealedEvidence> = []
): Step => ({
  tenant: payment.tenant,
  payment: movedPayment(payment, { ...payment, version: payment.version + 1 }),
  attempts: [],
  disputes: [dispute],
  evidence: evidence.length > 0 ? evidence : droppedEvidence(before, dispute),
  events
})

/** What is written in place of sealed evidence that the provider has, or that no dispute needs any more. */
export const droppedEvidence = (before: Dispute | undefined, after: Dispute): ReadonlyArray<SealedEvidence> => {
  const isDropped = before !== undefined && before.evidence !== null && after.evidence === null
  return isDropped ? [{ id: after.id, paymentId: after.paymentId, sealed: "" }] : []
}

/** How a decision about a dispute is written: under the version of its payment, which moves by no such decision. */
import type { DisputeApplied } from "../decide/DisputeFact.ts"
import type { Dispute } from "../model/Dispute.ts"
import { movedPayment } from "../model/MovedPayment.ts"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import { nothingReported, recordedDispute, withDispute } from "../model/Reported.ts"
import type { SealedEvidence } from "../ports/LedgerDisputes.ts"
import type { Step } from "./CommitChange.ts"

export const disputeStep = (
  book: PaymentBook,
  before: Dispute | undefined,
  { dispute, events }: DisputeApplied,
  evidence: ReadonlyArray<SealedEvidence> = []
): Step => ({
  tenant: book.payment.tenant,
  payment: movedPayment(book, { ...withAcceptance(book.payment, before, dispute), version: book.payment.version + 1 }),
  disputes: [dispute],
  evidence: evidence.length > 0 ? evidence : droppedEvidence(before, dispute),
  events
})

/** What was accepted is lost, as of when the acceptance was sent. Of an inquiry no money has moved. */
const withAcceptance = (payment: Payment, before: Dispute | undefined, dispute: Dispute): Payment => {
  const { attemptId, providerDisputeId: disputeId, submissions } = dispute
  const said = recordedDispute(payment.reported, { attemptId, disputeId })
  const sentAt = submissions.findLast(({ kind }) => kind === "accept")?.sentAt ?? 0
  if (dispute.status !== "accepted" || before?.status === "accepted" || said?.verdict !== "opened") return payment
  const reported = payment.reported ?? nothingReported
  const disputes = withDispute(reported.disputes, { ...said, verdict: "lost", at: Math.max(said.at ?? 0, sentAt) })
  return { ...payment, reported: { ...reported, disputes: disputes ?? reported.disputes } }
}

/** What is written in place of sealed evidence that the provider has, or that no dispute needs any more. */
export const droppedEvidence = (before: Dispute | undefined, after: Dispute): ReadonlyArray<SealedEvidence> => {
  const isDropped = before !== undefined && before.evidence !== null && after.evidence === null
  return isDropped ? [{ id: after.id, paymentId: after.paymentId, sealed: "" }] : []
}

import type { Dispute as DisputeRecord } from "@pointsman/core"
import type { Dispute } from "./api/Disputes.ts"

const timeText = (at: number | null): string | null => (at === null ? null : new Date(at).toISOString())

/** A dispute as the API shows it. */
export const disputeView = (dispute: DisputeRecord): Dispute => ({
  id: dispute.id,
  payment_id: dispute.paymentId,
  status: dispute.status,
  amount: dispute.money?.minorUnits ?? null,
  currency: dispute.money?.currency ?? null,
  reason: dispute.reason,
  provider_reason: dispute.providerReason,
  evidence_due_by: timeText(dispute.evidenceDueBy),
  evidence_submitted_at: timeText(dispute.evidenceSubmittedAt),
  evidence: dispute.evidence === null ? null : { texts: dispute.evidence.texts, files: dispute.evidence.files },
  created: new Date(dispute.createdAt).toISOString()
})

/** A correction as people and programs read it outside of core: amounts in minor units, times in RFC 3339. */
import type { Correction } from "@pointsman/core"
import { timeView } from "./PaymentView.ts"

const statedView = ({ stated, target }: Pick<Correction, "stated" | "target">) => {
  switch (stated._tag) {
    case "NewRefund":
      return { about: "new_refund", amount: target.amountMinor ?? 0, reason: stated.reason } as const
    case "Charge":
      return {
        about: "charge",
        says: stated.says,
        attempt_id: stated.attemptId,
        amount: stated.amountMinor,
        provider_reference: stated.providerRef
      } as const
    case "Refund":
      return {
        about: "refund",
        says: stated.says,
        refund_id: stated.refundId,
        provider_reference: stated.providerRefundId
      } as const
    case "NothingToChange":
      return { about: "nothing" } as const
  }
}

export const correctionView = ({ decision, evidence, id, proposedAt, proposedBy, state, ...about }: Correction) => ({
  id,
  state,
  statement: statedView(about),
  evidence: evidence.evidence,
  file_sha256: evidence.fileHash ?? null,
  evidence_reference: evidence.providerReference ?? null,
  proposed_by: proposedBy.name,
  proposed: timeView(proposedAt),
  decided_by: decision?.by.name ?? null,
  decided: decision === null ? null : timeView(decision.at),
  reason: decision?.reason ?? null
})

export type CorrectionView = ReturnType<typeof correctionView>

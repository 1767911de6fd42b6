/** A stored row of a report, as the journal takes it. Pure. */
import type { PostedMovement } from "../../model/Journal.ts"
import type { SettlementEntry } from "../../model/SettlementEntry.ts"

/**
 * What of an entry is posted: nothing where no row made it, or where the report had the same row before. A row that the
 * provider corrected is withdrawn when the newer version is stored, which is an entry of its own.
 */
export const movementsOfEntry = (entry: SettlementEntry): ReadonlyArray<PostedMovement> => {
  const { connectionId, corrected, kind, number, payoutId, reason, recordedAt, rowId } = entry
  if (number === 0 || reason === "same_row") return []
  const { converted, fee, gross, net, occurredAt, paymentId, refundId } = entry
  const named = { connectionId, rowId, kind, paymentId, refundId, payoutId }
  const posted: PostedMovement = { ...named, gross, converted, fee, net, occurredAt, recordedAt }
  return corrected === null ? [posted] : [posted, { ...posted, recordedAt: corrected.at, isWithdrawn: true }]
}

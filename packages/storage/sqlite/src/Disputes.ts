/** Disputes of a change, and the evidence that is kept for them. */
import type { Change } from "@pointsman/core/ports"
import { entryKey, valuesOf } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { rows, upsertInto } from "./Rows.ts"

const upsertDispute = upsertInto("disputes", Object.keys(rows.disputeColumns), entryKey)
const bindDispute = valuesOf(rows.disputeColumns)
const upsertEvidence = upsertInto("dispute_evidence", Object.keys(rows.evidenceColumns), entryKey)
const bindEvidence = valuesOf(rows.evidenceColumns)

/** Inside its transaction. */
export const writeDisputes = (db: Database): ((change: Change) => void) => {
  const putDispute = db.prepare(upsertDispute)
  const putEvidence = db.prepare(upsertEvidence)
  return (change) => {
    for (const dispute of change.disputes ?? []) putDispute.run(...bindDispute(dispute, change))
    for (const kept of change.evidence ?? []) putEvidence.run(...bindEvidence(kept, change))
  }
}

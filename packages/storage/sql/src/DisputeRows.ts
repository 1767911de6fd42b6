/** How disputes lie in their table: what is searched for as columns, and the whole record as JSON. */
import type { Dispute } from "@pointsman/core"
import type { DueDispute, SealedEvidence } from "@pointsman/core/ports"
import { type Columns, type Owner, type Parts, type Row, readJson } from "./Columns.ts"

export const makeDisputeRows = <V>(parts: Parts<V>) => {
  const { bindText, readTenant, readText, tenantColumns } = parts

  const disputeColumns: Columns<Dispute, V, Owner> = {
    ...tenantColumns,
    payment_id: ({ paymentId }) => bindText(paymentId),
    id: ({ id }) => bindText(id),
    status: ({ status }) => status,
    check_at: ({ checkAt }) => checkAt,
    // With escapes for what a database's text may not hold.
    record: (dispute) => JSON.stringify(dispute)
  }
  const readDispute = (row: Row): Dispute => readJson(row["record"])

  const evidenceColumns: Columns<SealedEvidence, V, Owner> = {
    ...tenantColumns,
    payment_id: ({ paymentId }) => bindText(paymentId),
    id: ({ id }) => bindText(id),
    sealed: ({ sealed }) => bindText(sealed)
  }

  const readDueDispute = (row: Row): DueDispute => ({
    tenant: readTenant(row),
    paymentId: readText(row["payment_id"]),
    disputeId: readText(row["id"]),
    checkAt: row["check_at"] as number
  })

  return { disputeColumns, evidenceColumns, readDispute, readDueDispute }
}

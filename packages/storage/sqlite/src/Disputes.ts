/** Disputes in SQLite, and the evidence that is kept for them. */
import type { SQLInputValue } from "node:sqlite"
import type { Tenant } from "@pointsman/core"
import type { Change, DisputeQuery, DueDisputesQuery, Ledger } from "@pointsman/core/ports"
import { entryKey, type Row, valuesOf } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import { type Database, read } from "./Database.ts"
import { bindTenant, bindText, readText, rows, upsertInto } from "./Rows.ts"

const upsertDispute = upsertInto("disputes", Object.keys(rows.disputeColumns), entryKey)
const bindDispute = valuesOf(rows.disputeColumns)
const upsertEvidence = upsertInto("dispute_evidence", Object.keys(rows.evidenceColumns), entryKey)
const bindEvidence = valuesOf(rows.evidenceColumns)

const ofTenant = "workspace_id = ? and environment = ?"

export const disputeMethods = (
  db: Database
): Pick<Ledger["Service"], "dispute" | "disputes" | "dueDisputes" | "evidence"> => ({
  dispute: (tenant, id) =>
    Effect.map(
      read("dispute", () =>
        db
          .prepare(`select record from disputes indexed by disputes_by_id where ${ofTenant} and id = ?`)
          .get(...bindTenant(tenant), bindText(id))
      ),
      (row) => Option.map(Option.fromUndefinedOr(row), rows.readDispute)
    ),
  disputes: (tenant, query) =>
    Effect.map(
      read("disputes", () => selectDisputes(db, tenant, query)),
      (found) => found.map(rows.readDispute)
    ),
  dueDisputes: (query) =>
    Effect.map(
      read("dueDisputes", () => selectDue(db, query)),
      (found) => found.map(rows.readDueDispute)
    ),
  evidence: (tenant, paymentId, disputeId) =>
    Effect.map(
      read("evidence", () =>
        db
          .prepare(
            `select sealed from dispute_evidence where ${ofTenant} and payment_id = ? and id = ? and sealed <> ''`
          )
          .get(...bindTenant(tenant), bindText(paymentId), bindText(disputeId))
      ),
      (row) => Option.map(Option.fromUndefinedOr(row), ({ sealed }) => readText(sealed))
    )
})

/** Those of a change, inside its transaction. */
export const writeDisputes = (db: Database): ((change: Change) => void) => {
  const putDispute = db.prepare(upsertDispute)
  const putEvidence = db.prepare(upsertEvidence)
  return (change) => {
    for (const dispute of change.disputes ?? []) putDispute.run(...bindDispute(dispute, change))
    for (const kept of change.evidence ?? []) putEvidence.run(...bindEvidence(kept, change))
  }
}

/** Along the index of what the query names: of a payment, of a status, or of all ids. */
const selectDisputes = (
  db: Database,
  tenant: Tenant,
  { before, limit, paymentId, status }: DisputeQuery
): ReadonlyArray<Row> => {
  const index =
    paymentId !== undefined ? "" : `indexed by ${status === undefined ? "disputes_by_id" : "disputes_by_status"}`
  const values: ReadonlyArray<SQLInputValue | undefined> = [
    paymentId === undefined ? undefined : bindText(paymentId),
    status,
    before === undefined ? undefined : bindText(before)
  ]
  return db
    .prepare(
      `select record from disputes ${index} where ${ofTenant}
      ${paymentId === undefined ? "" : "and payment_id = ?"}
      ${status === undefined ? "" : "and status = ?"}
      ${before === undefined ? "" : "and id < ?"}
      order by id desc limit ?`
    )
    .all(...bindTenant(tenant), ...values.filter((value) => value !== undefined), limit)
}

const selectDue = (db: Database, { after, limit, now }: DueDisputesQuery): ReadonlyArray<Row> =>
  db
    .prepare(
      `select workspace_id, environment, payment_id, id, check_at from disputes indexed by disputes_due
      where check_at is not null and check_at <= ? ${after === undefined ? "" : "and (check_at, id) > (?, ?)"}
      order by check_at, id limit ?`
    )
    .all(now, ...(after === undefined ? [] : [after.checkAt, bindText(after.disputeId)]), limit)

/** Disputes in PostgreSQL, and the evidence that is kept for them. */
import type { Tenant } from "@pointsman/core"
import type { DisputeQuery, DueDisputesQuery, Ledger } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import type { Database } from "./Database.ts"
import { bindTenant, bindText, readText, rows } from "./Rows.ts"

const ofTenant = "workspace_id = $1 and environment = $2"

const selectDispute = `select record from disputes where ${ofTenant} and id = $3 and id <> ''`
const selectEvidence = `select sealed from dispute_evidence
  where ${ofTenant} and payment_id = $3 and id = $4 and sealed <> ''`

/** A decision is made on what is read here, so that no standby is asked. */
export const disputeMethods = (
  db: Database
): Pick<Ledger["Service"], "dispute" | "disputes" | "dueDisputes" | "evidence"> => ({
  dispute: (tenant, id) =>
    Effect.map(db.read("dispute", selectDispute, [...bindTenant(tenant), bindText(id)]), ([row]) =>
      Option.map(Option.fromUndefinedOr(row), rows.readDispute)
    ),
  disputes: (tenant, query) =>
    Effect.map(db.read("disputes", ...selectDisputes(tenant, query)), (found) => found.map(rows.readDispute)),
  dueDisputes: (query) =>
    Effect.map(db.read("dueDisputes", ...selectDueDisputes(query)), (found) => found.map(rows.readDueDispute)),
  evidence: (tenant, paymentId, disputeId) =>
    Effect.map(
      db.read("evidence", selectEvidence, [...bindTenant(tenant), bindText(paymentId), bindText(disputeId)]),
      ([row]) => Option.map(Option.fromUndefinedOr(row), ({ sealed }) => readText(sealed))
    )
})

type Statement = readonly [sql: string, params: ReadonlyArray<string>]

const selectDisputes = (tenant: Tenant, { before, limit, paymentId, status }: DisputeQuery): Statement => {
  const params: Array<string> = [...bindTenant(tenant)]
  const where = (condition: string, value: string | undefined) => {
    if (value === undefined) return ""
    params.push(bindText(value))
    return `and ${condition} $${params.length}`
  }
  const conditions = [where("payment_id =", paymentId), where("status =", status), where("id <", before)].join(" ")
  params.push(String(limit))
  // Says which index holds the rows (see `schema.sql`).
  const held = status !== undefined ? "and status <> ''" : paymentId === undefined ? "and id <> ''" : ""
  return [
    `select record from disputes where ${ofTenant} ${conditions} ${held} order by id desc limit $${params.length}`,
    params
  ]
}

const selectDueDisputes = ({ after, limit, now }: DueDisputesQuery): Statement => {
  const later = after === undefined ? "" : "and (check_at, id) > ($3::bigint, $4::text)"
  const params = [String(now), String(limit)]
  return [
    `select workspace_id, environment, payment_id, id, check_at from disputes
    where check_at is not null and check_at <= $1::bigint ${later} order by check_at, id limit $2`,
    after === undefined ? params : [...params, String(after.checkAt), bindText(after.disputeId)]
  ]
}

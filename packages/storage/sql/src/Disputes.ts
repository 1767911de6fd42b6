/** Disputes, and the evidence that is kept for them. A decision is made on what is read here, so that no standby is asked. */
import type { Tenant } from "@pointsman/core"
import type { DisputeQuery, DueDisputesQuery, Ledger } from "@pointsman/core/ports"
import type { Bound } from "./Columns.ts"
import { placesOf, readAll, readOne, type Sql, type Statement } from "./Sql.ts"

const ofTenant = "workspace_id = $1 and environment = $2"
const selectEvidence = `select sealed from dispute_evidence
  where ${ofTenant} and payment_id = $3 and id = $4 and sealed <> ''`

export const makeDisputes = <V>(sql: Sql<V>) => {
  const { bindTenant, bindText, readDispute, readDueDispute, readText } = sql.rows
  const selectDispute = `select record from ${sql.by("disputes", "disputes_by_id")}
    where ${ofTenant} and id = $3 and id <> ''`
  return {
    dispute: (tenant, id) => readOne(sql, "dispute", readDispute, selectDispute, [...bindTenant(tenant), bindText(id)]),
    disputes: (tenant, query) => readAll(sql, "disputes", readDispute, ...selectDisputes(sql, tenant, query)),
    dueDisputes: (query) => readAll(sql, "dueDisputes", readDueDispute, ...selectDue(sql, query)),
    evidence: (tenant, paymentId, disputeId) => {
      const key = [...bindTenant(tenant), bindText(paymentId), bindText(disputeId)]
      return readOne(sql, "evidence", ({ sealed }) => readText(sealed), selectEvidence, key)
    }
  } satisfies Partial<Ledger["Service"]>
}

/** Along the index of what the query names, whose condition it repeats: of a payment, of a status, or of all ids. */
const selectDisputes = <V>(
  { by, rows: { bindTenant, bindText } }: Sql<V>,
  tenant: Tenant,
  { before, limit, paymentId, status }: DisputeQuery
): Statement<V> => {
  const values: Array<Bound<V>> = [...bindTenant(tenant)]
  const place = placesOf(values)
  const index = status === undefined ? "disputes_by_id" : "disputes_by_status"
  const conditions = [
    ofTenant,
    ...(paymentId === undefined ? [] : [`payment_id = ${place(bindText(paymentId))}`]),
    ...(status === undefined ? [] : [`status = ${place(status)}`, "status <> ''"]),
    ...(before === undefined ? [] : [`id < ${place(bindText(before))}`]),
    ...(paymentId === undefined && status === undefined ? ["id <> ''"] : [])
  ]
  const text = `select record from ${paymentId === undefined ? by("disputes", index) : "disputes"}
    where ${conditions.join(" and ")} order by id desc limit ${place(limit)}`
  return [text, values]
}

const selectDue = <V>({ by, rows }: Sql<V>, { after, limit, now }: DueDisputesQuery): Statement<V> => [
  `select workspace_id, environment, payment_id, id, check_at from ${by("disputes", "disputes_due")}
    where check_at is not null and check_at <= $1::bigint
      ${after === undefined ? "" : "and (check_at, id) > ($3::bigint, $4::text)"} order by check_at, id limit $2`,
  [now, limit, ...(after === undefined ? [] : [after.checkAt, rows.bindText(after.disputeId)])]
]

/** Which payments the background looks at, and when: a column of the payment that no reader of payments sees. */
import type { Payment } from "@pointsman/core"
import type { DuePayment, DueQuery, Watched } from "@pointsman/core/ports"
import type { Database } from "./Database.ts"
import { bindTenant, bindText, readTenant, readText } from "./Rows.ts"

const isDue = "check_at is not null and check_at <= ?"

/** One statement takes them, so that no two processes take the same; without work it does not write at all. */
export const takeDue = (db: Database, { leaseMillis, limit, now }: DueQuery): ReadonlyArray<DuePayment> => {
  const hasWork = db.prepare(`select 1 from payments indexed by payments_due where ${isDue} limit 1`)
  if (hasWork.get(now) === undefined) return []
  return db
    .prepare(`update payments set check_at = ? where (workspace_id, environment, id) in (
      select workspace_id, environment, id from payments indexed by payments_due
      where ${isDue} order by check_at limit ?)
      returning workspace_id, environment, id`)
    .all(now + leaseMillis, now, limit)
    .map((row) => ({ tenant: readTenant(row), paymentId: readText(row["id"]) }))
}

export const postpone = (db: Database, { id, tenant, version }: Payment, checkAt: number | null): void => {
  db.prepare(`update payments set check_at = ?
    where workspace_id = ? and environment = ? and id = ? and version = ?`).run(
    checkAt,
    ...bindTenant(tenant),
    bindText(id),
    version
  )
}

/** By the index, and no further along it than is counted. */
export const watched = (db: Database, limit: number): Watched => {
  const row = db
    .prepare(`select count(*) as payments, count(case when refund_pending_minor > 0 then 1 end) as with_refunds,
        min(check_at) as first_at
      from (
        select check_at, refund_pending_minor from payments indexed by payments_due
        where check_at is not null order by check_at limit ?
      )`)
    .get(limit)
  return {
    payments: Number(row?.["payments"]),
    withRefunds: Number(row?.["with_refunds"]),
    firstAt: (row?.["first_at"] ?? null) as number | null
  }
}

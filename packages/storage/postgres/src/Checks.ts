/** Which payments the background looks at, and when: a column of the payment that no reader of payments sees. */
import type { Payment } from "@pointsman/core"
import type { DuePayment, DueQuery, StorageError, Watched } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindTenant, bindText, readTenant, readText } from "./Rows.ts"

/** Without work it does not write at all. */
const hasWork = "select 1 as one from payments where check_at is not null and check_at <= $1 limit 1"

/** What another server takes at this moment, or writes, is passed over. */
const take = `with due as materialized (
  select workspace_id, environment, id, check_at from payments where check_at is not null and check_at <= $1
  order by check_at limit $3 for no key update skip locked
), taken as (
  update payments set check_at = $2 from due
  where payments.workspace_id = due.workspace_id and payments.environment = due.environment and payments.id = due.id
  returning payments.workspace_id, payments.environment, payments.id, due.check_at as waited_since
)
select workspace_id, environment, id from taken order by waited_since`

export const takeDue = Effect.fnUntraced(function* (
  db: Database,
  { leaseMillis, limit, now }: DueQuery
): Effect.fn.Return<ReadonlyArray<DuePayment>, StorageError> {
  const waiting = yield* db.read("takeDue", hasWork, [String(now)])
  if (waiting.length === 0) return []
  const rows = yield* db.update("takeDue", take, [String(now), String(now + leaseMillis), String(limit)])
  return rows.map((row) => ({ tenant: readTenant(row), paymentId: readText(row["id"]) }))
})

const postponed = `update payments set check_at = $1
  where workspace_id = $2 and environment = $3 and id = $4 and version = $5`

export const postpone = (
  db: Database,
  { id, tenant, version }: Payment,
  checkAt: number | null
): Effect.Effect<void, StorageError> =>
  Effect.asVoid(
    db.update("postpone", postponed, [
      checkAt === null ? null : String(checkAt),
      ...bindTenant(tenant),
      bindText(id),
      String(version)
    ])
  )

/** By the index, and no further along it than is counted. */
const selectWatched = `select count(*)::int as payments, count(*) filter (where refund_pending_minor > 0)::int as with_refunds,
    min(check_at) as first_at
  from (
    select check_at, refund_pending_minor from payments where check_at is not null order by check_at limit $1
  ) as watched`

export const watched = (db: Database, limit: number): Effect.Effect<Watched, StorageError> =>
  Effect.map(db.read("watched", selectWatched, [String(limit)]), ([row]) => ({
    payments: Number(row?.["payments"]),
    withRefunds: Number(row?.["with_refunds"]),
    firstAt: (row?.["first_at"] ?? null) as number | null
  }))

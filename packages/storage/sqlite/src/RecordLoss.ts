/** Losses of records in SQLite. */
import type { Tenant } from "@pointsman/core"
import * as Ports from "@pointsman/core/ports"
import { makeRecordLosses, type Sql } from "@pointsman/storage-sql"
import { Clock, Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindTenant, bindText, readText } from "./Rows.ts"
import type { Value } from "./Sql.ts"

const selectUnended = "select number from record_losses where outcome is null"
const selectUnrecovered = `select 1 from connections where workspace_id = ? and environment = ?
  and id not in (select connection_id from recovered_connections where loss = ?)`
const selectKeys = `select payment_id from recovered_keys
  where workspace_id = ? and environment = ? and tag = ? and kind = ? and (kind = 'charge' or payment_id = ?)`

/** What a guard refuses, as the condition of a write: a loss may refuse it there that `guarded` does not. */
export const guardCondition = ({ key, refusesMissing }: Ports.ClaimGuard, tenant: Tenant, paymentId: string) => ({
  sql: [
    refusesMissing ? `not exists (${selectUnended})` : "true",
    key === null ? "true" : `not exists (${selectKeys})`
  ].join(" and "),
  values: key === null ? [] : [...bindTenant(tenant), key.tag, key.kind, bindText(paymentId)]
})

/** Inside an open transaction: what the guard of a change refuses it for. */
export const guarded = (
  db: Database
): ((change: Ports.Change) => Ports.RecordsMissing | Ports.KeyRecovered | undefined) => {
  const unended = db.prepare(selectUnended)
  const unrecovered = db.prepare(selectUnrecovered)
  const filed = db.prepare(selectKeys)
  return ({ guard, payment, tenant }) => {
    const loss = guard?.refusesMissing === true ? unended.get()?.["number"] : undefined
    if (loss !== undefined && unrecovered.get(...bindTenant(tenant), loss as number) !== undefined) {
      return new Ports.RecordsMissing()
    }
    const key = guard?.key ?? null
    if (key === null) return undefined
    const rows = filed.all(...bindTenant(tenant), key.tag, key.kind, bindText(payment.after.id))
    return rows.length === 0
      ? undefined
      : new Ports.KeyRecovered({ paymentIds: rows.map((row) => readText(row["payment_id"])) })
  }
}

/** For how long this process does not look what others wrote, in milliseconds. */
const trustMillis = 2_000

export const make = (sql: Sql<Value>): Ports.RecordLosses => {
  let last: Ports.RecordLoss | null = null
  let readAt = Number.NEGATIVE_INFINITY
  const known = Effect.flatMap(Clock.monotonicTimeNanos, (nanos) => {
    const now = Number(nanos / 1_000_000n)
    if (now - readAt < trustMillis) return Effect.succeed(last)
    readAt = now
    return Effect.catch(losses.newest, () => Effect.sync(() => last))
  })
  /** What was written is known from the next look on. */
  const changed = Effect.sync(() => {
    readAt = Number.NEGATIVE_INFINITY
  })
  const stored = makeRecordLosses(sql, known, () => changed)
  const newest = Effect.tap(stored.newest, (found) =>
    Effect.sync(() => {
      last = found
    })
  )
  const losses: Ports.RecordLosses = { ...stored, newest }
  return losses
}

/** Losses of records in SQLite. */
import {
  type Change,
  declaredLoss,
  KeyRecovered,
  type RecordLoss,
  type RecordLosses,
  RecordsMissing
} from "@pointsman/core/ports"
import { readRecordLoss } from "@pointsman/storage-sql"
import { Clock, Effect } from "effect"
import { type Database, read, update } from "./Database.ts"
import { bindTenant, bindText, insertInto, readText } from "./Rows.ts"

const selectNewest = "select * from record_losses order by number desc limit 1"
const selectRecovered = "select * from recovered_connections where loss = ? order by connection_id"
const put = `insert into record_losses (number, since, reason, declared_at) values (?, ?, ?, ?)
  on conflict (number) do update set since = excluded.since, declared_at = excluded.declared_at`
const forgetRecovered = "delete from recovered_connections where loss = ?"
const isOpen = "number = ? and declared_at = ? and outcome is null"
const selectOpen = `select 1 from record_losses where ${isOpen}`
const markOne = `insert into recovered_connections (loss, connection_id, refunds_wait) values (?, ?, ?)
  on conflict do update set refunds_wait = refunds_wait and excluded.refunds_wait`
const releaseAll = "update recovered_connections set refunds_wait = 0 where loss = ? and refunds_wait"
const releaseOne = `${releaseAll} and connection_id = ?`
const endOne = `update record_losses set outcome = ?, ended_at = ? where ${isOpen}`

const keyColumns = ["workspace_id", "environment", "tag", "kind", "payment_id"]
const fileOne = `${insertInto("recovered_keys", keyColumns)} on conflict do nothing`

const selectUnended = "select number from record_losses where outcome is null"
const selectUnrecovered = `select 1 from connections where workspace_id = ? and environment = ?
  and id not in (select connection_id from recovered_connections where loss = ?)`
const selectKeys = `select payment_id from recovered_keys
  where workspace_id = ? and environment = ? and tag = ? and kind = ? and (kind = 'charge' or payment_id = ?)`

/** Inside an open transaction: what the guard of a change refuses it for. */
export const guarded = (db: Database): ((change: Change) => RecordsMissing | KeyRecovered | undefined) => {
  const unended = db.prepare(selectUnended)
  const unrecovered = db.prepare(selectUnrecovered)
  const filed = db.prepare(selectKeys)
  return ({ guard, payment, tenant }) => {
    const loss = guard?.refusesMissing === true ? unended.get()?.["number"] : undefined
    if (loss !== undefined && unrecovered.get(...bindTenant(tenant), loss as number) !== undefined) {
      return new RecordsMissing()
    }
    const key = guard?.key ?? null
    if (key === null) return undefined
    const rows = filed.all(...bindTenant(tenant), key.tag, key.kind, bindText(payment.after.id))
    return rows.length === 0
      ? undefined
      : new KeyRecovered({ paymentIds: rows.map((row) => readText(row["payment_id"])) })
  }
}

/** For how long this process does not look what others wrote, in milliseconds. */
const trustMillis = 2_000

export const make = (db: Database): RecordLosses => {
  let last: RecordLoss | null = null
  let readAt = Number.NEGATIVE_INFINITY
  const stored = (): RecordLoss | null => {
    const row = db.prepare(selectNewest).get()
    const marked = row === undefined ? [] : db.prepare(selectRecovered).all(row["number"] as number)
    const idsOf = (rows: typeof marked) => rows.map((found) => found["connection_id"] as string)
    const waiting = marked.filter((found) => found["refunds_wait"] === 1)
    last = row === undefined ? null : readRecordLoss(row, idsOf(marked), idsOf(waiting))
    return last
  }
  const newest = read("recordLoss", stored)
  /** What was written is known from the next look on. */
  const change = <A>(operation: string, body: () => A) =>
    Effect.tap(update(db, operation, body), () =>
      Effect.sync(() => {
        readAt = Number.NEGATIVE_INFINITY
      })
    )
  return {
    known: Effect.flatMap(Clock.monotonicTimeNanos, (nanos) => {
      const now = Number(nanos / 1_000_000n)
      if (now - readAt < trustMillis) return Effect.succeed(last)
      readAt = now
      return Effect.catch(newest, () => Effect.sync(() => last))
    }),
    newest,
    declare: (loss) =>
      change("declareLoss", () => {
        const declared = declaredLoss(stored(), loss)
        db.prepare(put).run(declared.number, declared.since, declared.reason, declared.declaredAt)
        db.prepare(forgetRecovered).run(declared.number)
        return declared
      }),
    markRecovered: ({ declaredAt, number }, connectionId, refundsWait) =>
      change("markRecovered", () => {
        if (db.prepare(selectOpen).get(number, declaredAt) === undefined) return false
        db.prepare(markOne).run(number, connectionId, refundsWait ? 1 : 0)
        return true
      }),
    releaseRefunds: (number, connectionId) =>
      change("releaseRefunds", () => {
        const released =
          connectionId === null ? db.prepare(releaseAll).run(number) : db.prepare(releaseOne).run(number, connectionId)
        return released.changes > 0
      }),
    end: ({ declaredAt, number }, { at, outcome }) =>
      change("endLoss", () => db.prepare(endOne).run(outcome, at, number, declaredAt).changes === 1),
    fileKey: (tenant, { kind, paymentId, tag }) =>
      update(db, "fileKey", () => void db.prepare(fileOne).run(...bindTenant(tenant), tag, kind, bindText(paymentId)))
  }
}

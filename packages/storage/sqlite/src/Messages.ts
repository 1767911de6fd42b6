/** Providers' messages: how one is stored before it is applied, the two ways in which it is decided, and how texts are erased. */
import type { Tenant } from "@pointsman/core"
import * as Ports from "@pointsman/core/ports"
import { insertInto, list, type Row, valuesOf } from "@pointsman/storage-sql"
import { type Effect, Option, Result } from "effect"
import { versionOf } from "./Books.ts"
import { type Database, update, write } from "./Database.ts"
import { bindEventId, bindId, tenantHash } from "./Keys.ts"
import { bindTenant, bindText, rows } from "./Rows.ts"

const insert = `${insertInto("messages", Object.keys(rows.messageColumns))} on conflict do nothing`
const bindMessage = valuesOf(rows.messageColumns)

/** Inserted, unless there is one with its id: then gives that one. */
export const storeMessage = (
  db: Database,
  tenant: Tenant,
  message: Ports.StoredMessage
): Effect.Effect<Option.Option<Ports.MessageNote>, Ports.StorageError | Ports.CommitUnknown> =>
  write(db, "storeMessage", (): Result.Result<Option.Option<Ports.MessageNote>> => {
    if (db.prepare(insert).run(...bindMessage(message, { tenant })).changes !== 0) return Result.succeed(Option.none())
    const earlier = selectMessage(db, tenant, message.connectionId, message.eventId)
    return Result.succeed(Option.map(Option.fromUndefinedOr(earlier), rows.readNote))
  })

const isMessage = "workspace_id = ? and environment = ? and connection_id = ? and event_id = ?"
const decide = `update messages set ${list(Object.keys(rows.decisionColumns).map((column) => `${column} = ?`))}
  where ${isMessage} and outcome = ?`
const bindDecision = valuesOf(rows.decisionColumns)

export const outcomeOf = (db: Database, tenant: Tenant, { connectionId, eventId }: Ports.MessageNote) =>
  selectMessage(db, tenant, connectionId, eventId)?.["outcome"] as Ports.MessageOutcome | undefined

export const decideMessage = (db: Database, tenant: Tenant, { after, expected }: Ports.MessageDecision): void => {
  const key = [...bindTenant(tenant), bindText(after.connectionId), bindText(after.eventId)]
  db.prepare(decide).run(...bindDecision(after, { tenant }), ...key, expected)
}

/** By itself, where the payment has the version that was seen. */
export const keepMessage = (
  db: Database,
  tenant: Tenant,
  message: Ports.MessageDecision,
  seen: { readonly paymentId: string; readonly version: number } | null
): Effect.Effect<void, Ports.Stale | Ports.MessageTaken | Ports.StorageError | Ports.CommitUnknown> =>
  write(db, "keepMessage", () => {
    const isMoved = seen !== null && versionOf(db, tenant, seen.paymentId) !== seen.version
    const refusal =
      Ports.messageRefusal(message, outcomeOf(db, tenant, message.after)) ?? (isMoved ? new Ports.Stale() : undefined)
    if (refusal !== undefined) return Result.fail(refusal)
    decideMessage(db, tenant, message)
    return Result.void
  })

export const selectMessage = (db: Database, tenant: Tenant, connectionId: string, eventId: string): Row | undefined =>
  db
    .prepare(`select * from messages where ${isMessage}`)
    .get(...bindTenant(tenant), bindText(connectionId), bindText(eventId))

const replaceData = "update events set data = ? where t = ? and id = ? and payment = ?"
const forgetMetadata = "delete from payment_metadata where t = ? and payment = ?"
/** An empty body is not sealed: there is nothing to decrypt. */
const emptyBodies = `update messages indexed by messages_by_payment set body = '', is_sealed = 0
  where payment_id = ? and workspace_id = ? and environment = ? and body <> ''`

/** Erases the texts of a payment that its own row does not hold. */
export const eraseTexts = (
  db: Database,
  tenant: Tenant,
  { events, paymentId }: Ports.TextErasure
): Effect.Effect<number, Ports.StorageError> =>
  update(db, "eraseTexts", () => {
    const t = tenantHash(tenant)
    const replace = db.prepare(replaceData)
    for (const { data, id } of events) {
      replace.run(JSON.stringify(data), t, bindEventId(id), bindId(paymentId))
    }
    db.prepare(forgetMetadata).run(t, bindId(paymentId))
    return Number(db.prepare(emptyBodies).run(bindText(paymentId), ...bindTenant(tenant)).changes)
  })

/** Providers' messages: their table, how one is stored before it is applied, and the two ways in which it is decided. */
import type { Tenant } from "@pointsman/core"
import {
  type CommitUnknown,
  type MessageDecision,
  type MessageNote,
  MessageTaken,
  Stale,
  type StorageError,
  type StoredMessage
} from "@pointsman/core/ports"
import { list, type Row, valuesOf } from "@pointsman/storage-sql"
import { type Effect, Option, Result } from "effect"
import { selectRow } from "./Books.ts"
import { type Database, write } from "./Database.ts"
import { bindTenant, bindText, insertInto, rows } from "./Rows.ts"

const insert = `${insertInto("messages", Object.keys(rows.messageColumns))} on conflict do nothing`
const bindMessage = valuesOf(rows.messageColumns)

/** Inserted, unless there is one with its id: then gives that one. */
export const storeMessage = (
  db: Database,
  tenant: Tenant,
  message: StoredMessage
): Effect.Effect<Option.Option<MessageNote>, StorageError | CommitUnknown> =>
  write(db, "storeMessage", (): Result.Result<Option.Option<MessageNote>> => {
    if (db.prepare(insert).run(...bindMessage(message, { tenant })).changes !== 0) return Result.succeed(Option.none())
    const earlier = selectMessage(db, tenant, message.connectionId, message.eventId)
    return Result.succeed(Option.map(Option.fromUndefinedOr(earlier), rows.readNote))
  })

const isMessage = "workspace_id = ? and environment = ? and connection_id = ? and event_id = ?"
const decide = `update messages set ${list(Object.keys(rows.decisionColumns).map((column) => `${column} = ?`))}
  where ${isMessage} and outcome = ?`
const bindDecision = valuesOf(rows.decisionColumns)

/** Inside an open transaction, which `decideMessage` follows in. */
export const checkMessage = (
  db: Database,
  tenant: Tenant,
  { after, expected }: MessageDecision
): Result.Result<void, Stale | MessageTaken> => {
  const stored = selectMessage(db, tenant, after.connectionId, after.eventId)
  if (stored?.["outcome"] === expected) return Result.void
  return Result.fail(stored === undefined ? new Stale() : new MessageTaken())
}

export const decideMessage = (db: Database, tenant: Tenant, { after, expected }: MessageDecision): void => {
  const key = [...bindTenant(tenant), bindText(after.connectionId), bindText(after.eventId)]
  db.prepare(decide).run(...bindDecision(after, { tenant }), ...key, expected)
}

/** By itself, where the payment has the version that was seen. */
export const keepMessage = (
  db: Database,
  tenant: Tenant,
  message: MessageDecision,
  seen: { readonly paymentId: string; readonly version: number } | null
): Effect.Effect<void, Stale | MessageTaken | StorageError | CommitUnknown> =>
  write(db, "keepMessage", (): Result.Result<void, Stale | MessageTaken> => {
    const stored = selectMessage(db, tenant, message.after.connectionId, message.after.eventId)
    if (stored !== undefined && stored["outcome"] !== message.expected) return Result.fail(new MessageTaken())
    if (seen !== null && selectRow(db, tenant, seen.paymentId)?.["version"] !== seen.version) {
      return Result.fail(new Stale())
    }
    const undecided = checkMessage(db, tenant, message)
    if (Result.isSuccess(undecided)) decideMessage(db, tenant, message)
    return undecided
  })

export const selectMessage = (db: Database, tenant: Tenant, connectionId: string, eventId: string): Row | undefined =>
  db
    .prepare(`select * from messages where ${isMessage}`)
    .get(...bindTenant(tenant), bindText(connectionId), bindText(eventId))

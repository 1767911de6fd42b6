/** Providers' messages: their table, how one is stored before it is applied, and the two ways in which it is decided. */
import type { Tenant } from "@pointsman/core"
import {
  type CommitUnknown,
  type MessageDecision,
  type MessageNote,
  type MessageQuery,
  type MessageSubject,
  MessageTaken,
  Stale,
  type StorageError,
  type StoredMessage
} from "@pointsman/core/ports"
import { list, type Row, valuesOf } from "@pointsman/storage-sql"
import { type Effect, Option, Result } from "effect"
import { type Database, write } from "./Database.ts"
import { namesAttempt, selectOfCharge } from "./References.ts"
import { bindTenant, bindText, insertInto, readText, rows } from "./Rows.ts"

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

/** Inside an open transaction. */
export const decideMessage = (
  db: Database
): ((tenant: Tenant, message: MessageDecision) => Result.Result<void, Stale | MessageTaken>) => {
  const statement = db.prepare(decide)
  return (tenant, { after, expected }) => {
    const key = [...bindTenant(tenant), bindText(after.connectionId), bindText(after.eventId)]
    if (statement.run(...bindDecision(after, { tenant }), ...key, expected).changes !== 0) return Result.void
    const stored = selectMessage(db, tenant, after.connectionId, after.eventId)
    return Result.fail(stored === undefined ? new Stale() : new MessageTaken())
  }
}

/** By itself, where the payment has the version that was seen. */
export const keepMessage = (
  db: Database,
  tenant: Tenant,
  message: MessageDecision,
  seen: { readonly paymentId: string; readonly version: number } | null
): Effect.Effect<void, Stale | MessageTaken | StorageError | CommitUnknown> =>
  write(db, "keepMessage", (): Result.Result<void, Stale | MessageTaken> => {
    const { connectionId, eventId } = message.after
    const stored = selectMessage(db, tenant, connectionId, eventId)
    if (stored !== undefined && stored["outcome"] !== message.expected) return Result.fail(new MessageTaken())
    if (seen !== null && versionOf(db, tenant, seen.paymentId) !== seen.version) return Result.fail(new Stale())
    return decideMessage(db)(tenant, message)
  })

const versionOf = (db: Database, tenant: Tenant, paymentId: string): unknown =>
  db
    .prepare("select version from payments where workspace_id = ? and environment = ? and id = ?")
    .get(...bindTenant(tenant), bindText(paymentId))?.["version"]

export const selectMessage = (db: Database, tenant: Tenant, connectionId: string, eventId: string): Row | undefined =>
  db
    .prepare(`select * from messages where ${isMessage}`)
    .get(...bindTenant(tenant), bindText(connectionId), bindText(eventId))

const listed = list(["workspace_id", "environment", ...Object.keys(rows.noteColumns)])

/** A walk along the index of the payment, of the outcome or of the time: none of them sorts more than a millisecond's. */
export const selectMessages = (
  db: Database,
  { before, connectionId, limit, namesAttemptFrom, outcome, paymentId, tenant }: MessageQuery
): ReadonlyArray<Row> => {
  const index =
    paymentId !== undefined ? "messages_by_payment" : outcome !== undefined ? "messages_by_outcome" : "messages_by_time"
  return db
    .prepare(`select ${listed} from messages indexed by ${index} where received_at >= 0
      ${before === undefined ? "" : "and (received_at, connection_id, event_id) < (?, ?, ?)"}
      ${paymentId === undefined ? "" : "and payment_id = ?"}
      ${outcome === undefined ? "" : "and outcome = ?"}
      ${connectionId === undefined ? "" : "and connection_id = ?"}
      ${tenant === undefined ? "" : "and workspace_id = ? and environment = ?"}
      ${namesAttemptFrom === undefined ? "" : `and received_at >= ? and ${namesAttempt}`}
      order by received_at desc, connection_id desc, event_id desc limit ?`)
    .all(
      ...(before === undefined ? [] : [before.receivedAt, bindText(before.connectionId), bindText(before.eventId)]),
      ...(paymentId === undefined ? [] : [bindText(paymentId)]),
      ...(outcome === undefined ? [] : [outcome]),
      ...(connectionId === undefined ? [] : [bindText(connectionId)]),
      ...(tenant === undefined ? [] : bindTenant(tenant)),
      ...(namesAttemptFrom === undefined ? [] : [namesAttemptFrom]),
      limit
    )
}

/** The payments that an attempt, a refund or a charge belongs to: more than one of a charge alone (see `MessageBook`). */
export const selectSubjects = (db: Database, tenant: Tenant, subject: MessageSubject): ReadonlyArray<string> => {
  if ("connectionId" in subject) return selectOfCharge(db, tenant, subject)
  const [table, index, id] =
    "attemptId" in subject
      ? ["attempts", "attempts_by_id", subject.attemptId]
      : "operationId" in subject
        ? ["operations", "operations_by_id", subject.operationId]
        : ["refunds", "refunds_by_id", subject.refundId]
  // The newest: requests under one key derive one attempt id, and of the earlier ones nothing was sent.
  const row = db
    .prepare(`select payment_id from ${table} indexed by ${index}
      where workspace_id = ? and environment = ? and id = ? order by payment_id desc limit 1`)
    .get(...bindTenant(tenant), bindText(id as string))
  return row === undefined ? [] : [readText(row["payment_id"])]
}

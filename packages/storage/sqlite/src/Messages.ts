/** Providers' messages: their table's rows, and the two ways in which one is written. */
import {
  CommitUnknown,
  type MessageNote,
  type MessageSubject,
  MessageTaken,
  Stale,
  StorageError,
  type StoredMessage,
  type Tenant
} from "@pointsman/core"
import { Effect, Result } from "effect"
import {
  bindText,
  bindTextOrNull,
  type Database,
  insertInto,
  type Row,
  readText,
  readTextOrNull,
  transaction
} from "./Database.ts"
import { bindTenant, tenantColumns } from "./PaymentRows.ts"

const noteColumns = [
  "connection_id",
  "event_id",
  "payment_id",
  "about",
  "subject_id",
  "dispute_id",
  "verdict",
  "is_applied",
  "written_at",
  "received_at"
]

const insert = `${insertInto("messages", [...tenantColumns, ...noteColumns, "body"])} on conflict do nothing`

/** Inside an open transaction; `false` where it is recorded already. */
export const insertMessage = (db: Database): ((tenant: Tenant, message: StoredMessage) => boolean) => {
  const statement = db.prepare(insert)
  return (tenant, message) =>
    statement.run(
      ...bindTenant(tenant),
      bindText(message.connectionId),
      bindText(message.eventId),
      bindTextOrNull(message.paymentId),
      message.about,
      bindText(message.subjectId),
      bindTextOrNull(message.disputeId),
      message.verdict,
      Number(message.isApplied),
      message.writtenAt,
      message.receivedAt,
      bindText(message.body)
    ).changes !== 0
}

/** By itself, where the payment has the version that was seen. */
export const keepMessage = Effect.fnUntraced(function* (
  db: Database,
  tenant: Tenant,
  message: StoredMessage,
  seen: { readonly paymentId: string; readonly version: number } | null
): Effect.fn.Return<void, Stale | MessageTaken | StorageError | CommitUnknown> {
  const written = transaction(db, (): Stale | MessageTaken | undefined => {
    if (selectMessage(db, tenant, message.connectionId, message.eventId) !== undefined) return new MessageTaken()
    if (seen !== null && versionOf(db, tenant, seen.paymentId) !== seen.version) return new Stale()
    insertMessage(db)(tenant, message)
    return undefined
  })
  if (Result.isFailure(written)) {
    const { _tag, cause } = written.failure
    const error = { operation: "keepMessage", cause }
    return yield* _tag === "NotWritten" ? new StorageError(error) : new CommitUnknown(error)
  }
  if (written.success !== undefined) return yield* written.success
})

const versionOf = (db: Database, tenant: Tenant, paymentId: string): unknown =>
  db
    .prepare("select version from payments where workspace_id = ? and environment = ? and id = ?")
    .get(...bindTenant(tenant), bindText(paymentId))?.["version"]

export const selectMessage = (db: Database, tenant: Tenant, connectionId: string, eventId: string): Row | undefined =>
  db
    .prepare("select * from messages where workspace_id = ? and environment = ? and connection_id = ? and event_id = ?")
    .get(...bindTenant(tenant), bindText(connectionId), bindText(eventId))

/** What was told of a payment's settlement and its disputes, without the bodies. */
export const selectTold = (db: Database, tenant: Tenant, paymentId: string): ReadonlyArray<Row> =>
  db
    .prepare(`select ${noteColumns.join(", ")} from messages indexed by messages_told
      where workspace_id = ? and environment = ? and payment_id = ? and about in ('settlement', 'dispute')
      order by rowid`)
    .all(...bindTenant(tenant), bindText(paymentId))

/** The payment that an attempt, a refund or a charge belongs to. */
export const selectSubject = (db: Database, tenant: Tenant, subject: MessageSubject): string | undefined => {
  if ("connectionId" in subject) {
    const found = db
      .prepare(`select id from payments indexed by payments_by_provider_ref
        where workspace_id = ? and environment = ? and connection_id = ? and provider_ref = ?`)
      .get(...bindTenant(tenant), bindText(subject.connectionId), bindText(subject.providerRef))
    return found === undefined ? undefined : readText(found["id"])
  }
  const [table, index, id] =
    "attemptId" in subject
      ? ["attempts", "attempts_by_id", subject.attemptId]
      : ["refunds", "refunds_by_id", subject.refundId]
  const row = db
    .prepare(`select payment_id from ${table} indexed by ${index}
      where workspace_id = ? and environment = ? and id = ?`)
    .get(...bindTenant(tenant), bindText(id as string))
  return row === undefined ? undefined : readText(row["payment_id"])
}

export const readNote = (row: Row): MessageNote => ({
  connectionId: readText(row["connection_id"]),
  eventId: readText(row["event_id"]),
  paymentId: readTextOrNull(row["payment_id"]),
  about: row["about"] as MessageNote["about"],
  subjectId: readText(row["subject_id"]),
  disputeId: readTextOrNull(row["dispute_id"]),
  verdict: row["verdict"] as MessageNote["verdict"],
  isApplied: row["is_applied"] === 1,
  writtenAt: row["written_at"] as number,
  receivedAt: row["received_at"] as number
})

export const readMessage = (row: Row): StoredMessage => ({ ...readNote(row), body: readText(row["body"]) })

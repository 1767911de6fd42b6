/** Providers' messages: their table's rows, and the one that is written by itself. */
import {
  type CommitUnknown,
  type MessageNote,
  MessageTaken,
  Stale,
  type StorageError,
  type StoredMessage,
  type Tenant
} from "@pointsman/core"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { tenantKey, tenantRow } from "./PaymentRows.ts"
import { bindRow, bindText, type LedgerRow, list, type Row, readText, readTextOrNull } from "./Rows.ts"

export const noteColumns: ReadonlyArray<string> = [
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

export const messageColumns: ReadonlyArray<string> = [...tenantKey, ...noteColumns, "body"]

export const messageRow = (tenant: Tenant, message: StoredMessage): LedgerRow => ({
  ...tenantRow(tenant),
  connection_id: message.connectionId,
  event_id: message.eventId,
  payment_id: message.paymentId,
  about: message.about,
  subject_id: message.subjectId,
  dispute_id: message.disputeId,
  verdict: message.verdict,
  is_applied: message.isApplied,
  written_at: message.writtenAt,
  received_at: message.receivedAt,
  body: message.body
})

/** A message that comes twice at once is inserted once: the other finds nothing to insert. */
const keep = `with verdict as materialized (
  select case
    when exists (
      select 1 from messages
      where workspace_id = $2 and environment = $3 and connection_id = $4 and event_hash = md5($5)
    ) then 'Taken'
    when $6::text is not null and (
      select version from payments where workspace_id = $2 and environment = $3 and id = $6
    ) is distinct from $7::bigint then 'Stale'
    else 'Sound'
  end as word
), told as (
  insert into messages (${list(messageColumns)}) select ${list(messageColumns, "r.")}
  from verdict, jsonb_populate_record(null::messages, $1::text::jsonb) as r
  where word = 'Sound' on conflict do nothing returning 1 as one
)
select case when word = 'Sound' and not exists (select 1 from told) then 'Taken' else word end as word from verdict`

export const keepMessage = Effect.fnUntraced(function* (
  db: Database,
  tenant: Tenant,
  message: StoredMessage,
  seen: { readonly paymentId: string; readonly version: number } | null
): Effect.fn.Return<void, Stale | MessageTaken | StorageError | CommitUnknown> {
  const params = [
    JSON.stringify(bindRow(messageRow(tenant, message))),
    bindText(tenant.workspaceId),
    tenant.environment,
    bindText(message.connectionId),
    bindText(message.eventId),
    seen && bindText(seen.paymentId),
    seen && String(seen.version)
  ]
  const [row] = yield* Effect.mapError(db.write("keepMessage", keep, params), (failure) =>
    failure._tag === "Refused" ? failure.error : failure
  )
  if (row?.["word"] === "Taken") return yield* new MessageTaken()
  if (row?.["word"] === "Stale") return yield* new Stale()
})

export const selectMessage = `select * from messages
  where workspace_id = $1 and environment = $2 and connection_id = $3 and event_hash = md5($4)`

export const readNote = (row: Row): MessageNote => ({
  connectionId: readText(row["connection_id"]),
  eventId: readText(row["event_id"]),
  paymentId: readTextOrNull(row["payment_id"]),
  about: row["about"] as MessageNote["about"],
  subjectId: readText(row["subject_id"]),
  disputeId: readTextOrNull(row["dispute_id"]),
  verdict: row["verdict"] as MessageNote["verdict"],
  isApplied: row["is_applied"] as boolean,
  writtenAt: row["written_at"] as number,
  receivedAt: row["received_at"] as number
})

export const readMessage = (row: Row): StoredMessage => ({ ...readNote(row), body: readText(row["body"]) })

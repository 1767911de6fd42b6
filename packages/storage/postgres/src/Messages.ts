/** Providers' messages: their table, what is stored before it is applied, and what is decided by itself. */
import type { Tenant } from "@pointsman/core"
import {
  type CommitUnknown,
  type MessageDecision,
  MessageTaken,
  Stale,
  StorageError,
  type StoredMessage
} from "@pointsman/core/ports"
import { list, valuesOf } from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import type { Database } from "./Database.ts"
import { bindId, tenantNumber } from "./Keys.ts"
import { withBody } from "./MessageBodies.ts"
import { bindTenant, bindText, bindValue, rows, typeOf } from "./Rows.ts"
import type { Refused } from "./SqlFailures.ts"

const messageColumns = Object.keys(rows.messageColumns)
const bindMessage = valuesOf(rows.messageColumns)
const placed = (column: string) => `$${messageColumns.indexOf(column) + 1}::${typeOf(column)}`
/** With its body in the table of bodies: one statement, so that no message is stored without its body. */
const insertWithBody = `with stored as (
    insert into messages (event_hash, ${list(messageColumns)}) select md5(${placed("event_id")}), ${list(
      messageColumns.map((column) => (column === "body" ? "''" : column === "is_sealed" ? "false" : placed(column)))
    )} on conflict (workspace_id, environment, connection_id, event_hash) do nothing returning received_at, event_hash
  ), kept as (
    insert into message_bodies (workspace_id, environment, received_at, connection_id, event_hash, body, is_sealed)
    select ${placed("workspace_id")}, ${placed("environment")}, received_at, ${placed("connection_id")}, event_hash,
      ${placed("body")}, ${placed("is_sealed")} from stored where ${placed("body")} <> ''
  ) select 1 as one from stored`

const refusedAsError = <A>(asked: Effect.Effect<A, Refused | StorageError | CommitUnknown>) =>
  Effect.mapError(asked, (failure) => (failure._tag === "Refused" ? failure.error : failure))

const ofMessage = "workspace_id = $1 and environment = $2 and connection_id = $3 and event_hash = md5($4)"

/** With what its own row holds of the body. */
const selectMessage = `select * from messages where ${ofMessage}`

export const storeMessage = Effect.fnUntraced(function* (db: Database, tenant: Tenant, message: StoredMessage) {
  const operation = "storeMessage"
  const params = bindMessage(message, { tenant }).map(bindValue)
  const [written] = yield* refusedAsError(db.write(operation, insertWithBody, params))
  if (written !== undefined) return Option.none()
  const key = [...bindTenant(tenant), bindText(message.connectionId), bindText(message.eventId)]
  const [earlier] = yield* db.read(operation, selectMessage, key)
  // It left with its payment since: a repetition stores it anew.
  if (earlier === undefined) return yield* new StorageError({ operation, cause: new Error("the message is not there") })
  return Option.some(rows.readNote(earlier))
})

const decision = Object.keys(rows.decisionColumns)
const bindDecision = valuesOf(rows.decisionColumns)
/** Behind those of `ofMessage`: what was seen, and the decision. */
const [expected, seenId, seenVersion, seenTenant, ...decided] = Array.from(
  { length: 4 + decision.length },
  (_, at) => `$${at + 5}`
)

/** Two that decide the same message at once write once: the other finds another outcome than it expected. */
const keep = `with stored as materialized (
  select (select outcome from messages where ${ofMessage}) as outcome
), verdict as materialized (
  select case
    when outcome is null then 'Stale'
    when outcome <> ${expected}::text then 'Taken'
    when ${seenId}::uuid is not null and (
      select version from payments where t = ${seenTenant} and id = ${seenId}::uuid for key share
    ) is distinct from ${seenVersion}::bigint then 'Stale'
    else 'Sound'
  end as word
  from stored
), told as (
  update messages set ${list(decision.map((column, at) => `${column} = ${decided[at]}::${typeOf(column)}`))}
  from verdict where word = 'Sound' and ${ofMessage} and outcome = ${expected}::text returning 1 as one
)
select case when word = 'Sound' and not exists (select 1 from told) then 'Taken' else word end as word from verdict`

export const keepMessage = Effect.fnUntraced(function* (
  db: Database,
  tenant: Tenant,
  message: MessageDecision,
  seen: { readonly paymentId: string; readonly version: number } | null
) {
  const params = [
    ...bindTenant(tenant),
    bindText(message.after.connectionId),
    bindText(message.after.eventId),
    message.expected,
    seen && bindId(seen.paymentId),
    seen && String(seen.version),
    tenantNumber(tenant),
    ...bindDecision(message.after, { tenant }).map(bindValue)
  ]
  const [row] = yield* refusedAsError(db.write("keepMessage", keep, params))
  if (row?.["word"] === "Taken") return yield* new MessageTaken()
  if (row?.["word"] === "Stale") return yield* new Stale()
})

const noteColumns = ["workspace_id", "environment", ...Object.keys(rows.noteColumns)]

export const selectMessageWithBody = `select ${list(noteColumns, "m.")}, coalesce(b.body, m.body) as body,
    coalesce(b.is_sealed, m.is_sealed) as is_sealed
  from (select * from messages where ${ofMessage}) as m ${withBody("m")}`

/**
 * Providers' messages. Their bodies are partitioned by the month in which the message came (docs/decisions/0044). The body
 * of an undecided message whose month was dropped is in the column of its message instead: a read asks both places, and
 * what moves a body locks the message first.
 */
import type { Tenant } from "@pointsman/core"
import { type Ledger, type MessageNote, MessageTaken, Stale, StorageError } from "@pointsman/core/ports"
import {
  decidedMessage,
  list,
  openEndedOutcomes,
  readOne,
  repeatable,
  type Sql,
  valuesOf
} from "@pointsman/storage-sql"
import { Effect, Option } from "effect"
import type { Database } from "./Database.ts"
import type { Months, Partition } from "./Partitions.ts"
import { bindEventId, bindId, bindTenant, bindText, ofTenant, rows, tenantNumber, typeOf, type Value } from "./Rows.ts"

/** A message that contradicts a payment with a review. */
const isUndecidedContradiction = `exists (
    select 1 from tenants as n cross join lateral (
      select 1 from reviews where reviews.t = n.t and payment = messages.payment_id::uuid offset 0
    ) as reviewed where n.workspace_id = messages.workspace_id and n.environment = messages.environment
  )`
export const isDecidedMessage = decidedMessage(isUndecidedContradiction)

export const isBodyOf = (
  message: string
) => `b.workspace_id = ${message}.workspace_id and b.environment = ${message}.environment
  and b.received_at = ${message}.received_at and b.connection_id = ${message}.connection_id
  and b.event_hash = ${message}.event_hash`

/** One lookup in one partition: as a join, PostgreSQL might read all bodies, without statistics. */
const withBody = (message: string) => `left join lateral (
    select body, is_sealed from message_bodies as b where ${isBodyOf(message)} offset 0
  ) as b on true`

const placeOfBody = "received_at, connection_id, event_hash"

/** `keys`: a part of the statement with the places of bodies of the tenant. The bounds say which partitions are looked at. */
export const deleteBodies = (keys: string, table = "message_bodies") => `delete from ${table} as b
    where b.workspace_id = $1 and b.environment = $2
      and b.received_at >= (select min(received_at) from ${keys}) and b.received_at <= (select max(received_at) from ${keys})
      and b.received_at = any(array(select received_at from ${keys}))
      and (b.received_at, b.connection_id, b.event_hash) in (select ${placeOfBody} from ${keys})`

/** Bodies of the tenant that were received before `before` and are of decided messages, oldest first. */
export const decidedBodies = (before: string, table = "message_bodies") => `from ${table} as b cross join lateral (
    select 1 as one from messages where ${isBodyOf("messages")} and ${isDecidedMessage} offset 0
  ) as decided where b.workspace_id = $1 and b.environment = $2 and b.received_at < ${before} order by b.received_at`

export const pruneDecided = (table: string) => `pruned as materialized (
    select b.received_at, b.connection_id, b.event_hash ${decidedBodies("$3", table)} limit $4
  ), deleted as (${deleteBodies("pruned", table)} returning 1 as one)`

/** Messages that were received in a partition's time and may still need their bodies, by the index of outcomes. */
const undecided = ({ begin, end }: Partition) => `from messages
    where outcome in (${openEndedOutcomes.map((outcome) => `'${outcome}'`).join(", ")})
      and received_at >= ${begin} and received_at < ${end} and (outcome <> 'contradicts' or ${isUndecidedContradiction})`

/** Of one transaction: bodies of a megabyte take some hundred milliseconds. */
const keptAtOnce = 50

/** Moves their bodies to the column of their messages. Erasures and decisions lock the message first, too. */
const keepUndecided = Effect.fnUntraced(function* (db: Database, partition: Partition) {
  const statement = `with undecided as materialized (
      select workspace_id, environment, ${placeOfBody} ${undecided(partition)} and exists (
        select 1 from ${partition.name} as b where ${isBodyOf("messages")}
      ) limit ${keptAtOnce} for update of messages skip locked
    ), moved as (
      delete from ${partition.name} as b using undecided where ${isBodyOf("undecided")} returning b.*
    )
    update messages as m set body = b.body, is_sealed = b.is_sealed from moved as b where ${isBodyOf("m")}
    returning 1 as one`
  while ((yield* db.update("upkeep", statement)).length === keptAtOnce) yield* Effect.yieldNow
})

export const bodyMonths: Months = {
  tables: { message_bodies: "received_at" },
  boundOf: String,
  isOver: (end, before) => end <= before,
  selectOpen: (partition) => `select 1 as one ${undecided(partition)} and exists (
      select 1 from ${partition.name} as b where ${isBodyOf("messages")}
    ) limit 1`,
  clear: keepUndecided
}

const ofPayment = `${ofTenant} and payment_id = $3 and payment_id <> ''`

/** An empty body is not sealed: there is nothing to decrypt. */
const erase = `with input as materialized (
    select r.id, r.data from jsonb_to_recordset($4::text::jsonb) as r (id uuid, data text)
  ), replaced as (
    update events set data = input.data from input
    where events.t = $5 and events.id = input.id and events.payment = $6
    returning 1 as one
  ), forgotten as (
    delete from payment_metadata where t = $5 and payment = $6
  ), emptied as (
    update messages set body = '', is_sealed = false where ${ofPayment} and body <> '' returning 1 as one
  ), of_payment as materialized (
    select received_at, connection_id, event_hash from messages where ${ofPayment}
  ), deleted as (${deleteBodies("of_payment")} returning 1 as one)
  select ((select count(*) from emptied) + (select count(*) from deleted))::integer as count,
    (select count(*)::integer from replaced) as replaced`

/** A body that moves to its message meanwhile would be in neither place that the erasure looks at. */
const lockMessages = `select 1 as one from messages where ${ofPayment} for update`

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

const ofMessage = `${ofTenant} and connection_id = $3 and event_hash = md5($4)`

/** With what its own row holds of the body. */
const selectMessage = `select * from messages where ${ofMessage}`

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

const noteColumns = ["workspace_id", "environment", ...Object.keys(rows.noteColumns)]

const selectMessageWithBody = `select ${list(noteColumns, "m.")}, coalesce(b.body, m.body) as body,
    coalesce(b.is_sealed, m.is_sealed) as is_sealed
  from (select * from messages where ${ofMessage}) as m ${withBody("m")}`

export const makeStoredMessages = (db: Database, sql: Sql<Value>) => {
  const keyOf = (tenant: Tenant, { connectionId, eventId }: Pick<MessageNote, "connectionId" | "eventId">) => [
    ...bindTenant(tenant),
    bindText(connectionId),
    bindText(eventId)
  ]
  const write = (...statement: Parameters<Database["write"]>) =>
    Effect.mapError(db.write(...statement), (failure) => (failure._tag === "Refused" ? failure.error : failure))
  return {
    storeMessage: Effect.fnUntraced(function* (tenant, message) {
      const operation = "storeMessage"
      const [written] = yield* write(operation, insertWithBody, bindMessage(message, { tenant }))
      if (written !== undefined) return Option.none()
      const [earlier] = yield* db.read(operation, selectMessage, keyOf(tenant, message))
      if (earlier !== undefined) return Option.some(rows.readNote(earlier))
      // It left with its payment since: a repetition stores it anew.
      return yield* new StorageError({ operation, cause: new Error("the message is not there") })
    }),
    keepMessage: Effect.fnUntraced(function* (tenant, { after, expected }, seen) {
      const ofPayment = [seen && bindId(seen.paymentId), seen?.version ?? null, tenantNumber(tenant)]
      const params = [...keyOf(tenant, after), expected, ...ofPayment, ...bindDecision(after, { tenant })]
      const [row] = yield* write("keepMessage", keep, params)
      if (row?.["word"] === "Taken") return yield* new MessageTaken()
      if (row?.["word"] === "Stale") return yield* new Stale()
    }),
    message: (tenant, connectionId, eventId) => {
      const key = keyOf(tenant, { connectionId, eventId })
      return readOne(sql, "message", rows.readMessage, selectMessageWithBody, key)
    },
    /** Of what the row of the payment does not hold: the data of its events and the bodies of its messages. */
    eraseTexts: (tenant, { events, paymentId }) =>
      repeatable(
        db,
        "eraseTexts",
        Effect.fnUntraced(function* (query) {
          const messages = [...bindTenant(tenant), bindText(paymentId)]
          const data = events.map(({ data, id }) => ({ id: bindEventId(id), data: JSON.stringify(data) }))
          yield* query(lockMessages, messages)
          const payment = [tenantNumber(tenant), bindId(paymentId)]
          const [row] = yield* query(erase, [...messages, JSON.stringify(data), ...payment])
          return row?.["count"] as number
        })
      )
  } satisfies Partial<Ledger["Service"]>
}

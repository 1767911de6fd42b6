/**
 * Bodies of providers' messages, partitioned by the month in which the message came (docs/decisions/0044). The body of an
 * undecided message whose month was dropped is in the column of its message instead: a read asks both places, and what
 * moves a body locks the message first.
 */
import type { Tenant } from "@pointsman/core"
import type { TextErasure } from "@pointsman/core/ports"
import { decidedMessage, openEndedOutcomes, repeatable } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindEventId, bindId, tenantNumber } from "./Keys.ts"
import type { Months, Partition } from "./Partitions.ts"
import { bindTenant, bindText } from "./Rows.ts"

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
export const withBody = (message: string) => `left join lateral (
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

const ofPayment = "workspace_id = $1 and environment = $2 and payment_id = $3 and payment_id <> ''"

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

/** Of what the row of the payment does not hold: the data of its events and the bodies of its messages. */
export const eraseTexts = (db: Database, tenant: Tenant, { events, paymentId }: TextErasure) =>
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

/** What leaves the database when its time is over. Rows that another transaction is writing are passed over. */
import type { Tenant } from "@pointsman/core"
import { referencesOf } from "@pointsman/core/internal"
import type { Held, PruneQuery, ReadPayment, Retention } from "@pointsman/core/ports"
import {
  deliveryIdsBefore,
  isOpenDelivery,
  isOpenMessage,
  makeLease,
  mayLeaveEntry,
  paymentIdsBefore,
  type Row,
  repeatable
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { namesOf, readBook, readEvent } from "./Books.ts"
import type { Database, Query } from "./Database.ts"
import { deliveriesOfEvent, eventsOf } from "./Deliveries.ts"
import { bodyMonths, decidedBodies, deleteBodies, isDecidedMessage, pruneDecided } from "./Messages.ts"
import { deliveryMonths, dropPartitions, makePartitions } from "./Partitions.ts"
import {
  bindAfter,
  bindBefore,
  bindTenant,
  chargeName,
  nameHash,
  ofTenant,
  shortChargeName,
  tenantNumber
} from "./Rows.ts"
import { sqlOf } from "./Sql.ts"

/** To read them takes this process some 20 ms, in which it does nothing else; and an object of the archive holds as many. */
const paymentsAtOnce = 200

export const make = (db: Database): Retention => ({
  paymentsAtOnce,
  lease: makeLease(sqlOf(db)),
  oldPayments: ({ after = "", createdBefore, limit, state, tenant }) => {
    const ids = [bindAfter(after), bindBefore(paymentIdsBefore(createdBefore))]
    const ofState = state === undefined ? [] : [state]
    const params = [...bindTenant(tenant), tenantNumber(tenant), ...ids, createdBefore, limit, ...ofState]
    return Effect.map(db.read("oldPayments", selectOld(state !== undefined), params), (found) =>
      found.map((row) => ({
        book: readBook(tenant, row),
        events: (row["events"] as ReadonlyArray<Row>).map((event) => readEvent(tenant, event)),
        openDeliveries: row["open_deliveries"] as number,
        openMessages: row["open_messages"] as number
      }))
    )
  },
  remove: (payments) => remove(db, payments),
  removedPaymentOf: (tenant, charge) =>
    Effect.map(
      db.read("removedPaymentOf", selectRemoved, [tenantNumber(tenant), chargeName(charge)]),
      ([row]) => (row?.["payment"] ?? null) as string | null
    ),
  held: ({ bodiesBefore, deliveriesBefore, limit, tenant }) => {
    const before = [deliveryIdsBefore(deliveriesBefore ?? 0), deliveriesBefore ?? -1, bodiesBefore ?? -1]
    const params = [...bindTenant(tenant), ...before, limit, tenantNumber(tenant)]
    return Effect.map(db.read("held", selectHeld, params), ([row]) => row as unknown as Held)
  },
  pruneDeliveries: (query) => pruneDeliveries(db, query),
  pruneBodies: ({ before, limit, tenant, ...which }) =>
    Effect.map(
      db.update("pruneBodies", emptyBodiesIn(prunedOf("message_bodies", which)), [
        ...bindTenant(tenant),
        before,
        limit
      ]),
      ([row]) => row?.["count"] as number
    ),
  upkeep: Effect.fnUntraced(function* ({ bodiesBefore, deliveriesBefore, now }) {
    yield* makePartitions(db, deliveryMonths, now)
    yield* makePartitions(db, bodyMonths, now)
    return {
      deliveries: deliveriesBefore === null ? 0 : yield* dropPartitions(db, deliveryMonths, deliveriesBefore),
      bodies: bodiesBefore === null ? 0 : yield* dropPartitions(db, bodyMonths, bodiesBefore)
    }
  })
})

/** The upkeep drops the months that all workspaces keep for as long: then what has no month is left. */
const prunedOf = (table: string, { isLongest = false }: Pick<PruneQuery, "isLongest">): string =>
  isLongest ? `${table}_default` : table

const selectRemoved = `select payment from charges as c where c.t = $1 and c.name = $2
  and not exists (select 1 from payments as p where p.t = c.t and p.id = c.payment)`

const between = (id: string) => `t = $3 and ${id} > $4 and ${id} < $5`

/** Of a state: of the rows in it, and of what is due (see `searches` in `schema.sql`). */
const oldIds = (isOfState: boolean): string =>
  isOfState
    ? `select payment from searches where ${between("payment")} and state = $8
      union all select payment from due where ${between("payment")}`
    : `select id as payment from payments where ${between("id")}`

/** As JSON, so that all of a payment is of the moment of one statement. */
const selectOld = (isOfState: boolean): string => `select p.*,
    (select coalesce(json_agg(events order by id), '[]') from events where ${eventsOf("events", "$3", "p.id")}) as events,
    (select count(*)::integer from events cross join lateral (${deliveriesOfEvent("events")}) as delivery
      where ${eventsOf("events", "$3", "p.id")} and ${isOpenDelivery}) as open_deliveries,
    (select count(*)::integer from messages where ${ofTenant} and payment_id = p.id::text and payment_id <> ''
      and ${isOpenMessage}) as open_messages
  from (select named.payment from (${oldIds(isOfState)}) as named order by named.payment) as named
  cross join lateral (
    select * from payments where t = $3 and id = named.payment and created_at < $6
      ${isOfState ? "and state = $8" : ""} offset 0
  ) as p order by named.payment limit $7`

/** By arrays: of a join, PostgreSQL would read all that the tenant has in a table that was small when it was planned. */
const among = (place: string, type = "text") =>
  `any(array(select jsonb_array_elements_text(${place}::text::jsonb)::${type}))`
/** A writer of one of them comes first. */
const lockPayments = `select * from payments where t = $1 and id = ${among("$2", "uuid")} for update skip locked`

/** Locked, so that none becomes due meanwhile. */
const lockDeliveries = `select delivery.id, events.payment, ${isOpenDelivery} as is_open
  from events cross join lateral (${deliveriesOfEvent("events", "for update")}) as delivery
  where events.t = $4 and events.payment = ${among("$3", "uuid")} and events.type <> 0`

/** Payment by payment: an outcome, or the tenant, looks as good as all payments at once. */
const messagesOfEach = (columns: string, condition: string) => `select m.*
  from jsonb_array_elements_text($3::text::jsonb) as named (id) cross join lateral (
    select ${columns} from messages where ${ofTenant} and payment_id = named.id and payment_id <> '' ${condition} offset 0
  ) as m`

const openMessages = messagesOfEach("payment_id", `and ${isOpenMessage}`)

const removals: ReadonlyArray<string> = [
  `with deleted as (
      delete from messages where ctid = any(array(${messagesOfEach("ctid", "")}))
      returning received_at, connection_id, event_hash
    ) ${deleteBodies("deleted")}`,
  `delete from settlement_entries where ctid = any(array(
      select e.at from jsonb_array_elements_text($3::text::jsonb) as named (id) cross join lateral (
        select ctid as at from settlement_entries
          where ${ofTenant} and payment_id = named.id and payment_id is not null and ${mayLeaveEntry} offset 0
      ) as e
    ))`,
  ...["disputes", "dispute_evidence", "recovered_keys"].map(
    (table) => `delete from ${table} where ${ofTenant} and payment_id = ${among("$3")} and payment_id <> ''`
  )
]

/** Of tables whose rows begin with the tenant's number. */
const removalsByNumber: ReadonlyArray<string> = [
  ["events", "payment", "and type <> 0"],
  ["payment_metadata", "payment", ""],
  ["due", "payment", ""],
  ["reviews", "payment", ""],
  ["payments", "id", ""]
].map(([table, column, held]) => `delete from ${table} where t = $1 and ${column} = ${among("$2", "uuid")} ${held}`)

const removePairs = (table: string, column: string, type: string) => `delete from ${table}
  using jsonb_to_recordset($2::text::jsonb) as r (${column} ${type}, payment uuid)
  where ${table}.t = $1 and ${table}.${column} = r.${column} and ${table}.payment = r.payment`

/** The least and the greatest id say which partitions are looked at: PostgreSQL does not learn it from the array. */
const removalsOfDeliveries = [
  ["delivery_attempts", "delivery_id"],
  ["deliveries", "id"]
].map(([table, id]) => `delete from ${table} where ${ofTenant} and ${id} = ${among("$3")} and ${id} between $4 and $5`)

const removeDeliveries = Effect.fnUntraced(function* (query: Query, tenant: Tenant, locked: ReadonlyArray<Row>) {
  const ids = locked.map((row) => row["id"] as string).sort()
  const [first = "", last = first] = [ids[0], ids.at(-1)]
  if (ids.length === 0) return
  const named = [...bindTenant(tenant), JSON.stringify(ids), first, last]
  for (const statement of removalsOfDeliveries) yield* query(statement, named)
})

/** In one transaction, which holds the rows of a payment from the check of its version to its removal. */
const removeLocked = Effect.fnUntraced(function* (query: Query, tenant: Tenant, versions: ReadonlyMap<string, number>) {
  const t = tenantNumber(tenant)
  const named = (ids: ReadonlyArray<string>) => [...bindTenant(tenant), JSON.stringify(ids)]
  const locked = (yield* query(lockPayments, [t, JSON.stringify([...versions.keys()])]))
    .filter((row) => versions.get(row["id"] as string) === row["version"])
    .map((row) => readBook(tenant, row))
  if (locked.length === 0) return []
  const ids = locked.map(({ payment }) => payment.id)
  const deliveries = yield* query(lockDeliveries, [...named(ids), t])
  const kept = new Set<unknown>((yield* query(openMessages, named(ids))).map((row) => row["payment_id"]))
  for (const row of deliveries) if (row["is_open"] === true) kept.add(row["payment"])
  const leaving = locked.filter(({ payment }) => !kept.has(payment.id))
  const ended = deliveries.filter((row) => !kept.has(row["payment"]))
  yield* removeDeliveries(query, tenant, ended)
  if (leaving.length === 0) return []
  const leavingIds = leaving.map(({ payment }) => payment.id)
  for (const statement of removals) yield* query(statement, named(leavingIds))
  const names = leaving.flatMap((book) => {
    const charges = referencesOf({ ...book, payment: { after: book.payment } }).map(shortChargeName)
    return [...namesOf(book).map(nameHash), ...charges].map((name) => ({ name, payment: book.payment.id }))
  })
  yield* query(removePairs("names", "name", "bigint"), [t, JSON.stringify(names)])
  const states = leaving.map(({ payment: { id, state } }) => ({ state, payment: id }))
  yield* query(removePairs("searches", "state", "text"), [t, JSON.stringify(states)])
  for (const statement of removalsByNumber) yield* query(statement, [t, JSON.stringify(leavingIds)])
  return leavingIds
})

/** By tenant. If it is unknown whether one was written, the next sweep finds those that are left. */
const remove = (db: Database, payments: ReadonlyArray<ReadPayment>) =>
  Effect.map(
    Effect.forEach(Map.groupBy(payments, ({ tenant }) => JSON.stringify(bindTenant(tenant))).values(), (some) => {
      const { tenant } = some[0] as ReadPayment
      const versions = new Map(some.map(({ paymentId, version }) => [paymentId, version]))
      return repeatable(db, "remove", (query) => removeLocked(query, tenant, versions))
    }),
    (removed) => removed.flat()
  )

const endedIn = (table: string) => `from ${table}
  where ${ofTenant} and id < $3 and created_at < $4 and not (${isOpenDelivery})`

const pruneDeliveries = (db: Database, { before, limit, tenant, ...which }: PruneQuery) =>
  repeatable(
    db,
    "pruneDeliveries",
    Effect.fnUntraced(function* (query) {
      const lock = `select id ${endedIn(prunedOf("deliveries", which))} order by id limit $5 for update skip locked`
      const ended = yield* query(lock, [...bindTenant(tenant), deliveryIdsBefore(before), before, limit])
      yield* removeDeliveries(query, tenant, ended)
      return ended.length
    })
  )

const decided = `from messages where ${ofTenant} and received_at < $3 and body <> '' and ${isDecidedMessage}`

/** An empty body is not sealed: there is nothing to decrypt. */
const emptyBodiesIn = (table: string) => `with decided as materialized (
    select connection_id, event_hash ${decided} order by received_at limit $4 for update skip locked
  ), emptied as (
    update messages set body = '', is_sealed = false from decided
    where ${ofTenant} and messages.connection_id = decided.connection_id and messages.event_hash = decided.event_hash
    returning 1 as one
  ), ${pruneDecided(table)}
  select ((select count(*) from emptied) + (select count(*) from deleted))::integer as count`

const selectHeld = `select
  (select count(*)::integer from (select 1 ${endedIn("deliveries")} order by id limit $6) as ended) as deliveries,
  (select count(*)::integer from (
    (select 1 ${decided.replaceAll("$3", "$5")} order by received_at limit $6)
    union all (select 1 ${decidedBodies("$5")} limit $6) limit $6
  ) as decided) as bodies,
  (select created_at from payments where t = $7 order by id limit 1) as "oldestPaymentAt",
  (select created_at from deliveries where ${ofTenant} order by id limit 1) as "oldestDeliveryAt",
  least(
    (select received_at from messages where ${ofTenant} and body <> '' order by received_at limit 1),
    (select received_at from message_bodies where ${ofTenant} order by received_at limit 1)
  ) as "oldestBodyAt"`

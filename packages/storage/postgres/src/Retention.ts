/** What leaves the database when its time is over. Rows that another transaction is writing are passed over. */
import type { Held, HeldQuery, OldPaymentQuery, ReadPayment, Retention, StorageError } from "@pointsman/core/ports"
import {
  deliveryIdsBefore,
  isDecidedBody,
  isOpenDelivery,
  isOpenMessage,
  paymentIdsBefore,
  type Row,
  readOldPayment,
  tablesOfPayment
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Database, type Query, repeatable } from "./Database.ts"
import { bookColumns, bookRowsOf } from "./Ledger.ts"
import { dropPartitions, makePartitions } from "./Partitions.ts"
import { bindTenant, bindText, readText, rows } from "./Rows.ts"

const ofTenant = "workspace_id = $1 and environment = $2"

export const make = (db: Database): Retention => {
  const count = (operation: string, sql: string, params: ReadonlyArray<string>) =>
    Effect.map(db.update(operation, sql, params), ([row]) => row?.["count"] as number)
  return {
    lease: ({ holder, now, until }) =>
      Effect.map(db.update("lease", takeLease, [holder, String(now), String(until)]), (taken) => taken.length === 1),
    oldPayments: (query) =>
      Effect.map(db.read("oldPayments", selectOldPayments, oldPaymentParams(query)), (found) =>
        found.map((row) =>
          readOldPayment(rows)({
            book: bookRowsOf(row),
            events: row["events"] as ReadonlyArray<Row>,
            openDeliveries: row["open_deliveries"] as number,
            openMessages: row["open_messages"] as number
          })
        )
      ),
    remove: (payments) =>
      payments.length === 0
        ? Effect.succeed([])
        : // If it is unknown whether it was written, the next sweep finds those that are left.
          repeatable(db, "remove", (query) => removeLocked(query, payments)),
    removedPaymentOf: (tenant, { connectionId, providerRef }) =>
      Effect.map(
        db.read("removedPaymentOf", selectRemoved, [
          ...bindTenant(tenant),
          bindText(connectionId),
          bindText(providerRef)
        ]),
        ([row]) => (row === undefined ? null : readText(row["payment_id"]))
      ),
    held: (query) => held(db, query),
    pruneDeliveries: ({ before, limit, tenant }) =>
      count("pruneDeliveries", pruneDeliveries, [
        ...bindTenant(tenant),
        deliveryIdsBefore(before),
        String(before),
        String(limit)
      ]),
    pruneBodies: ({ before, limit, tenant }) =>
      count("pruneBodies", emptyBodies, [...bindTenant(tenant), String(before), String(limit)]),
    upkeep: ({ deliveriesBefore, now }) =>
      Effect.andThen(
        makePartitions(db, now),
        deliveriesBefore === null ? Effect.succeed(0) : dropPartitions(db, deliveriesBefore)
      )
  }
}

const takeLease = `insert into retention_lease as lease (one, holder, until) values (1, $1, $3::bigint)
  on conflict (one) do update set holder = excluded.holder, until = excluded.until
  where lease.holder = $1 or lease.until <= $2::bigint
  returning 1 as one`

const selectRemoved = `select payment_id from charge_references as c
  where ${ofTenant} and connection_id = $3 and reference_hash = md5($4) and provider_ref = $4 and not exists (
    select 1 from payments as p
    where p.workspace_id = c.workspace_id and p.environment = c.environment and p.id = c.payment_id
  )`

/** With conditions that are always true, which say that the partial indexes hold the rows (see `Migrations.ts`). */
const ofPayment = (table: string) => `${table}.workspace_id = p.workspace_id and ${table}.environment = p.environment
  and ${table}.payment_id = p.id and ${table}.payment_id <> ''`
const isOfEvent = `deliveries.workspace_id = events.workspace_id and deliveries.environment = events.environment
  and deliveries.event_id = events.id and deliveries.event_id <> ''`

/** As JSON, so that all of a payment is of the moment of one statement. */
const selectOldPayments = `select ${bookColumns},
    (select coalesce(json_agg(events order by id), '[]') from events where ${ofPayment("events")}) as events,
    (select count(*)::integer from events join deliveries on ${isOfEvent}
      where ${ofPayment("events")} and ${isOpenDelivery}) as open_deliveries,
    (select count(*)::integer from messages where ${ofPayment("messages")} and ${isOpenMessage}) as open_messages
  from payments as p
  where ${ofTenant} and id > $3 and id < $4 and created_at < $5 order by id limit $6`

const oldPaymentParams = ({ after = "", createdBefore, limit, tenant }: OldPaymentQuery): ReadonlyArray<string> => [
  ...bindTenant(tenant),
  bindText(after),
  paymentIdsBefore(createdBefore),
  String(createdBefore),
  String(limit)
]

const old = `jsonb_to_recordset($1::text::jsonb)
  as old (workspace_id text, environment text, id text, version bigint)`
const isOld = (table: string, column = "payment_id") =>
  `${table}.workspace_id = old.workspace_id and ${table}.environment = old.environment and ${table}.${column} = old.id`

/** A writer of one of them comes first. */
const lockPayments = `select p.workspace_id, p.environment, p.id, p.version from ${old}
  join payments as p on ${isOld("p", "id")} and p.version = old.version for update of p skip locked`

/** Locked, so that none becomes due meanwhile; of each payment, whether it has an open one. */
const lockDeliveries = `with locked as materialized (
    select deliveries.workspace_id, deliveries.environment, deliveries.id, events.payment_id, deliveries.state
    from ${old}
      join events on ${isOld("events")} and events.payment_id <> '' join deliveries on ${isOfEvent}
    for update of deliveries
  )
  select workspace_id, environment, id, payment_id, ${isOpenDelivery} as is_open from locked`

const openMessages = `select old.workspace_id, old.environment, old.id from ${old}
  where exists (select 1 from messages where ${isOld("messages")} and payment_id <> '' and ${isOpenMessage})`

const removals: ReadonlyArray<string> = [
  `delete from named_references as n using ${old} cross join lateral (
      select connection_id, provider_ref from attempts where ${isOld("attempts")} and provider_ref is not null
      union select connection_id, provider_ref from payments where ${isOld("payments", "id")} and provider_ref is not null
    ) as named
    where ${isOld("n")} and n.connection_id = named.connection_id and n.reference_hash = md5(named.provider_ref)`,
  `delete from claims using ${old} join payments as p on ${isOld("p", "id")}
    where claims.workspace_id = p.workspace_id and claims.environment = p.environment
      and claims.key = p.idempotency_key and claims.payment_id = p.id`,
  ...["messages", ...tablesOfPayment].map(
    (table) => `delete from ${table} using ${old} where ${isOld(table)} and ${table}.payment_id <> ''`
  ),
  `delete from payments using ${old} where ${isOld("payments", "id")}`
]

const removeDeliveries = ["delivery_attempts as d", "deliveries as d"].map(
  (table, index) => `delete from ${table} using ${old} where ${isOld("d", index === 0 ? "delivery_id" : "id")}`
)

const keyOf = ({ environment, workspace_id }: Row, id: unknown): string =>
  JSON.stringify([workspace_id, environment, id])

/** In one transaction, which holds the rows of a payment from the check of its version to its removal. */
const removeLocked = Effect.fnUntraced(function* (query: Query, payments: ReadonlyArray<ReadPayment>) {
  const asked = JSON.stringify(
    payments.map(({ paymentId, tenant, version }) => ({
      workspace_id: bindText(tenant.workspaceId),
      environment: tenant.environment,
      id: bindText(paymentId),
      version
    }))
  )
  const locked = yield* query(lockPayments, [asked])
  if (locked.length === 0) return []
  const among = JSON.stringify(locked)
  const deliveries = yield* query(lockDeliveries, [among])
  const kept = new Set((yield* query(openMessages, [among])).map((row) => keyOf(row, row["id"])))
  for (const row of deliveries) if (row["is_open"] === true) kept.add(keyOf(row, row["payment_id"]))
  const leaving = locked.filter((row) => !kept.has(keyOf(row, row["id"])))
  const ended = deliveries.filter((row) => !kept.has(keyOf(row, row["payment_id"])))
  if (ended.length > 0) for (const statement of removeDeliveries) yield* query(statement, [JSON.stringify(ended)])
  if (leaving.length > 0) for (const statement of removals) yield* query(statement, [JSON.stringify(leaving)])
  return leaving.map((row) => readText(row["id"]))
})

const endedDeliveries = `from deliveries
  where ${ofTenant} and id < $3 and created_at < $4 and not (${isOpenDelivery})`

const pruneDeliveries = `with ended as materialized (
    select id ${endedDeliveries} order by id limit $5 for update skip locked
  ), attempts as (
    delete from delivery_attempts using ended where ${ofTenant} and delivery_id = ended.id
  ), removed as (
    delete from deliveries using ended where ${ofTenant} and deliveries.id = ended.id returning 1 as one
  )
  select count(*)::integer as count from removed`

const decided = `from messages where ${ofTenant} and received_at < $3 and ${isDecidedBody}`

/** An empty body is not sealed: there is nothing to decrypt. */
const emptyBodies = `with decided as materialized (
    select connection_id, event_hash ${decided} order by received_at limit $4 for update skip locked
  ), emptied as (
    update messages set body = '', is_sealed = false from decided
    where ${ofTenant} and messages.connection_id = decided.connection_id and messages.event_hash = decided.event_hash
    returning 1 as one
  )
  select count(*)::integer as count from emptied`

const selectHeld = `select
  (select count(*)::integer from (select 1 ${endedDeliveries} order by id limit $6) as ended) as deliveries,
  (select count(*)::integer from (
    select 1 ${decided.replaceAll("$3", "$5")} order by received_at limit $6
  ) as decided) as bodies,
  (select created_at from payments where ${ofTenant} order by id limit 1) as oldest_payment_at,
  (select created_at from deliveries where ${ofTenant} order by id limit 1) as oldest_delivery_at,
  (select received_at from messages where ${ofTenant} and body <> '' order by received_at limit 1) as oldest_body_at`

/** Before every time. */
const never = -1

const held = (
  db: Database,
  { bodiesBefore, deliveriesBefore, limit, tenant }: HeldQuery
): Effect.Effect<Held, StorageError> =>
  Effect.map(
    db.read("held", selectHeld, [
      ...bindTenant(tenant),
      deliveryIdsBefore(deliveriesBefore ?? 0),
      String(deliveriesBefore ?? never),
      String(bodiesBefore ?? never),
      String(limit)
    ]),
    ([row]) => ({
      deliveries: row?.["deliveries"] as number,
      bodies: row?.["bodies"] as number,
      oldestPaymentAt: (row?.["oldest_payment_at"] ?? null) as number | null,
      oldestDeliveryAt: (row?.["oldest_delivery_at"] ?? null) as number | null,
      oldestBodyAt: (row?.["oldest_body_at"] ?? null) as number | null
    })
  )

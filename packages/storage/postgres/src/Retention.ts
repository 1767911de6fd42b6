/** What leaves the database when its time is over. Rows that another transaction is writing are passed over. */
import type { Tenant } from "@pointsman/core"
import {
  type Held,
  type HeldQuery,
  longestLeaseMillis,
  type OldPaymentQuery,
  type PruneQuery,
  type ReadPayment,
  type Retention,
  type StorageError
} from "@pointsman/core/ports"
import {
  deliveryIdsBefore,
  isDecidedBody,
  isOpenDelivery,
  isOpenMessage,
  leaseTables,
  mayLeaveEntry,
  paymentIdsBefore,
  type Row,
  readOldPayment,
  tablesOfPayment
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Database, type Query, repeatable } from "./Database.ts"
import { deliveriesOfEvent } from "./Deliveries.ts"
import { bookColumns, bookColumnsOfTenant, bookRowsOf } from "./Ledger.ts"
import { decidedBodies, deleteBodies, dropBodyPartitions, makeBodyPartitions, pruneDecided } from "./MessageBodies.ts"
import { dropPartitions, makePartitions } from "./Partitions.ts"
import { bindTenant, bindText, readText, rows } from "./Rows.ts"

const ofTenant = "workspace_id = $1 and environment = $2"

/** To read them takes this process some 20 ms, in which it does nothing else; and an object of the archive holds as many. */
const paymentsAtOnce = 200

/** `texts`: of reads that another shape of the database words otherwise (see `textsOf`). */
export const make = (db: Database, texts: RetentionTexts = textsOf()): Retention => {
  const count = (operation: string, sql: string, params: ReadonlyArray<string>) =>
    Effect.map(db.update(operation, sql, params), ([row]) => row?.["count"] as number)
  return {
    paymentsAtOnce,
    lease: ({ holder, now, until, what = "sweep" }) =>
      Effect.map(
        db.update("lease", takeLease(leaseTables[what]), [
          holder,
          ...[now, until, now + longestLeaseMillis].map(String)
        ]),
        (taken) => taken.length === 1
      ),
    oldPayments: (query) =>
      Effect.map(db.read("oldPayments", texts.oldPayments(query), oldPaymentParams(query)), (found) =>
        found.map((row) =>
          readOldPayment(rows)({
            book: bookRowsOf(row),
            events: row["events"] as ReadonlyArray<Row>,
            openDeliveries: row["open_deliveries"] as number,
            openMessages: row["open_messages"] as number
          })
        )
      ),
    remove: (payments) => remove(db, payments),
    removedPaymentOf: (tenant, { connectionId, providerRef }) =>
      Effect.map(
        db.read("removedPaymentOf", texts.removed, [
          ...bindTenant(tenant),
          bindText(connectionId),
          bindText(providerRef)
        ]),
        ([row]) => (row === undefined ? null : readText(row["payment_id"]))
      ),
    held: (query) => held(db, query),
    pruneDeliveries: (query) => pruneDeliveries(db, query),
    // The upkeep drops the months of bodies that all workspaces keep for as long.
    pruneBodies: ({ before, isLongest, limit, tenant }) =>
      count("pruneBodies", isLongest === true ? emptyOutsideMonths : emptyBodies, [
        ...bindTenant(tenant),
        String(before),
        String(limit)
      ]),
    upkeep: Effect.fnUntraced(function* ({ bodiesBefore, deliveriesBefore, now }) {
      yield* makePartitions(db, now)
      yield* makeBodyPartitions(db, now)
      return {
        deliveries: deliveriesBefore === null ? 0 : yield* dropPartitions(db, deliveriesBefore),
        bodies: bodiesBefore === null ? 0 : yield* dropBodyPartitions(db, bodiesBefore)
      }
    })
  }
}

const takeLease = (table: string) => `insert into ${table} as lease (one, holder, until) values (1, $1, $3::bigint)
  on conflict (one) do update set holder = excluded.holder, until = excluded.until
  where lease.holder = $1 or lease.until <= $2::bigint or lease.until > $4::bigint
  returning 1 as one`

const betweenIds = "id > $3 and id < $4"
/** Compared with the state, because the primary key looks as good for ids alone, and holds all states. */
const betweenIdsInState = "state = $7 and state <> '' and (state, id) > ($7, $3) and (state, id) < ($7, $4)"

/** `workspace`: names it with each table, for a database in which it says which node is asked; that of each row unless set. */
export const textsOf = (workspace?: string) => {
  const isOf = (row: string) => workspace ?? `${row}.workspace_id`
  /** With conditions that are always true, which say that the partial indexes hold the rows (see `schema.sql`). */
  const ofPayment = (table: string) => `${table}.workspace_id = ${isOf("p")} and ${table}.environment = p.environment
  and ${table}.payment_id = p.id and ${table}.payment_id <> ''`
  const deliveries = deliveriesOfEvent("events", "offset 0", workspace !== undefined)
  return {
    removed: `select payment_id from charge_references as c
  where ${ofTenant} and connection_id = $3 and reference_hash = md5($4) and provider_ref = $4 and not exists (
    select 1 from payments as p
    where p.workspace_id = ${isOf("c")} and p.environment = c.environment and p.id = c.payment_id
  )`,
    /** As JSON, so that all of a payment is of the moment of one statement. */
    oldPayments: ({ state }: OldPaymentQuery) => `select ${workspace === undefined ? bookColumns : bookColumnsOfTenant},
    (select coalesce(json_agg(events order by id), '[]') from events where ${ofPayment("events")}) as events,
    (select count(*)::integer from events cross join lateral (${deliveries}) as delivery
      where ${ofPayment("events")} and ${isOpenDelivery}) as open_deliveries,
    (select count(*)::integer from messages where ${ofPayment("messages")} and ${isOpenMessage}) as open_messages
  from payments as p
  where ${ofTenant} and ${state === undefined ? betweenIds : betweenIdsInState} and created_at < $5 order by id limit $6`
  }
}

export type RetentionTexts = ReturnType<typeof textsOf>

const oldPaymentParams = ({
  after = "",
  createdBefore,
  limit,
  state,
  tenant
}: OldPaymentQuery): ReadonlyArray<string> => [
  ...bindTenant(tenant),
  bindText(after),
  paymentIdsBefore(createdBefore),
  String(createdBefore),
  String(limit),
  ...(state === undefined ? [] : [state])
]

/*
 * What is removed is named by arrays: of a join, PostgreSQL would read all that the tenant has in a small table, and keep
 * the plan when the table has grown.
 */
const among = (column: string, names = "$3") =>
  `${ofTenant} and ${column} = any(array(select jsonb_array_elements_text(${names}::text::jsonb)))`

/** A writer of one of them comes first. */
const lockPayments = `select id, version from payments where ${among("id")} for update skip locked`

/** Locked, so that none becomes due meanwhile. */
const lockDeliveries = `select delivery.id, events.payment_id, ${isOpenDelivery} as is_open
  from events cross join lateral (${deliveriesOfEvent("events", "for update")}) as delivery
  where ${among("payment_id").replaceAll(/(workspace_id|environment) =/gu, "events.$1 =")} and payment_id <> ''`

/** Payment by payment: an outcome, or the tenant, looks as good as all payments at once. */
const messagesOfEach = (columns: string, condition: string) => `select m.*
  from jsonb_array_elements_text($3::text::jsonb) as named (id) cross join lateral (
    select ${columns} from messages where ${ofTenant} and payment_id = named.id and payment_id <> '' ${condition} offset 0
  ) as m`

const openMessages = messagesOfEach("payment_id", `and ${isOpenMessage}`)

const removals: ReadonlyArray<string> = [
  `with named as materialized (
      select connection_id, provider_ref, payment_id from attempts where ${among("payment_id")} and provider_ref is not null
      union select connection_id, provider_ref, id from payments where ${among("id")} and provider_ref is not null
      union select connection_id, capture ->> 'id', id from payments
        cross join lateral json_array_elements(reported::json -> 'captures') as capture where ${among("id")}
    )
    delete from named_references where ctid = any(array(
      select n.at from named cross join lateral (
        select ctid as at from named_references as r where ${ofTenant} and r.connection_id = named.connection_id
          and reference_hash = md5(named.provider_ref) and r.payment_id = named.payment_id offset 0
      ) as n
    ))`,
  `delete from claims where ${ofTenant} and payment_id = any(array(select jsonb_array_elements_text($3::text::jsonb)))
    and key = any(array(select idempotency_key from payments where ${among("id")} and idempotency_key is not null))`,
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
  ...tablesOfPayment.map((table) => `delete from ${table} where ${among("payment_id")} and payment_id <> ''`),
  `delete from payments where ${among("id")}`
]

/** The least and the greatest id say which partitions are looked at: PostgreSQL does not learn it from the array. */
const removeAttempts = `delete from delivery_attempts where ${among("delivery_id")} and delivery_id between $4 and $5`
const removeEnded = `delete from deliveries where ${among("id")} and id between $4 and $5`

const removeDeliveries = Effect.fnUntraced(function* (query: Query, tenant: Tenant, locked: ReadonlyArray<Row>) {
  const ids = locked.map((row) => row["id"] as string).sort()
  const [first] = ids
  const last = ids.at(-1)
  if (first === undefined || last === undefined) return
  const named = [...bindTenant(tenant), JSON.stringify(ids), first, last]
  yield* query(removeAttempts, named)
  yield* query(removeEnded, named)
})

/** In one transaction, which holds the rows of a payment from the check of its version to its removal. */
const removeLocked = Effect.fnUntraced(function* (query: Query, tenant: Tenant, versions: ReadonlyMap<string, number>) {
  const owner = bindTenant(tenant)
  const named = (ids: ReadonlyArray<unknown>) => [...owner, JSON.stringify(ids)]
  const locked = (yield* query(lockPayments, named([...versions.keys()]))).filter(
    (row) => versions.get(row["id"] as string) === row["version"]
  )
  if (locked.length === 0) return []
  const ids = locked.map((row) => row["id"])
  const deliveries = yield* query(lockDeliveries, named(ids))
  const kept = new Set((yield* query(openMessages, named(ids))).map((row) => row["payment_id"]))
  for (const row of deliveries) if (row["is_open"] === true) kept.add(row["payment_id"])
  const leaving = ids.filter((id) => !kept.has(id))
  const ended = deliveries.filter((row) => !kept.has(row["payment_id"]))
  yield* removeDeliveries(query, tenant, ended)
  if (leaving.length > 0) for (const statement of removals) yield* query(statement, named(leaving))
  return leaving.map(readText)
})

/** By tenant. If it is unknown whether one was written, the next sweep finds those that are left. */
const remove = (
  db: Database,
  payments: ReadonlyArray<ReadPayment>
): Effect.Effect<ReadonlyArray<string>, StorageError> =>
  Effect.map(
    Effect.forEach(
      Map.groupBy(payments, ({ tenant }) => JSON.stringify(bindTenant(tenant))).values(),
      ([first, ...others]) =>
        first === undefined
          ? Effect.succeed([])
          : repeatable(db, "remove", (query) =>
              removeLocked(
                query,
                first.tenant,
                new Map([first, ...others].map(({ paymentId, version }) => [bindText(paymentId), version]))
              )
            )
    ),
    (removed) => removed.flat()
  )

const endedIn = (table: string) => `from ${table}
  where ${ofTenant} and id < $3 and created_at < $4 and not (${isOpenDelivery})`

const lockEnded = (table: string) => `select id ${endedIn(table)} order by id limit $5 for update skip locked`

export const pruneParams = ({ before, limit, tenant }: PruneQuery) =>
  [...bindTenant(tenant), deliveryIdsBefore(before), String(before), String(limit)] as const

/** The upkeep drops the months of deliveries that all workspaces keep for as long; what has no month is left to this. */
const pruneDeliveries = Effect.fnUntraced(function* (db: Database, query: PruneQuery) {
  const table = query.isLongest === true ? "deliveries_default" : "deliveries"
  return yield* repeatable(
    db,
    "pruneDeliveries",
    Effect.fnUntraced(function* (ask: Query) {
      const ended = yield* ask(lockEnded(table), pruneParams(query))
      yield* removeDeliveries(ask, query.tenant, ended)
      return ended.length
    })
  )
})

const decided = `from messages where ${ofTenant} and received_at < $3 and ${isDecidedBody}`

/** An empty body is not sealed: there is nothing to decrypt. */
const emptyBodiesIn = (table: string) => `with decided as materialized (
    select connection_id, event_hash ${decided} order by received_at limit $4 for update skip locked
  ), emptied as (
    update messages set body = '', is_sealed = false from decided
    where ${ofTenant} and messages.connection_id = decided.connection_id and messages.event_hash = decided.event_hash
    returning 1 as one
  ), ${pruneDecided(table)}
  select ((select count(*) from emptied) + (select count(*) from deleted))::integer as count`

const emptyBodies = emptyBodiesIn("message_bodies")
const emptyOutsideMonths = emptyBodiesIn("message_bodies_default")

const selectHeld = `select
  (select count(*)::integer from (select 1 ${endedIn("deliveries")} order by id limit $6) as ended) as deliveries,
  (select count(*)::integer from (
    (select 1 ${decided.replaceAll("$3", "$5")} order by received_at limit $6)
    union all (select 1 ${decidedBodies("$5")} limit $6) limit $6
  ) as decided) as bodies,
  (select created_at from payments where ${ofTenant} order by id limit 1) as oldest_payment_at,
  (select created_at from deliveries where ${ofTenant} order by id limit 1) as oldest_delivery_at,
  least(
    (select received_at from messages where ${ofTenant} and body <> '' order by received_at limit 1),
    (select received_at from message_bodies where ${ofTenant} order by received_at limit 1)
  ) as oldest_body_at`

/** Before every time. */
const never = -1

export const heldParams = ({ bodiesBefore, deliveriesBefore, limit, tenant }: HeldQuery): ReadonlyArray<string> => [
  ...bindTenant(tenant),
  deliveryIdsBefore(deliveriesBefore ?? 0),
  String(deliveriesBefore ?? never),
  String(bodiesBefore ?? never),
  String(limit)
]

export const readHeld = (row: Row | undefined): Held => ({
  deliveries: row?.["deliveries"] as number,
  bodies: row?.["bodies"] as number,
  oldestPaymentAt: (row?.["oldest_payment_at"] ?? null) as number | null,
  oldestDeliveryAt: (row?.["oldest_delivery_at"] ?? null) as number | null,
  oldestBodyAt: (row?.["oldest_body_at"] ?? null) as number | null
})

const held = (db: Database, query: HeldQuery): Effect.Effect<Held, StorageError> =>
  Effect.map(db.read("held", selectHeld, heldParams(query)), ([row]) => readHeld(row))

/**
 * What leaves the file when its time is over, each batch in one short transaction. A removal is one transaction with its
 * checks: no other write comes between.
 */
import type { Tenant } from "@pointsman/core"
import {
  type Held,
  type HeldQuery,
  longestLeaseMillis,
  type OldPaymentQuery,
  type PruneQuery,
  type ReadPayment,
  type Retention
} from "@pointsman/core/ports"
import {
  deliveryIdsBefore,
  isDecidedBody,
  isOpenDelivery,
  isOpenMessage,
  leaseTables,
  mayLeaveEntry,
  type OldPaymentRows,
  paymentIdsBefore,
  readOldPayment,
  tablesOfPayment
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Database, read, remove, snapshot, update } from "./Database.ts"
import { selectBookRows } from "./Ledger.ts"
import { bindTenant, bindText, readText, rows } from "./Rows.ts"

const ofTenant = "workspace_id = ? and environment = ?"
const ofPayment = `${ofTenant} and payment_id = ?`

/** Pages of the file that are given back at once: 8 MB, which hold the writers up for some 20 ms. */
const pagesGivenBack = 2_000

export const make = (db: Database): Retention => ({
  lease: ({ holder, now, until, what = "sweep" }) =>
    update(
      db,
      "lease",
      () =>
        db.prepare(takeLease(leaseTables[what])).run(holder, until, holder, now, now + longestLeaseMillis).changes === 1
    ),
  oldPayments: (query) =>
    Effect.map(
      read("oldPayments", () => snapshot(db, () => selectOldPayments(db, query))),
      (found) => found.map(readOldPayment(rows))
    ),
  remove: (payments) =>
    remove(db, "remove", () => payments.filter((one) => removePayment(db, one)).map(({ paymentId }) => paymentId)),
  removedPaymentOf: (tenant, { connectionId, providerRef }) =>
    read("removedPaymentOf", () => {
      const row = db.prepare(selectRemoved).get(...bindTenant(tenant), bindText(connectionId), bindText(providerRef))
      return row === undefined ? null : readText(row["payment_id"])
    }),
  held: (query) => read("held", () => held(db, query)),
  pruneDeliveries: (query) => update(db, "pruneDeliveries", () => pruneDeliveries(db, query)),
  pruneBodies: ({ before, limit, tenant }) =>
    update(db, "pruneBodies", () => Number(db.prepare(emptyBodies).run(...bindTenant(tenant), before, limit).changes)),
  upkeep: () =>
    Effect.as(
      read("upkeep", () => db.exec(`PRAGMA incremental_vacuum(${pagesGivenBack})`)),
      { deliveries: 0, bodies: 0 }
    )
})

const takeLease = (table: string) => `insert into ${table} as lease (one, holder, until) values (1, ?, ?)
  on conflict (one) do update set holder = excluded.holder, until = excluded.until
  where lease.holder = ? or lease.until <= ? or lease.until > ?`

const selectRemoved = `select payment_id from charge_references
  where ${ofTenant} and connection_id = ? and provider_ref = ? and not exists (
    select 1 from payments where payments.workspace_id = charge_references.workspace_id
      and payments.environment = charge_references.environment and payments.id = charge_references.payment_id
  )`

/** With a sign, because the index of creation times would find as many, and they would have to be sorted. */
const selectIds = `select id from payments
  where ${ofTenant} and id > ? and id < ? and +created_at < ? order by id limit ?`
const selectIdsInState = `select id from payments indexed by payments_by_state
  where ${ofTenant} and state = ? and id > ? and id < ? and created_at < ? order by id limit ?`
const selectEvents = `select * from events indexed by events_by_payment where ${ofPayment} order by id`
const selectDeliveries = `select id, state from deliveries indexed by deliveries_by_event
  where ${ofTenant} and event_id in (select id from events indexed by events_by_payment where ${ofPayment})`
const countOpenMessages = `select count(*) as count from messages indexed by messages_by_payment
  where payment_id = ? and ${ofTenant} and ${isOpenMessage}`

const selectOldPayments = (
  db: Database,
  { after = "", createdBefore, limit, state, tenant }: OldPaymentQuery
): ReadonlyArray<OldPaymentRows> =>
  db
    .prepare(state === undefined ? selectIds : selectIdsInState)
    .all(
      ...bindTenant(tenant),
      ...(state === undefined ? [] : [state]),
      bindText(after),
      paymentIdsBefore(createdBefore),
      createdBefore,
      limit
    )
    .flatMap((row) => {
      const id = readText(row["id"])
      const book = selectBookRows(db, tenant, id)
      if (book === undefined) return []
      const events = db.prepare(selectEvents).all(...bindTenant(tenant), bindText(id))
      return [{ book, events, ...countOpen(db, tenant, id) }]
    })

const countOpen = (db: Database, tenant: Tenant, id: string) => {
  const key = [...bindTenant(tenant), bindText(id)]
  const open = db
    .prepare(`select count(*) as count from (${selectDeliveries}) where ${isOpenDelivery}`)
    .get(...bindTenant(tenant), ...key)
  const messages = db.prepare(countOpenMessages).get(bindText(id), ...bindTenant(tenant))
  return { openDeliveries: Number(open?.["count"]), openMessages: Number(messages?.["count"]) }
}

const removePayment = (db: Database, { paymentId, tenant, version }: ReadPayment): boolean => {
  const owner = bindTenant(tenant)
  const key = [...owner, bindText(paymentId)]
  const payment = db.prepare(`select * from payments where ${ofTenant} and id = ? and version = ?`).get(...key, version)
  if (payment === undefined) return false
  const { openDeliveries, openMessages } = countOpen(db, tenant, paymentId)
  if (openDeliveries > 0 || openMessages > 0) return false
  for (const { id } of db.prepare(selectDeliveries).all(...owner, ...key)) removeDelivery(db, owner, id ?? null)
  const named = db.prepare(selectNamed).all(...key, ...key)
  const forgetName = db.prepare(`delete from named_references
    where ${ofTenant} and connection_id = ? and provider_ref = ? and payment_id = ?`)
  for (const { connection_id, provider_ref } of [payment, ...named]) {
    if (connection_id == null || provider_ref == null) continue
    forgetName.run(...owner, connection_id, provider_ref, bindText(paymentId))
  }
  db.prepare(`delete from messages indexed by messages_by_payment where payment_id = ? and ${ofTenant}`).run(
    bindText(paymentId),
    ...owner
  )
  db.prepare(`delete from claims where ${ofTenant} and key = ? and payment_id = ?`).run(
    ...owner,
    payment["idempotency_key"] ?? null,
    bindText(paymentId)
  )
  db.prepare(deleteEntries).run(...key)
  for (const table of tablesOfPayment) {
    db.prepare(`delete from ${table} ${indexOf[table] ?? ""} where ${ofPayment}`).run(...key)
  }
  db.prepare(`delete from payments where ${ofTenant} and id = ?`).run(...key)
  return true
}

/** By its attempts and its captures. */
const selectNamed = `select connection_id, provider_ref from attempts where ${ofPayment}
  union select connection_id, json_extract(capture.value, '$.id')
    from payments, json_each(payments.reported, '$.captures') as capture where ${ofTenant} and payments.id = ?`

const deleteEntries = `delete from settlement_entries indexed by settlement_entries_by_payment
  where ${ofPayment} and ${mayLeaveEntry}`

const indexOf: Readonly<Record<string, string>> = { events: "indexed by events_by_payment" }

type Value = ReturnType<typeof bindText>

const removeDelivery = (db: Database, owner: ReadonlyArray<Value>, id: Value): void => {
  db.prepare(`delete from delivery_attempts where ${ofTenant} and delivery_id = ?`).run(...owner, id)
  db.prepare(`delete from deliveries where ${ofTenant} and id = ?`).run(...owner, id)
}

const selectEnded = `select id from deliveries
  where ${ofTenant} and id < ? and created_at < ? and not (${isOpenDelivery}) order by id limit ?`

const pruneDeliveries = (db: Database, { before, limit, tenant }: PruneQuery): number => {
  const owner = bindTenant(tenant)
  const ended = db.prepare(selectEnded).all(...owner, deliveryIdsBefore(before), before, limit)
  for (const { id } of ended) removeDelivery(db, owner, id ?? null)
  return ended.length
}

const decided = `from messages indexed by messages_with_body where ${ofTenant} and received_at < ? and ${isDecidedBody}`

/** An empty body is not sealed: there is nothing to decrypt. */
const emptyBodies = `update messages set body = '', is_sealed = 0
  where rowid in (select messages.rowid ${decided} order by received_at limit ?)`

const held = (db: Database, { bodiesBefore, deliveriesBefore, limit, tenant }: HeldQuery): Held => {
  const owner = bindTenant(tenant)
  const count = (before: number | null, select: string, ...first: ReadonlyArray<string>): number => {
    if (before === null) return 0
    return Number(
      db.prepare(`select count(*) as count from (${select})`).get(...owner, ...first, before, limit)?.["count"]
    )
  }
  const oldest = (column: string, rowsInOrder: string): number | null =>
    (db.prepare(`select ${column} as at from ${rowsInOrder} limit 1`).get(...owner)?.["at"] ?? null) as number | null
  return {
    deliveries: count(deliveriesBefore, selectEnded, deliveryIdsBefore(deliveriesBefore ?? 0)),
    bodies: count(bodiesBefore, `select 1 ${decided} limit ?`),
    oldestPaymentAt: oldest("created_at", `payments where ${ofTenant} order by id`),
    oldestDeliveryAt: oldest("created_at", `deliveries where ${ofTenant} order by id`),
    oldestBodyAt: oldest(
      "received_at",
      `messages indexed by messages_with_body where ${ofTenant} and body <> '' order by received_at`
    )
  }
}

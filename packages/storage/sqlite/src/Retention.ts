/**
 * What leaves the file when its time is over, each batch in one short transaction. A removal is one transaction with its
 * checks: no other write comes between.
 */
import type { Tenant } from "@pointsman/core"
import { referencesOf } from "@pointsman/core/internal"
import * as Ports from "@pointsman/core/ports"
import {
  decidedMessage,
  deliveryIdsBefore,
  isOpenDelivery,
  isOpenMessage,
  makeLease,
  mayLeaveEntry,
  paymentIdsBefore
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { holderOf, readEvent, selectBook, selectRow } from "./Books.ts"
import { type Database, read, snapshot, update } from "./Database.ts"
import { deliveriesOf } from "./Deliveries.ts"
import {
  bindAfter,
  bindBefore,
  bindId,
  bindTenant,
  bindText,
  nameHash,
  ofTenant,
  readId,
  readText,
  shortChargeName,
  tenantHash
} from "./Rows.ts"
import { sqlOf, type Value } from "./Sql.ts"

const ofPayment = `${ofTenant} and payment_id = ?`

/** Pages of the file that are given back at once: 8 MB, which hold the writers up for some 20 ms. */
const pagesGivenBack = 2_000

export const make = (db: Database): Ports.Retention => ({
  lease: makeLease(sqlOf(db)),
  oldPayments: (query) => read("oldPayments", () => snapshot(db, () => selectOldPayments(db, query))),
  remove: (payments) =>
    update(db, "remove", () => payments.filter((one) => removePayment(db, one)).map(({ paymentId }) => paymentId)),
  removedPaymentOf: (tenant, { connectionId, providerRef }) =>
    read("removedPaymentOf", () => {
      const paymentId = holderOf(db, tenant, { connectionId, providerRef })
      return paymentId === undefined || selectRow(db, tenant, paymentId) !== undefined ? null : paymentId
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

const selectIds = `select id from payments indexed by payments_by_id
  where t = ? and id > ? and id < ? and created_at < ? order by id limit ?`
const selectIdsInState = `select id from payments indexed by payments_by_state
  where t = ? and state = ? and id > ? and id < ? and created_at < ? order by id limit ?`
const selectEvents = "select * from events indexed by events_by_payment where t = ? and payment = ? order by id"
const countOpenMessages = `select count(*) as count from messages indexed by messages_by_payment
  where payment_id = ? and ${ofTenant} and ${isOpenMessage}`

const selectOldPayments = (
  db: Database,
  { after = "", createdBefore, limit, state, tenant }: Ports.OldPaymentQuery
): ReadonlyArray<Ports.OldPayment> =>
  db
    .prepare(state === undefined ? selectIds : selectIdsInState)
    .all(
      tenantHash(tenant),
      ...(state === undefined ? [] : [state]),
      bindAfter(after),
      bindBefore(paymentIdsBefore(createdBefore)),
      createdBefore,
      limit
    )
    .flatMap((row) => {
      const id = readId(row["id"])
      const book = selectBook(db, tenant, id)
      if (book === undefined) return []
      const events = db
        .prepare(selectEvents)
        .all(tenantHash(tenant), bindId(id))
        .map((event) => readEvent(tenant, event))
      return [{ book, events, ...countOpen(db, tenant, id) }]
    })

const openStates: ReadonlyArray<unknown> = ["Due", "Sending"]

const countOpen = (db: Database, tenant: Tenant, id: string) => {
  const messages = db.prepare(countOpenMessages).get(bindText(id), ...bindTenant(tenant))
  return {
    openDeliveries: deliveriesOf(db, tenant, id).filter(({ state }) => openStates.includes(state)).length,
    openMessages: Number(messages?.["count"])
  }
}

const removePayment = (db: Database, { paymentId, tenant, version }: Ports.ReadPayment): boolean => {
  const book = selectBook(db, tenant, paymentId)
  if (book?.payment.version !== version) return false
  const { openDeliveries, openMessages } = countOpen(db, tenant, paymentId)
  if (openDeliveries > 0 || openMessages > 0) return false
  const owner = bindTenant(tenant)
  const t = tenantHash(tenant)
  const id = bindId(paymentId)
  for (const delivery of deliveriesOf(db, tenant, paymentId)) removeDelivery(db, owner, readText(delivery["id"]))
  const forgetName = db.prepare("delete from names where t = ? and name = ? and payment = ?")
  for (const name of Ports.namesOf(book)) forgetName.run(t, nameHash(name), id)
  for (const charge of referencesOf({ ...book, payment: { after: book.payment } })) {
    forgetName.run(t, shortChargeName(charge), id)
  }
  db.prepare(`delete from messages indexed by messages_by_payment where payment_id = ? and ${ofTenant}`).run(
    bindText(paymentId),
    ...owner
  )
  db.prepare(deleteEntries).run(...owner, bindText(paymentId))
  for (const table of ["disputes", "dispute_evidence", "recovered_keys"]) {
    db.prepare(`delete from ${table} where ${ofPayment}`).run(...owner, bindText(paymentId))
  }
  db.prepare("delete from events indexed by events_by_payment where t = ? and payment = ?").run(t, id)
  db.prepare("delete from payment_metadata where t = ? and payment = ?").run(t, id)
  db.prepare("delete from payments indexed by payments_by_id where t = ? and id = ?").run(t, id)
  return true
}

const deleteEntries = `delete from settlement_entries indexed by settlement_entries_by_payment
  where ${ofPayment} and ${mayLeaveEntry}`

const removeDelivery = (db: Database, owner: ReadonlyArray<Value>, id: Value): void => {
  db.prepare(`delete from delivery_attempts where ${ofTenant} and delivery_id = ?`).run(...owner, id)
  db.prepare(`delete from deliveries where ${ofTenant} and id = ?`).run(...owner, id)
}

/** A message that contradicts a payment with a review. */
const isUndecided = `exists (
    select 1 from payments indexed by payments_by_id
    where t = (
      select t from tenants where tenants.workspace_id = messages.workspace_id
        and tenants.environment = messages.environment
    ) and id = unhex(messages.payment_id, '-') and review_since is not null
  )`

const selectEnded = `select id from deliveries
  where ${ofTenant} and id < ? and created_at < ? and not (${isOpenDelivery}) order by id limit ?`

const pruneDeliveries = (db: Database, { before, limit, tenant }: Ports.PruneQuery): number => {
  const owner = bindTenant(tenant)
  const ended = db.prepare(selectEnded).all(...owner, deliveryIdsBefore(before), before, limit)
  for (const { id } of ended) removeDelivery(db, owner, id ?? null)
  return ended.length
}

const decided = `from messages indexed by messages_with_body where ${ofTenant} and received_at < ? and body <> ''
  and ${decidedMessage(isUndecided)}`

/** An empty body is not sealed: there is nothing to decrypt. */
const emptyBodies = `update messages set body = '', is_sealed = 0
  where rowid in (select messages.rowid ${decided} order by received_at limit ?)`

const held = (db: Database, { bodiesBefore, deliveriesBefore, limit, tenant }: Ports.HeldQuery): Ports.Held => {
  const owner = bindTenant(tenant)
  const count = (before: number | null, select: string, ...first: ReadonlyArray<string>): number => {
    if (before === null) return 0
    return Number(
      db.prepare(`select count(*) as count from (${select})`).get(...owner, ...first, before, limit)?.["count"]
    )
  }
  const oldest = (column: string, rowsInOrder: string, key: ReadonlyArray<Value> = owner): number | null =>
    (db.prepare(`select ${column} as at from ${rowsInOrder} limit 1`).get(...key)?.["at"] ?? null) as number | null
  return {
    deliveries: count(deliveriesBefore, selectEnded, deliveryIdsBefore(deliveriesBefore ?? 0)),
    bodies: count(bodiesBefore, `select 1 ${decided} limit ?`),
    oldestPaymentAt: oldest("created_at", `payments indexed by payments_by_id where t = ? order by id`, [
      tenantHash(tenant)
    ]),
    oldestDeliveryAt: oldest("created_at", `deliveries where ${ofTenant} order by id`),
    oldestBodyAt: oldest(
      "received_at",
      `messages indexed by messages_with_body where ${ofTenant} and body <> '' order by received_at`
    )
  }
}

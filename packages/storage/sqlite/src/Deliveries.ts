/**
 * Deliveries in SQLite. The ledger writes them with their events (`writeDeliveries`); here they are taken, recorded and
 * read. What is taken is chosen endpoint by endpoint, each by its own walk along the index: however much waits for one
 * of them, the others cost no more to find.
 */
import type { Delivery, Event, Tenant } from "@pointsman/core"
import { resumed } from "@pointsman/core/internal"
import { type AttemptRecord, Deliveries, type DueDelivery, type DueDeliveryQuery } from "@pointsman/core/ports"
import {
  afterAll,
  type DeliveriesOfPayment,
  endColumns,
  endpointsAndFirst,
  makeDeliveries,
  type Row
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { readEvent } from "./Books.ts"
import { type Database, read, update } from "./Database.ts"
import {
  bindEventId,
  bindId,
  bindTenant,
  bindText,
  ofTenant,
  readEventId,
  readTenant,
  readText,
  rows,
  tenantHash
} from "./Rows.ts"
import { sqlOf } from "./Sql.ts"

export const make = (db: Database): Deliveries["Service"] =>
  Deliveries.of({
    ...makeDeliveries(sqlOf(db), dueEndpoints, (tenant, query) => read("list", () => listed(db, tenant, query))),
    takeDue: (query) =>
      Effect.flatMap(
        // Without work nothing is written at all.
        read("takeDue", () => waitingEndpoints(db, query.now)),
        (waiting) =>
          waiting.length === 0 ? Effect.succeed([]) : update(db, "takeDue", () => takeDue(db, waiting, query))
      ),
    record: (records) =>
      update(db, "record", () => {
        for (const record of records) keep(db, record)
      }),
    events: (tenant, ids) =>
      read("events", () => {
        const select = db.prepare(selectEventId)
        return new Map(
          ids.flatMap((id) => {
            const row = select.get(...bindTenant(tenant), bindText(id))
            const event = row && eventOf(db, tenant, readText(row["event_id"]))
            return event === undefined ? [] : [[id, event] as const]
          })
        )
      })
  })

const selectEventId = `select event_id from deliveries where ${ofTenant} and id = ?`
const selectOneEvent = "select * from events where t = ? and id = ?"

const eventOf = (db: Database, tenant: Tenant, id: string): Event | undefined => {
  const row = db.prepare(selectOneEvent).get(tenantHash(tenant), bindEventId(id))
  return row && readEvent(tenant, row)
}

const selectEventIds = "select id from events indexed by events_by_payment where t = ? and payment = ?"

/** Of the deliveries of a payment, which are few: those that its events have. */
export const deliveriesOf = (db: Database, tenant: Tenant, paymentId: string): ReadonlyArray<Row> => {
  const ofEvent = db.prepare(
    `select * from deliveries indexed by deliveries_by_event where ${ofTenant} and event_id = ? and event_id <> ''`
  )
  return db
    .prepare(selectEventIds)
    .all(tenantHash(tenant), bindId(paymentId))
    .flatMap(({ id }) => ofEvent.all(...bindTenant(tenant), readEventId(id)))
}

/** A payment has few. */
const listed = (
  db: Database,
  tenant: Tenant,
  { before = afterAll, endpointId, limit, paymentId, state }: Parameters<DeliveriesOfPayment>[1]
): ReadonlyArray<Row> =>
  deliveriesOf(db, tenant, paymentId)
    .filter((row) => endpointId === undefined || readText(row["endpoint_id"]) === endpointId)
    .filter((row) => (state === undefined || row["state"] === state) && readText(row["id"]) < before)
    .sort((a, b) => (readText(a["id"]) < readText(b["id"]) ? 1 : -1))
    .slice(0, limit)

const dueEndpoints = endpointsAndFirst("deliveries indexed by deliveries_due", "min(endpoint_id)")

const waitingEndpoints = (db: Database, now: number): ReadonlyArray<string> =>
  db
    .prepare(`${dueEndpoints} select id from waiting where first <= ? order by first`)
    .all(now)
    .map((row) => readText(row["id"]))

const selectOnTheirWay = `select count(*) as count from deliveries indexed by deliveries_leased
  where endpoint_id = ? and leased_until is not null and leased_until > ?`
const selectDue = `select workspace_id, environment, id from deliveries indexed by deliveries_due
  where endpoint_id = ? and due_at is not null and due_at <= ? order by due_at, id limit ?`
const lease = `update deliveries set state = 'Sending', attempts = attempts + 1, due_at = ?, leased_until = ?
  where ${ofTenant} and id = ? returning *`
const insertAttempt = `insert into delivery_attempts (workspace_id, environment, delivery_id, number, sent_at)
  values (?, ?, ?, ?, ?)`
const selectEndpoint = "select * from webhook_endpoints where id = ?"

/** `waiting` is where to look, and may be of a moment ago: what is there to take is read inside the transaction. */
const takeDue = (db: Database, waiting: ReadonlyArray<string>, query: DueDeliveryQuery): ReadonlyArray<DueDelivery> => {
  const { leaseMillis, limit, limitPerEndpoint, now } = query
  const onTheirWay = db.prepare(selectOnTheirWay)
  const due = db.prepare(selectDue)
  const endpoints = db.prepare(selectEndpoint)
  const take = makeTake(db, now, leaseMillis)
  const taken: Array<DueDelivery> = []
  for (const endpointId of waiting) {
    const bound = bindText(endpointId)
    const room = Math.min(limit - taken.length, limitPerEndpoint - Number(onTheirWay.get(bound, now)?.["count"]))
    if (room <= 0) continue
    const keys = due.all(bound, now, room)
    if (keys.length === 0) continue
    const endpoint = rows.directory.webhookEndpoints.read(endpoints.get(bound) as Row)
    for (const key of keys) taken.push({ endpoint, ...take(key) })
    if (taken.length === limit) break
  }
  return taken
}

/** Of one transaction: an event that is due at many endpoints is read and parsed once. */
const makeTake = (db: Database, now: number, leaseMillis: number) => {
  const leased = db.prepare(lease)
  const addAttempt = db.prepare(insertAttempt)
  const events = new Map<string, Event>()
  const eventOnce = ({ eventId, tenant }: Delivery): Event => {
    const key = JSON.stringify([tenant.workspaceId, tenant.environment, eventId])
    const known = events.get(key)
    if (known !== undefined) return known
    const event = eventOf(db, tenant, eventId) as Event
    events.set(key, event)
    return event
  }
  return (key: Row): Omit<DueDelivery, "endpoint"> => {
    const id = [...bindTenant(readTenant(key)), bindText(readText(key["id"]))]
    const delivery = rows.readDelivery(leased.get(now + leaseMillis, now + leaseMillis, ...id) as Row)
    addAttempt.run(...id, delivery.attempts, now)
    return { delivery, event: eventOnce(delivery) }
  }
}

const endAttempt = `update delivery_attempts set ended_at = ?, status = ?, failure = ?
  where ${ofTenant} and delivery_id = ? and number = ?`
const endDelivery = `update deliveries set state = ?, failures = ?, due_at = ?, leased_until = null
  where ${ofTenant} and id = ? and state = 'Sending' and attempts = ?`

const keep = (db: Database, { after, attempt }: AttemptRecord): void => {
  const key = [...bindTenant(after.tenant), bindText(after.id)]
  const { end, endedAt, number } = attempt
  const { failure, status } = endColumns(end)
  db.prepare(endAttempt).run(endedAt, status, failure, ...key, number)
  const again = resumed(after, end, endedAt ?? after.createdAt)
  const { dueAt, failures, state } = again !== undefined && isActive(db, after.endpointId) ? again : after
  db.prepare(endDelivery).run(state, failures, dueAt, ...key, number)
}

const isActive = (db: Database, endpointId: string): boolean =>
  db.prepare(selectEndpoint).get(bindText(endpointId))?.["active"] === 1

const insertDelivery = `insert into deliveries (workspace_id, environment, id, endpoint_id, event_id, due_at, created_at,
    state, failures, attempts) values (?, ?, ?, ?, ?, ?, ?, 'Due', 0, 0)`

/**
 * For the ledger, inside its transaction: one delivery for each active endpoint of the tenant that wants the event. The
 * endpoints are those of the table, not of a copy: one that another process has withdrawn is sent nothing.
 */
export const writeDeliveries = (db: Database, newId: () => string) => {
  const endpoints = db.prepare(`select id from webhook_endpoints indexed by webhook_endpoints_by_tenant
    where ${ofTenant} and active = 1 and exists (select 1 from json_each(events) where value in ('*', ?)) order by id`)
  const add = db.prepare(insertDelivery)
  return (tenant: Tenant, event: Event, dueAt: number): void => {
    const owner = bindTenant(tenant)
    for (const endpoint of endpoints.all(...owner, event.type)) {
      add.run(...owner, newId(), endpoint["id"] ?? null, bindText(event.id), dueAt, event.createdAt)
    }
  }
}

/**
 * Deliveries in PostgreSQL. What is taken is chosen endpoint by endpoint, each by its own walk along the index: however
 * much waits for one of them, the others cost no more to find.
 */
import type { Tenant } from "@pointsman/core"
import { type AttemptRecord, Deliveries, type DueDelivery, type DueDeliveryQuery } from "@pointsman/core/ports"
import {
  afterAll,
  type Bound,
  type DeliveriesOfPayment,
  endColumns,
  endpointsAndFirst as endpointsAndFirstIn,
  makeDeliveries,
  type Row,
  repeatable,
  type Statement
} from "@pointsman/storage-sql"
import { Effect } from "effect"
import { readEvent } from "./Books.ts"
import type { Database, Query } from "./Database.ts"
import { makeReads, type Reads } from "./Reads.ts"
import { bindId, bindTenant, bindText, ofTenant, readText, rows, tenantNumber, type Value } from "./Rows.ts"
import { sqlOf } from "./Sql.ts"

export const make = (db: Database, reads: Reads = makeReads(db, undefined)): Deliveries["Service"] =>
  Deliveries.of({
    ...makeDeliveries(sqlOf(db, reads), endpointsAndFirst, (tenant, query) =>
      db.read("list", ...selectOfPayment(tenant, query))
    ),
    takeDue: (query) => takeDue(db, query),
    record: (records) =>
      records.length === 0
        ? Effect.void
        : Effect.asVoid(db.update("record", recorded, [JSON.stringify(records.map(recordRow))])),
    events: (tenant, ids) => {
      const params = [...bindTenant(tenant), JSON.stringify(ids.map(bindText)), tenantNumber(tenant)]
      return Effect.map(
        db.read("events", selectEvents, params),
        (found) => new Map(found.map((row) => [readText(row["delivery_id"]), readEvent(tenant, row)]))
      )
    }
  })

const noId = "00000000-0000-0000-0000-000000000000"
/** As an event knows its own id. */
const eventId = (delivery: string) => `substr(${delivery}.event_id, 5)::uuid`

const selectEvents = `select e.*, d.id as delivery_id from deliveries as d
  cross join lateral (select * from events where events.t = $4 and events.id = ${eventId("d")} offset 0) as e
  where d.workspace_id = $1 and d.environment = $2
    and d.id in (select jsonb_array_elements_text($3::text::jsonb))`

const selectOfPayment = (
  tenant: Tenant,
  { before = afterAll, endpointId, limit, paymentId, state }: Parameters<DeliveriesOfPayment>[1]
): Statement<Value> => {
  const params: Array<Bound<Value>> = [...bindTenant(tenant), bindText(before), limit]
  const bind = (value: string) => `$${params.push(bindText(value))}`
  const more = Object.entries({ state, endpoint_id: endpointId }).map(([column, value]) =>
    value === undefined ? "" : `and d.${column} = ${bind(value)}`
  )
  return [
    `select d.* from events as e cross join lateral (${deliveriesOfEvent("e")}) as d
      where ${eventsOf("e", bind(tenantNumber(tenant)), bind(bindId(paymentId) ?? noId))} and d.id < $3 ${more.join(" ")}
      order by d.id desc limit $4`,
    params
  ]
}

/** Event by event (`offset 0`): a plan for all, made while a partition is empty, reads all that the tenant has. */
export const deliveriesOfEvent = (event: string, end = "offset 0"): string => `select * from deliveries
  where ${ofTenant} and event_id = 'evt_' || ${event}.id::text and event_id <> '' ${end}`

/** Events of a payment, with the condition that says that the index holds them. */
export const eventsOf = (event: string, t: string, payment: string): string =>
  `${event}.t = ${t} and ${event}.payment = ${payment}::uuid and ${event}.type <> 0`

/** In the order of all columns of the index: in that of the first, another one looks as good to PostgreSQL. */
export const endpointsAndFirst = endpointsAndFirstIn(
  "deliveries",
  "endpoint_id",
  "order by endpoint_id, due_at, id limit 1"
)

/** Endpoints that are looked at besides: some may be locked by other takers. */
const spareEndpoints = 16

/** An endpoint that has all of its places taken is passed over, so that it keeps no other from being found. */
const waitingEndpoints = `${endpointsAndFirst}
  select id from (select id from waiting where first <= $1 order by first, id) as ordered
  where (
    select count(*) from deliveries where endpoint_id = ordered.id and leased_until is not null and leased_until > $1
  ) < $2
  limit $3`

/** How many are on their way is counted by one taker of an endpoint at a time; the others pass it over. */
const lockEndpoints = `select id from webhook_endpoints
  where id in (select jsonb_array_elements_text($1::text::jsonb)) for no key update skip locked`

const takeOf = `with endpoints as materialized (
  select endpoint.id, endpoint.place
  from jsonb_array_elements_text($1::text::jsonb) with ordinality as endpoint (id, place)
), due as materialized (
  select found.*, endpoints.place from endpoints cross join lateral (
    select workspace_id, environment, id, due_at as waited_since from deliveries
    where endpoint_id = endpoints.id and due_at is not null and due_at <= $2 order by due_at, deliveries.id
    limit least($4, greatest(0, $5 - (
      select count(*) from deliveries as sent
      where sent.endpoint_id = endpoints.id and sent.leased_until is not null and sent.leased_until > $2
    )))
    for no key update skip locked
  ) as found
  limit $4
), taken as (
  update deliveries set state = 'Sending', attempts = attempts + 1, due_at = $3, leased_until = $3 from due
  where deliveries.workspace_id = due.workspace_id and deliveries.environment = due.environment
    and deliveries.id = due.id
  returning deliveries.*, due.place, due.waited_since
), begun as (
  insert into delivery_attempts (workspace_id, environment, delivery_id, number, sent_at)
  select workspace_id, environment, id, attempts, $2 from taken
)
select taken.*, to_json(e) as endpoint, to_json(v) as event
from taken join webhook_endpoints as e on e.id = taken.endpoint_id
  cross join lateral (
    select events.* from events where events.id = ${eventId("taken")} and events.t = (
      select t from tenants where tenants.workspace_id = taken.workspace_id and tenants.environment = taken.environment
    ) offset 0
  ) as v
order by place, waited_since, taken.id`

const takeDue = Effect.fnUntraced(function* (db: Database, query: DueDeliveryQuery) {
  const { limit, limitPerEndpoint, now } = query
  // Without work nothing is written at all.
  const room = [now, limitPerEndpoint, limit + spareEndpoints]
  const waiting = (yield* db.read("takeDue", waitingEndpoints, room)).map((row) => row["id"] as string)
  return waiting.length === 0 ? [] : yield* takeFrom(db, waiting, query)
})

/** `waiting`: the ids of endpoints, of which the first ones come first. */
export const takeFrom = Effect.fnUntraced(function* (
  db: Database,
  waiting: ReadonlyArray<string>,
  { leaseMillis, limit, limitPerEndpoint, now }: DueDeliveryQuery
) {
  const take = Effect.fnUntraced(function* (query: Query) {
    const locked = new Set((yield* query(lockEndpoints, [JSON.stringify(waiting)])).map((row) => row["id"]))
    const free = waiting.filter((id) => locked.has(id))
    if (free.length === 0) return []
    return yield* query(takeOf, [JSON.stringify(free), now, now + leaseMillis, limit, limitPerEndpoint])
  })
  return (yield* repeatable(db, "takeDue", take)).map(
    (row): DueDelivery => ({
      delivery: rows.readDelivery(row),
      endpoint: rows.directory.webhookEndpoints.read(row["endpoint"] as Row),
      event: readEvent(rows.readTenant(row), row["event"] as Row)
    })
  )
})

/** An endpoint that is being written is waited for: either the writer finds the delivery given up, or we find it active. */
const recorded = `with ended as materialized (
  select * from jsonb_to_recordset($1::text::jsonb) as r (workspace_id text, environment text, delivery_id text,
    endpoint_id text, number integer, ended_at bigint, status integer, failure text, state text, failures integer,
    due_at bigint)
), endpoints as materialized (
  select id, active from webhook_endpoints
  where id in (select endpoint_id from ended where failure = 'EndpointWithdrawn') for share
), attempts as (
  update delivery_attempts as t set ended_at = ended.ended_at, status = ended.status, failure = ended.failure from ended
  where t.workspace_id = ended.workspace_id and t.environment = ended.environment
    and t.delivery_id = ended.delivery_id and t.number = ended.number
)
update deliveries as t set leased_until = null, failures = ended.failures,
  state = case when endpoints.active then 'Due' else ended.state end,
  due_at = case when endpoints.active then ended.ended_at else ended.due_at end
from ended left join endpoints on endpoints.id = ended.endpoint_id and ended.failure = 'EndpointWithdrawn'
where t.workspace_id = ended.workspace_id and t.environment = ended.environment and t.id = ended.delivery_id
  and t.state = 'Sending' and t.attempts = ended.number`

const recordRow = ({ after, attempt: { end, endedAt, number } }: AttemptRecord) => ({
  workspace_id: bindText(after.tenant.workspaceId),
  environment: after.tenant.environment,
  delivery_id: bindText(after.id),
  endpoint_id: bindText(after.endpointId),
  number,
  ended_at: endedAt,
  ...endColumns(end),
  state: after.state,
  failures: after.failures,
  due_at: after.dueAt
})

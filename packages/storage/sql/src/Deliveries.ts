/** Deliveries as they are read, and what replaces one. Each database takes and records them its own way. */
import { deliveryStates, type Tenant } from "@pointsman/core"
import type { Deliveries, DeliveryQuery, StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { afterAll, type Bound, type Row } from "./Columns.ts"
import { isAny, placesOf, readAll, readOne, type Sql, type Statement } from "./Sql.ts"

const ofTenant = "workspace_id = $1 and environment = $2"
const replace = `update deliveries set state = $4, failures = $5, attempts = $6, due_at = $7, leased_until = null
  where ${ofTenant} and id = $3 and state = $8 and attempts = $9 returning 1 as one`

const selectDelivery = `select * from deliveries where ${ofTenant} and id = $3`
const selectAttempts = `select * from delivery_attempts where ${ofTenant} and delivery_id = $3 order by number`

export type DeliveriesOfPayment = (
  tenant: Tenant,
  query: DeliveryQuery & { readonly paymentId: string }
) => Effect.Effect<ReadonlyArray<Row>, StorageError>

/**
 * If it is unknown whether it was written, the lease or the state shows it; nothing is sent because of it. `endpoints`: as
 * `endpointsAndFirst`.
 */
export const makeDeliveries = <V>(sql: Sql<V>, endpoints: string, ofPayment: DeliveriesOfPayment) => {
  const { bindTenant, bindText, readDelivery, readDeliveryAttempt } = sql.rows
  return {
    list: (tenant, query) => {
      const { paymentId } = query
      // Those of one payment are shown with it.
      const found =
        paymentId === undefined
          ? sql.list("list", ...selectDeliveries(sql, tenant, query))
          : ofPayment(tenant, { ...query, paymentId })
      return Effect.map(found, (deliveries) => deliveries.map(readDelivery))
    },
    firstDueAt: Effect.map(
      sql.read("firstDueAt", `${endpoints} select min(first) as first_at from waiting`),
      ([row]) => (row?.["first_at"] ?? null) as number | null
    ),
    replace: (before, after) => {
      const key = [...bindTenant(before.tenant), bindText(before.id)]
      const next = [after.state, after.failures, after.attempts, after.dueAt]
      return Effect.map(sql.update("replace", replace, [...key, ...next, before.state, before.attempts]), isAny)
    },
    delivery: (tenant, id) =>
      readOne(sql, "delivery", readDelivery, selectDelivery, [...bindTenant(tenant), bindText(id)]),
    attempts: (tenant, id) =>
      readAll(sql, "attempts", readDeliveryAttempt, selectAttempts, [...bindTenant(tenant), bindText(id)])
  } satisfies Partial<Deliveries["Service"]>
}

/** By one walk along an index; those of an endpoint by a walk for each state, which PostgreSQL would not make by the tenant. */
const selectDeliveries = <V>(
  { by, rows: { bindTenant, bindText } }: Sql<V>,
  tenant: Tenant,
  { before = afterAll, endpointId, limit, state }: DeliveryQuery
): Statement<V> => {
  const values: Array<Bound<V>> = [...bindTenant(tenant), bindText(before), limit]
  const place = placesOf(values)
  const newest = "order by id desc limit $4"
  if (endpointId !== undefined) {
    const endpoint = place(bindText(endpointId))
    const walks = (state === undefined ? deliveryStates : [state]).map(
      (one) => `select * from (select * from ${by("deliveries", "deliveries_by_endpoint")}
        where endpoint_id = ${endpoint} and state = ${place(one)} and id < $3 ${newest}) as walk`
    )
    return [`select * from (${walks.join(" union all ")}) as found where ${ofTenant} ${newest}`, values]
  }
  const table = state === undefined ? "deliveries" : by("deliveries", "deliveries_by_state")
  const inState = state === undefined ? "" : `and state <> '' and state = ${place(state)}`
  return [`select * from ${table} where ${ofTenant} and id < $3 ${inState} ${newest}`, values]
}

/**
 * Endpoints with something due, those that wait longest first. From one endpoint to the next by the index: what else
 * waits for the same one is passed over. `table`: with the index of what is due; `first`, `end`: its first endpoint.
 */
export const endpointsAndFirst = (table: string, first: string, end = ""): string => `with recursive endpoints (id) as (
    select (select ${first} from ${table} where due_at is not null ${end})
    union all
    select (select ${first} from ${table} where due_at is not null and endpoint_id > endpoints.id ${end})
    from endpoints where endpoints.id is not null
  ), waiting as (
    select id, (select min(due_at) from ${table} where due_at is not null and endpoint_id = endpoints.id) as first
    from endpoints where id is not null
  )`

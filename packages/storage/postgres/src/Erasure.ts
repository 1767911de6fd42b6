/** Erases the texts of a payment that its own row does not hold: the data of its events and the bodies of its messages. */
import type { Tenant } from "@pointsman/core"
import type { StorageError, TextErasure } from "@pointsman/core/ports"
import { repeatable } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindEventId, bindId, tenantNumber } from "./Keys.ts"
import { deleteBodies } from "./MessageBodies.ts"
import { bindTenant, bindText } from "./Rows.ts"

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

export const eraseTexts = (db: Database, tenant: Tenant, erasure: TextErasure): Effect.Effect<number, StorageError> =>
  repeatable(
    db,
    "eraseTexts",
    Effect.fnUntraced(function* (query) {
      const parameters = eraseParameters(tenant, erasure)
      yield* query(lockMessages, parameters.slice(0, 3))
      const [row] = yield* query(erase, parameters)
      return row?.["count"] as number
    })
  )

const eraseParameters = (tenant: Tenant, { events, paymentId }: TextErasure): ReadonlyArray<string | null> => [
  ...bindTenant(tenant),
  bindText(paymentId),
  JSON.stringify(events.map(({ data, id }) => ({ id: bindEventId(id), data: JSON.stringify(data) }))),
  tenantNumber(tenant),
  bindId(paymentId)
]

/** Erases the texts of a payment that its own row does not hold: the data of its events and the bodies of its messages. */
import type { Tenant } from "@pointsman/core"
import type { StorageError, TextErasure } from "@pointsman/core/ports"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { bindTenant, bindText } from "./Rows.ts"

/** An empty body is not sealed: there is nothing to decrypt. */
const erase = `with input as materialized (
    select r.id, r.data from jsonb_to_recordset($4::text::jsonb) as r (id text, data text)
  ), replaced as (
    update events set data = input.data from input
    where events.workspace_id = $1 and events.environment = $2 and events.id = input.id and events.payment_id = $3
    returning 1 as one
  ), forgotten as (
    delete from payment_metadata where workspace_id = $1 and environment = $2 and payment_id = $3
  ), emptied as (
    update messages set body = '', is_sealed = false
    where workspace_id = $1 and environment = $2 and payment_id = $3 and payment_id <> '' and body <> '' returning 1 as one
  ) select (select count(*)::integer from emptied) as count, (select count(*)::integer from replaced) as replaced`

export const eraseTexts = (db: Database, tenant: Tenant, erasure: TextErasure): Effect.Effect<number, StorageError> =>
  Effect.map(db.update("eraseTexts", erase, eraseParameters(tenant, erasure)), ([row]) => row?.["count"] as number)

export const eraseParameters = (tenant: Tenant, { events, paymentId }: TextErasure): ReadonlyArray<string> => [
  ...bindTenant(tenant),
  bindText(paymentId),
  JSON.stringify(events.map(({ data, id }) => ({ id: bindText(id), data: JSON.stringify(data) })))
]

/** How a commit writes its events. */
import type { Event, Tenant } from "@pointsman/core"
import type { Change } from "@pointsman/core/ports"
import { numberOfType } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { eventIdAfter } from "./EventIds.ts"
import { bindEventId, bindId, readEventId, tenantsOf } from "./Keys.ts"
import { bindTenant, rows } from "./Rows.ts"

/**
 * Not where an id of the tenant is greater. Gives whether an endpoint of the tenant may want the event; the endpoints are
 * those of the table, not of a copy: one that another process has withdrawn is sent nothing.
 */
const insert = `insert into events (t, id, type, payment, created_at, data) select ?1, ?2, ?3, ?4, ?5, ?6
  where not exists (select 1 from events where t = ?1 and id >= ?2)
  returning exists (
    select 1 from webhook_endpoints indexed by webhook_endpoints_by_tenant
    where workspace_id = ?7 and environment = ?8 and active = 1
  ) as is_followed`
const selectLast = "select max(id) as id from events where t = ?"

/** Gives whether an endpoint may want one of them. `addDeliveries`: of an event, when they are due. */
export const writeEvents = (db: Database, addDeliveries: (tenant: Tenant, event: Event, dueAt: number) => void) => {
  const add = db.prepare(insert)
  const last = db.prepare(selectLast)
  return (change: Change, ids: ReadonlyArray<string>): boolean => {
    const { events, tenant } = change
    const t = tenantsOf(db).find(tenant)
    const owner = bindTenant(tenant)
    const write = ({ createdAt, paymentId, type, ...event }: Event) =>
      add.get(
        ...[t, bindEventId(event.id), numberOfType(type), bindId(paymentId), createdAt],
        rows.bindData({ ...event, paymentId, type }, change),
        ...owner
      )
    let isFollowed = false
    events.forEach((draft, index) => {
      let event = { ...draft, id: ids[index] as string }
      let written = write(event)
      if (written === undefined) {
        event = { ...event, id: eventIdAfter(readEventId(last.get(t)?.["id"]), event.id) }
        written = write(event)
      }
      if (written?.["is_followed"] === 1) {
        isFollowed = true
        addDeliveries(tenant, event, change.deliverAt ?? event.createdAt)
      }
    })
    return isFollowed
  }
}

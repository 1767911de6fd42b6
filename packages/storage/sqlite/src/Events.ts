/**
 * How a commit writes its events. The order of their ids is the order of commits, also where several processes write one
 * file: their clocks and counters know nothing of each other, and a clock may be set back.
 */
import type { Event, Tenant } from "@pointsman/core"
import type { Change } from "@pointsman/core/ports"
import { numberOfType, uuidOf } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { bindEventId, bindId, readEventId, tenantHash } from "./Keys.ts"
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
    const t = tenantHash(tenant)
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

/** The id to write after `last`: the fresh one, or the next one after `last` where the fresh one is not greater. */
const eventIdAfter = (last: string | undefined, fresh: string): string =>
  last === undefined || fresh > last ? fresh : successor(last)

/** The smallest greater UUIDv7, behind the same prefix. */
const successor = (id: string): string => {
  const start = id.length - 36
  let next = BigInt(`0x${id.slice(start).replaceAll("-", "")}`) + 1n
  // The bits of the variant (2) and of the version (7) do not count: what reaches them is carried over them.
  if (((next >> 62n) & 3n) === 3n) next += 3n << 62n
  if (((next >> 76n) & 15n) === 8n) next += 15n << 76n
  return id.slice(0, start) + uuidOf(Buffer.from(next.toString(16).padStart(32, "0"), "hex"))
}

/** Events in PostgreSQL, as they are read. */
import type { Event, Tenant } from "@pointsman/core"
import type { EventQuery, TimelineQuery } from "@pointsman/core/ports"
import { numberOfType, type Row, unindexedType } from "@pointsman/storage-sql"
import { bindEventAfter, bindEventBefore, bindId, readEventId, tenantNumber } from "./Keys.ts"
import { rows } from "./Rows.ts"

type Statement = readonly [sql: string, params: ReadonlyArray<string | null>]

export const readEvent = (tenant: Tenant, row: Row): Event =>
  rows.readEvent({
    ...row,
    id: readEventId(row["id"]),
    payment_id: row["payment"],
    environment: tenant.environment
  })

export const selectTimeline = (tenant: Tenant, paymentId: string, { after = "", limit }: TimelineQuery): Statement => [
  "select * from events where t = $1 and payment = $2 and type <> 0 and id > $3 order by id limit $4",
  [tenantNumber(tenant), bindId(paymentId), bindEventAfter(after), String(limit)]
]

/** `end`: only events with smaller ids are read (`horizon`). */
export const selectEvents = (
  tenant: Tenant,
  { after, before, limit, type }: EventQuery,
  end: string
): readonly [string, ReadonlyArray<string>] => {
  const params: Array<string> = [tenantNumber(tenant), bindEventBefore(end)]
  const where = (condition: string, value: string | undefined) =>
    value === undefined ? "" : `and ${condition} $${params.push(value)}`
  const conditions = [
    where(
      type === unindexedType ? "type =" : `type <> ${numberOfType(unindexedType)} and type =`,
      type && String(numberOfType(type))
    ),
    where("id >", after === undefined ? undefined : bindEventAfter(after)),
    where("id <", before === undefined ? undefined : bindEventBefore(before))
  ].join(" ")
  const order = after !== undefined && before === undefined ? "asc" : "desc"
  const sql = `select * from events where t = $1 and id < $2 ${conditions}
    order by id ${order} limit $${params.push(String(limit))}`
  return [sql, params]
}

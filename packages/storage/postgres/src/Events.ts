/** Events in PostgreSQL, as they are read. */
import type { Event, Tenant } from "@pointsman/core"
import type { EventQuery } from "@pointsman/core/ports"
import { numberOfType, type Row, unindexedType } from "@pointsman/storage-sql"
import { bindEventAfter, bindEventBefore, keys, tenantNumber } from "./Keys.ts"
import { rows } from "./Rows.ts"

export const readEvent = (tenant: Tenant, row: Row): Event => rows.readEvent(keys, tenant, row)

/** As in the index of types. The order of the ids is also that of these, and of the ids with the same one. */
const beginningOf = (id: string): string => `substr(uuid_send(${id}), 1, 5)`

/** `end`: only events with smaller ids are read (`horizon`). */
export const selectEvents = (
  tenant: Tenant,
  { after, before, limit, type }: EventQuery,
  end: string
): readonly [string, ReadonlyArray<string>] => {
  const params: Array<string> = [tenantNumber(tenant), bindEventBefore(end)]
  const isIndexed = type !== undefined && type !== unindexedType
  const idIs = (operator: string, place: number) =>
    `and id ${operator} $${place}${isIndexed ? ` and ${beginningOf("id")} ${operator}= ${beginningOf(`$${place}`)}` : ""}`
  const conditions = [
    idIs("<", 2),
    isIndexed ? `and type <> ${numberOfType(unindexedType)}` : "",
    type === undefined ? "" : `and type = $${params.push(String(numberOfType(type)))}`,
    after === undefined ? "" : idIs(">", params.push(bindEventAfter(after))),
    before === undefined ? "" : idIs("<", params.push(bindEventBefore(before)))
  ].join(" ")
  const order = after !== undefined && before === undefined ? "asc" : "desc"
  const sql = `select * from events where t = $1 ${conditions}
    order by ${isIndexed ? `${beginningOf("id")} ${order}, ` : ""}id ${order} limit $${params.push(String(limit))}`
  return [sql, params]
}

/** How events are stored in their table. Each storage writes them in its own statement, which assigns their ids. */
import type { Event } from "@pointsman/core"
import { type Parts, type Row, readJson } from "./Columns.ts"

export const makeEventRows = <V>({ readText }: Parts<V>) => {
  const readEvent = (row: Row): Event => ({
    id: readText(row["id"]),
    type: row["type"] as Event["type"],
    paymentId: readText(row["payment_id"]),
    createdAt: row["created_at"] as number,
    data: readJson(row["data"])
  })

  return { readEvent }
}

/** How events are stored in their table. Each storage writes them in its own statement, which assigns their ids. */
import type { Event, EventDraft } from "@pointsman/core"
import { type Owner, type Parts, type Row, readJson } from "./Columns.ts"
import { dataOf, shortData } from "./ShortText.ts"

/** No index of types holds the events of this one: there is one among the few events of each payment. */
export const unindexedType: Event["type"] = "payment.created"

export const makeEventRows = <V>({ readText }: Parts<V>) => {
  const readEvent = (row: Row): Event => {
    const paymentId = readText(row["payment_id"])
    const type = row["type"] as Event["type"]
    return {
      id: readText(row["id"]),
      type,
      paymentId,
      createdAt: row["created_at"] as number,
      data: dataOf(readJson(row["data"]), { paymentId, type }, row["environment"] as string)
    }
  }
  const bindData = (event: Pick<EventDraft, "data" | "paymentId" | "type">, { tenant }: Owner): string =>
    JSON.stringify(shortData(event, tenant))

  return { readEvent, bindData }
}

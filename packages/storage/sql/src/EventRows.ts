/** How events are stored in their table. Each storage writes them in its own statement, which assigns their ids. */
import type { Event, EventDraft, EventType, Tenant } from "@pointsman/core"
import { type Owner, type Row, readJson } from "./Columns.ts"
import { dataOf, shortData } from "./ShortText.ts"

/** How types are stored. Only added to: rows have the numbers. */
const typeNumbers: Readonly<Record<EventType, number>> = {
  "payment.created": 1,
  "payment.requires_action": 2,
  "payment.pending": 3,
  "payment.authorized": 4,
  "payment.captured": 5,
  "payment.declined": 6,
  "payment.failed": 7,
  "payment.unknown": 8,
  "payment.cancelled": 9,
  "payment.capture_failed": 10,
  "payment.void_failed": 11,
  "payment.capture_unknown": 12,
  "payment.void_unknown": 13,
  "payment.refund_pending": 14,
  "payment.refund_unknown": 15,
  "payment.refunded": 16,
  "payment.refund_failed": 17,
  "payment.settled": 18,
  "payment.chargeback": 19,
  "payment.chargeback_reversed": 20,
  "payment.conflict": 21,
  "payment.amount_mismatch": 22,
  "payment.reviewed": 23,
  "dispute.opened": 24,
  "dispute.updated": 25,
  "dispute.evidence_due": 26,
  "dispute.submitted": 27,
  "dispute.won": 28,
  "dispute.lost": 29,
  "dispute.accepted": 30
}
const numbers: ReadonlyMap<string, number> = new Map(Object.entries(typeNumbers))
const types = new Map(Object.entries(typeNumbers).map(([type, number]) => [number, type as EventType]))

/** 0, which no row has, for a text that is no type. */
export const numberOfType = (type: string): number => numbers.get(type) ?? 0

/** No index of types holds the events of this one: there is one among the few events of each payment. */
export const unindexedType: EventType = "payment.created"

export const eventRows = {
  readEvent: (
    { readEventId, readId }: Readonly<Record<"readEventId" | "readId", (value: unknown) => string>>,
    { environment }: Tenant,
    row: Row
  ): Event => {
    const paymentId = readId(row["payment"])
    const type = types.get(row["type"] as number) as EventType
    const data = dataOf(readJson(row["data"]), { paymentId, type }, environment)
    return { id: readEventId(row["id"]), type, paymentId, createdAt: row["created_at"] as number, data }
  },
  bindData: (event: Pick<EventDraft, "data" | "paymentId" | "type">, { tenant }: Owner): string =>
    JSON.stringify(shortData(event, tenant))
}

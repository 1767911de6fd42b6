/** How events are stored in their table. Each storage writes them in its own statement, which assigns their ids. */
import type { Event, EventDraft, EventType, JsonObject, JsonValue, Tenant } from "@pointsman/core"
import { type Owner, type Row, readJson } from "./Columns.ts"
import { idOf, shortId } from "./Packing.ts"

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

/** Of most events of the type: it is left out. Only added to: events without it are stored. */
const usualStatus: Readonly<Record<string, string>> = {
  "payment.created": "PENDING",
  "payment.authorized": "AUTHORIZED",
  "payment.captured": "CAPTURED",
  "payment.declined": "DECLINED",
  "payment.refunded": "REFUNDED"
}

/** What every event of a payment says first, in this order. */
const dataNames = ["payment_id", "reference", "payment_status", "environment", "amount", "currency"]

/** What most events of a refund say after that, in this order. */
const refundNames = ["refund_id", "origin", "refund_amount", "refunded_total", "refund_pending_amount"]
const refundPrefix = "rf_"

type Described = Pick<EventDraft, "data" | "paymentId" | "type">
type StoredData = JsonObject | ReadonlyArray<JsonValue>

/** As a list, without what the event's row says. Other data is stored as it is, and so was all of it in the past. */
const shortData = ({ data, paymentId, type }: Described, tenant: Tenant): StoredData => {
  const keys = Object.keys(data)
  const isUsual = dataNames.every((name, index) => keys[index] === name)
  if (!isUsual || data["payment_id"] !== paymentId || data["environment"] !== tenant.environment) return data
  const { amount, currency, environment: _e, payment_id: _p, payment_status: status, reference, ...more } = data
  const short = [reference, amount, currency] as Array<JsonValue>
  const isUsualStatus = status === usualStatus[type]
  if (keys.length > dataNames.length) short.push(isUsualStatus ? 0 : (status ?? null), shortMore(more))
  else if (!isUsualStatus) short.push(status ?? null)
  return short
}

const shortMore = (more: JsonObject): JsonValue => {
  const { refund_id: id, ...rest } = more
  const keys = Object.keys(more)
  const isOfRefund = keys.length === refundNames.length && refundNames.every((name, index) => keys[index] === name)
  return isOfRefund && typeof id === "string"
    ? [shortId(refundPrefix, id), ...(Object.values(rest) as Array<JsonValue>)]
    : more
}

const moreOf = (stored: JsonValue): JsonObject => {
  if (!Array.isArray(stored)) return stored as JsonObject
  const [id, ...rest] = stored
  return Object.fromEntries(refundNames.map((name, index) => [name, [idOf(refundPrefix, id), ...rest][index]]))
}

/** `of`: what the event's row says. */
const dataOf = (stored: StoredData, of: Omit<Described, "data">, environment: string): JsonObject => {
  if (!isList(stored)) return stored
  const [reference = null, amount = null, currency = null, status = 0, more = {}] = stored
  return {
    payment_id: of.paymentId,
    reference,
    payment_status: status === 0 ? (usualStatus[of.type] ?? null) : status,
    environment,
    amount,
    currency,
    ...moreOf(more)
  }
}

const isList = (data: StoredData): data is ReadonlyArray<JsonValue> => Array.isArray(data)

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

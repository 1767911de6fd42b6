/** Texts as they are stored: the data of events without names, and keyed hashes without the hexadecimal form. */
import type { EventDraft, JsonObject, JsonValue, Tenant } from "@pointsman/core"
import { uuid, uuidOf } from "./Keys.ts"

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
export const shortData = ({ data, paymentId, type }: Described, tenant: Tenant): StoredData => {
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
export const dataOf = (stored: StoredData, of: Omit<Described, "data">, environment: string): JsonObject => {
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

const hexadecimal = /^[0-9a-f]{64}$/u
const uuidLength = 36
/** Of a text that is not stored as it is; twice where a text begins so itself. */
const mark = "~"
/** Of a UUID: the mark and 16 bytes in base64. */
const shortLength = 23

const withoutHex = (digits: string): string => mark + Buffer.from(digits, "hex").toString("base64url")

const bytesOf = (stored: string): Buffer => Buffer.from(stored.slice(mark.length), "base64url")

export const shortFingerprint = (fingerprint: string): string =>
  hexadecimal.test(fingerprint) ? withoutHex(fingerprint) : fingerprint

export const fingerprintOf = (stored: string): string =>
  stored.startsWith(mark) ? bytesOf(stored).toString("hex") : stored

/**
 * Of an id inside JSON, which no index holds: its UUID, and what is before it beside the prefix. `prefix`: empty for what
 * others name, as many of those ids are UUIDs, or end with one.
 */
export const shortId = (prefix: string, id: string): string => {
  const end = id.slice(-uuidLength)
  if (!uuid.test(end) || !id.startsWith(prefix)) return id.startsWith(mark) ? mark + id : id
  return withoutHex(end.replaceAll("-", "")) + id.slice(prefix.length, -uuidLength)
}

export const idOf = (prefix: string, stored: string): string => {
  if (!stored.startsWith(mark)) return stored
  if (stored.startsWith(mark, mark.length)) return stored.slice(mark.length)
  return `${prefix}${stored.slice(shortLength)}${uuidOf(bytesOf(stored.slice(0, shortLength)))}`
}

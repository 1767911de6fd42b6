/** Records as JSON with short names, without what is usual. What is left out is read as it was written, given the same usual. */
import type { Money } from "@pointsman/core"
import { uuid, uuidOf } from "./Keys.ts"

/** The short name of each field of a record, and what it usually says. */
export type Names<A> = { readonly [K in keyof Required<A>]: readonly [short: string, usual?: A[K]] }
export type Packed = Readonly<Record<string, unknown>>

/** Times count from one that is read before, which makes them short; an answer from its request. */
const times: ReadonlySet<string> = new Set(["sentAt", "answeredAt", "settledAt", "updatedAt"])
/** Ids, with their prefixes. */
const ids: Readonly<Record<string, string>> = {
  attemptId: "att_",
  claimedBy: "clm_",
  idempotencyKey: "",
  providerRefundId: ""
}

/** `usual`: of the value. */
interface Form {
  readonly write: (value: unknown, since: number, usual: unknown) => unknown
  readonly read: (stored: unknown, since: number, usual: unknown) => unknown
}

const isNumber = (value: unknown): value is number => typeof value === "number"
const isText = (value: unknown): value is string => typeof value === "string"

/** A field without a form is written as it is. */
const formOf = (field: string): Partial<Form> => {
  const prefix = ids[field]
  if (prefix !== undefined) {
    return {
      write: (value) => (isText(value) ? shortId(prefix, value) : value),
      read: (stored) => (isText(stored) ? idOf(prefix, stored) : stored)
    }
  }
  if (field === "money") return { write: withoutCurrency, read: withCurrency }
  if (!times.has(field)) return {}
  return {
    write: (value, since) => (isNumber(value) ? value - since : value),
    read: (stored, since) => (isNumber(stored) ? stored + since : stored)
  }
}

/** A number in the usual currency. */
const withoutCurrency = (value: unknown, _: number, usual: unknown): unknown => {
  const { currency, minorUnits } = value as Money
  return currency === (usual as Money | undefined)?.currency ? minorUnits : value
}
const withCurrency = (stored: unknown, _: number, usual: unknown): unknown =>
  isNumber(stored) ? { minorUnits: stored, currency: (usual as Money).currency } : stored

/** Under no name: the fields that the usual has, and the record has not. */
const lacking = "-"

export interface Packing<A> {
  readonly fields: ReadonlyArray<keyof A & string>
  /** `usual`: instead of what the names say. `since`: what times count from. */
  readonly pack: (record: A, usual?: Partial<A>, since?: number) => Packed
  readonly unpack: (packed: Packed, usual?: Partial<A>, since?: number) => A
}

export const packing = <A extends object>(names: Names<A>): Packing<A> => {
  const fields = Object.entries<readonly [short: string, usual?: unknown]>(names).map(([name, [short, always]]) => ({
    ...formOf(name),
    field: name as keyof A & string,
    short,
    always,
    isAnswer: name === "answeredAt"
  }))
  return {
    fields: fields.map(({ field }) => field),
    pack: (record, usual = {}, since = 0) => {
      const packed: Record<string, unknown> = {}
      const { sentAt } = record as Packed
      for (const { always, field, isAnswer, short, write } of fields) {
        const value = record[field]
        const expected = usual[field] === undefined ? always : usual[field]
        if (isSame(value, expected)) continue
        if (value === undefined) packed[lacking] = [...((packed[lacking] as ReadonlyArray<string>) ?? []), field]
        else if (write === undefined) packed[short] = value
        else packed[short] = write(value, isAnswer && isNumber(sentAt) ? sentAt : since, expected)
      }
      return packed
    },
    unpack: (packed, usual = {}, since = 0) => {
      const record: Record<string, unknown> = {}
      const absent = packed[lacking] as ReadonlyArray<string> | undefined
      for (const { always, field, isAnswer, read, short } of fields) {
        const stored = packed[short]
        const { sentAt } = record
        const from = isAnswer && isNumber(sentAt) ? sentAt : since
        const expected = usual[field] === undefined ? always : usual[field]
        const value = stored === undefined ? expected : read === undefined ? stored : read(stored, from, expected)
        if (value !== undefined && absent?.includes(field) !== true) record[field] = value
      }
      return record as A
    }
  }
}

/** Also in the order of its fields. */
export const isSame = (one: unknown, other: unknown): boolean => {
  if (one === other) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  const names = Object.keys(one)
  const others = Object.keys(other)
  return (
    names.length === others.length &&
    Array.isArray(one) === Array.isArray(other) &&
    names.every((name, index) => name === others[index] && isSame((one as Packed)[name], (other as Packed)[name]))
  )
}

// Texts as they are stored: ids, and keyed hashes without the hexadecimal form.

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

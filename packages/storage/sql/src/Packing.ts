/** Records as JSON with short names, without what is usual. What is left out is read as it was written, given the same usual. */

import type { Money } from "@pointsman/core"
import { idOf, shortId } from "./ShortText.ts"

/** Fields of a record, with their short names. */
export type Names<A> = { readonly [K in keyof Required<A>]: string }
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

interface Field<A> {
  readonly field: keyof A & string
  readonly short: string
  readonly write: (value: unknown, since: number, usual: unknown) => unknown
  readonly read: (stored: unknown, since: number, usual: unknown) => unknown
}

const isNumber = (value: unknown): value is number => typeof value === "number"
const isText = (value: unknown): value is string => typeof value === "string"
const asItIs = (value: unknown) => value

const formOf = (field: string): Pick<Field<never>, "read" | "write"> => {
  const prefix = ids[field]
  if (prefix !== undefined) {
    return {
      write: (value) => (isText(value) ? shortId(prefix, value) : value),
      read: (stored) => (isText(stored) ? idOf(prefix, stored) : stored)
    }
  }
  if (field === "money") return { write: withoutCurrency, read: withCurrency }
  if (!times.has(field)) return { write: asItIs, read: asItIs }
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

const fields = new WeakMap<object, ReadonlyArray<Field<never>>>()

/** Looked up for each list of names once. */
const fieldsOf = <A>(names: Names<A>): ReadonlyArray<Field<A>> => {
  const known = fields.get(names)
  if (known !== undefined) return known as unknown as ReadonlyArray<Field<A>>
  const made = Object.entries<string>(names).map(([field, short]) => ({ field, short, ...formOf(field) }))
  fields.set(names, made as unknown as ReadonlyArray<Field<never>>)
  return made as unknown as ReadonlyArray<Field<A>>
}

/** Under no name: the fields that the usual has, and the record has not. */
const lacking = "-"

export const pack = <A extends object>(names: Names<A>, record: A, usual: Partial<A>, since = 0): Packed => {
  const packed: Record<string, unknown> = {}
  const sentAt = "sentAt" in record ? record.sentAt : undefined
  for (const { field, short, write } of fieldsOf(names)) {
    const value = record[field]
    const from = field === "answeredAt" && typeof sentAt === "number" ? sentAt : since
    if (isSame(value, usual[field])) continue
    if (value !== undefined) packed[short] = write(value, from, usual[field])
    else packed[lacking] = [...((packed[lacking] as ReadonlyArray<string> | undefined) ?? []), field]
  }
  return packed
}

export const unpack = <A extends object>(names: Names<A>, packed: Packed, usual: Partial<A>, since = 0): A => {
  const record: Record<string, unknown> = {}
  const absent = packed[lacking] as ReadonlyArray<string> | undefined
  for (const { field, read, short } of fieldsOf(names)) {
    const stored = packed[short]
    const { sentAt } = record
    const from = field === "answeredAt" && typeof sentAt === "number" ? sentAt : since
    const value = stored === undefined ? usual[field] : read(stored, from, usual[field])
    if (value !== undefined && absent?.includes(field) !== true) record[field] = value
  }
  return record as A
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

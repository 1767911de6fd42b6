/**
 * Rows as PostgreSQL keeps them. Its text holds neither a NUL nor a lone surrogate: a text with one is kept escaped,
 * behind a mark. Two texts are equal there when they are equal here. JSON escapes both by itself, and begins with no
 * mark. What leads rows and indexes is short (`Keys.ts` of storage-sql).
 */
import { hash as hashOnce } from "node:crypto"
import type { Tenant } from "@pointsman/core"
import { type Bound, makeKeys, makeRows, uuidOf } from "@pointsman/storage-sql"

export type Value = string | number | boolean | null | ReadonlyArray<string>

const mark = "\u0001"

export const bindText = (text: string): string =>
  text.isWellFormed() && !text.includes("\0") && !text.startsWith(mark)
    ? text
    : `${mark}${JSON.stringify(text).slice(1, -1)}`

export const readText = (value: unknown): string => {
  const text = value as string
  return text.startsWith(mark) ? (JSON.parse(`"${text.slice(mark.length)}"`) as string) : text
}

export const rows = makeRows<Value>({
  bindText,
  readText,
  bindTexts: (texts) => texts.map(bindText),
  readTexts: (value) => (value as ReadonlyArray<string>).map(readText),
  bindBoolean: (value) => value,
  readBoolean: (value) => value as boolean
})

export const { readTenant } = rows

export const ofTenant = "workspace_id = $1 and environment = $2"
export const bindTenant = ({ environment, workspaceId }: Tenant) => [bindText(workspaceId), environment]

/** As a parameter, whose place says the type (`typeOf`). */
export const bindValue = (value: Bound<Value>): string | null => (value === null ? null : String(value))

/** Of a column, by its name. */
export const typeOf = (column: string): "bigint" | "boolean" | "text" | "uuid" => {
  if (column === "key") return "uuid"
  if (column.startsWith("is_")) return "boolean"
  return /^number$|version$|_(?:minor|at|millis|since)$/u.test(column) ? "bigint" : "text"
}

const hash = (text: string): Buffer => hashOnce("sha256", Buffer.from(text, "utf16le"), "buffer")

const numbers = new Map<string, string>()

/**
 * A hash of 52 bits, which a number holds: no process looks it up, and a restored database gives no tenant the number of
 * another one. That no two tenants share one is guarded where a tenant's row is written.
 */
export const tenantNumber = ({ environment, workspaceId }: Tenant): string => {
  const name = `${environment} ${workspaceId}`
  const known = numbers.get(name)
  if (known !== undefined) return known
  const number = String(hash(name).readBigUInt64BE() >> 12n)
  numbers.set(name, number)
  return number
}

export const keys = makeKeys<string, string>({
  hash,
  bindUuid: (id) => id,
  readId: (value) => value as string,
  bindBytes: uuidOf,
  bindShort: (bytes) => String(bytes.readBigInt64BE())
})

export const { bindAfter, bindBefore, bindEventId, bindId, readEventId } = keys
export const { chargeName, keyHash, nameHash, shortChargeName } = keys

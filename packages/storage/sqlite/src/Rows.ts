/** Values as SQLite keeps them: booleans are 0 and 1, lists are JSON, and what leads rows and indexes is short. */
import { hash as hashOnce } from "node:crypto"
import type { SQLInputValue } from "node:sqlite"
import type { Tenant } from "@pointsman/core"
import { makeKeys, makeRows, readJson, uuidOf } from "@pointsman/storage-sql"

/**
 * Text as it is bound. SQLite's text is UTF-8, which has no lone surrogates, and ends at a NUL for much of what
 * reads it: such text is kept as UTF-16 bytes, so that a read gives back exactly what was written. Columns that may
 * hold it are declared ANY.
 */
export const bindText = (text: string): SQLInputValue =>
  text.isWellFormed() && !text.includes("\0") ? text : Buffer.from(text, "utf16le")

export const readText = (value: unknown): string =>
  value instanceof Uint8Array
    ? Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString("utf16le")
    : (value as string)

export const rows = makeRows<SQLInputValue>({
  bindText,
  readText,
  bindTexts: JSON.stringify,
  readTexts: readJson,
  bindBoolean: Number,
  readBoolean: (value) => value === 1
})

export const { bindTenant, readTenant } = rows

export const ofTenant = "workspace_id = ? and environment = ?"

const hash = (text: string): Buffer => hashOnce("sha256", Buffer.from(text, "utf16le"), "buffer")

let lastId: string | undefined
let lastBytes: Uint8Array = Buffer.of()

export const keys = makeKeys<Uint8Array, Uint8Array>({
  hash,
  /** A commit binds one id several times, so the last one is kept. */
  bindUuid: (id) => {
    if (id !== lastId) lastBytes = Buffer.from(id.replaceAll("-", ""), "hex")
    lastId = id
    return lastBytes
  },
  readId: (value) => uuidOf(value as Uint8Array),
  bindBytes: (bytes) => bytes,
  bindShort: (bytes) => bytes
})

export const { bindAfter, bindBefore, bindEventId, bindId, readEventId, readId } = keys
export const { chargeName, keyHash, nameHash, shortChargeName } = keys

const hashes = new Map<string, Uint8Array>()

/**
 * A tenant as a hash of 64 bits, as on PostgreSQL: no process looks it up, and a file that was put back to an earlier state
 * gives no tenant that of another one. A row guards that no two tenants write under one hash. A read has only the hash: it is
 * long, because a shorter one would sooner or later show a tenant the payments of another.
 */
export const tenantHash = ({ environment, workspaceId }: Tenant): Uint8Array => {
  const name = `${environment} ${workspaceId}`
  const known = hashes.get(name) ?? hash(name).subarray(0, 8)
  hashes.set(name, known)
  return known
}

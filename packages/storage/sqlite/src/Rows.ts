/** Rows as SQLite keeps them: booleans are 0 and 1, and lists are JSON. */
import type { SQLInputValue } from "node:sqlite"
import { makeRows, readJson } from "@pointsman/storage-sql"

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

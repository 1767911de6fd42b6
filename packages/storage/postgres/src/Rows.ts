/**
 * Rows as they are written, as JSON, and as they are read.
 *
 * PostgreSQL's text holds neither a NUL nor a lone surrogate, and both may come from outside. Such text is kept escaped,
 * behind a character that marks it: a read gives back exactly what was written, and two texts are equal there when
 * they are equal here.
 */
export type Scalar = string | number | boolean | null
export type Value = Scalar | ReadonlyArray<string>
export type Row = Readonly<Record<string, unknown>>
export type NewRow = Readonly<Record<string, Value>>
/** A row of the ledger, which has no lists. */
export type LedgerRow = Readonly<Record<string, Scalar>>

const mark = "\u0001"

export const bindText = (text: string): string =>
  text.isWellFormed() && !text.includes("\0") && !text.startsWith(mark)
    ? text
    : `${mark}${JSON.stringify(text).slice(1, -1)}`

export const readText = (value: unknown): string => {
  const text = value as string
  return text.startsWith(mark) ? (JSON.parse(`"${text.slice(mark.length)}"`) as string) : text
}

export const readTextOrNull = (value: unknown): string | null => (value === null ? null : readText(value))

/** JSON escapes what PostgreSQL does not hold, and begins with none of our marks. */
export const bindJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value))

export const readJson = <A>(value: unknown): A => (value === null ? null : JSON.parse(value as string)) as A

/** Rows for `jsonb_populate_recordset`: all of their text is bound. */
export const bindRow = (row: NewRow): NewRow =>
  Object.fromEntries(Object.entries(row).map(([column, value]) => [column, bindInJson(value)]))

const bindInJson = (value: Value): Value => {
  if (typeof value === "string") return bindText(value)
  return Array.isArray(value) ? value.map(bindText) : value
}

/** As a parameter, whose place says the type (`typeOf`). */
export const bindValue = (value: Scalar): string | null => {
  if (typeof value === "string") return bindText(value)
  return value === null ? null : String(value)
}

/** Of the ledger's columns; all others are text. */
export const typeOf = (column: string): "bigint" | "integer" | "boolean" | "text" => {
  if (column === "number") return "integer"
  if (column === "is_applied") return "boolean"
  return column === "version" || /_(minor|at|millis|since)$/.test(column) ? "bigint" : "text"
}

/** `a, b, c` */
export const list = (columns: ReadonlyArray<string>, prefix = ""): string =>
  columns.map((column) => `${prefix}${column}`).join(", ")

/** Replaces the row with the same key. */
export const onConflictReplace = (columns: ReadonlyArray<string>, key: ReadonlyArray<string>): string =>
  `on conflict (${list(key)}) do update set ${columns
    .filter((column) => !key.includes(column))
    .map((column) => `${column} = excluded.${column}`)
    .join(", ")}`

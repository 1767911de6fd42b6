/**
 * Copies of payments that the product made: all rows of one are inserted again under ids, keys and times of their own, by
 * statements of the database. The shape is that of the rows themselves, whatever a release stores.
 *
 * The rule that a reader would otherwise break: an id with a time has to carry the time of its copy, because retention and
 * partitions go by ids. A value that this file cannot shift is an error, and no copy.
 */
export type Row = Readonly<Record<string, unknown>>

/** The rows of one payment, by table. */
export type RowsOf = ReadonlyMap<string, ReadonlyArray<Row>>

/** What a row says about its table, in which payments have rows. */
export interface CopiedTable {
  readonly name: string
  /** Which rows are those of the payment `$id`. */
  readonly where: string
}

const ofPayment = "payment_id = '$id'"
const ofEvents = `event_id in (select id from events where ${ofPayment})`

/** Refunds first: a trigger of the payments adds them up. */
export const copiedTables: ReadonlyArray<CopiedTable> = [
  { name: "refunds", where: ofPayment },
  { name: "payments", where: "id = '$id'" },
  ...["attempts", "operations", "payment_metadata", "events", "claims", "charge_references", "named_references"].map(
    (name) => ({ name, where: ofPayment })
  ),
  { name: "deliveries", where: ofEvents },
  { name: "delivery_attempts", where: `delivery_id in (select id from deliveries where ${ofEvents})` }
]

export interface Dialect {
  /** Twelve hexadecimal digits of an integer. */
  readonly digits: (number: string) => string
  /** The first twelve hexadecimal digits of the MD5 of a text. */
  readonly md5: (text: string) => string
  /** The base64url of twelve hexadecimal digits: eight characters. */
  readonly base64: (digits: string) => string
  /** A relation with the column `n`, of all integers from 0 to before `count`. */
  readonly numbers: (count: number) => string
}

export const postgresDialect: Dialect = {
  digits: (number) => `lpad(to_hex(${number}), 12, '0')`,
  md5: (text) => `left(md5(${text}), 12)`,
  base64: (digits) => `translate(encode(decode(${digits}, 'hex'), 'base64'), '+/', '-_')`,
  numbers: (count) => `generate_series(0::bigint, ${count - 1}) as series (n)`
}

/** `md5_digits` and `base64_digits` are functions that the connection is given (`CopiesInSqlite`). */
export const sqliteDialect: Dialect = {
  digits: (number) => `printf('%012x', ${number})`,
  md5: (text) => `md5_digits(${text})`,
  base64: (digits) => `base64_digits(${digits})`,
  numbers: (count) =>
    `(with recursive series (n) as (select 0 union all select n + 1 from series where n < ${count - 1}) select n from series)`
}

export interface Copying {
  readonly rows: RowsOf
  /** When the payment that is copied was made, in epoch milliseconds, and when it was complete. */
  readonly from: number
  readonly until: number
  /** The copy `n` is so many milliseconds younger than the one before it. */
  readonly everyMillis: number
  /** Copies have the numbers from 0 to before this. */
  readonly count: number
  /** A condition on `n`. */
  readonly which: string
}

export const copyStatements = (dialect: Dialect, copying: Copying): ReadonlyArray<string> => {
  const replacements = replacementsOf(dialect, copying)
  return [...copying.rows].flatMap(([table, rows]) =>
    rows.map((row) => {
      const columns = Object.keys(row)
      const values = columns.map((column) => expression(row[column], copying, replacements))
      return `insert into ${table} (${columns.join(", ")}) select ${values.join(", ")}
        from ${dialect.numbers(copying.count)} where ${copying.which}`
    })
  )
}

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu
/** An id inside JSON without its prefix: 16 bytes, of which the first six are eight characters. */
const shortUuid = /~[A-Za-z0-9_-]{22}(?![A-Za-z0-9_-])/gu
/** `2026-11-26T01:02:03.004Z` */
const dateTime = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/u

const bareOf = (id: string): string => id.replaceAll("-", "")
const base64Of = (digits: string): string => Buffer.from(digits, "hex").toString("base64url")

/** What stands for a text in each copy, as SQL. */
type Replacements = ReadonlyMap<string, string>

/** Of each id that the payment's rows hold, and of its form inside JSON. */
const replacementsOf = (dialect: Dialect, { everyMillis, from, rows, until }: Copying): Replacements => {
  const texts = [...rows.values()]
    .flat()
    .flatMap((row) => Object.values(row).filter((value) => typeof value === "string"))
  const found = new Map<string, string>()
  for (const id of new Set(texts.flatMap((text) => text.match(uuid) ?? []))) {
    const time = Number.parseInt(bareOf(id).slice(0, 12), 16)
    const isTimed = id[14] === "7" && time >= from && time <= until
    if (id[14] === "7" && !isTimed) throw new Error(`the id ${id} has a time outside of its payment's`)
    const digits = isTimed ? dialect.digits(`${time} + n * ${everyMillis}`) : dialect.md5(`'${id}' || n`)
    found.set(id, `substr(${digits}, 1, 8) || '-' || substr(${digits}, 9, 4) || '${id.slice(13)}'`)
    found.set(`~${base64Of(bareOf(id))}`, `'~' || ${dialect.base64(digits)} || '${base64Of(bareOf(id)).slice(8)}'`)
  }
  for (const short of new Set(texts.flatMap((text) => text.match(shortUuid) ?? []))) {
    if (!found.has(short)) throw new Error(`the payment's rows name ${short}, which is none of its ids`)
  }
  return found
}

const isMoment = (value: number, { from, until }: Copying): boolean => value >= from && value <= until

const expression = (value: unknown, copying: Copying, replacements: Replacements): string => {
  if (value === null || value === undefined) return "null"
  if (typeof value === "boolean") return String(value)
  if (typeof value === "number" || typeof value === "bigint") {
    const number = Number(value)
    return isMoment(number, copying) ? `${number} + n * ${copying.everyMillis}` : String(value)
  }
  const text = String(value)
  if (dateTime.test(text)) throw new Error(`a copy cannot shift the time in ${text}`)
  const pieces: Array<string> = []
  let at = 0
  for (const found of text.matchAll(new RegExp(`${uuid.source}|${shortUuid.source}|\\d{13}`, "gu"))) {
    const moment = Number(found[0])
    const isReplaced = replacements.has(found[0]) || isMoment(moment, copying)
    if (!isReplaced) continue
    if (found.index > at) pieces.push(quoted(text.slice(at, found.index)))
    pieces.push(replacements.get(found[0]) ?? `cast(${moment} + n * ${copying.everyMillis} as text)`)
    at = found.index + found[0].length
  }
  if (at < text.length || pieces.length === 0) pieces.push(quoted(text.slice(at)))
  return pieces.join(" || ")
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

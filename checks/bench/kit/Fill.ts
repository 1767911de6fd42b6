/**
 * Fills a database with payments as the library would have written them: every row is one of a real payment's, under an
 * id of its own. By statements of the database, a million in minutes.
 */
import { authorizedEvery, everyMillis, firstNumber, keyPrefix, rests, sampleText, textPrefix } from "./FilledIds.ts"

/** The rows of one payment; a value is what the database stores. */
export type RowsOf = Readonly<Record<Table, ReadonlyArray<Readonly<Record<string, unknown>>>>>

export const tables = ["payments", "attempts", "events", "claims", "charge_references", "payment_metadata"] as const
export type Table = (typeof tables)[number]

export interface Dialect {
  /** The twelve digits of `FilledIds.ts` for the number `n`. */
  readonly digits: string
  /** Asks for the names of the columns that a row of the table is inserted with. */
  readonly columnsOf: (table: Table) => string
  /** A relation with the column `n`, of all integers from the one to before the other. */
  readonly numbers: (from: number, until: number) => string
}

/** When the payment `n` was created. */
const createdAt = `(${firstNumber} + cast(n as bigint) * ${everyMillis})`

export const postgresDialect: Dialect = {
  digits: `lpad(to_hex(${createdAt}), 12, '0')`,
  columnsOf: (table) =>
    `select column_name as name from information_schema.columns where table_name = '${table}' and is_generated = 'NEVER'`,
  numbers: (from, until) => `generate_series(${from}, ${until - 1}) as series (n)`
}

export const sqliteDialect: Dialect = {
  digits: `printf('%012x', ${createdAt})`,
  columnsOf: (table) => `select name from pragma_table_info('${table}')`,
  numbers: (from, until) =>
    `(with recursive series (n) as (select ${from} union all select n + 1 from series where n < ${until - 1}) select n from series)`
}

/** Statements that write the payments of these numbers like `captured` and, every tenth, like `authorized`. */
export const fillStatements = (
  dialect: Dialect,
  samples: { readonly captured: RowsOf; readonly authorized: RowsOf },
  from: number,
  until: number
): ReadonlyArray<string> =>
  (["captured", "authorized"] as const).flatMap((kind) => {
    const where = `n % ${authorizedEvery} ${kind === "authorized" ? "=" : "<>"} 0`
    return tables.flatMap((table) =>
      samples[kind][table].map((row) => {
        const columns = Object.keys(row)
        const values = columns.map((column) =>
          table === "payments" && column === "created_at" ? createdAt : expression(dialect, samples[kind], row[column])
        )
        return `insert into ${table} (${columns.join(", ")}) select ${values.join(", ")} from ${dialect.numbers(from, until)} where ${where}`
      })
    )
  })

const expression = (dialect: Dialect, sample: RowsOf, value: unknown): string => {
  if (value === null || value === undefined) return "null"
  if (typeof value === "number" || typeof value === "bigint") return String(value)
  const id = (rest: string) => `substr(${dialect.digits}, 1, 8) || '-' || substr(${dialect.digits}, 9) || '-${rest}'`
  const replacements = new Map<string, string>()
  const bare = (text: unknown) => String(text).replace(/^[a-z]+_/, "")
  for (const { id: payment } of sample.payments) replacements.set(bare(payment), id(rests.payment))
  for (const { id: attempt } of sample.attempts) replacements.set(bare(attempt), id(rests.attempt))
  for (const [place, { id: event }] of sample.events.entries()) replacements.set(bare(event), id(rests.event(place)))
  for (const { key } of sample.claims) replacements.set(String(key), `'${keyPrefix}' || ${dialect.digits}`)
  replacements.set(sampleText, `'${textPrefix}' || ${dialect.digits}`)
  const pattern = new RegExp([...replacements.keys()].join("|"), "g")
  const text = String(value)
  const parts: Array<string> = []
  let at = 0
  for (const found of text.matchAll(pattern)) {
    if (found.index > at) parts.push(quoted(text.slice(at, found.index)))
    parts.push(replacements.get(found[0]) ?? "")
    at = found.index + found[0].length
  }
  if (at < text.length || parts.length === 0) parts.push(quoted(text.slice(at)))
  return parts.join(" || ")
}

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

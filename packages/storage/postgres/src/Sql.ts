/** PostgreSQL for the services that all databases share. */
import { createHash } from "node:crypto"
import { list, type Sql } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { makeReads, type Reads } from "./Reads.ts"
import { bindValue, rows, type Value } from "./Rows.ts"
import { codes } from "./SqlFailures.ts"

/** Each time another transaction has come through. */
const maxDeadlocks = 5
const isDeadlock = (failed: unknown): boolean =>
  (failed as { readonly cause?: { readonly code?: unknown } }).cause?.code === codes.deadlock

export const sqlOf = (db: Database, reads: Reads = makeReads(db, undefined)): Sql<Value> => ({
  rows,
  read: (operation, text, values = []) => db.read(operation, text, values.map(bindValue)),
  list: (operation, text, values = []) => reads.list(operation, [text, values.map(String)]),
  update: (operation, text, values = []) => db.update(operation, text, values.map(bindValue)),
  transaction: (operation, body) =>
    Effect.retry(
      db.transaction(operation, (query) =>
        body((text, values = []) => (text === "" ? Effect.succeed([]) : query(text, values.map(bindValue))))
      ),
      { times: maxDeadlocks, while: isDeadlock }
    ),
  each: (text, values, items) => {
    const [first] = items
    if (first === undefined) return []
    const names = first.map((_, at) => `item${at}`)
    const place = (written: string, number: string) =>
      Number(number) > values.length ? `n.item${Number(number) - values.length - 1}` : written
    const records = items.map((item) => Object.fromEntries(item.map((value, at) => [`item${at}`, value])))
    return [
      [
        `select e.* from jsonb_to_recordset($${values.length + 1}::text::jsonb) as n (${list(names.map((name) => `${name} text`))})
          cross join lateral (${text.replace(/\$(\d+)/gu, place)} offset 0) as e`,
        [...values, JSON.stringify(records)]
      ]
    ]
  },
  locking: (clause) => clause,
  by: (table) => table,
  sha256: (text) => createHash("sha256").update(text).digest("hex"),
  isSame: (column, value) => `md5(${column}) = md5(${value}) and ${column} = ${value}`
})

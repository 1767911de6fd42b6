/** PostgreSQL for the services that all databases share. */
import { createHash } from "node:crypto"
import type { SuccessRates } from "@pointsman/core/ports"
import { type Bound, list, makeSuccessRates, type Sql, type Statement } from "@pointsman/storage-sql"
import type { Database } from "./Database.ts"
import { makeReads, type Reads } from "./Reads.ts"
import { keys, readTenant, rows, tenantNumber, type Value } from "./Rows.ts"

/** `reads`: which server answers what may be old. */
export const sqlOf = (db: Database, reads: Reads = makeReads(db, undefined)): Sql<Value> => ({
  rows,
  keys,
  bindOwner: tenantNumber,
  withOwner: (part, order) => `select p.*, n.workspace_id, n.environment from (${part}) as p
    cross join lateral (select * from tenants where tenants.t = p.t offset 0) as n
    ${order === undefined ? "" : `order by ${order.replaceAll(/\w+/gu, "p.$&")}`}`,
  readOwner: readTenant,
  read: db.read,
  list: reads.list,
  search: reads.list,
  update: db.update,
  transaction: db.transaction,
  each: (text, values, items) => {
    const [first = []] = items
    const place = (written: string, number: string) =>
      Number(number) > values.length ? `n.item${Number(number) - values.length - 1}` : written
    const records = recordset(
      values.length,
      first.map(() => "text")
    )
    return asOne(
      `select e.* from ${records} cross join lateral (${text.replace(/\$(\d+)/gu, place)} offset 0) as e`,
      values,
      items
    )
  },
  every: (after, types, textOf) => {
    const text = textOf(
      types.map((_, at) => `n.item${at}`),
      `from ${recordset(after, types)}`
    )
    return (values, items) => asOne(text, values, items)
  },
  put: (table, columns, end) => {
    const text = `insert into ${table} (${list(columns)}) select ${list(columns)}
      from jsonb_populate_recordset(null::${table}, $1::text::jsonb) ${end}`
    return (records) => {
      const named = records.map((row) => Object.fromEntries(columns.map((column, at) => [column, row[at]])))
      return records.length === 0 ? [] : [[text, [JSON.stringify(named)]]]
    }
  },
  locking: (clause) => clause,
  by: (table) => table,
  sha256: (text) => createHash("sha256").update(text).digest("hex"),
  isSame: (column, value) => `md5(${column}) = md5(${value}) and ${column} = ${value}`
})

const recordset = (after: number, types: ReadonlyArray<string>): string =>
  `jsonb_to_recordset($${after + 1}::text::jsonb) as n (${list(types.map((type, at) => `item${at} ${type}`))})`

type Values = ReadonlyArray<Bound<Value>>

const asOne = (text: string, values: Values, items: ReadonlyArray<Values>): ReadonlyArray<Statement<Value>> => {
  const records = items.map((item) => Object.fromEntries(item.map((value, at) => [`item${at}`, value])))
  return items.length === 0 ? [] : [[text, [...values, JSON.stringify(records)]]]
}

/** What is being written at this moment is not old, and is not waited for: so no writer and this wait for each other. */
const deleteOld = `delete from success_rates
  where ctid = any (array(select ctid from success_rates where at < $1 for update skip locked)) returning 1 as one`

export const makeRates = (db: Database): SuccessRates["Service"] => makeSuccessRates(sqlOf(db), deleteOld)

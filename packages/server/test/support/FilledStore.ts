/** 100,000 payments of the workspace `rival` in the store of a server, copies of its only one. */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { environmentOn, newDatabase, postgresMissing, query } from "./PostgresServer.ts"
import { temporaryFolder } from "./ServerProcess.ts"

const payments = 100_000

const free = { key: "null", page: "null", claim: "null", claim_version: "null", claimed_at: "null" }

/** Each copy has one text of all, and one of its own. */
const copyPayments = (columns: ReadonlyArray<string>, id: string, numbers: string): ReadonlyArray<string> => {
  const values: Record<string, string> = { ...free, id }
  return [
    `insert into payments (${columns.join(", ")}) select ${columns.map((one) => values[one] ?? one).join(", ")}
      from payments as p, ${numbers} where p.t = (select t from tenants where workspace_id = 'rival')`,
    `insert into payment_metadata (t, payment, name, value) select t, id, 'a', 'same' from payments where key is null`,
    `insert into payment_metadata (t, payment, name, value)
      select t, id, 'b', 'order ' || row_number() over () from payments where key is null`
  ]
}

export const fileOf = (folder: string): string => join(folder, ".pointsman", "pointsman.db")

/** `select number from numbers`: those up to `count`. */
export const sqliteNumbers = (count: number): string =>
  `(with recursive n (number) as (select 1 union all select number + 1 from n where number < ${count})
    select number from n) as numbers`

export const fillFile = (folder: string, count: number): void => {
  const database = new DatabaseSync(fileOf(folder), { timeout: 60_000 })
  const columns = database.prepare("select name from pragma_table_info('payments')").all()
  const id = "unhex(substr(hex(p.id), 1, 20) || printf('%012x', number))"
  const names = columns.map(({ name }) => String(name))
  for (const one of copyPayments(names, id, sqliteNumbers(count))) database.exec(one)
  database.close()
}

const onFile = () => {
  const folder = temporaryFolder()
  return { folder, environment: {}, fill: async () => fillFile(folder, payments) }
}

const onPostgres = async () => {
  const url = await newDatabase()
  return {
    folder: temporaryFolder(),
    environment: environmentOn(url),
    fill: async () => {
      const columns = await query(
        url,
        "select attname as name from pg_attribute where attrelid = 'payments'::regclass and attnum > 0 and not attisdropped"
      )
      const id = "(left(p.id::text, 24) || lpad(to_hex(number), 12, '0'))::uuid"
      const numbers = `generate_series(1, ${payments}) as numbers (number)`
      const names = columns.map(({ name }) => String(name))
      for (const one of [...copyPayments(names, id, numbers), "analyze"]) await query(url, one)
    }
  }
}

/** Each opens an empty store, and fills it once the server has made the payment. */
export const storages = [
  ["SQLite", onFile] as const,
  ...(postgresMissing === undefined ? [["PostgreSQL", onPostgres] as const] : [])
]

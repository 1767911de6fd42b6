/**
 * The bytes that a payment takes in the database, with the indexes: direct creates that were captured, each under an
 * idempotency key, over two connections and without an endpoint.
 */
import { randomUUID } from "node:crypto"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Pointsman } from "@pointsman/core"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Effect, ManagedRuntime, Redacted } from "effect"
import { createRequest } from "../kit/CreateRequest.ts"
import { query } from "../kit/Postgres.ts"
import { type Measure, type Row, row } from "../kit/Result.ts"
import { agreeing, caller, type Storage, worldLayer } from "../World.ts"

const inFlight = 16

/** The pages of one table or index, in bytes. */
interface Part {
  readonly name: string
  readonly bytes: number
}

export const size: Measure = async ({ folder, postgres, smoke, tell }) => {
  const payments = smoke ? 100 : 20_000
  const url = await postgres.newDatabase("size")
  const filename = join(folder, "size.db")
  const figure = (id: string, what: string, parts: ReadonlyArray<Part>, atMost: number): Row => {
    const each = parts.map(({ bytes, name }) => ({ name, bytes: bytes / payments }))
    const sum = each.reduce((total, { bytes }) => total + bytes, 0)
    const largest = each.filter(({ bytes }) => bytes >= 1).toSorted((a, b) => b.bytes - a.bytes)
    for (const { bytes, name } of largest) tell(`${what}: ${name} ${bytes.toFixed(0)}`)
    const beside = largest.slice(0, 5).map(({ bytes, name }) => `${name} ${bytes.toFixed(0)}`)
    return row(`size-${id}`, what, sum, "bytes", beside.join(", "), { atMost })
  }
  await create(PostgresStorage.layer({ url: Redacted.make(url) }), payments)
  const ofPostgres = async () => (await query(url, selectPostgresParts)).map(partOf)
  // Rows that were replaced leave room, which later payments take: how much depends on when the tables are vacuumed.
  const replaced = "PostgreSQL: a payment, with the room of replaced rows"
  const grown = figure("PostgreSQL-grown", replaced, await ofPostgres(), 3_500)
  await query(url, "vacuum full")
  const packed = figure("PostgreSQL", "PostgreSQL: a payment, with its indexes", await ofPostgres(), 2_000)
  await create(SqliteStorage.layer({ filename }), payments)
  const onSqlite = figure("SQLite", "SQLite: a payment, with its indexes", sqliteParts(filename), 2_000)
  return {
    id: "size",
    title: `Bytes that a payment takes, of ${payments.toLocaleString("en-US")} direct creates under idempotency keys`,
    rows: [packed, grown, onSqlite],
    note: "One run; two connections, no webhook endpoint. PostgreSQL after `VACUUM FULL`, and before any vacuum."
  }
}

const create = async (storage: Storage, count: number): Promise<void> => {
  const runtime = ManagedRuntime.make(worldLayer(storage, agreeing(), ["main", "second"]))
  try {
    const pointsman = await runtime.runPromise(Pointsman)
    await runtime.runPromise(
      Effect.forEach(
        Array.from({ length: count }, (_, index) => index + 1),
        (number) => pointsman.create(caller, createRequest(`order-${number}`, randomUUID())),
        { concurrency: inFlight, discard: true }
      )
    )
  } finally {
    await runtime.dispose()
  }
}

const partOf = (row: Readonly<Record<string, unknown>>): Part => ({
  name: String(row["name"]),
  bytes: Number(row["bytes"])
})

/** The tables that grow with payments. */
const ofPayments = ["payments", "events", "charges", "names", "due", "searches"]

const selectPostgresParts = `select c.relname::text as name, pg_table_size(c.oid)::text as bytes
  from pg_class as c join pg_class as t on t.oid = coalesce((select indrelid from pg_index where indexrelid = c.oid), c.oid)
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'i') and pg_relation_size(t.oid) > 0
    and t.relname in (${ofPayments.map((name) => `'${name}'`).join(", ")})`

const sqliteParts = (filename: string): ReadonlyArray<Part> => {
  const db = new DatabaseSync(filename)
  try {
    db.exec("pragma wal_checkpoint(truncate)")
    return db.prepare("select name, sum(pgsize) as bytes from dbstat group by name").all().map(partOf)
  } finally {
    db.close()
  }
}

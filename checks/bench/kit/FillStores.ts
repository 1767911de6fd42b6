/** A store that holds so many payments, of the workspace `acme` in its sandbox. */
import { DatabaseSync } from "node:sqlite"
import { Pointsman } from "@pointsman/core"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { type Effect, ManagedRuntime, Redacted } from "effect"
import { caller, type Storage, worldLayer } from "../World.ts"
import { createRequest } from "./CreateRequest.ts"
import {
  type Dialect,
  fillStatements,
  postgresDialect,
  type RowsOf,
  sqliteDialect,
  type Table,
  tables
} from "./Fill.ts"
import { metadataOf, sampleText } from "./FilledIds.ts"
import { query } from "./Postgres.ts"

/** A statement that writes more of them at once needs memory for nothing. */
const filledAtOnce = 50_000

/** What happens to the sample that is captured before its rows are copied: its payment's id is given. */
export type Prepare = (pointsman: Pointsman["Service"], paymentId: string) => Effect.Effect<unknown, unknown>

/** Two real payments, whose rows the others are made like. */
const makeSamples = async (
  storage: Storage,
  prepare: Prepare | undefined
): Promise<{ readonly captured: string; readonly authorized: string }> => {
  const runtime = ManagedRuntime.make(worldLayer(storage))
  try {
    const pointsman = await runtime.runPromise(Pointsman)
    const make = (captureMethod: "automatic" | "manual") =>
      runtime.runPromise(
        pointsman.create(caller, createRequest(sampleText, undefined, captureMethod, metadataOf(sampleText)))
      )
    const samples = { captured: (await make("automatic")).payment.id, authorized: (await make("manual")).payment.id }
    if (prepare !== undefined) await runtime.runPromise(prepare(pointsman, samples.captured))
    return samples
  } finally {
    await runtime.dispose()
  }
}

type Ask = (sql: string) => Promise<RowsOf[keyof RowsOf]>

const rowsOf = async (ask: Ask, { columnsOf }: Dialect, paymentId: string): Promise<RowsOf> => {
  const rows = async (table: Table, condition: string) => {
    const columns = (await ask(columnsOf(table))).map(({ name }) => name)
    return ask(`select ${columns.join(", ")} from ${table} where ${condition}`)
  }
  return {
    payments: await rows("payments", `id = '${paymentId}'`),
    attempts: await rows("attempts", `payment_id = '${paymentId}'`),
    events: await rows("events", `payment_id = '${paymentId}' order by id`),
    claims: await rows("claims", `payment_id = '${paymentId}'`),
    charge_references: await rows("charge_references", `payment_id = '${paymentId}'`),
    payment_metadata: await rows("payment_metadata", `payment_id = '${paymentId}'`)
  }
}

const fillingOf = async (
  ask: Ask,
  ids: { readonly captured: string; readonly authorized: string },
  dialect: Dialect,
  count: number
): Promise<ReadonlyArray<string>> => {
  const samples = {
    captured: await rowsOf(ask, dialect, ids.captured),
    authorized: await rowsOf(ask, dialect, ids.authorized)
  }
  return Array.from({ length: Math.ceil(count / filledAtOnce) }, (_, part) =>
    fillStatements(dialect, samples, part * filledAtOnce, Math.min(count, (part + 1) * filledAtOnce))
  ).flat()
}

/** Gives the URL back, of a new database that is filled. */
export const fillPostgres = async (url: string, count: number, prepare?: Prepare): Promise<string> => {
  const ids = await makeSamples(PostgresStorage.layer({ url: Redacted.make(url) }), prepare)
  const filling = await fillingOf((sql) => query(url, sql), ids, postgresDialect, count)
  // Whole rows of real payments need no check of what they refer to, which would be most of the time.
  await query(url, "set session_replication_role = replica", ...filling)
  await query(url, ...tables.map((table) => `vacuum analyze ${table}`), "checkpoint")
  return url
}

/** Gives the name back, of a new file that is filled. */
export const fillSqlite = async (filename: string, count: number, prepare?: Prepare): Promise<string> => {
  const ids = await makeSamples(SqliteStorage.layer({ filename }), prepare)
  const db = new DatabaseSync(filename, { enableForeignKeyConstraints: false })
  try {
    const filling = await fillingOf(async (sql) => db.prepare(sql).all(), ids, sqliteDialect, count)
    db.exec("pragma synchronous = off; begin")
    for (const statement of filling) db.exec(statement)
    db.exec("commit; pragma wal_checkpoint(truncate)")
  } finally {
    db.close()
  }
  return filename
}

/**
 * What a replay and a read cost when there are many payments, of one workspace, against what they cost when there are
 * few. Those asked for are drawn from all of them.
 */
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Pointsman } from "@pointsman/core"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { ManagedRuntime, Redacted } from "effect"
import { createRequest } from "../kit/CreateRequest.ts"
import {
  type Dialect,
  fillStatements,
  postgresDialect,
  type RowsOf,
  sqliteDialect,
  type Table,
  tables
} from "../kit/Fill.ts"
import { metadataOf, sampleText } from "../kit/FilledIds.ts"
import { closed } from "../kit/Load.ts"
import type { Measure, Options } from "../kit/Options.ts"
import { query } from "../kit/Postgres.ts"
import { type Row, short } from "../kit/Result.ts"
import { inRounds, spread } from "../kit/Rounds.ts"
import { startLibrary } from "../kit/Sides.ts"
import type { Read, StorageSettings } from "../sides/Library.ts"
import { caller, type Storage, worldLayer } from "../World.ts"

/** As many as a page's worth of callers, and few enough that a wait is the database's. */
const inFlight = 4
/** A statement that writes more of them at once needs memory for nothing. */
const filledAtOnce = 50_000

const reads: Readonly<Record<Read, string>> = {
  replay: "a create again under its key",
  payments: "a page of payments",
  paymentsByState: "a page of payments in one state",
  byReference: "a search for a reference",
  byProviderReference: "a search for a provider's reference",
  byMetadata: "a search for metadata that one payment has",
  byCommonMetadata: "a page of payments with metadata that all have",
  byAmount: "a page of payments of an amount",
  byAmountInAnyCurrency: "a page of payments of an amount in any currency",
  byCreation: "a page of the payments of a day",
  events: "a page of events",
  timeline: "a timeline"
}

export const scale: Measure = async (options) => {
  const [few, many] = options.smoke ? [1_000, 5_000] : [10_000, 1_000_000]
  return {
    id: "scale",
    title: `Replays and reads at ${many.toLocaleString("en-US")} payments, of what they cost at ${few.toLocaleString("en-US")}`,
    rows: [...(await measure(options, "PostgreSQL", few, many)), ...(await measure(options, "SQLite", few, many))],
    note: ""
  }
}

const measure = async (
  { folder, postgres, rounds, seconds, tell }: Options,
  on: "PostgreSQL" | "SQLite",
  few: number,
  many: number
): Promise<ReadonlyArray<Row>> => {
  const filled = async (count: number): Promise<StorageSettings> => {
    const began = performance.now()
    const settings: StorageSettings =
      on === "PostgreSQL"
        ? { _tag: "postgres", url: await fillPostgres(await postgres.newDatabase(`of_${count}`), count) }
        : { _tag: "sqlite", filename: await fillSqlite(join(folder, `of-${count}.db`), count) }
    tell(`${on} has ${count} payments, after ${short((performance.now() - began) / 1_000)} s`)
    return settings
  }
  const start = async (storage: StorageSettings) =>
    startLibrary({ storage, provider: { _tag: "agreeing", from: 0, to: 0 } })
  const [fewStorage, manyStorage] = [await filled(few), await filled(many)]
  const [fewLibrary, manyLibrary] = [await start(fewStorage), await start(manyStorage)]
  try {
    const rows: Array<Row> = []
    for (const read of Object.keys(reads) as Array<Read>) {
      const load = closed(inFlight, seconds / 2)
      const sides = {
        few: () => fewLibrary.ask({ _tag: "read", read, filled: few, load }),
        many: () => manyLibrary.ask({ _tag: "read", read, filled: many, load })
      }
      await sides.few()
      await sides.many()
      const measured = await inRounds(rounds, sides, (name, { perSecond }) =>
        tell(`${on}, ${read}, ${name}: ${short(perSecond)}/s`)
      )
      const figures = (["many", "few"] as const).map((name) => {
        const rate = short(spread(measured, (round) => round[name].perSecond).median)
        return `${rate}/s, p99 ${short(spread(measured, (round) => round[name].waits.p99).median)} ms`
      })
      rows.push({
        id: `scale-${read}-${on}`,
        what: `${on}: ${reads[read]}`,
        value: spread(measured, (round) => round.few.perSecond / round.many.perSecond),
        unit: "times",
        atMost: 1.5,
        beside: figures.join(" for ")
      })
    }
    return rows
  } finally {
    await fewLibrary.stop()
    await manyLibrary.stop()
    for (const storage of [fewStorage, manyStorage]) {
      if (storage._tag === "postgres") await postgres.dropDatabase(storage.url)
    }
  }
}

/** Two real payments, whose rows the others are made like. */
const makeSamples = async (storage: Storage): Promise<{ readonly captured: string; readonly authorized: string }> => {
  const runtime = ManagedRuntime.make(worldLayer(storage))
  try {
    const pointsman = await runtime.runPromise(Pointsman)
    const make = (captureMethod: "automatic" | "manual") =>
      runtime.runPromise(
        pointsman.create(caller, createRequest(sampleText, undefined, captureMethod, metadataOf(sampleText)))
      )
    return { captured: (await make("automatic")).payment.id, authorized: (await make("manual")).payment.id }
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

const fillPostgres = async (url: string, count: number): Promise<string> => {
  const ids = await makeSamples(PostgresStorage.layer({ url: Redacted.make(url) }))
  const filling = await fillingOf((sql) => query(url, sql), ids, postgresDialect, count)
  // Whole rows of real payments need no check of what they refer to, which would be most of the time.
  await query(url, "set session_replication_role = replica", ...filling)
  await query(url, ...tables.map((table) => `vacuum analyze ${table}`), "checkpoint")
  return url
}

export const fillSqlite = async (filename: string, count: number): Promise<string> => {
  const ids = await makeSamples(SqliteStorage.layer({ filename }))
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

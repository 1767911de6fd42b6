/** Stores that hold the same payments, each for one report: copies of one that was filled. */
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { fillPostgres, fillSqlite, type Prepare } from "../kit/FillStores.ts"
import { type Postgres, query } from "../kit/Postgres.ts"
import { caller } from "../World.ts"
import type { Store } from "./Step.ts"

export interface Stores {
  readonly copy: (name: string) => Promise<Store>
  readonly remove: (store: Store) => Promise<void>
  /** What readings have left, in a few lines that are the same where two stores hold the same. */
  readonly summary: (store: Store) => Promise<string>
}

/** How the payments of a store begin. */
export interface Beginning {
  readonly payments: number
  /** Those that are captured are settled already, as by a report or by messages: a report's rows change none of them. */
  readonly areSettled: boolean
}

/** Settles a payment by a report of one row. The row is newer than all rows of the reports that are measured. */
const settle: Prepare = Effect.fnUntraced(function* (pointsman, paymentId) {
  const { createdAt, money, providerRef } = yield* pointsman.payment(caller.tenant, paymentId)
  const names = { attemptId: null, operationId: null, refundId: null, providerRefundId: null, disputeId: null }
  const row = {
    id: "sample",
    kind: "charge",
    names: { ...names, reference: null, providerRef },
    gross: money,
    converted: null,
    fee: null,
    net: null,
    payoutId: "sample",
    occurredAt: createdAt,
    settledAt: null
  } as const
  yield* pointsman.reconciliation.run({
    connectionId: "main",
    format: { name: "http", kinds: ["agreeing"], delayMillis: 0 },
    fileName: "sample.csv",
    sha256: "0".repeat(64),
    entries: (async function* () {
      yield [{ _tag: "Row", row } as const]
    })()
  })
})
/** Times aside, which differ from run to run. */
const summaries = [
  `select result, kind, reason, closed_by, count(*) as entries, sum(number) as numbers, sum(gross_minor) as gross
    from settlement_entries group by result, kind, reason, closed_by order by result, kind, reason, closed_by`,
  "select state, count(*) as payments, sum(captured_minor) as captured from payments group by state order by state",
  "select type, count(*) as events from events group by type order by type"
]

const textOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): string =>
  rows.map((row) => Object.values(row).map(String).join(" ")).join("\n")

export const sqliteStores = async (folder: string, { areSettled, payments }: Beginning): Promise<Stores> => {
  const filled = await fillSqlite(join(folder, "filled.sqlite"), payments, areSettled ? settle : undefined)
  return {
    copy: async (name) => {
      const place = join(folder, `${name}.sqlite`)
      copyFileSync(filled, place)
      return { storage: "sqlite", place }
    },
    remove: async ({ place }) => {
      for (const end of ["", "-wal", "-shm"]) rmSync(`${place}${end}`, { force: true })
    },
    summary: async ({ place }) => {
      const opened = new DatabaseSync(place)
      try {
        return summaries.map((sql) => textOf(opened.prepare(sql).all())).join("\n")
      } finally {
        opened.close()
      }
    }
  }
}

export const postgresStores = async (postgres: Postgres, { areSettled, payments }: Beginning): Promise<Stores> => {
  const filled = await fillPostgres(await postgres.newDatabase("filled"), payments, areSettled ? settle : undefined)
  const name = new URL(filled).pathname.slice(1)
  return {
    copy: async (copied) => {
      const place = await postgres.newDatabase(copied, name)
      await query(place, "checkpoint")
      return { storage: "postgres", place }
    },
    remove: ({ place }) => postgres.dropDatabase(place),
    summary: async ({ place }) => {
      const texts: Array<string> = []
      for (const sql of summaries) texts.push(textOf(await query(place, sql)))
      return texts.join("\n")
    }
  }
}

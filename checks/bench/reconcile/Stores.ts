/** Stores that hold the same payments, each for one report: copies of one that was filled. */
import { copyFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fillPostgres, fillSqlite } from "../kit/FillStores.ts"
import { type Postgres, query } from "../kit/Postgres.ts"
import type { Store } from "./Step.ts"

export interface Stores {
  readonly copy: (name: string) => Promise<Store>
  readonly remove: (store: Store) => Promise<void>
  /** What readings have left, in a few lines that are the same where two stores hold the same. */
  readonly summary: (store: Store) => Promise<string>
}

/** Times aside, which differ from run to run. */
const summaries = [
  `select result, kind, reason, closed_by, count(*) as entries, sum(number) as numbers, sum(gross_minor) as gross
    from settlement_entries group by result, kind, reason, closed_by order by result, kind, reason, closed_by`,
  "select state, count(*) as payments, sum(captured_minor) as captured from payments group by state order by state",
  "select type, count(*) as events from events group by type order by type"
]

const textOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>): string =>
  rows.map((row) => Object.values(row).map(String).join(" ")).join("\n")

export const sqliteStores = async (folder: string, payments: number): Promise<Stores> => {
  const filled = await fillSqlite(join(folder, "filled.sqlite"), payments)
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

export const postgresStores = async (postgres: Postgres, payments: number): Promise<Stores> => {
  const filled = await fillPostgres(await postgres.newDatabase("filled"), payments)
  const name = new URL(filled).pathname.slice(1)
  return {
    copy: async (copied) => {
      const place = await postgres.newDatabase(copied, name)
      await query(place, "checkpoint")
      return { storage: "postgres", place }
    },
    remove: ({ place }) => postgres.dropDatabase(place),
    summary: async ({ place }) => (await Promise.all(summaries.map((sql) => query(place, sql)))).map(textOf).join("\n")
  }
}

/** The store of a run, by statements of its own beside the product's. */
import { DatabaseSync } from "node:sqlite"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Redacted } from "effect"
import { query } from "../kit/Postgres.ts"
import type { Storage } from "../World.ts"

type Row = Readonly<Record<string, unknown>>

export interface YearsStore {
  readonly name: "PostgreSQL" | "SQLite"
  readonly layer: Storage
  /** Rows, with numbers for numbers. */
  readonly ask: (sql: string) => Promise<ReadonlyArray<Row>>
  /** Does what autovacuum has done at the end of a month, whose run took seconds. */
  readonly vacuum: () => Promise<void>
  /** Bytes by table, with indexes and partitions; `all`: of the whole database. */
  readonly sizes: () => Promise<Readonly<Record<string, number>>>
}

/** Of what levels off: references of charges stay for good, and SQLite keeps the pages that became free. */
export const levelBytes = (sizes: Readonly<Record<string, number>>): number => {
  // The name of the references in SQLite, and in PostgreSQL.
  const apart = ["charges", "charge_references", "free"]
  return apart.reduce((bytes, name) => bytes - (sizes[name] ?? 0), sizes["all"] ?? 0)
}

/** `allowAsyncCommit`: of a server that does not wait for its disk, as the tests share one. */
export const postgresStore = (url: string, allowAsyncCommit = false): YearsStore => {
  const ask = async (sql: string) =>
    (await query(url, `select row_to_json(r)::text as row from (${sql}) as r`)).map(
      ({ row }) => JSON.parse(String(row)) as Row
    )
  return {
    name: "PostgreSQL",
    layer: PostgresStorage.layer({ url: Redacted.make(url), allowAsyncCommit }),
    ask,
    vacuum: async () => {
      await query(url, "vacuum")
    },
    sizes: async () => {
      const rows =
        await ask(`select coalesce(parent.relname, c.relname) as name, sum(pg_total_relation_size(c.oid)) as bytes
        from pg_class as c left join pg_inherits on inhrelid = c.oid left join pg_class as parent on parent.oid = inhparent
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by 1
        union all select 'all', pg_database_size(current_database())`)
      return Object.fromEntries(rows.map(({ bytes, name }) => [String(name), Number(bytes)]))
    }
  }
}

export const sqliteStore = (filename: string): YearsStore => {
  const using = <A>(act: (db: DatabaseSync) => A): A => {
    const db = new DatabaseSync(filename, { timeout: 60_000 })
    try {
      return act(db)
    } finally {
      db.close()
    }
  }
  const ask = async (sql: string) => using((db) => db.prepare(sql).all() as ReadonlyArray<Row>)
  return {
    name: "SQLite",
    layer: SqliteStorage.layer({ filename }),
    ask,
    vacuum: async () => {},
    sizes: async () =>
      using((db) => {
        db.exec("pragma wal_checkpoint(truncate)")
        const parts = db
          .prepare(
            `select s.tbl_name as name, sum(pgsize) as bytes from dbstat join sqlite_schema as s on s.name = dbstat.name
              where aggregate = true group by 1
              union all select 'free', freelist_count * page_size from pragma_freelist_count, pragma_page_size
              union all select 'all', page_count * page_size from pragma_page_count, pragma_page_size`
          )
          .all()
        return Object.fromEntries(parts.map(({ bytes, name }) => [String(name), Number(bytes)]))
      })
  }
}

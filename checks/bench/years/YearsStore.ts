/** The store of a run, by statements of its own beside the product's. */
import { createHash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import * as PostgresStorage from "@pointsman/storage-postgres"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Redacted } from "effect"
import { query } from "../kit/Postgres.ts"
import type { Storage } from "../World.ts"
import { copiedTables, type Dialect, postgresDialect, type Row, sqliteDialect } from "./Copies.ts"

/** Counted by the database, since its statistics began. */
export interface Work {
  readonly transactions: number
  /** In which the database worked on statements. */
  readonly millis: number
}

export interface YearsStore {
  readonly name: "PostgreSQL" | "SQLite"
  readonly dialect: Dialect
  readonly layer: Storage
  /** Rows, with numbers for numbers. */
  readonly ask: (sql: string) => Promise<ReadonlyArray<Row>>
  /** Names of the columns that a row of the table is inserted with. */
  readonly columnsOf: (table: string) => Promise<ReadonlyArray<string>>
  /** All tables, without partitions. */
  readonly tables: () => Promise<ReadonlyArray<string>>
  /** Runs them without checks of foreign keys: they are whole rows of payments. */
  readonly copy: (statements: ReadonlyArray<string>) => Promise<void>
  /** Does what autovacuum has done at the end of a month, whose run took seconds. */
  readonly vacuum: () => Promise<void>
  /** Bytes by table, with indexes and partitions; `all`: of the whole database. */
  readonly sizes: () => Promise<Readonly<Record<string, number>>>
  /** `undefined` where the database does not count it. */
  readonly work: (() => Promise<Work>) | undefined
}

/** `allowAsyncCommit`: of a server that does not wait for its disk, as the tests share one. */
export const postgresStore = (url: string, allowAsyncCommit = false): YearsStore => {
  const ask = async (sql: string) =>
    (await query(url, `select row_to_json(r)::text as row from (${sql}) as r`)).map(
      ({ row }) => JSON.parse(String(row)) as Row
    )
  return {
    name: "PostgreSQL",
    dialect: postgresDialect,
    layer: PostgresStorage.layer({ url: Redacted.make(url), allowAsyncCommit }),
    ask,
    columnsOf: async (table) =>
      (
        await ask(`select column_name as name from information_schema.columns
          where table_schema = 'public' and table_name = '${table}' and is_generated = 'NEVER' order by ordinal_position`)
      ).map(({ name }) => String(name)),
    tables: async () =>
      (
        await ask(`select c.relname as name from pg_class as c where c.relnamespace = 'public'::regnamespace
          and c.relkind in ('r', 'p') and not c.relispartition order by 1`)
      ).map(({ name }) => String(name)),
    copy: async (statements) => {
      await query(url, "begin", "set local session_replication_role = replica", ...statements, "commit")
    },
    vacuum: async () => {
      await query(url, ...copiedTables.map(({ name }) => `vacuum ${name}`))
    },
    sizes: async () => {
      const rows =
        await ask(`select coalesce(parent.relname, c.relname) as name, sum(pg_total_relation_size(c.oid)) as bytes
        from pg_class as c left join pg_inherits on inhrelid = c.oid left join pg_class as parent on parent.oid = inhparent
        where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' group by 1
        union all select 'all', pg_database_size(current_database())`)
      return Object.fromEntries(rows.map(({ bytes, name }) => [String(name), Number(bytes)]))
    },
    work: async () => {
      const [row] = await ask(`select xact_commit as transactions, active_time as millis
        from pg_stat_database where datname = current_database()`)
      return { transactions: Number(row?.["transactions"]), millis: Number(row?.["millis"]) }
    }
  }
}

export const sqliteStore = (filename: string): YearsStore => {
  const using = <A>(act: (db: DatabaseSync) => A): A => {
    const db = new DatabaseSync(filename, { enableForeignKeyConstraints: false, timeout: 60_000 })
    try {
      return act(db)
    } finally {
      db.close()
    }
  }
  const ask = async (sql: string) => using((db) => db.prepare(sql).all() as ReadonlyArray<Row>)
  return {
    name: "SQLite",
    dialect: sqliteDialect,
    layer: SqliteStorage.layer({ filename }),
    ask,
    columnsOf: async (table) =>
      (await ask(`select name from pragma_table_info('${table}')`)).map(({ name }) => String(name)),
    tables: async () =>
      (await ask("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' order by 1")).map(
        ({ name }) => String(name)
      ),
    copy: async (statements) =>
      using((db) => {
        db.function("md5_digits", { deterministic: true }, (text) =>
          createHash("md5").update(String(text)).digest("hex").slice(0, 12)
        )
        db.function("base64_digits", { deterministic: true }, (digits) =>
          Buffer.from(String(digits), "hex").toString("base64url")
        )
        db.exec("pragma synchronous = off; begin immediate")
        for (const statement of statements) db.exec(statement)
        db.exec("commit")
      }),
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
      }),
    work: undefined
  }
}

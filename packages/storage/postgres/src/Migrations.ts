/**
 * The steps that bring a database to this release's schema. The first one makes the whole of it (`schema.sql`). Until the
 * first release it is the only one, and is changed in place; a step that was released is never changed: another one follows.
 */
import { StorageError } from "@pointsman/core/ports"
import { migrationsTable, newestOf, type Row } from "@pointsman/storage-sql"
import { Effect } from "effect"
import type { Database } from "./Database.ts"
import { schema } from "./Schema.ts"

/** What one transaction does; or an index, which is built while others write, by a statement outside of transactions. */
export type Step =
  | ReadonlyArray<string>
  | {
      readonly index: string
      /** The table, and all that follows it. */
      readonly on: string
    }

/** The driver takes one statement at a time. In the file each begins at the margin; the lines of its body do not. */
const statements = schema.split(/;\n(?! )/u).filter((statement) => statement.trim() !== "")

/** Of an index on a table that has rows a step of its own: to build it in a transaction would stop every writer. */
export const steps: Readonly<Record<string, Step>> = { "1_baseline": statements }

/** `event_ids`, from its parameters on. */
export const eventIdsFunction = /create function event_ids([\s\S]+?\$\$);/u.exec(schema)?.[1] ?? ""

/** Every table of the newest schema. */
export const tables: ReadonlyArray<string> = [
  migrationsTable,
  ...[...schema.matchAll(/^create table (\w+)/gmu)].map(([, name = ""]) => name)
]

/** The number of the last step. */
export const newest = newestOf(steps)

export const newerSchema = (version: number): string =>
  `the database has schema version ${version}, created by a newer release; this release supports up to ${newest}`

/** The number of the last step that the database was given, as a column of one row. */
export const selectSchema = `select max(migration_id)::int as schema from ${migrationsTable}`

export const readSchema = (row: Row | undefined): number => Number(row?.["schema"] ?? 0)

/** `null` if the database has none of our schemas. */
export const schemaBy = Effect.fnUntraced(function* <E>(
  query: (sql: string, params?: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Row>, E>
) {
  const [found] = yield* query("select to_regclass($1::text)::text as name", [migrationsTable])
  if (found?.["name"] == null) return null
  const [row] = yield* query(selectSchema)
  return readSchema(row)
})

export const schemaOf = ({ read }: Database) => schemaBy((sql, params) => read("open", sql, params))

/** The number of the step by which another storage says that its tables are laid out otherwise, and whose name says how. */
export const layoutStep = -1

/** Fails where another storage has laid the tables out. */
export const refuseLaidOut = Effect.fnUntraced(function* (db: Database) {
  if ((yield* schemaOf(db)) === null) return
  const [row] = yield* db.read("open", `select name from ${migrationsTable} where migration_id = ${layoutStep}`)
  if (row !== undefined) return yield* new StorageError({ operation: "open", cause: new Error(row["name"] as string) })
})

/** Fails if the database has none of our schemas, or another one than this release's. It only reads. */
export const requireSchema = Effect.fnUntraced(function* (db: Database) {
  const refuse = (message: string) => Effect.fail(new StorageError({ operation: "open", cause: new Error(message) }))
  const version = yield* schemaOf(db)
  if (version === null) {
    return yield* refuse("it has no Pointsman tables: start the server once to create them")
  }
  if (version < newest) {
    return yield* refuse(
      `it has the outdated schema version ${version}; this release needs ${newest}: start the server once to migrate it`
    )
  }
  if (version > newest) return yield* refuse(newerSchema(version))
})

/**
 * The schema as numbered steps, of which a file is given those that it lacks. The first one is `schema.sql`. Until a first
 * release, a change of the schema is a change of that file; from then on it is a further step, because released steps stay
 * as they are.
 */
import { resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { StorageError } from "@pointsman/core/ports"
import { migrationsTable, newestOf } from "@pointsman/storage-sql"
import { Effect } from "effect"
import { type Database, read, update } from "./Database.ts"
import { schema } from "./Schema.ts"

/** Each is several statements. */
export const steps: Readonly<Record<string, string>> = { "1_baseline": schema }

/** The number of the last step. */
const newest = newestOf(steps)

/** The number of the last step that a file was given; `null` if it has none of our schemas. */
const schemaOf = (db: Pick<DatabaseSync, "prepare">): number | null => {
  const isThere = db.prepare("select 1 from sqlite_schema where type = 'table' and name = ?").get(migrationsTable)
  if (isThere === undefined) return null
  return Number(db.prepare(`select max(migration_id) as id from ${migrationsTable}`).get()?.["id"])
}

const makeTable = `create table if not exists ${migrationsTable} (
  migration_id integer not null primary key,
  created_at text not null default current_timestamp,
  name text not null
) strict`

/**
 * Gives the steps that it ran, all in one transaction; a newer schema is refused. `of`: other steps than those of this
 * release, for tests.
 */
export const migrate = (
  db: Database,
  of = steps
): Effect.Effect<ReadonlyArray<readonly [id: number, name: string]>, StorageError> =>
  update(db, "migrate", () => {
    db.exec(makeTable)
    const reached = schemaOf(db) ?? 0
    const last = newestOf(of)
    if (reached > last) {
      throw new Error(
        `the file has schema version ${reached}, created by a newer release; this release supports up to ${last}`
      )
    }
    return Object.entries(of).flatMap(([step, text]) => {
      const [id, name] = [Number.parseInt(step, 10), step.slice(step.indexOf("_") + 1)]
      if (id <= reached) return []
      db.exec(text)
      db.prepare(`insert into ${migrationsTable} (migration_id, name) values (?, ?)`).run(id, name)
      return [[id, name] as const]
    })
  })

/** Another process may be migrating; in milliseconds. */
const waitMillis = 30_000

export interface Inspection {
  /** The number of its schema; `null` if it has none of our schemas. */
  readonly schema: number | null
  /** That of this version. */
  readonly newest: number
}

/**
 * What a database is, for those who may not make one, and not change one that is there: the file is opened only for
 * reading. It fails where there is no such file, or where it is no database.
 */
export const inspect = (filename: string): Effect.Effect<Inspection, StorageError> =>
  read("open", () => {
    const db = new DatabaseSync(resolve(filename), { readOnly: true, timeout: waitMillis })
    try {
      return { schema: schemaOf(db), newest }
    } finally {
      db.close()
    }
  })

/** Fails where `inspect` does, and where the schema is older than this version's; the migrations refuse a newer one. */
export const requireSchema = Effect.fnUntraced(function* (filename: string) {
  const { schema } = yield* inspect(filename)
  if (schema !== null && schema >= newest) return
  const message =
    schema === null
      ? "the file is not a Pointsman database"
      : `it has the outdated schema version ${schema}; this release needs ${newest}: start the server once ` +
        "to migrate it"
  return yield* new StorageError({ operation: "open", cause: new Error(message) })
})

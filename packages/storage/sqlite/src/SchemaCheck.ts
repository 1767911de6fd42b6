/** For those who may not make a database, and not change one that is there: whether it is one of this version. */
import { resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { StorageError } from "@pointsman/core/ports"
import { Effect } from "effect"
import { read } from "./Database.ts"
import { newest, schemaOf } from "./Migrations.ts"

/** Another process may be migrating; in milliseconds. */
const waitMillis = 30_000

export interface Inspection {
  /** The number of its schema; `null` if it has none of our schemas. */
  readonly schema: number | null
  /** That of this version. */
  readonly newest: number
}

/**
 * What a database is, without opening it as a storage: it fails where there is no such file, or where it is no database.
 * It opens the file for reading alone, so that nothing of somebody else's is changed.
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

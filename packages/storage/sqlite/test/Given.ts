import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { layer, type SqliteStorageOptions } from "@pointsman/storage-sqlite"
import { Effect } from "effect"
import { within } from "../../sql/test/Given.ts"
import type { Database } from "../src/Database.ts"

export { newChange, newOperation, newRefund, rate, tenant } from "../../sql/test/Given.ts"

/** A new folder that goes away with the test. */
export const newFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-sqlite-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "pointsman.db")
)

/** Opens the file, runs the effect and closes the file. */
export const withStorage = (options: SqliteStorageOptions) => within(layer(options))

/** A database that keeps the statements it is asked to prepare. */
export const listeningTo = (db: Database) => {
  const asked: Array<string> = []
  const listening: Database = {
    ...db,
    prepare: (sql) => {
      asked.push(sql)
      return db.prepare(sql)
    }
  }
  return { asked, listening }
}

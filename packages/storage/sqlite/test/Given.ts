import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { StatementSync } from "node:sqlite"
import { layer, type SqliteStorageOptions } from "@pointsman/storage-sqlite"
import { Effect } from "effect"
import { within } from "../../sql/test/Given.ts"
import { type Database, open } from "../src/Database.ts"
import { migrate } from "../src/Migrations.ts"

export { contentsOf, newChange, newOperation, newRefund, rate, tenant } from "../../sql/test/Given.ts"

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

/** A new database in memory that keeps what it is asked to prepare; `watch` may put another statement in its place. */
export const newMemory = Effect.fnUntraced(function* (
  watch: (sql: string, db: Database) => StatementSync | undefined = () => undefined
) {
  const db = yield* Effect.acquireRelease(open(":memory:"), (db) => Effect.sync(db.close))
  yield* migrate(db)
  const asked: Array<string> = []
  const listening: Database = {
    ...db,
    prepare: (sql) => {
      asked.push(sql)
      return watch(sql, db) ?? db.prepare(sql)
    }
  }
  /** How SQLite goes about what it was asked. */
  const plansOf = (statements: RegExp = /^/u) =>
    asked
      .filter((sql) => statements.test(sql))
      .flatMap((sql) => db.prepare(`explain query plan ${sql}`).all())
      .map((row) => String(row["detail"]))
  return { asked, db, listening, plansOf }
})

/** COMMIT that fails once from `isBroken` on, after the work was written or instead of it. */
export const failingCommit = (state: { isBroken: boolean }, isWritten: boolean, error: object) => {
  return (sql: string, db: Database): undefined => {
    if (sql !== "COMMIT" || !state.isBroken) return
    state.isBroken = false
    if (isWritten) db.exec("COMMIT")
    throw Object.assign(new Error("of the test"), error)
  }
}

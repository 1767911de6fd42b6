/** What the contract cannot know of SQLite: its COMMIT and its plans. */

import type { StatementSync } from "node:sqlite"
import { describe, expect } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { Effect } from "effect"
import { type Database, open } from "../src/Database.ts"
import { migrate } from "../src/Migrations.ts"
import { makeRates, sqlOf } from "../src/Sql.ts"
import { rate } from "./Given.ts"

/** The port over a database whose statements a test may watch and break. */
const opened = Effect.fnUntraced(function* (watch: (sql: string, db: Database) => StatementSync | undefined) {
  const db = yield* Effect.acquireRelease(open(":memory:"), (db) => Effect.sync(db.close))
  yield* migrate(db)
  return { db, rates: makeRates(sqlOf({ ...db, prepare: (sql) => watch(sql, db) ?? db.prepare(sql) })) }
})

describe("success rates in SQLite", () => {
  itRuns("a rate's COMMIT with a lost answer failed, and another finds it stored", function* () {
    let isBroken = true
    const { rates } = yield* opened((sql, db) => {
      if (sql !== "COMMIT" || !isBroken) return undefined
      isBroken = false
      db.exec("COMMIT")
      throw Object.assign(new Error("disk I/O error"), { errcode: 10 })
    })
    expect(yield* Effect.flip(rates.write([rate]))).toMatchObject({
      _tag: "pointsman/StorageError",
      operation: "writeRates"
    })
    expect(yield* rates.write([rate])).toStrictEqual([rate])
  })

  itRuns("the file is not locked to write nothing", function* () {
    const asked: Array<string> = []
    const { rates } = yield* opened((sql) => {
      asked.push(sql)
      return undefined
    })
    expect(yield* rates.write([])).toEqual([])
    expect(asked).toEqual([])
  })

  itRuns("SQLite goes straight to rates among many rows, to read, write or forget", function* () {
    const asked = new Set<string>()
    const { db, rates } = yield* opened((sql) => {
      asked.add(sql)
      return undefined
    })
    yield* rates.write([rate])
    yield* rates.write([rate])
    yield* rates.changedSince(0)
    yield* rates.forgetBefore(0)
    const plans = [...asked]
      .filter((sql) => /^(?:select|insert|delete)/u.test(sql))
      .flatMap((sql) => db.prepare(`explain query plan ${sql}`).all())
      .map((row) => String(row["detail"]))
    expect(new Set(plans)).toEqual(
      new Set([
        "SEARCH success_rates USING PRIMARY KEY (workspace_id=? AND environment=? AND connection_id=? AND segment_hash=?)",
        "SEARCH success_rates USING INDEX success_rates_by_time (at>?)",
        "SEARCH success_rates USING INDEX success_rates_by_time (at<?)"
      ])
    )
  })
})

/** What the contract cannot know of SQLite: its COMMIT and its plans. */
import { describe, expect } from "@effect/vitest"
import { itRuns } from "@pointsman/contracts/vitest"
import { Effect } from "effect"
import { makeRates, sqlOf } from "../src/Sql.ts"
import { failingCommit, newMemory, rate } from "./Given.ts"

describe("success rates in SQLite", () => {
  itRuns("a rate's COMMIT with a lost answer failed, and another finds it stored", function* () {
    const { listening } = yield* newMemory(failingCommit({ isBroken: true }, true, { errcode: 10 }))
    const rates = makeRates(sqlOf(listening))
    expect(yield* Effect.flip(rates.write([rate]))).toMatchObject({
      _tag: "pointsman/StorageError",
      operation: "writeRates"
    })
    expect(yield* rates.write([rate])).toStrictEqual([rate])
  })

  itRuns("the file is not locked to write nothing", function* () {
    const { asked, listening } = yield* newMemory()
    expect(yield* makeRates(sqlOf(listening)).write([])).toEqual([])
    expect(asked).toEqual([])
  })

  itRuns("SQLite goes straight to rates among many rows, to read, write or forget", function* () {
    const { listening, plansOf } = yield* newMemory()
    const rates = makeRates(sqlOf(listening))
    yield* rates.write([rate])
    yield* rates.write([rate])
    yield* rates.changedSince(0)
    yield* rates.forgetBefore(0)
    expect(new Set(plansOf(/^(?:select|insert|delete)/u))).toEqual(
      new Set([
        "SEARCH success_rates USING PRIMARY KEY (workspace_id=? AND environment=? AND connection_id=? AND segment_hash=?)",
        "SEARCH success_rates USING INDEX success_rates_by_time (at>?)",
        "SEARCH success_rates USING INDEX success_rates_by_time (at<?)"
      ])
    )
  })
})

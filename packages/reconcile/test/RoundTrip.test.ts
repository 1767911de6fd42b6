/** What a simulated provider writes in each format is read as it was, field by field. */
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, describe, it } from "@effect/vitest"
import {
  formatNamed,
  formatOfHeader,
  formatsOf,
  type NumberedEntry,
  readReport,
  reportFormats
} from "@pointsman/reconcile"
import { Effect, Stream } from "effect"
import type { Difference } from "./support/Movements.ts"
import { movements } from "./support/Movements.ts"
import { entriesOf, itRuns, named } from "./support/Read.ts"
import { type ReportFile, reportBytes, reportFiles, writtenOf } from "./support/ReportFiles.ts"

const isLong = process.env["POINTSMAN_LONG"] === "all"

// Node gives garbage collection to contexts that are made while the flag is set.
setFlagsFromString("--expose-gc")

const count = isLong ? 5_000 : 260
const many = isLong ? 200_000 : 8_000

const rowsOf = (entries: ReadonlyArray<NumberedEntry>) =>
  entries.flatMap(({ entry }) => (entry._tag === "Row" ? [entry.row] : []))

const unreadableOf = (entries: ReadonlyArray<NumberedEntry>) =>
  entries.flatMap(({ entry }) => (entry._tag === "Unreadable" ? [entry.unreadable] : []))

/** The rows of a simulated report, as they were written, and what could not be read. */
const read = Effect.fnUntraced(function* (file: ReportFile, planted: ReadonlyMap<number, Difference> = new Map()) {
  const entries = yield* entriesOf(reportBytes(file, { count, planted }), named(file.format))
  const expected = [...writtenOf(file, { count, planted })].flatMap(({ rows }) => rows)
  const rows = rowsOf(entries)
  assert.strictEqual(rows.length, expected.length)
  expected.forEach((row, index) => {
    const found = rows[index]
    const isSecond = planted.size > 0 && found?.id.endsWith(".2") === true
    const id = isSecond ? found.id : (row.id ?? found?.id ?? "")
    assert.deepStrictEqual(found, { ...row, ...file.states, id })
  })
  return { rows, unreadable: unreadableOf(entries) }
})

describe("every format", () => {
  it("each of the formats has a writer of simulated reports", () => {
    assert.deepStrictEqual(
      reportFormats.map(({ name }) => name),
      reportFiles.map(({ format }) => format)
    )
  })

  it.effect.each(reportFiles)("a simulated report $format reads as it was, twice, and its payouts add up", (file) =>
    Effect.gen(function* () {
      const { rows, unreadable } = yield* read(file)
      assert.deepStrictEqual(unreadable, [])
      const ids = rows.map(({ id }) => id)
      assert.strictEqual(new Set(ids).size, rows.length, "every id is another")
      assert.isAbove(rows.length, count * 0.9)
      assert.deepStrictEqual(
        (yield* read(file)).rows.map(({ id }) => id),
        ids
      )
      const sums = new Map<string, number>()
      for (const { converted, gross, kind, net } of rows) {
        const { currency, minorUnits } = net ?? converted ?? gross
        const sum = (sums.get(currency) ?? 0) + minorUnits
        sums.set(currency, sum)
        // Mollie's report has no row of the payout itself.
        if (kind === "payout" || kind === "payout_failed") assert.strictEqual(sum, 0, `after a payout in ${currency}`)
      }
      assert.isAbove(sums.size, 0)
    })
  )

  it.effect.each(reportFiles)("the rows of planted differences in $format have them and no others", (file) =>
    Effect.gen(function* () {
      const planted = new Map<number, Difference>([
        [1, "missing"],
        [2, "twice"],
        [3, "amount"],
        [5, "currency"],
        [6, "fee"],
        [7, "unknown"],
        [8, "unreadable"]
      ])
      const { unreadable } = yield* read(file, planted)
      assert.isAtLeast(unreadable.length, 1)
      for (const { field } of unreadable) assert.strictEqual(field, file.timeColumn)
    })
  )

  it("the format guessed by the header of each simulated report is its own", () => {
    for (const { before, format } of reportFiles) {
      const guessed = formatOfHeader(before[0] ?? [])
      // With the column of the payout, Stripe's balance report can be read as either, alike.
      assert.strictEqual(guessed?.name, format === "stripe-balance" ? "stripe-payout-reconciliation" : format)
    }
    assert.isUndefined(formatOfHeader(["Datum", "Betrag"]))
    assert.deepStrictEqual(
      formatsOf("adyen").map(({ name }) => name),
      ["adyen-settlement-details", "adyen-payment-accounting"]
    )
    assert.isUndefined(formatNamed("adyen"))
  })

  it("one seed simulates the same movements twice, and another seed other ones", () => {
    const ids = (seed: number) => [...movements({ count: 50, seed })].map(({ attemptId }) => attemptId)
    assert.deepStrictEqual(ids(1), ids(1))
    assert.notDeepEqual(ids(1), ids(2))
  })
})

const collectGarbage = runInNewContext("gc") as () => void

/** What is in use, without garbage. */
const heldBytes = (): number => {
  collectGarbage()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

describe("memory", () => {
  itRuns(`memory does not grow with a report of ${many} rows`, function* () {
    const [file] = reportFiles.filter(({ format }) => format === "http")
    if (file === undefined) throw new Error("no writer")
    let rows = 0
    let held: ReadonlyArray<number> = []
    yield* Stream.runForEach(
      // Every row is read, and none is kept.
      readReport(reportBytes(file, { count: many }), named(file.format)),
      (chunk) =>
        Effect.sync(() => {
          rows += chunk.length
          if (rows % (many / 4) === 0) held = [...held, heldBytes()]
        })
    )
    assert.isAbove(rows, many)
    assert.strictEqual(held.length, 4)
    // The rows that are read between take a kilobyte each. What the test runner itself collects is some megabytes.
    const [first = 0, ...later] = held
    assert.isBelow(Math.max(...later) - first, (isLong ? 32 : 4) * 1024 ** 2)
  })
})

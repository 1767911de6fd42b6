/**
 * Three years of payments, with the clock turned by months and a year of retention (`checks/bench/years.ts` in full): what
 * comes and what leaves is in balance, and nothing is lost on the way to the archive.
 */
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { runYears, type Years } from "../../../checks/bench/years/Years.ts"
import { levelBytes, postgresStore, sqliteStore, type YearsStore } from "../../../checks/bench/years/YearsStore.ts"
import { isLong } from "./support/LongRuns.ts"
import { newDatabase, postgresMissing } from "./support/PostgresServer.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const dayMillis = 24 * 60 * 60_000
const months = 36
const monthMillis = 30 * dayMillis
/** A store is full when payments that took money leave, after 540 days. */
const fullAfter = 19
const payments = 310

const run = async (store: YearsStore): Promise<Years> => {
  const archive = join(temporaryFolder(), "archive")
  const years = await runYears({ store, archive, months, monthMillis, payments, tell: () => {} })
  await years.world.close()
  return years
}

const check = (years: Years) => {
  assert.deepStrictEqual(years.kept, years.atProvider)
  assert.strictEqual(years.archiveFaults, 0)
  const stored = years.months.map((month) => month.stored)
  assert.strictEqual(years.archived + (stored.at(-1) ?? 0), months * payments)
  assert.isAbove(years.archived, (months - fullAfter) * payments)
  // From then on as many leave as come. A month of the clock is no whole number of payments.
  const full = stored.slice(fullAfter)
  assert.isBelow(Math.max(...full) - Math.min(...full), 0.1 * payments)
  assert.isBelow(Math.max(...full), fullAfter * payments)
  const bytes = years.months.map(({ sizes }) => levelBytes(sizes))
  assert.isAtMost(bytes.at(-1) ?? 0, 1.1 * (bytes[fullAfter] ?? 0))
}

describe.runIf(isLong)("three years", () => {
  it("the file of SQLite levels off in three years of one year's retention, sums kept", async () => {
    check(await run(sqliteStore(join(temporaryFolder(), "years.db"))))
  })

  it.skipIf(postgresMissing !== undefined)(
    "PostgreSQL's tables level off in three years of one year's retention, sums kept",
    // Ten times as long as on a machine that does nothing else.
    { timeout: 900_000 },
    async () => {
      check(await run(postgresStore(await newDatabase(), true)))
    }
  )
})

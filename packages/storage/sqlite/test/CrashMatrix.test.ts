/**
 * The crash matrix over SQLite: unknown results, at every point. `POINTSMAN_LONG=all` runs all of it, and
 * it has to be the page that memory makes: some minutes.
 */
import { readFileSync } from "node:fs"
import { crashMatrix, endsOf, operations, outcomesOf, runner, wrongCells } from "@pointsman/contracts/crash-matrix"
import { layer } from "@pointsman/storage-sqlite"
import { assert, describe, it } from "vitest"
import { crashMatrixPath, crashMatrixSnapshot } from "../../../../scripts/generate/CrashMatrix.ts"

const timeout = 600_000
const storage = layer({ filename: ":memory:" })

describe("the crash matrix", () => {
  for (const operation of operations) {
    it(
      `the money is right if a process ends anywhere in an unanswered ${operation.name}`,
      async () => {
        const outcome = outcomesOf(operation).find(({ script }) => script.join() === "executedInSilence")
        assert.isDefined(outcome)
        const ends = await endsOf(runner({ storage }), operation, outcome, "asks at once")
        assert.strictEqual(ends.length, operation.name === "complete" ? 13 : 11)
        assert.deepStrictEqual(
          ends.flatMap(({ points, wrong }) => wrong.map((what) => `${points.at(-1)}: ${what}`)),
          []
        )
      },
      timeout
    )
  }

  it.runIf(process.env["POINTSMAN_LONG"] === "all")(
    "a process that ends at any point of any operation has the result of memory",
    async () => {
      const cells = await crashMatrix({ storage })
      assert.deepStrictEqual(wrongCells(cells), [])
      const committed = readFileSync(new URL(`../../../../${crashMatrixPath}`, import.meta.url), "utf8")
      assert.strictEqual(crashMatrixSnapshot(cells), committed)
    },
    timeout
  )
})

/**
 * The example as its reader runs it. Three servers start, and the claim window of one that died has to pass: that is for
 * the long checks, with `POINTSMAN_LONG=all`.
 */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "vitest"
import { findBinaries } from "../src/Postgres.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

const leftOut = (): string | undefined => {
  if (process.env["POINTSMAN_LONG"] !== "all") {
    return "it takes half a minute, and runs with POINTSMAN_LONG=all, as in .ci/release"
  }
  if (process.env["DATABASE_URL"]) return undefined
  try {
    findBinaries()
    return undefined
  } catch (cause) {
    return String(cause)
  }
}

const reason = leftOut()
if (reason !== undefined) process.stderr.write(`example-many-servers: the example is not run: ${reason}\n`)

describe.skipIf(reason !== undefined)("the example", () => {
  it("each acknowledged payment is read and replayed at others after a kill of three", async () => {
    const { stderr, stdout } = await promisify(execFile)(
      process.execPath,
      ["--conditions=@pointsman/source", main],
      // It gives up by itself before, and stops then what it started.
      { timeout: 180_000 }
    )
    assert.strictEqual(stderr, "")
    assert.include(stdout, "Server 2 is killed (kill -9) after 30 acknowledged payments.\n")
    assert.include(stdout, "90 of 90 orders are paid.")
    assert.match(stdout, /no answer {18}[1-9]\d* time/u)
    for (const server of [1, 3]) {
      assert.include(
        stdout,
        `Server ${server} shows 90 captured payments, and answers each key with the payment that is there.\n`
      )
    }
  }, 180_000)
})

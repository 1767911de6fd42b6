/** Every planted fault is caught by the test that is named beside it; without a fault that test passes. */
import { spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import type { Mutation } from "../Mutation.ts"
import { mutations } from "../Mutations.ts"
import { plantVariable } from "../PlantMutation.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const vitest = fileURLToPath(new URL("../../node_modules/vitest/vitest.mjs", import.meta.url))

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly assertionResults: ReadonlyArray<{ readonly title: string; readonly status: string }>
  }>
}

/** How the named test of a project ended, in a process of its own. */
const outcomeOf = async (
  { project, file, test }: Mutation["caughtBy"],
  planted: string | undefined
): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), "pointsman-mutation-"))
  const reportFile = join(folder, "report.json")
  const pattern = `${test.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&")}$`
  const child = spawn(
    process.execPath,
    [
      ...[vitest, "run", "--project", project, file, "--testNamePattern", pattern, "--testTimeout", "10000"],
      ...["--reporter", "json", "--outputFile", reportFile]
    ],
    {
      cwd: root,
      env: { ...process.env, ...(planted === undefined ? {} : { [plantVariable]: planted }) },
      stdio: ["ignore", "ignore", "pipe"]
    }
  )
  let errors = ""
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString()
  })
  await new Promise((done) => child.on("close", done))
  const report: Report = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, "utf8")) : { testResults: [] }
  rmSync(folder, { recursive: true })
  const found = report.testResults.flatMap((result) => result.assertionResults).filter((one) => one.title === test)
  const outcomes = [...new Set(found.map((result) => result.status))]
  return outcomes.join(", ") || `the test did not run: ${errors.slice(0, 2000)}`
}

describe("planted faults", () => {
  for (const { name, harm, caughtBy } of mutations) {
    it(`"${name}" is caught: ${harm}`, { timeout: 120_000 }, async () => {
      assert.strictEqual(await outcomeOf(caughtBy, name), "failed")
    })
  }

  // The others pass in the ordinary run of the same tests; this one shows that a pass is told from a failure.
  it("without a fault the first of these tests passes", { timeout: 120_000 }, async () => {
    assert.strictEqual(await outcomeOf((mutations[0] as Mutation).caughtBy, undefined), "passed")
  })
})

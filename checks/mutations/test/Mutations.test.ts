/**
 * Every planted fault is caught by the test that is named beside it, and by simulations where that is said; without the
 * fault the same passes. Two processes judge them, each by its own means: some of them, or all with
 * `POINTSMAN_MUTATIONS=all`.
 */
import { spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { root } from "../../tidy/Files.ts"
import { assertPlantable, faults } from "../Faults.ts"
import { judgedBySimulation, judgedByTest, simulated, type Verdict } from "../Judged.ts"

/** For all of them together, in milliseconds. */
const timeout = 1_200_000

/** The verdicts of a judge, each as soon as it is told. */
const judge = (file: string): ((name: string) => Promise<Verdict>) => {
  const child = spawn(
    process.execPath,
    ["--conditions=@pointsman/source", fileURLToPath(new URL(`../judge/${file}`, import.meta.url))],
    { stdio: ["ignore", "pipe", "pipe"] }
  )
  const told = new Map<string, PromiseWithResolvers<Verdict>>()
  const verdictOf = (name: string) => {
    const known = told.get(name) ?? Promise.withResolvers<Verdict>()
    told.set(name, known)
    return known
  }
  let errors = ""
  child.stderr.on("data", (chunk: Buffer) => {
    errors += chunk.toString()
  })
  createInterface(child.stdout).on("line", (line) => {
    const verdict: Verdict = JSON.parse(line)
    verdictOf(verdict.name).resolve(verdict)
  })
  child.on("close", () => {
    const nothing = `${file} said nothing of it: ${errors.slice(-2_000)}`
    for (const { name } of faults) verdictOf(name).resolve({ name, planted: nothing, control: nothing })
  })
  return (name) => verdictOf(name).promise
}

describe("planted faults", () => {
  it("each fault of the lists can be planted, with its own name and a test's file", () => {
    for (const fault of faults) {
      assertPlantable(fault)
      assert.isTrue(existsSync(resolve(root, fault.caughtBy.file)), fault.name)
    }
    assert.strictEqual(new Set(faults.map(({ name }) => name)).size, faults.length)
  })

  const byTest = judge("Tests.ts")
  for (const { harm, name } of judgedByTest) {
    it(`"${name}" is caught: ${harm}`, { timeout }, async () => {
      assert.deepInclude(await byTest(name), { planted: "failed", control: "passed" })
    })
  }
})

describe("planted faults, simulated", () => {
  const bySimulation = judge("Simulations.ts")
  for (const { name, simulatedOn } of judgedBySimulation) {
    it(`"${name}" is found by simulations over ${simulatedOn}`, { timeout }, async () => {
      assert.deepInclude(await bySimulation(name), { planted: "failed", control: "passed" })
    })
  }

  it("simulations find at least a dozen of the faults in the lists", () => {
    assert.isAtLeast(simulated.length, 12)
  })
})

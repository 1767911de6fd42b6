/**
 * Judges planted faults by the test that is named beside each, all in one process: what takes long of a run of Vitest is
 * its start. Each test runs in a worker of its own, with the fault and without it.
 */
import { resolve } from "node:path"
import { createVitest, type Vitest } from "vitest/node"
import { root } from "../../tidy/Files.ts"
import { assertPlantable, type NamedTest, pathOf } from "../Faults.ts"
import { judgedByTest, tell } from "../Judged.ts"
import { plantVariable } from "../PlantMutation.ts"

/** Runs the named tests, and gives how those of one name ended; `failed` where one of them did. */
const outcomesOf = async (vitest: Vitest, wanted: ReadonlyArray<NamedTest>): Promise<(named: NamedTest) => string> => {
  const specifications = [...Map.groupBy(wanted, ({ file, project }) => `${project} ${file}`).values()].map(
    (ofFile) => {
      const { file, project } = ofFile[0] as NamedTest
      const names = ofFile.map(({ test }) => test.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&"))
      const testNamePattern = new RegExp(`(?:${names.join("|")})$`, "u")
      const found = vitest.projects.find(({ name }) => name === project)
      if (found === undefined) throw new Error(`no project is named ${project}`)
      return found.createSpecification(resolve(root, file), { testNamePattern })
    }
  )
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications)
  const errors = [...unhandledErrors.map(String), ...testModules.flatMap((module) => module.errors()).map(String)]
  return ({ file, test }) => {
    const states = testModules
      .filter(({ moduleId }) => moduleId === resolve(root, file))
      .flatMap((module) => [...module.children.allTests()])
      .filter(({ name }) => name === test)
      .map((one) => one.result().state)
      .filter((state) => state !== "skipped")
    if (states.length === 0) return `the test did not run: ${errors.join("; ") || "no test has this name"}`
    return states.includes("failed") ? "failed" : states.every((state) => state === "passed") ? "passed" : states.join()
  }
}

// Set, and empty: nothing is planted yet, and nothing that is transformed here is kept for other runs.
process.env[plantVariable] = ""
const vitest = await createVitest(
  "test",
  { root, watch: false, isolate: true, testTimeout: 30_000, reporters: [{}], passWithNoTests: true },
  {},
  { stdout: process.stderr }
)
const control = await outcomesOf(
  vitest,
  judgedByTest.map(({ caughtBy }) => caughtBy)
)
for (const fault of judgedByTest) {
  const { caughtBy, edits, name } = fault
  const paths = [...new Set(edits.map(pathOf))]
  const forget = () => {
    for (const path of paths) vitest.invalidateFile(path)
  }
  assertPlantable(fault)
  process.env[plantVariable] = name
  forget()
  const planted = (await outcomesOf(vitest, [caughtBy]))(caughtBy)
  process.env[plantVariable] = ""
  forget()
  tell({ name, planted, control: control(caughtBy) })
}
await vitest.close()

/**
 * `npm test`: the files of all projects of `vitest.workspace.ts` as one. A worker belongs to one project, and each new one
 * loads Effect and our sources again: fifty workers did for all projects what three do here. Node itself loads the
 * sources, as `npm start` does, so that nothing is transformed before.
 */
import { configDefaults, defineConfig } from "vitest/config"
import { plantVariable } from "./checks/mutations/PlantMutation.ts"
import { shared } from "./vitest.config.ts"
import projects from "./vitest.workspace.ts"

if (process.env[plantVariable] !== undefined) {
  throw new Error(
    `${plantVariable} has no effect here: run the project, with "npm exec -- vitest run --project <name>"`
  )
}

const tests = projects.flatMap((project) =>
  typeof project === "object" && "test" in project && project.test !== undefined ? [project.test] : []
)

export default defineConfig({
  ssr: { resolve: { conditions: ["@pointsman/source"] } },
  test: {
    ...shared,
    include: tests.flatMap(({ include = [], root }) => include.map((path) => `${root}/${path}`)),
    exclude: [
      ...configDefaults.exclude,
      ...tests.flatMap(({ exclude = [], root }) => exclude.map((path) => `${root}/${path}`))
    ],
    globalSetup: tests.flatMap(({ globalSetup = [], root }) => [globalSetup].flat().map((path) => `${root}/${path}`)),
    experimental: { viteModuleRunner: false, nodeLoader: false }
  }
})

/**
 * `npm test`: the files of most projects of `vitest.workspace.ts` as one. A worker belongs to one project, and each new one
 * loads Effect and our sources again: fifty workers did for all projects what four do here. Node itself loads the
 * sources, as `npm start` does, so that nothing is transformed before.
 */
import { accessSync, constants, readFileSync, statfsSync } from "node:fs"
import { join } from "node:path"
import { configDefaults, defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { plantVariable } from "./checks/mutations/PlantMutation.ts"
import { shared } from "./vitest.config.ts"
import projects from "./vitest.workspace.ts"

if (process.env[plantVariable] !== undefined) {
  throw new Error(
    `${plantVariable} has no effect here: run the project, with "npm exec -- vitest run --project <name>"`
  )
}

/** Where Linux keeps files in memory. */
const inMemory = "/dev/shm"

/** Twice what the databases of a run take at once. */
const roomBytes = 2 * 1024 ** 3

const hasRoomInMemory = (): boolean => {
  try {
    accessSync(inMemory, constants.W_OK)
    const { bavail, bsize } = statfsSync(inMemory)
    // Servers of PostgreSQL may be started from copies of their binaries.
    const isExecutable = !/^\S+ \/dev\/shm \S+ \S*noexec/mu.test(readFileSync("/proc/mounts", "utf8"))
    return isExecutable && bavail * bsize >= roomBytes && process.availableMemory() >= roomBytes
  } catch {
    return false
  }
}

// Writing to a disk takes up to two fifths of the processor time of a file with databases. Runs by `--project`, and
// so the release checks, use the disk.
if (process.env["TMPDIR"] === undefined && hasRoomInMemory()) process.env["TMPDIR"] = inMemory

// The gate runs the API on SQLite and on PostgreSQL in steps of their own.
process.env["POINTSMAN_HTTP_STORAGE"] ??= "memory"

/** `.ci/run` and `npm run check` run the rules of the repository's files, which say nothing of the product, and the examples. */
const isElsewhere = (name: string) => /^(?:tidy|docs-check|mutations|example-.*)$/u.test(name)

const tests = projects
  .flatMap((project) =>
    typeof project === "object" && "test" in project && project.test !== undefined ? [project.test] : []
  )
  .filter(({ name }) => !isElsewhere(String(name)))

/**
 * Without results of an earlier run, Vitest begins with the largest files: those whose tests are written elsewhere, as of a
 * contract, would be the last ones, and a processor would wait for them.
 */
class LongFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const isLong = ({ moduleId }: TestSpecification) => moduleId.endsWith(".contract.test.ts")
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

/** A sequencer of ours would take the place of that which draws the order. */
const isDrawn = process.argv.some((word) => word.includes("shuffle"))

export default defineConfig({
  ssr: { resolve: { conditions: ["@pointsman/source"] } },
  test: {
    ...shared,
    ...(isDrawn ? {} : { sequence: { sequencer: LongFirst } }),
    include: tests.flatMap(({ include = [], root }) => include.map((path) => `${root}/${path}`)),
    exclude: [
      ...configDefaults.exclude,
      ...tests.flatMap(({ exclude = [], root }) => exclude.map((path) => `${root}/${path}`))
    ],
    globalSetup: [
      ...new Set(
        tests.flatMap(({ globalSetup = [], root = "" }) => [globalSetup].flat().map((path) => join(root, path)))
      )
    ],
    experimental: { viteModuleRunner: false, nodeLoader: false }
  }
})

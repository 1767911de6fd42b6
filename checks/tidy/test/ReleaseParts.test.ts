/** What `npm test` leaves out runs in a part of the release checks. */
import { assert, describe, it } from "vitest"
import { parts } from "../../../scripts/release/Parts.ts"
import workspace from "../../../vitest.workspace.ts"
import { files, type TextFile } from "../Files.ts"

/** A run of vitest: its settings, the projects, and parts of paths, one of which a file's path has. */
interface Run {
  readonly settings: ReadonlyArray<string>
  readonly projects: ReadonlyArray<string>
  readonly paths: ReadonlyArray<string>
}

const runOf = (line: string): Run => {
  const [before = "", after = ""] = line.split("vitest run")
  const words = after
    .replaceAll(/-t '[^']*'/gu, "")
    .trim()
    .split(/\s+/u)
  return {
    settings: before.trim().split(" "),
    projects: words.filter((_, at) => words[at - 1] === "--project"),
    paths: words.filter((word, at) => !word.startsWith("--") && words[at - 1] !== "--project")
  }
}

const runs = Object.values(parts).flatMap(([, ...lines]) =>
  lines.filter((line) => line.includes("vitest run")).map(runOf)
)

const projects = workspace.flatMap((project) =>
  typeof project === "object" && "test" in project && project.test !== undefined ? [project.test] : []
)

/** The setting without which a file's tests are left out, by a word that the file has. */
const settings: ReadonlyArray<readonly [word: RegExp, setting: string]> = [
  [/hasCluster|missing(?:Own)?Citus/u, "POINTSMAN_CITUS=all"],
  [/LongRuns\.ts|POINTSMAN_LONG/u, "POINTSMAN_LONG=all"],
  [/POINTSMAN_RACES/u, "POINTSMAN_RACES=all"]
]

const isRun = ({ path }: TextFile, setting: string, among: ReadonlyArray<Run>): boolean =>
  among.some(
    (run) =>
      run.settings.includes(setting) &&
      projects.some(({ name, root = "" }) => run.projects.includes(String(name)) && path.startsWith(`${root}/`)) &&
      (run.paths.length === 0 || run.paths.some((part) => path.includes(part)))
  )

const faultsOf = (among: ReadonlyArray<Run>): ReadonlyArray<string> =>
  files("{packages,examples}/**/test/**/*.test.ts").flatMap((file) =>
    settings
      .filter(([word, setting]) => word.test(file.text) && !isRun(file, setting, among))
      .map(([, setting]) => `${file.path}: no part of scripts/release/Parts.ts runs it with ${setting}`)
  )

describe("tests that npm test leaves out", () => {
  it("a part of the release checks runs every file with such tests", () => {
    assert.deepStrictEqual(faultsOf(runs), [])
  })

  it("control: given one run less, then its files are named", () => {
    const faults = faultsOf(runs.filter(({ paths }) => !paths.includes("ReplayRouting")))
    assert.deepStrictEqual(faults, [
      "packages/core/test/ReplayRouting.test.ts: no part of scripts/release/Parts.ts runs it with POINTSMAN_LONG=all"
    ])
  })
})

/**
 * Checks what changed since the last commit, or since another one, within a minute: `npm run check`,
 * `npm run check -- main`. It checks types, the format of changed files, the repository's own rules with the generated
 * pages, and runs those tests of the changed packages that a changed file can reach. `npm test` runs all tests.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { argv, exit } from "node:process"
import workspace from "../vitest.workspace.ts"

const base = argv[2] ?? "HEAD"

const output = (command: string, ...words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const { status, stderr, stdout } = spawnSync(command, words, { encoding: "utf8" })
  if (status !== 0) {
    console.error(stderr)
    exit(status ?? 1)
  }
  return stdout.split("\n").filter((line) => line !== "")
}

/** Every check runs, so that one run names everything that is wrong. */
const failed: Array<string> = []
const check = (name: string, command: string, ...words: ReadonlyArray<string>): void => {
  const began = performance.now()
  const { status } = spawnSync(command, words, { stdio: "inherit", shell: false })
  const seconds = ((performance.now() - began) / 1000).toFixed(1)
  console.log(`==> ${name}: ${status === 0 ? "passed" : "failed"} in ${seconds} s`)
  if (status !== 0) failed.push(name)
}

const changed = [
  ...output("git", "diff", "--name-only", "--diff-filter=d", base),
  ...output("git", "ls-files", "--others", "--exclude-standard")
]
if (changed.length === 0) {
  console.log(`Nothing has changed since ${base}.`)
  exit(0)
}

/** The projects of vitest in whose folders something changed. */
const projects = workspace.flatMap((project) => {
  if (typeof project !== "object" || !("test" in project)) return []
  const { name, root } = project.test ?? {}
  return typeof name === "string" && root !== undefined && changed.some((path) => path.startsWith(`${root}/`))
    ? [name]
    : []
})
const code = changed.filter((path) => /\.(?:[cm]?[jt]s|json)$/u.test(path) && existsSync(path))

check("types", "tsc", "-p", "tsconfig.json")
if (code.length > 0) check("format and lint", "biome", "ci", "--no-errors-on-unmatched", ...code)
check("rules and generated pages", "vitest", "run", "--project", "tidy", "--reporter", "dot")
const tested = projects.filter((name) => name !== "tidy").flatMap((name) => ["--project", name])
if (tested.length > 0) {
  const paths = code.map((path) => join(process.cwd(), path))
  check("tests", "vitest", "related", "--run", "--reporter", "dot", ...tested, ...paths)
}
if (failed.length > 0) console.error(`failed: ${failed.join(", ")}`)
exit(failed.length === 0 ? 0 : 1)

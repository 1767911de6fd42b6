/**
 * Runs the release checks, everything that takes too long for `.ci/run`: `bash .ci/release [part…]`; without names, every
 * part. A part that fails does not stop the next one. Each part that ran gets its row in docs/reference/release-checks.md.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { argv, exit } from "node:process"
import { missingBuilder } from "../packages/server/test/support/ContainerImage.ts"
import { missingCitus } from "../packages/storage/citus/test/support/CitusCluster.ts"
import { type Row, readRows, releasePage } from "./release/Page.ts"
import { parts } from "./release/Parts.ts"

const root = join(import.meta.dirname, "..")
const page = join(root, "docs/reference/release-checks.md")

const git = (...words: ReadonlyArray<string>): string =>
  spawnSync("git", words, { cwd: root, encoding: "utf8" }).stdout.trim()

/** What says why a part with this variable cannot run. */
const needs = { POINTSMAN_CITUS: missingCitus, POINTSMAN_IMAGE: missingBuilder }

/** Why the part cannot run on this machine, or `undefined`. */
const missing = (lines: ReadonlyArray<string>): string | undefined => {
  for (const [variable, reasonOf] of Object.entries(needs)) {
    if (!lines.some((line) => line.includes(`${variable}=all`))) continue
    process.env[variable] = "all"
    const reason = reasonOf()
    delete process.env[variable]
    if (reason !== undefined) return reason
  }
  return undefined
}

const run = (name: string, lines: ReadonlyArray<string>): Row => {
  const began = performance.now()
  const skipped = missing(lines)
  const isFailed =
    skipped === undefined &&
    lines.some((line) => {
      console.log(`\n==> ${name}: ${line}`)
      return spawnSync(line, { cwd: root, shell: true, stdio: "inherit" }).status !== 0
    })
  const seconds = Math.round((performance.now() - began) / 1000)
  const result = skipped === undefined ? (isFailed ? "failed" : "passed") : `skipped: ${skipped}`
  console.log(`==> ${name}: ${result} in ${seconds} s`)
  const changed = git("status", "--porcelain", "--", ".", ":!docs/reference/release-checks.md") !== ""
  const commit = `${git("rev-parse", "--short=8", "HEAD")}${changed ? ", changed" : ""}`
  return { name, commit, date: new Date().toISOString().slice(0, 10), result, seconds }
}

const asked = argv.slice(2)
const unknown = asked.filter((name) => !Object.hasOwn(parts, name))
if (unknown.length > 0) {
  console.error(`Unknown part: ${unknown.join(", ")}. Expected one or more of: ${Object.keys(parts).join(", ")}`)
  exit(2)
}

const failed: Array<string> = []
for (const [name, [, ...lines]] of Object.entries(parts)) {
  if (asked.length > 0 && !asked.includes(name)) continue
  const row = run(name, lines)
  if (row.result === "failed") failed.push(name)
  // After each part, so that a run that is stopped keeps what it has shown.
  const rows = existsSync(page) ? readRows(readFileSync(page, "utf8")) : []
  writeFileSync(page, releasePage([...rows.filter((one) => one.name !== name), row]))
}
if (failed.length > 0) console.error(`failed: ${failed.join(", ")}`)
exit(failed.length === 0 ? 0 : 1)

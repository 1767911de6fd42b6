// Makes the versions of a release: packages and changelogs by the changesets, the chart by the packages, and the lock file
// by both. Run by `npm exec -- node scripts/release-version.mjs`; what comes of it is reviewed and committed.
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"

const run = (command, ...words) =>
  execFileSync(command, words, { stdio: "inherit", shell: process.platform === "win32" })

run(process.execPath, "scripts/tool.mjs", "changeset", "version")

const { version } = JSON.parse(readFileSync("packages/server/package.json", "utf8"))
const chart = "deploy/helm/pointsman/Chart.yaml"
const text = readFileSync(chart, "utf8")
const written = text
  .replace(/^version: .*$/mu, `version: ${version}`)
  .replace(/^appVersion: .*$/mu, `appVersion: "${version}"`)
if (!written.includes(`\nversion: ${version}\nappVersion: "${version}"\n`))
  throw new Error(`${chart} has no versions to write`)
writeFileSync(chart, written)

run("npm", "run", "lock")

// Makes the versions of a release: packages and changelogs by the changesets, the image tag by the packages, and the lock file
// by both. Run by `npm exec -- node scripts/release-version.mjs`; what comes of it is reviewed and committed.
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"

const run = (command, ...words) =>
  execFileSync(command, words, { stdio: "inherit", shell: process.platform === "win32" })

run(process.execPath, "scripts/tool.mjs", "changeset", "version")

const { version } = JSON.parse(readFileSync("packages/server/package.json", "utf8"))
const example = "deploy/kubernetes/example/kustomization.yaml"
const written = readFileSync(example, "utf8").replace(/newTag: [^ ]+/u, `newTag: ${version}`)
if (!written.includes(`newTag: ${version} }`)) throw new Error(`${example} has no version to write`)
writeFileSync(example, written)

run("npm", "run", "lock")

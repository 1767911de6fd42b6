// Whether a build is as new as what it is made of: the server's bundle, or another file. Plain JavaScript, so that `npm start` strips no types.
import { globSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

export const bundledMain = `${root}packages/server/dist/main.js`

/** Folders as well: one whose file was removed is newer than that. */
const made = ["package-lock.json", "scripts/build/*", "packages/*/package.json", "packages/{*,*/*}/src{,/**}"]

const changedAt = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

export const isFresh = (built = bundledMain) => {
  const builtAt = changedAt(built)
  return globSync(made, { cwd: root }).every((path) => changedAt(root + path) < builtAt)
}

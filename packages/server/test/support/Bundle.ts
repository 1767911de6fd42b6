/**
 * The server's sources as one bundle, for the tests that start the server or a command in a process of its own: it loads
 * in a quarter of the time that Node takes for a thousand files whose types it has to strip.
 */
import { globSync, statSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { rolldown } from "rolldown"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
/** Beside `src`, so that `../package.json` is the same file for both. */
const folder = fileURLToPath(new URL("../../.bundle", import.meta.url))

export const bundledMain = `${folder}/main.js`

const changedAt = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0

const isFresh = (): boolean => {
  const builtAt = changedAt(bundledMain)
  const sources = globSync(["package-lock.json", "packages/*/src/**/*.ts", "packages/*/*/src/**/*.ts"], { cwd: root })
  return sources.every((path) => changedAt(`${root}${path}`) < builtAt)
}

export default async function setup(): Promise<void> {
  if (isFresh()) return
  const bundle = await rolldown({
    input: fileURLToPath(new URL("../../src/main.ts", import.meta.url)),
    platform: "node",
    resolve: { conditionNames: ["@pointsman/source", "node", "import", "default"] },
    logLevel: "silent"
  })
  await bundle.write({ dir: folder, format: "esm", entryFileNames: "main.js", cleanDir: true })
  await bundle.close()
}

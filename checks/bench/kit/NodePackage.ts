/** `@pointsman/node` as it is published: what it takes on a disk, and how long its import takes. */
import { execFileSync } from "node:child_process"
import { globSync, statSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { bundle } from "../../../scripts/build/Bundler.ts"
import { readPackage } from "../../../scripts/build/Packages.ts"

export interface NodePackage {
  readonly megabytes: number
  /** In a process of its own, which has imported nothing else. */
  readonly importMillis: () => number
}

export const nodePackage = async (): Promise<NodePackage> => {
  const one = readPackage("packages/node")
  const bytes = (await bundle(one)).reduce((sum, output) => sum + output.bytes, 0)
  const manifests = globSync(["*.md", "package.json", "LICENSE", "dist/*.d.ts"], { cwd: one.folder })
  const beside = manifests.reduce((sum, path) => sum + statSync(join(one.folder, path)).size, 0)
  const entry = JSON.stringify(pathToFileURL(join(one.folder, "dist/index.js")).href)
  const program = `const began = performance.now(); await import(${entry}); console.log(performance.now() - began)`
  return {
    megabytes: (bytes + beside) / 1_000_000,
    importMillis: () =>
      Number(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }))
  }
}

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
  /** The same, and `createPointsman` over memory with the sandbox. */
  readonly openMillis: () => number
}

export const nodePackage = async (): Promise<NodePackage> => {
  const one = readPackage("packages/node")
  const bytes = (await bundle(one)).reduce((sum, output) => sum + output.bytes, 0)
  const manifests = globSync(["*.md", "package.json", "LICENSE", "dist/*.d.ts"], { cwd: one.folder })
  const beside = manifests.reduce((sum, path) => sum + statSync(join(one.folder, path)).size, 0)
  const doorOf = (name: string) => JSON.stringify(pathToFileURL(join(one.folder, `dist/${name}.js`)).href)
  const millisOf = (program: string): number =>
    Number(execFileSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" }))
  const opens = `
const began = performance.now()
const [{ createPointsman }, { memory }, { sandbox }] = await Promise.all([
  import(${doorOf("index")}), import(${doorOf("memory")}), import(${doorOf("sandbox")})
])
const workspaces = [{ id: "shop", connections: [{ id: "first", environment: "sandbox" }] }]
const pointsman = await createPointsman({ storage: memory(), connectors: [sandbox()], workspaces, log: () => {} })
console.log(performance.now() - began)
await pointsman.close()`
  return {
    megabytes: (bytes + beside) / 1_000_000,
    importMillis: () =>
      millisOf(
        `const began = performance.now(); await import(${doorOf("index")}); console.log(performance.now() - began)`
      ),
    openMillis: () => millisOf(opens)
  }
}

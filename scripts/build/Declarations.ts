/** The declarations of a bundle: those that its doors lead to, which import nothing that the package does not bring. */
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join, relative, resolve } from "node:path"
import { type Package, root } from "./Packages.ts"

/** Node's own types are the program's already (`@types/node`), and its HTTP server hands these out. */
const ofNode = "node:http"

/** The API's types are those of the client, which has them in one file that imports nothing: a bundle gets its copy. */
const ofClient = "@pointsman/client/contract"
const contract = join(root, "packages/client/dist/Contract.d.ts")

/** Removes what else `tsc` wrote. Throws where a declaration names another package, or a type that it lost. */
export const keepDeclarations = ({ doors, folder }: Package): void => {
  const dist = join(folder, "dist")
  const kept = new Set<string>()
  const keep = (file: string): void => {
    if (kept.has(file)) return
    kept.add(file)
    const text = readFileSync(file, "utf8").replaceAll(`"${ofClient}"`, () => {
      mkdirSync(join(dist, "client"), { recursive: true })
      copyFileSync(contract, join(dist, "client/Contract.d.ts"))
      const path = relative(dirname(file), join(dist, "client/Contract.ts")).replaceAll("\\", "/")
      return JSON.stringify(path.startsWith(".") ? path : `./${path}`)
    })
    for (const [, specifier = ""] of text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/gu)) {
      if (specifier.startsWith(".")) keep(resolve(dirname(file), specifier.replace(/\.[jt]s$/u, ".d.ts")))
      else if (specifier !== ofNode) throw new Error(`${file} imports ${specifier}: a bundle's types import nothing`)
    }
    // A type that the compiler could not find would be `any`.
    const lost = /\b(?:any|Effect|Layer)\b/u.exec(text.replace(/\/\*[\s\S]*?\*\//gu, ""))
    if (lost !== null) throw new Error(`${file} shows ${lost[0]}`)
    // The map leads to a source that is not in the package.
    writeFileSync(file, text.replace(/^\/\/# sourceMappingURL=.*$/mu, ""))
  }
  for (const name of Object.keys(doors)) keep(join(dist, `${name}.d.ts`))
  for (const path of globSync("**/{*.d.ts,*.d.ts.map,.tsbuildinfo}", { cwd: dist })) {
    if (!kept.has(join(dist, path))) rmSync(join(dist, path))
  }
}

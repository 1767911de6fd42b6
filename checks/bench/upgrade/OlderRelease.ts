/** The server of an older release: built from the files of a commit, with the packages that are installed here. */
import { execFileSync } from "node:child_process"
import { lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../../..")

/** Gives the path of the bundle's main file. `folder`: a new one, below which everything is made. */
export const buildOlderRelease = (ref: string, folder: string): string => {
  mkdirSync(folder)
  const files = execFileSync("git", ["archive", ref], { cwd: root, maxBuffer: 1 << 28 })
  execFileSync("tar", ["-x", "-C", folder], { input: files })
  linkPackages(folder)
  execFileSync(process.execPath, ["scripts/build/server.mjs"], { cwd: folder, stdio: "inherit" })
  return join(folder, "packages/server/dist/main.js")
}

/** Its own packages are linked to its own files, and those of others to the installed ones. */
const linkPackages = (folder: string): void => {
  const installed = join(root, "node_modules")
  const own = new Map(ownPackages(folder).map((path) => [nameOf(path), path]))
  const link = (name: string, target: string) => {
    const path = join(folder, "node_modules", name)
    mkdirSync(join(path, ".."), { recursive: true })
    symlinkSync(target, path)
  }
  for (const [name, path] of own) link(name, path)
  for (const name of readdirSync(installed)) {
    if (name !== "@pointsman" && !own.has(name)) link(name, join(installed, name))
  }
}

const nameOf = (folder: string): string => JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).name

const ownPackages = (folder: string): ReadonlyArray<string> => {
  const below = (path: string) => readdirSync(path).map((name) => join(path, name))
  const isPackage = (path: string) => lstatSync(path).isDirectory() && readdirSync(path).includes("package.json")
  const packages = join(folder, "packages")
  return [...below(packages), ...below(join(packages, "storage")), ...below(join(packages, "connectors"))].filter(
    isPackage
  )
}

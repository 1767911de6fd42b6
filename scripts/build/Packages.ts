/** The packages that npm publishes, and what the build makes of each. */
import { globSync, readFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"

export const root = resolve(import.meta.dirname, "../..")

interface Conditions {
  readonly "@pointsman/source": string
  readonly types: string
  readonly default: string
}

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license: string
  readonly exports: Readonly<Record<string, string | Conditions>>
  readonly bin?: Readonly<Record<string, string>>
}

export interface Package {
  /** Absolute. */
  readonly folder: string
  readonly manifest: Manifest
  /** By the name of its file in `dist`, without the extension: the source, relative to the folder. */
  readonly doors: Readonly<Record<string, string>>
  readonly commands: Readonly<Record<string, string>>
  /** Everything inside, the packages of others included: it installs without dependencies. */
  readonly isBundle: boolean
  /** For Node alone: its entries say so to an old one. */
  readonly needsNode: boolean
}

/** What `Snapshot.ts` makes a snapshot of. */
const snapshotEntry = "./src/snapshot.ts"

const bundles = ["pointsman", "@pointsman/node"]

const nameOf = (source: string) => source.replace(/^\.\/src\/|\.ts$/gu, "")
const sourceOf = (built: string) => built.replace(/^\.\/dist\//u, "./src/").replace(/\.js$/u, ".ts")
const byName = (sources: ReadonlyArray<string>) => Object.fromEntries(sources.map((source) => [nameOf(source), source]))

export const readPackage = (folder: string): Package => {
  const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as Manifest
  const targets = Object.values(manifest.exports)
  return {
    folder: join(root, folder),
    manifest,
    doors: byName(targets.flatMap((target) => (typeof target === "string" ? [] : [target["@pointsman/source"]]))),
    commands: byName([
      ...Object.values(manifest.bin ?? {}).map(sourceOf),
      ...(manifest.name === "pointsman" ? [snapshotEntry] : [])
    ]),
    isBundle: bundles.includes(manifest.name),
    needsNode: manifest.name !== "@pointsman/client"
  }
}

export const publishedPackages = (): ReadonlyArray<Package> =>
  globSync(["packages/*/package.json", "packages/storage/*/package.json", "packages/connectors/*/package.json"], {
    cwd: root
  })
    .toSorted()
    .map((path) => readPackage(dirname(path)))
    .filter(({ manifest }) => manifest.private !== true)

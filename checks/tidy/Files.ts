import { existsSync, globSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/** The folder of the repository. */
export const root: string = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** A text of the repository. `path` is relative to its root, with `/`. */
export interface TextFile {
  readonly path: string
  readonly text: string
}

const isOurs = (path: string) =>
  !/(?:^|\/)(?:node_modules|dist|artifacts|coverage|\.git|docs\/api|\.vitepress\/cache)(?:\/|$)/.test(path)

export const files = (...patterns: ReadonlyArray<string>): ReadonlyArray<TextFile> =>
  patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: (path) => !isOurs(path) }))
    .map((path) => path.replaceAll("\\", "/"))
    .filter(isOurs)
    .toSorted()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))

/** What a package consists of. The lists of planted faults beside its sources are data of `checks/mutations`. */
export const sourcesIn = (dir: string): ReadonlyArray<TextFile> =>
  files(`${dir}/src/**/*.ts`).filter(({ path }) => !path.endsWith(".faults.ts"))

export const exists = (path: string): boolean => existsSync(join(root, path))

/** The text of a file of the repository; `undefined` where there is none. */
export const textAt = (path: string): string | undefined =>
  exists(path) ? readFileSync(join(root, path), "utf8") : undefined

export const lineOf = (text: string, index: number): number => text.slice(0, index).split("\n").length

export interface Manifest {
  readonly name: string
  readonly version?: string
  readonly private?: boolean
  readonly license?: string
  readonly engines?: { readonly node?: string }
  readonly exports?: Readonly<Record<string, string | Readonly<Record<string, string>>>>
  readonly scripts?: Readonly<Record<string, string>>
  readonly workspaces?: ReadonlyArray<string>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** A workspace. `dir` is relative to the root. */
export interface Package {
  readonly dir: string
  readonly manifest: Manifest
}

/** What it imports. A bundle has all of it inside, and so declares it among the tools of its development. */
export const declared = ({ dir, manifest }: Package): Readonly<Record<string, string>> => ({
  ...manifest.dependencies,
  ...manifest.peerDependencies,
  ...(bundles.includes(dir) ? manifest.devDependencies : {})
})

/** Published with everything inside, and without dependencies but optional peers, which npm does not install. */
export const bundles: ReadonlyArray<string> = ["packages/node", "packages/server"]

export const rootManifest = (): Manifest => JSON.parse(readFileSync(join(root, "package.json"), "utf8"))

export const packages = (): ReadonlyArray<Package> =>
  files(...(rootManifest().workspaces ?? []).map((glob) => `${glob}/package.json`)).map(({ path, text }) => ({
    dir: dirname(path),
    manifest: JSON.parse(text)
  }))

/** Those that are published, or could be: not the examples. */
export const ours = (): ReadonlyArray<Package> => packages().filter(({ dir }) => dir.startsWith("packages/"))

/** The sources of all of them. */
export const sources = (): ReadonlyArray<TextFile> => ours().flatMap(({ dir }) => sourcesIn(dir))

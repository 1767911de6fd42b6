/** What the manifests of the packages must agree on, and what they must point to. */
import { posix } from "node:path"
import { bundles, declared, type Manifest, type Package } from "./Files.ts"

const isOurs = (name: string) => name === "pointsman" || name.startsWith("@pointsman/")

/** Doors and commands of one package point to sources that exist, and to what the build makes of them. */
export const doorFaults = ({ dir, manifest }: Package, exists: (path: string) => boolean): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const sourceOf = (built: string) => built.replace(/^\.\/dist\//, "./src/").replace(/\.(?:d\.ts|js)$/, ".ts")
  const mustExist = (door: string, file: string) => {
    if (!exists(posix.join(dir, file))) faults.push(`${dir}: ${door} points to ${file}, which does not exist`)
  }
  for (const [door, target] of Object.entries(manifest.exports ?? {})) {
    if (typeof target === "string") {
      mustExist(door, target)
      continue
    }
    const { "@pointsman/source": source, types, default: built } = target
    if (source === undefined || types === undefined || built === undefined) {
      faults.push(`${dir}: ${door} needs the conditions @pointsman/source, types and default`)
      continue
    }
    mustExist(door, source)
    for (const made of [types, built]) {
      if (sourceOf(made) !== source) faults.push(`${dir}: ${door} has ${made}, which is not built from ${source}`)
    }
    if (Object.keys(target).join() !== "@pointsman/source,types,default") {
      faults.push(`${dir}: ${door} has its conditions in another order than @pointsman/source, types, default`)
    }
  }
  for (const [command, built] of Object.entries(manifest.bin ?? {})) mustExist(command, sourceOf(built))
  return faults
}

/** One version of our packages, one range for each third-party package, one licence, one range of Node. */
export const agreementFaults = (root: Manifest, packages: ReadonlyArray<Package>): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const published = packages.filter(({ manifest }) => manifest.private !== true)
  const version = published[0]?.manifest.version
  const node = published[0]?.manifest.engines?.node
  const names = new Set(packages.map(({ manifest }) => manifest.name))
  const ranges = new Map<string, { readonly range: string; readonly dir: string }>()
  for (const { dir, manifest } of published) {
    if (manifest.version !== version) faults.push(`${dir}: version ${manifest.version}, others have ${version}`)
    if (manifest.license !== "MIT") faults.push(`${dir}: license is ${manifest.license}, expected MIT`)
    if (manifest.engines?.node !== node)
      faults.push(`${dir}: engines.node ${manifest.engines?.node}, others have ${node}`)
    const isBundle = bundles.includes(dir)
    for (const folder of isBundle ? ["dist"] : ["dist", "src", "!src/**/*.faults.ts"]) {
      if (!manifest.files?.includes(folder)) faults.push(`${dir}: files does not name ${folder}`)
    }
    if (!/scripts\/prepack\.mjs$/u.test(manifest.scripts?.["prepack"] ?? "")) {
      faults.push(
        `${dir}: scripts.prepack does not run scripts/prepack.mjs, so npm pack may pack no build, or an old one`
      )
    }
    const installed = [
      ...Object.keys(manifest.dependencies ?? {}),
      ...Object.keys(manifest.peerDependencies ?? {}).filter(
        (name) => manifest.peerDependenciesMeta?.[name]?.optional !== true
      )
    ]
    if (isBundle && installed.length > 0) {
      faults.push(`${dir}: has dependencies, and a bundle installs without`)
    }
  }
  for (const { dir, manifest } of packages) {
    const lists = [manifest.dependencies, manifest.peerDependencies, manifest.devDependencies]
    for (const [name, range] of lists.flatMap((list) => Object.entries(list ?? {}))) {
      if (isOurs(name)) {
        if (!names.has(name)) faults.push(`${dir}: ${name} is no package of this repository`)
        else if (range !== version) faults.push(`${dir}: ${name} is wanted in ${range}, it has ${version}`)
        continue
      }
      const first = ranges.get(name)
      if (first === undefined) ranges.set(name, { range, dir })
      else if (first.range !== range) faults.push(`${dir}: ${name} ${range}, but ${first.dir} has ${first.range}`)
    }
  }
  for (const list of [root.dependencies, root.devDependencies, root.optionalDependencies]) {
    for (const [name, range] of Object.entries(list ?? {})) {
      // TypeScript is there twice: the compiler, and the interface that tools need, which it no longer has.
      // The server of PostgreSQL has no release that npm would not call a preview.
      if (!/^(?:npm:(?:@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(range))
        faults.push(`package.json: ${name} is ${range}, expected an exact version`)
    }
  }
  return faults
}

/** Every package is built, and built after those that it depends on; every package is a test project. */
export const wiringFaults = (
  packages: ReadonlyArray<Package>,
  /** The folders that a `tsconfig` refers to, relative to the root; by the folder that it lies in, "" for the build. */
  references: Readonly<Record<string, ReadonlyArray<string>>>,
  testRoots: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const dirOf = new Map(packages.map(({ dir, manifest }) => [manifest.name, dir]))
  for (const { dir, manifest } of packages.filter(({ dir }) => dir.startsWith("packages/"))) {
    const hasDoors = Object.values(manifest.exports ?? {}).some((target) => typeof target !== "string")
    if (hasDoors && !references[""]?.includes(dir)) faults.push(`tsconfig.build.json does not refer to ${dir}`)
    if (!testRoots.includes(dir)) faults.push(`vitest.workspace.ts has no project for ${dir}`)
    for (const name of Object.keys(declared({ dir, manifest })).filter(isOurs)) {
      const needed = dirOf.get(name)
      if (needed !== undefined && !references[dir]?.includes(needed)) {
        faults.push(`${dir}/tsconfig.json does not refer to ${needed}, which its package.json depends on`)
      }
    }
  }
  return faults
}

/** A lock file that names no host installs from whichever registry its reader uses. */
export const lockFaults = (lock: {
  readonly packages: Readonly<Record<string, { readonly resolved?: string }>>
}): ReadonlyArray<string> =>
  Object.entries(lock.packages).flatMap(([at, { resolved }]) =>
    resolved !== undefined && /^[a-z+]+:/.test(resolved) ? [`package-lock.json: ${at} names the host it came from`] : []
  )

/** A changeset that names a package which is not published would end a release at its first step. */
export const changesetFaults = (
  { path, text }: { readonly path: string; readonly text: string },
  packages: ReadonlyArray<Package>
): ReadonlyArray<string> => {
  const published = new Set(packages.flatMap(({ manifest }) => (manifest.private === true ? [] : [manifest.name])))
  const front = /^---\n([\s\S]*?)\n---\n/u.exec(text)?.[1]
  if (front === undefined) return [`${path}: needs a head that says what is bumped`]
  return front.split("\n").flatMap((line) => {
    const [, name, bump] = /^"([^"]+)": (\w+)$/u.exec(line) ?? []
    if (name === undefined || !published.has(name)) return [`${path}: ${line} names no published package`]
    return ["major", "minor", "patch"].includes(bump ?? "") ? [] : [`${path}: ${line} is no major, minor or patch`]
  })
}

/**
 * Before the first release there is one changeset, which describes that release for users: changes to what nobody has are
 * no news. It names every published package, because a package that it leaves out would have an empty changelog.
 */
export const firstReleaseFaults = (
  changesets: ReadonlyArray<{ readonly path: string; readonly text: string }>,
  packages: ReadonlyArray<Package>
): ReadonlyArray<string> => {
  const expected = ".changeset/first-release.md"
  const first = changesets.find(({ path }) => path === expected)
  if (first === undefined) return [`${expected} does not exist`]
  return [
    ...changesets.flatMap(({ path }) => (path === expected ? [] : [`${path}: belongs into ${expected}`])),
    ...packages.flatMap(({ manifest }) =>
      manifest.private === true || first.text.includes(`"${manifest.name}": minor\n`)
        ? []
        : [`${expected} does not name ${manifest.name}`]
    )
  ]
}

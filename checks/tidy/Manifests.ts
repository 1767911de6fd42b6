/**
 * What the manifests of the packages must agree on. That their doors, types and files lead somewhere is the build's to
 * say, and publint's of the packed packages (`npm run tarballs`).
 */
import { bundles, declared, type Manifest, type Package, type TextFile } from "./Files.ts"

const isOurs = (name: string) => name === "pointsman" || name.startsWith("@pointsman/")

/** The source leads, or tests would run what was built last. */
const conditions = "@pointsman/source,types,default"

const ownFaults = ({ dir, manifest }: Package, like: Manifest | undefined): ReadonlyArray<string> => {
  const { dependencies = {}, engines, exports = {}, license, peerDependencies = {}, scripts, version } = manifest
  const optional = manifest.peerDependenciesMeta ?? {}
  const installed = Object.keys({ ...dependencies, ...peerDependencies }).filter((name) => !optional[name]?.optional)
  const wrong: Readonly<Record<string, boolean>> = {
    [`version ${version}, others have ${like?.version}`]: version !== like?.version,
    [`license is ${license}, expected MIT`]: license !== "MIT",
    [`engines.node ${engines?.node}, others have ${like?.engines?.node}`]: engines?.node !== like?.engines?.node,
    "scripts.prepack does not run scripts/prepack.mjs: npm pack may pack no build, or an old one":
      !/scripts\/prepack\.mjs$/u.test(scripts?.["prepack"] ?? ""),
    "has dependencies, and a bundle installs without": bundles.includes(dir) && installed.length > 0,
    [`exports: expected the conditions ${conditions}, in this order`]: Object.values(exports).some(
      (target) => typeof target !== "string" && Object.keys(target).join() !== conditions
    )
  }
  return Object.keys(wrong).flatMap((fault) => (wrong[fault] ? [`${dir}: ${fault}`] : []))
}

/** One version of our packages, one range for each third-party package, one licence, one range of Node. */
export const agreementFaults = (root: Manifest, packages: ReadonlyArray<Package>): ReadonlyArray<string> => {
  const published = packages.filter(({ manifest }) => manifest.private !== true)
  const like = published[0]?.manifest
  const names = packages.map(({ manifest }) => manifest.name)
  const ranges = packages.flatMap(({ dir, manifest }) =>
    [manifest.dependencies, manifest.peerDependencies, manifest.devDependencies]
      .flatMap((list) => Object.entries(list ?? {}))
      .map(([name, range]) => ({ dir, name, range }))
  )
  return [
    ...published.flatMap((one) => ownFaults(one, like)),
    ...ranges.flatMap(({ dir, name, range }) => {
      if (isOurs(name) && !names.includes(name)) return [`${dir}: ${name} is no package of this repository`]
      const expected = isOurs(name) ? like?.version : ranges.find((one) => one.name === name)?.range
      return range === expected ? [] : [`${dir}: ${name} is wanted in ${range}, expected ${expected}`]
    }),
    ...Object.entries({ ...root.dependencies, ...root.devDependencies, ...root.optionalDependencies }).flatMap(
      // TypeScript is there twice: the compiler, and the interface that tools need, which it no longer has.
      // The server of PostgreSQL has no release that npm would not call a preview.
      ([name, range]) =>
        /^(?:npm:(?:@[\w-]+\/)?[\w-]+@)?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(range)
          ? []
          : [`package.json: ${name} is ${range}, expected an exact version`]
    )
  ]
}

/** Every package is built, and built after those that it depends on; every package is a test project. */
export const wiringFaults = (
  packages: ReadonlyArray<Package>,
  /** The folders that a `tsconfig` refers to, relative to the root, by the folder of the file; "" for the build. */
  references: Readonly<Record<string, ReadonlyArray<string>>>,
  testRoots: ReadonlyArray<string>
): ReadonlyArray<string> =>
  packages.flatMap((one) => {
    const { dir, manifest } = one
    const hasDoors = Object.values(manifest.exports ?? {}).some((target) => typeof target !== "string")
    const needed = packages.filter((other) => other.manifest.name in declared(one)).map((other) => other.dir)
    return [
      ...(hasDoors && !references[""]?.includes(dir) ? [`tsconfig.build.json does not refer to ${dir}`] : []),
      ...(testRoots.includes(dir) ? [] : [`vitest.workspace.ts has no project for ${dir}`]),
      ...needed
        .filter((other) => !references[dir]?.includes(other))
        .map((other) => `${dir}/tsconfig.json does not refer to ${other}, which its package.json depends on`)
    ]
  })

/** A lock file that names no host installs from whichever registry its reader uses. */
export const lockFaults = (lock: {
  readonly packages: Readonly<Record<string, { readonly resolved?: string }>>
}): ReadonlyArray<string> =>
  Object.entries(lock.packages).flatMap(([at, { resolved }]) =>
    resolved !== undefined && /^[a-z+]+:/.test(resolved) ? [`package-lock.json: ${at} names the host it came from`] : []
  )

const firstRelease = ".changeset/first-release.md"

/**
 * A changeset that names a package which is not published would end a release at its first step. Before the first release
 * there is one, which describes that release for users: changes to what nobody has are no news. It names every published
 * package, because a package that it leaves out would have an empty changelog.
 */
export const changesetFaults = (
  changesets: ReadonlyArray<TextFile>,
  packages: ReadonlyArray<Package>,
  isReleased: boolean
): ReadonlyArray<string> => {
  const published = packages.flatMap(({ manifest }) => (manifest.private === true ? [] : [manifest.name]))
  const lines = changesets.flatMap(({ path, text }) =>
    (/^---\n([\s\S]*?)\n---\n/u.exec(text)?.[1] ?? "no head").split("\n").map((line) => ({ path, line }))
  )
  const bumps = published.flatMap((name) => ["major", "minor", "patch"].map((bump) => `"${name}": ${bump}`))
  return [
    ...lines.flatMap(({ line, path }) => (bumps.includes(line) ? [] : [`${path}: ${line} bumps no published package`])),
    ...(isReleased ? [] : changesets).flatMap(({ path }) =>
      path === firstRelease ? [] : [`${path}: belongs into ${firstRelease}`]
    ),
    ...(isReleased ? [] : published).flatMap((name) =>
      lines.some(({ line }) => line === `"${name}": minor`) ? [] : [`${firstRelease} does not name ${name}`]
    )
  ]
}

/**
 * Whose code is inside of a bundle: `dist/THIRD-PARTY-NOTICES.txt` holds the licences that ask to go along with it, and
 * `dist/sbom.cdx.json` lists the packages with their versions (CycloneDX 1.6). Both come from what esbuild says it put in.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Output } from "./Bundler.ts"
import { type Package, root } from "./Packages.ts"

interface Inside {
  readonly name: string
  readonly version: string
  /** Of the SPDX list. */
  readonly license: string
  readonly author: string
  readonly folder: string
}

/** Of a path in the repository, the package that it is a file of. */
const packageOf = (path: string): string | undefined =>
  /^.*node_modules\/(?:@[^/]+\/)?[^/]+/u.exec(path)?.[0] ??
  /^packages\/(?:(?:storage|connectors)\/)?[^/]+/u.exec(path)?.[0]

const read = (folder: string): Inside => {
  const { author, license, name, version } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"))
  if (typeof license !== "string") throw new Error(`${folder} names no licence`)
  return { name, version, license: license === "MIT/X11" ? "MIT" : license, author: author?.name ?? author, folder }
}

const insideOf = (outputs: ReadonlyArray<Output>): ReadonlyArray<Inside> => {
  const folders = outputs.flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? (packageOf(path) ?? []) : []))
  )
  return [...new Set(folders)].map(read).toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** Packages that name their licence, and bring no text of it. */
const withoutText = ["nub"]

const licenceText = ({ author, folder, name }: Inside): string => {
  const [file] = globSync("{LICENSE,LICENCE,License,license}{,.md,.txt}", { cwd: join(root, folder) })
  if (file !== undefined) return readFileSync(join(root, folder, file), "utf8").trim()
  if (!withoutText.includes(name)) throw new Error(`${name} brings no text of its licence: read what it asks for`)
  const ours = readFileSync(join(root, "LICENSE"), "utf8").trim()
  return ours.replace(/^Copyright .*$/mu, `Copyright ${author}`)
}

export const writeNotices = ({ folder, manifest }: Package, outputs: ReadonlyArray<Output>): void => {
  const inside = insideOf(outputs).filter(({ name }) => name !== manifest.name)
  const isOurs = (name: string) => name.startsWith("@pointsman/")
  const notices = inside
    .filter(({ name }) => !isOurs(name))
    .map((one) => `${one.name} ${one.version} (${one.license})\n\n${licenceText(one)}\n`)
  const head = `${manifest.name} ${manifest.version} contains code of these packages.\n`
  writeFileSync(join(folder, "dist/THIRD-PARTY-NOTICES.txt"), [head, ...notices].join(`\n${"-".repeat(80)}\n\n`))
  writeFileSync(join(folder, "dist/sbom.cdx.json"), `${JSON.stringify(sbomOf(manifest, inside), null, 2)}\n`)
}

const purlOf = ({ name, version }: { readonly name: string; readonly version: string }) =>
  `pkg:npm/${name.replace("@", "%40")}@${version}`

const sbomOf = (manifest: Package["manifest"], inside: ReadonlyArray<Inside>) => ({
  bomFormat: "CycloneDX",
  specVersion: "1.6",
  version: 1,
  metadata: { component: { type: "library", name: manifest.name, version: manifest.version, purl: purlOf(manifest) } },
  components: inside.map(({ license, ...one }) => ({
    type: "library",
    "bom-ref": purlOf(one),
    name: one.name,
    version: one.version,
    purl: purlOf(one),
    licenses: [{ license: { id: license } }]
  }))
})

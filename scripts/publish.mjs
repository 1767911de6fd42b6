// Packs every package into the folder that is named, and publishes each tarball whose version the registry does not have,
// dependencies first, with provenance. It may run again after it failed half-way: what is out is passed over. `--dry-run`
// packs and publishes nothing and tells the order.
import { spawnSync } from "node:child_process"
import { globSync, mkdirSync, readFileSync } from "node:fs"
import { devNull } from "node:os"
import { dirname, join } from "node:path"

const isDry = process.argv.includes("--dry-run")
const folder = process.argv[2]
if (folder === undefined) {
  console.error("Expected the folder for the tarballs, or --dry-run")
  process.exit(1)
}
const read = (path) => JSON.parse(readFileSync(path, "utf8"))
const npm = (...words) =>
  spawnSync("npm", words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], shell: process.platform === "win32" })

const packages = globSync(read("package.json").workspaces.map((glob) => `${glob}/package.json`))
  .map((path) => ({ dir: dirname(path), manifest: read(path) }))
  .filter(({ manifest }) => manifest.private !== true)

// npm refuses provenance without it, and would do so only after the first packages are out.
const without = packages.filter(({ manifest }) => typeof manifest.repository?.url !== "string")
if (without.length > 0) {
  console.error(`These have no repository.url: ${without.map(({ dir }) => dir).join(", ")}`)
  if (!isDry) process.exit(1)
}

/** In an order in which our own dependencies come first. */
const inOrder = []
while (inOrder.length < packages.length) {
  const names = new Set(packages.filter((one) => !inOrder.includes(one)).map(({ manifest }) => manifest.name))
  const next = packages.find(
    ({ manifest }) =>
      names.has(manifest.name) &&
      !Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).some((name) => names.has(name))
  )
  if (next === undefined) throw new Error(`depend on one another: ${[...names].join(", ")}`)
  inOrder.push(next)
}

/** The bytes that are attested are the bytes that are published. */
const pack = (dir) => {
  const packed = npm("pack", "--json", "--pack-destination", folder, "--workspace", dir)
  if (packed.status !== 0) throw new Error(`${dir}: ${packed.stderr}`)
  return join(folder, JSON.parse(packed.stdout)[0].filename)
}

if (!isDry) mkdirSync(folder, { recursive: true })
for (const { dir, manifest } of inOrder) {
  const id = `${manifest.name}@${manifest.version}`
  if (isDry) {
    console.log(id)
    continue
  }
  const tarball = pack(dir)
  // Read as anybody reads: a token that is only good for publishing would be refused.
  const seen = npm("view", id, "version", "--userconfig", devNull)
  if (seen.status === 0 && seen.stdout.trim() === manifest.version) {
    console.log(`${id} is out`)
    continue
  }
  // An answer that says neither is no permission to publish.
  if (seen.status !== 0 && !seen.stderr.includes("E404")) throw new Error(`${id}: ${seen.stderr}`)
  const published = npm("publish", tarball, "--provenance", "--access", "public")
  if (published.status !== 0) throw new Error(`${id}: ${published.stderr}`)
  console.log(`${id} is published`)
}

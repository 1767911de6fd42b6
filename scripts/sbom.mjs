// Prints what the published packages bring along when they are installed, as CycloneDX, by the lock file:
//
//   npm exec -- node scripts/sbom.mjs > pointsman.cdx.json
//
// `npm sbom` refuses workspaces without a version, and takes our tools for a part of what we publish. So it reads a copy
// of the manifests, with versions and without tools.
import { execFileSync } from "node:child_process"
import { copyFileSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

const read = (path) => JSON.parse(readFileSync(path, "utf8"))

const root = read("package.json")
const { version } = read("packages/server/package.json")
const manifests = globSync(root.workspaces.map((glob) => `${glob}/package.json`))
const published = manifests.map(read).filter((manifest) => manifest.private !== true)

const temporary = mkdtempSync(join(tmpdir(), "pointsman-"))
// It is named in the result.
const folder = join(temporary, "pointsman")
try {
  for (const path of ["package.json", ...manifests]) {
    const { devDependencies: _tools, optionalDependencies: _nodes, ...manifest } = read(path)
    mkdirSync(join(folder, dirname(path)), { recursive: true })
    writeFileSync(join(folder, path), JSON.stringify({ ...manifest, version: manifest.version ?? version }))
  }
  copyFileSync("package-lock.json", join(folder, "package-lock.json"))
  const words = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"]
  const of = published.flatMap(({ name }) => ["--workspace", name])
  execFileSync("npm", [...words, ...of], { cwd: folder, stdio: "inherit", shell: process.platform === "win32" })
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

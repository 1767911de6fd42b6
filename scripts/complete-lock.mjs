// npm omits packages for other platforms where it cannot reach their metadata, and `npm ci` then fails on those platforms.
// The entries that are added have no hash.
import { readFileSync, writeFileSync } from "node:fs"

const file = "package-lock.json"
const lock = JSON.parse(readFileSync(file, "utf8"))
let n = 0
for (const [at, p] of Object.entries(lock.packages)) {
  for (const [name, version] of Object.entries(p.optionalDependencies ?? {})) {
    const candidates = at ? [`${at}/node_modules/${name}`, `node_modules/${name}`] : [`node_modules/${name}`]
    if (candidates.some((c) => lock.packages[c])) continue
    const m =
      /(aix|android|darwin|freebsd|linux|netbsd|openbsd|openharmony|sunos|win32)-(arm64|x64|arm|ia32|ppc64|riscv64|s390x|loong64)/.exec(
        name
      )
    if (!m) {
      console.warn("no platform in", name)
      continue
    }
    lock.packages[`node_modules/${name}`] = { version, cpu: [m[2]], dev: p.dev, optional: true, os: [m[1]] }
    n++
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log("added", n)

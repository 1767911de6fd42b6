// Before npm packs a package: builds all packages where sources are newer than this package's build, or there is none.
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { isFresh } from "./build/freshness.mjs"

const built = ["dist/index.js", "dist/main.js"]
  .map((path) => join(process.cwd(), path))
  .find((path) => existsSync(path))
if (built === undefined || !isFresh(built)) {
  // Standard output is npm's: `npm pack --json` prints its answer there.
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL("./build.ts", import.meta.url))], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    stdio: ["ignore", 2, 2]
  })
  process.exit(status ?? 1)
}

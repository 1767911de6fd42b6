// Runs `pointsman` from this clone: `node scripts/start.mjs serve`. The bundle is built first where sources are newer, in
// a process of its own, which takes its memory along; the command itself runs in this one, which signals reach.
import { spawnSync } from "node:child_process"
import { fileURLToPath, pathToFileURL } from "node:url"
import { bundledMain, isFresh } from "./build/freshness.mjs"

if (!isFresh()) {
  // Standard output is the command's.
  console.error("Sources are newer than the build: building once.")
  const build = fileURLToPath(new URL("./build/server.mjs", import.meta.url))
  const { status } = spawnSync(process.execPath, [build], { stdio: ["ignore", 2, 2] })
  if (status !== 0) process.exit(status ?? 1)
}
// Its workers are started from it.
process.argv[1] = bundledMain
await import(pathToFileURL(bundledMain).href)

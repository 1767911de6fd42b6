// Runs a command of the tools, which are installed apart from everything else: `node scripts/tool.mjs knip --no-progress`.
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { argv, execPath, exit } from "node:process"

const [, , command = "", ...options] = argv
const folder = join(import.meta.dirname, "../checks/tools")
const { devDependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

/** The file behind the command: Node runs it on every system, which the shims of `.bin` do not let it. */
const script = Object.keys(devDependencies).flatMap((name) => {
  const manifest = join(folder, "node_modules", name, "package.json")
  if (!existsSync(manifest)) return []
  const { bin, name: own } = JSON.parse(readFileSync(manifest, "utf8"))
  const bins = typeof bin === "string" ? { [own.replace(/^@[^/]+\//, "")]: bin } : (bin ?? {})
  return bins[command] === undefined ? [] : [join(dirname(manifest), bins[command])]
})[0]

if (script === undefined) {
  console.error(`There is no command ${command} in tools. Install them with: (cd checks/tools && npm ci)`)
  exit(1)
}
const { status } = spawnSync(execPath, [script, ...options], { stdio: "inherit" })
exit(status ?? 1)

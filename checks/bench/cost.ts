/**
 * Compares what a create costs with an older commit: `npm run bench:cost -- <commit>`. In each of nine rounds new servers of
 * both run on SQLite in turns, and what their processes used of a processor is divided by their creates. Fails where the
 * sum of all rounds is more than a twentieth above. A process differs from another of the same program for as long as it
 * lives: with one process for each side, one commit took 1.07 of itself.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createBody } from "./kit/CreateRequest.ts"
import { closed } from "./kit/Load.ts"
import { processorMicros } from "./kit/Processors.ts"
import { inRounds, spread } from "./kit/Rounds.ts"
import { keysOf, startServer } from "./kit/Server.ts"
import { endAll } from "./kit/Side.ts"
import { startClient, startProvider } from "./kit/Sides.ts"

const rounds = 9
const load = closed(16, 4)
const atMost = 1.05

const folder = mkdtempSync(join(tmpdir(), "pointsman-cost-"))
const run = (program: string, args: ReadonlyArray<string>, cwd = process.cwd()) =>
  execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim()

/** The bundle of a commit, of its sources and its dependencies. */
const built = (commit: string): string => {
  const there = join(folder, "earlier")
  run("git", ["worktree", "add", "--quiet", "--detach", there, commit])
  run("npm", ["ci", "--silent", "--no-audit", "--no-fund"], there)
  run("npm", ["run", "--silent", "build"], there)
  return join(there, "packages/server/dist/main.js")
}

try {
  const lastChecked = run("git", ["log", "-1", "--format=%H", "--", "docs/reference/release-checks.md"])
  const commit = run("git", ["rev-parse", process.argv[2] ?? lastChecked])
  const provider = await startProvider()
  const client = await startClient()
  const providers = { agreeing: `${provider.url}/0` }
  const create = { path: "/api/v1/payments", key: keysOf(providers).agreeing, body: createBody, expected: 201 }
  let servers = 0
  /** Microseconds of the processor for a create, of a new server that has compiled what a create runs. */
  const measure = async (main?: string) => {
    const at = join(folder, String(++servers))
    const server = await startServer({ folder: at, providers, ...(main !== undefined && { main }) })
    const creates = () => client.ask({ ...create, origin: server.url, load })
    await creates()
    const before = processorMicros(() => [server.pid])
    const { done } = await creates()
    const micros = (processorMicros(() => [server.pid]) - before) / done
    await server.stop()
    return micros
  }
  const main = built(commit)
  const sides = { earlier: () => measure(main), now: () => measure() }
  const measured = await inRounds(rounds, sides, (name, micros) => console.log(`${name}: ${micros.toFixed(0)} µs`))
  const sum = (name: "earlier" | "now") => measured.reduce((total, round) => total + round[name], 0)
  const ratio = sum("now") / sum("earlier")
  const { max, min } = spread(measured, ({ earlier, now }) => now / earlier)
  console.log(
    `a create takes ${ratio.toFixed(3)} of the processor time of ${commit}; by rounds ${min.toFixed(3)} to ${max.toFixed(3)}`
  )
  if (ratio > atMost) process.exitCode = 1
  for (const side of [client, provider]) await side.stop()
} finally {
  endAll()
  rmSync(folder, { recursive: true, force: true })
  run("git", ["worktree", "prune"])
}

/**
 * Compares what a create costs with an older commit: `npm run bench:cost -- <commit>`. The servers of both run on SQLite in
 * turns, and what each process used of a processor is divided by its creates. Fails where the least of all rounds is more than
 * a twentieth above: other work on the machine only adds to a round, and two runs of one commit had medians 7 % apart.
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
  const start = async (name: string, main?: string) => {
    const server = await startServer({ folder: join(folder, name), providers, ...(main !== undefined && { main }) })
    const create = { path: "/api/v1/payments", key: keysOf(providers).agreeing, body: createBody, expected: 201 }
    const measure = async () => {
      const before = processorMicros(() => [server.pid])
      const { done } = await client.ask({ ...create, origin: server.url, load })
      return (processorMicros(() => [server.pid]) - before) / done
    }
    return { measure, stop: server.stop }
  }
  const earlier = await start("before", built(commit))
  const now = await start("after")
  const measures = { earlier: earlier.measure, now: now.measure }
  await inRounds(1, measures)
  const measured = await inRounds(rounds, measures, (name, micros) => console.log(`${name}: ${micros.toFixed(0)} µs`))
  const least = (name: "earlier" | "now") => Math.min(...measured.map((round) => round[name]))
  const ratio = least("now") / least("earlier")
  const { max, median, min } = spread(measured, ({ earlier, now }) => now / earlier)
  console.log(
    `a create takes ${ratio.toFixed(3)} of the processor time of ${commit}, by the least of ${rounds} rounds; by rounds ` +
      `${median.toFixed(3)} (${min.toFixed(3)} to ${max.toFixed(3)})`
  )
  if (ratio > atMost) process.exitCode = 1
  for (const side of [earlier, now, client, provider]) await side.stop()
} finally {
  endAll()
  rmSync(folder, { recursive: true, force: true })
  run("git", ["worktree", "prune"])
}

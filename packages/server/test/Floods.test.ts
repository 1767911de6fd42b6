/**
 * What hostile clients cost others: payments of a second client while the first one floods the server, beside payments of
 * a quiet server. `POINTSMAN_FLOOD_SECONDS` is how long each takes.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it, onTestFinished } from "vitest"
import { type ServerProcess, startServer, temporaryFolder } from "./support/ServerProcess.ts"

const seconds = Number(process.env["POINTSMAN_FLOOD_SECONDS"] ?? 0)

const floodClient = fileURLToPath(new URL("./support/FloodClient.ts", import.meta.url))

/** Three times that of the quiet server; never less than this, in milliseconds: the flood takes a processor of its own. */
const leastLimitMillis = 500
const timesQuiet = 3
const memoryAtMost = 400 * 1024 * 1024

/** Payments one after the other for so long; gives the time of each in milliseconds, in order. */
const pay = async (server: ServerProcess): Promise<ReadonlyArray<number>> => {
  const took: Array<number> = []
  const end = performance.now() + seconds * 1_000
  while (performance.now() < end) {
    const began = performance.now()
    const order = { amount: 1000, currency: "EUR", country: "NL", simulate: { charge: "approve" } }
    const { status } = await server.request("POST", "/api/v1/payments", { body: order })
    if (status !== 201) throw new Error(`a payment was answered ${status}`)
    took.push(performance.now() - began)
  }
  return took.toSorted((a, b) => a - b)
}

const percentile = (sorted: ReadonlyArray<number>, share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN

/** The most that the process ever had in memory. */
const peakBytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024

const startFlood = async (kind: string, url: string): Promise<() => number> => {
  const child = spawn(process.execPath, [floodClient, kind, url], { stdio: ["ignore", "pipe", "inherit"] })
  onTestFinished(() => void child.kill("SIGKILL"))
  let open = 0
  child.stdout.setEncoding("utf8").on("data", (line: string) => {
    open = Number(line.trim().split("\n").at(-1))
  })
  await new Promise((resolve) => child.stdout.once("data", resolve))
  return () => open
}

describe.skipIf(seconds === 0 || process.platform !== "linux")("a flood", () => {
  it.each(["pipelines", "bodies", "idle"])(
    "given %s of one address, when another client pays, then it is hardly slower, and the memory is bounded",
    { timeout: 60_000 + 3_000 * seconds },
    async (kind) => {
      const server = await startServer({
        folder: temporaryFolder(),
        environment: { POINTSMAN_RATE_LIMIT: "off", POINTSMAN_LOG_LEVEL: "error" }
      })
      // The first payments compile.
      for (let time = 0; time < 50; time++) {
        await server.request("POST", "/api/v1/payments", { body: { amount: 1000, currency: "EUR", country: "NL" } })
      }
      const quiet = await pay(server)
      const open = await startFlood(kind, server.url)
      const flooded = await pay(server)
      const limit = Math.max(leastLimitMillis, timesQuiet * percentile(quiet, 0.99))
      const peak = peakBytes(server.pid)
      process.stderr.write(
        `flood of ${kind}: payments ${quiet.length} quiet, ${flooded.length} flooded; p50 ${percentile(quiet, 0.5).toFixed(1)} and ` +
          `${percentile(flooded, 0.5).toFixed(1)} ms; p99 ${percentile(quiet, 0.99).toFixed(1)} and ` +
          `${percentile(flooded, 0.99).toFixed(1)} ms (at most ${limit.toFixed(0)}); slowest ${flooded.at(-1)?.toFixed(0)} ms; ` +
          `peak memory ${Math.round(peak / 1024 / 1024)} MiB; ${open()} connections open at the end\n`
      )
      assert.isBelow(peak, memoryAtMost)
      assert.isAtMost(percentile(flooded, 0.99), limit)
      assert.strictEqual((await server.request("GET", "/health/live")).status, 200)
    }
  )
})

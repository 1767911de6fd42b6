/**
 * What hostile clients cost others: payments of a second client while the first one floods the server, beside payments of
 * a quiet server. A long run (`POINTSMAN_LONG=all`): each takes `POINTSMAN_FLOOD_SECONDS`, 10 unless set.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it, onTestFinished } from "vitest"
import type { FloodOptions, FloodReport } from "./support/FloodClient.ts"
import { floodingKey, payingKey, startFloodedServer } from "./support/FloodedServer.ts"
import { amountOf } from "./support/LongRuns.ts"
import { leastLimitMillis, pay, payFor, percentile, turnsAtMost } from "./support/PayBeside.ts"
import type { ServerProcess } from "./support/ServerProcess.ts"

const seconds = amountOf("POINTSMAN_FLOOD_SECONDS", { long: 10 })

const floodClient = fileURLToPath(new URL("./support/FloodClient.ts", import.meta.url))

/** The flooded p99 may be so many times the quiet one. */
const timesQuiet = 3
/**
 * How long a hostile connection stays away after it was closed: a second. 60 of the worst bodies are half a second of a fast
 * processor: on a slower machine, they come in the time of so many payments.
 */
const awayPayments = 100
const leastAwayMillis = 1_000
const memoryAtMost = 400 * 1024 * 1024

interface Flood extends Pick<FloodOptions, "kind" | "sources"> {
  /** Whether it took place. `turns`: how often each of its connections could come. */
  readonly tookPlace: (report: FloodReport, turns: number) => boolean
  /** Whether it comes at a slower pace on a slower machine. */
  readonly isPaced?: boolean
}

const answered = ({ statuses }: FloodReport, status: number) => statuses[status] ?? 0

/** Of the rate of a quiet server, what the paying client reaches at least: a few slow payments have no p99. */
const leastRate = 1 / 5

/** Less than half of what comes on a quiet machine. */
const floods: ReadonlyArray<Flood> = [
  // 1,024 connections of one address are kept; of 20 addresses, all that come.
  { kind: "idle", sources: 1, tookPlace: ({ open }) => open >= 1_000 },
  { kind: "idle", sources: 20, tookPlace: ({ open }) => open >= 2_500 },
  // It stays away for as long as it is there.
  { kind: "pipelines", sources: 20, tookPlace: ({ made }, turns) => made >= 25 * turns },
  // 16 MiB of one address are kept, and 48 MiB in all. The rest are refused.
  { kind: "bodies", sources: 1, tookPlace: (report) => report.open >= 12 && answered(report, 429) >= 200 },
  { kind: "bodies", sources: 20, tookPlace: (report) => report.open >= 36 && answered(report, 503) >= 200 },
  {
    kind: "worst",
    sources: 20,
    isPaced: true,
    tookPlace: (report, turns) => answered(report, 401) >= 10 * turns && answered(report, 422) >= 4 * turns
  }
]

/** The most that the process ever had in memory. */
const peakBytes = (pid: number): number =>
  Number(/^VmHWM:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) * 1024

const startFlood = async (options: FloodOptions) => {
  const child = spawn(process.execPath, [floodClient, JSON.stringify(options)], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  let report: FloodReport = { open: 0, made: 0, statuses: {} }
  child.stdout.setEncoding("utf8").on("data", (lines: string) => {
    report = JSON.parse(lines.trim().split("\n").at(-1) ?? "") as FloodReport
  })
  await new Promise((resolve) => child.stdout.once("data", resolve))
  return {
    report: () => report,
    end: async () => {
      child.kill("SIGKILL")
      await new Promise((resolve) => child.once("close", resolve))
    }
  }
}

/** As much of the processor as the flood's client takes at most, so that a quiet server has no more of it. */
const payBesideBusyLoop = async (server: ServerProcess) => {
  const busy = spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" })
  onTestFinished(() => void busy.kill("SIGKILL"))
  const took = await payFor(server, 500 * seconds, 0)
  busy.kill("SIGKILL")
  return took
}

/** Gives what is wrong; nothing where payments were hardly slower. */
const besides = async (
  server: ServerProcess,
  { isPaced = false, kind, sources, tookPlace }: Flood
): Promise<string | undefined> => {
  const before = await payBesideBusyLoop(server)
  const awayMillis = Math.max(leastAwayMillis, isPaced ? awayPayments * percentile(before, 0.5) : 0)
  const flood = await startFlood({ kind, sources, url: server.url, key: floodingKey, awayMillis })
  const flooded = await payFor(server, 1_000 * seconds, 0)
  const report = flood.report()
  await flood.end()
  const afterwards = await payBesideBusyLoop(server)
  const quiet = [...before, ...afterwards].toSorted((a, b) => a - b)
  const p99 = percentile(flooded, 0.99)
  const limit = Math.max(leastLimitMillis, timesQuiet * percentile(quiet, 0.99))
  process.stderr.write(
    `flood of ${kind} from ${sources}: payments ${quiet.length} quiet, ${flooded.length} flooded; p50 ` +
      `${percentile(quiet, 0.5).toFixed(1)} and ${percentile(flooded, 0.5).toFixed(1)} ms; p99 ` +
      `${percentile(quiet, 0.99).toFixed(1)} and ${p99.toFixed(1)} ms (at most ${limit.toFixed(0)}); slowest ` +
      `${flooded.at(-1)?.toFixed(0)} ms; peak memory ${Math.round(peakBytes(server.pid) / 1024 / 1024)} MiB; ` +
      `came every ${awayMillis.toFixed(0)} ms: ${JSON.stringify(report)}\n`
  )
  if (!tookPlace(report, (1_000 * seconds) / awayMillis))
    return `the flood did not take place: ${JSON.stringify(report)}`
  // Both took the same time.
  if (flooded.length < leastRate * quiet.length) return `${flooded.length} payments, ${quiet.length} beside no flood`
  return p99 <= limit ? undefined : `p99 ${p99.toFixed(1)} ms, at most ${limit.toFixed(1)}`
}

describe.skipIf(seconds === 0 || process.platform !== "linux")("a flood", () => {
  it.each(floods)(
    "another client is hardly slower by $kind of $sources addresses; memory bounded",
    { timeout: 60_000 + turnsAtMost * 3_000 * seconds },
    async (flood) => {
      const server = await startFloodedServer()
      // The first payments compile.
      for (let time = 0; time < 50; time++) await pay(server, payingKey)
      const wrong: Array<string> = []
      for (let turn = 0; turn < turnsAtMost; turn++) {
        const problem = await besides(server, flood)
        assert.isBelow(peakBytes(server.pid), memoryAtMost)
        assert.strictEqual((await server.request("GET", "/health/live")).status, 200)
        if (problem === undefined) return
        wrong.push(problem)
      }
      assert.fail(wrong.join("; "))
    }
  )
})

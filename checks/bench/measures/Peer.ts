/**
 * Create, capture and refund against the payment module of Medusa, and against floors written by hand: the comparison
 * is a folder of its own with its own packages, and is run as it is.
 */
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { type Measure, type Row, row, short } from "../kit/Result.ts"
import { type Spread, spread } from "../kit/Rounds.ts"
import { endWithRun } from "../kit/Side.ts"

/** What the comparison writes of each cell. */
interface Cell {
  readonly round: number
  readonly adapter: string
  readonly flowsPerSec: number
  readonly cpuMsPerFlow: number
  readonly errors: number
}

const concurrency = 8
const adapter = (name: string) => fileURLToPath(new URL(`../peer/${name}.mjs`, import.meta.url))

export const peer: Measure = async ({ folder, peer: kit, rounds, seconds, tell }) => {
  const title = `Create, capture and refund, ${concurrency} at once, a provider in the process that agrees at once`
  if (kit === "") {
    return { id: "peer", title, rows: [], note: "Not run: name the folder of the comparison with --peer." }
  }
  if (!existsSync(join(kit, "bench.mjs")) || !existsSync(join(kit, "node_modules"))) {
    throw new Error(`--peer: expected a folder with bench.mjs and its packages installed, and ${kit} is not one`)
  }
  const run = async (adapters: ReadonlyArray<string>): Promise<ReadonlyArray<Cell>> => {
    const out = join(folder, "peer.json")
    const flags = { adapters, concurrency, seconds, rounds, out }
    const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
    const running = promisify(execFile)(process.execPath, ["bench.mjs", ...args], { cwd: kit })
    endWithRun(running.child)
    const { stdout } = await running
    for (const line of stdout.split("\n").filter((line) => line.startsWith("r"))) tell(line)
    const { rows }: { readonly rows: ReadonlyArray<Cell> } = JSON.parse(readFileSync(out, "utf8"))
    const failed = rows.find(({ errors }) => errors > 0)
    if (failed !== undefined) throw new Error(`${failed.adapter} had ${failed.errors} errors`)
    return rows
  }
  const against = (cells: ReadonlyArray<Cell>, mine: string, other: string, of: "flowsPerSec" | "cpuMsPerFlow") => {
    const rounds = [...new Set(cells.map(({ round }) => round))]
    const figure = (round: number, name: string) =>
      cells.find((cell) => cell.round === round && cell.adapter === name)?.[of] ?? Number.NaN
    const median = (name: string) => short(spread(rounds, (round) => figure(round, name)).median)
    const value: Spread = spread(rounds, (round) => figure(round, mine) / figure(round, other))
    return { value, mine: median(mine), other: median(other) }
  }
  const onPostgres = await run(["medusa", "floor-pg", adapter("postgres")])
  const onSqlite = await run(["floor-sqlite", adapter("sqlite")])
  const told = (
    id: string,
    what: string,
    goal: Pick<Row, "atLeast" | "atMost">,
    ...[cells, mine, other, of]: Parameters<typeof against>
  ): Row => {
    const compared = against(cells, mine, other, of)
    const unit = of === "flowsPerSec" ? "/s" : " ms of processor a flow"
    return row(id, what, compared.value, "times", `${compared.mine}${unit} of ${compared.other}${unit}`, goal)
  }
  const [flows, cpu] = ["flowsPerSec", "cpuMsPerFlow"] as const
  const [postgres, sqlite] = ["pointsman-postgres", "pointsman-sqlite"]
  const on = "the library on PostgreSQL"
  return {
    id: "peer",
    title,
    rows: [
      told("medusa", `${on}, flows of Medusa's`, { atLeast: 20 }, onPostgres, postgres, "medusa", flows),
      told(
        "medusa-processor",
        `${on}, processor time of Medusa's`,
        { atMost: 0.1 },
        onPostgres,
        postgres,
        "medusa",
        cpu
      ),
      told("floor-pg", `${on}, flows of a floor by hand`, { atLeast: 0.55 }, onPostgres, postgres, "floor-pg", flows),
      told(
        "floor-sqlite",
        "the library on SQLite, flows of a floor by hand",
        { atLeast: 0.9 },
        onSqlite,
        sqlite,
        "floor-sqlite",
        flows
      )
    ],
    note: ""
  }
}

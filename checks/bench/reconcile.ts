/**
 * Reconciles a report with as many payments: `npm run bench:reconcile -- --rows 1000000`. Each step is a process of its own,
 * whose memory is its own too. The report has forty planted differences of every kind that a file can have; the run fails
 * where one is not found, or another is.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { parseArgs } from "node:util"
import { fillPostgres, fillSqlite } from "./kit/FillStores.ts"
import { toldMachine, watchMachine } from "./kit/Machine.ts"
import { openPostgres, query } from "./kit/Postgres.ts"
import { plantedIn } from "./reconcile/Report.ts"
import { type Order, type StepResult, stepFile } from "./reconcile/Step.ts"

const usage = `npm run bench:reconcile -- [options]
  --rows <n>        payments, and about as many rows; 100000 unless set
  --storages <list> of sqlite, postgres; both unless set
  --kills <n>       how often the first reading is killed and begun again; 0 unless set
DATABASE_URL names a PostgreSQL server to use; without it, one from npm is started.`

/** A new process; `killAfterMillis`: it is killed then, unless it has ended. */
const runStep = (order: Order, killAfterMillis?: number): Promise<StepResult | undefined> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--conditions=@pointsman/source", stepFile, JSON.stringify(order)], {
      stdio: ["ignore", "pipe", "inherit"]
    })
    const timer = killAfterMillis === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMillis)
    let told = ""
    child.stdout.on("data", (bytes: Buffer) => {
      told += bytes.toString()
    })
    child.once("error", reject)
    child.once("close", (code, signal) => {
      clearTimeout(timer)
      if (signal === "SIGKILL") resolve(undefined)
      // After what the library logs.
      else if (code === 0) resolve(JSON.parse(told.slice(told.lastIndexOf("\n") + 1)) as StepResult)
      else reject(new Error(`the step ${order.step} ended with ${code}`))
    })
  })

const done = async (order: Order): Promise<StepResult> => {
  const result = await runStep(order)
  if (result === undefined) throw new Error(`the step ${order.step} was killed`)
  return result
}

const settled = "update payments set settled_at = created_at where captured_minor > 0"

const fill = {
  sqlite: async (folder: string, rows: number) => {
    const filename = await fillSqlite(join(folder, "bench.sqlite"), rows)
    const db = new DatabaseSync(filename)
    db.exec(`${settled}; pragma wal_checkpoint(truncate)`)
    db.close()
    return filename
  },
  postgres: async (url: string, rows: number) => {
    await fillPostgres(url, rows)
    await query(url, settled, "vacuum analyze payments", "checkpoint")
    return url
  }
}

const check = ({ found = {} }: StepResult, rows: number): void => {
  const planted = plantedIn(rows)
  const wrong = [...Object.keys(planted), ...Object.keys(found)].filter((id) => planted[id] !== found[id])
  if (wrong.length === 0) return
  const told = wrong
    .slice(0, 10)
    .map((id) => `${id}: planted ${planted[id] ?? "nothing"}, found ${found[id] ?? "nothing"}`)
  throw new Error(`${wrong.length} differences are wrong:\n${told.join("\n")}`)
}

const measure = async (storage: "sqlite" | "postgres", place: string, rows: number, kills: number): Promise<void> => {
  const say = (text: string) => console.log(`${storage}: ${text}`)
  const step = (name: Order["step"]): Order => ({ storage, place, step: name, rows })
  const told = ({ megabytes, perSecond, seconds }: StepResult) =>
    `${seconds.toFixed(1)} s, ${Math.round(perSecond)} a second, ${Math.round(megabytes)} MB`
  const creates = await done(step("create"))
  say(`creates, 64 at once: ${told(creates)}`)
  for (let kill = 1; kill <= kills; kill++) {
    const result = await runStep(step("first"), 2_000 + kill * 400)
    say(result === undefined ? `killed ${kill}` : "it ended before it was killed")
  }
  const first = await done(step("first"))
  check(first, rows)
  say(`first reading: ${told(first)}; ${(first.perSecond / creates.perSecond).toFixed(1)} times the creates`)
  const again = await done(step("again"))
  check(again, rows)
  say(`the same rows in another file: ${told(again)}; ${again.known} were known`)
  const same = await done(step("first"))
  check(same, rows)
  say(`the same file: ${told(same)}`)
  say(`all ${Object.keys(plantedIn(rows)).length} planted differences were found, and no other`)
}

const main = async () => {
  const { values } = parseArgs({
    options: {
      rows: { type: "string", default: "100000" },
      storages: { type: "string", default: "sqlite,postgres" },
      kills: { type: "string", default: "0" },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return console.log(usage)
  const rows = Number(values.rows)
  const kills = Number(values.kills)
  const storages = values.storages.split(",")
  if (!(rows >= 1_000 && kills >= 0)) throw new Error(usage)
  const machine = watchMachine()
  const folder = mkdtempSync(join(tmpdir(), "pointsman-reconcile-"))
  try {
    if (storages.includes("sqlite")) await measure("sqlite", await fill.sqlite(folder, rows), rows, kills)
    if (storages.includes("postgres")) {
      const postgres = await openPostgres()
      if ("missing" in postgres) throw new Error(`There is no PostgreSQL here: ${postgres.missing}`)
      try {
        await measure("postgres", await fill.postgres(await postgres.newDatabase("reconcile"), rows), rows, kills)
      } finally {
        await postgres.stop()
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(toldMachine(machine.end("node:sqlite, and PostgreSQL from npm unless DATABASE_URL names another")))
}

main().catch((cause: unknown) => {
  console.error(cause)
  process.exitCode = 1
})

/**
 * What a payment costs, by the number of workspaces: `npm run bench:capacity -- --workspaces 1,100,10000`. One server over
 * PostgreSQL is asked for creates of random workspaces. Processor times are those of the server's process and of all
 * processes of PostgreSQL, from `/proc`: PostgreSQL has to run on this machine.
 */
import { execFileSync } from "node:child_process"
import { randomBytes, randomUUID } from "node:crypto"
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { formatApiKey } from "@pointsman/core"
import { Pool } from "undici"
import { createBody } from "./kit/CreateRequest.ts"
import { toldMachine, watchMachine } from "./kit/Machine.ts"
import { openPostgres, type Postgres, query } from "./kit/Postgres.ts"
import { residentMegabytes, startServer } from "./kit/Server.ts"
import { endAll } from "./kit/Side.ts"
import { startProvider } from "./kit/Sides.ts"

const usage = `npm run bench:capacity -- [options]
  --workspaces <list>  how many; 1,100,10000 unless set
  --payments <n>       for each, after half as many that are not measured; 4000 unless set`

const inFlight = 16
/** Workspaces that pay during the run, of all that there are: what each one's first payment costs is not of the others. */
const activeAtMost = 100
/** In which nobody pays, in milliseconds. */
const idleMillis = 5_000

const configurationOf = (keys: ReadonlyArray<string>, baseUrl: string) => ({
  workspaces: keys.map((secret, number) => ({
    id: `w${number}`,
    name: `Workspace ${number}`,
    country: "NL",
    keys: [{ environment: "sandbox", secret }],
    connections: [
      {
        id: `to-${number}`,
        environment: "sandbox",
        connector: "http",
        credentials: { baseUrl, apiKey: "provider-api-key" }
      }
    ],
    routing: { sandbox: { mode: "failover", order: [`to-${number}`] } }
  }))
})

/** Linux counts a hundred a second. */
const millisPerTick = 10

/** Fields of `/proc/<pid>/stat` after the name of the program, which may hold spaces: the first is the state. */
const statOf = (pid: number | string): ReadonlyArray<string> => {
  const text = readFileSync(`/proc/${pid}/stat`, "utf8")
  return text.slice(text.lastIndexOf(")") + 2).split(" ")
}

/** Of a process, in milliseconds; with `withChildren`, also of its children that have ended. */
const processorMillis = (pid: number | string, withChildren = false): number => {
  const stat = statOf(pid)
  const ticks = [11, 12, ...(withChildren ? [13, 14] : [])].reduce((sum, field) => sum + Number(stat[field]), 0)
  return ticks * millisPerTick
}

/** The process that starts all others of the server that the URL names. */
const postmasterOf = async (url: string): Promise<string> => {
  const [row] = await query(url, "select split_part(pg_read_file('postmaster.pid'), chr(10), 1) as pid")
  return String(row?.["pid"])
}

const millisOfAll = (postmaster: string): number => {
  const isChild = (pid: string) => {
    try {
      return statOf(pid)[1] === postmaster
    } catch {
      return false
    }
  }
  const children = readdirSync("/proc").filter((name) => /^\d+$/u.test(name) && isChild(name))
  return children.reduce((sum, pid) => sum + processorMillis(pid), processorMillis(postmaster, true))
}

const makeAll = async (count: number, create: () => Promise<void>) => {
  let left = count
  const one = async () => {
    while (left-- > 0) await create()
  }
  await Promise.all(Array.from({ length: inFlight }, one))
}

const measure = async (postgres: Postgres, folder: string, workspaces: number, payments: number) => {
  const provider = await startProvider()
  const keys = Array.from({ length: workspaces }, () => formatApiKey("sandbox", randomBytes(64)))
  const url = await postgres.newDatabase(`capacity_${workspaces}`)
  const server = await startServer({
    folder: join(folder, `of-${workspaces}`),
    databaseUrl: url,
    configuration: configurationOf(keys, `${provider.url}/0`)
  })
  const pool = new Pool(server.url, { connections: inFlight })
  const create = async () => {
    const answer = await pool.request({
      method: "POST",
      path: "/api/v1/payments",
      headers: {
        authorization: `Bearer ${keys[Math.floor(Math.random() * Math.min(workspaces, activeAtMost))]}`,
        "content-type": "application/json",
        "idempotency-key": randomUUID()
      },
      body: JSON.stringify({ ...createBody, reference: `order-${randomUUID()}` })
    })
    const text = await answer.body.text()
    if (answer.statusCode !== 201) throw new Error(`a create was answered ${answer.statusCode}: ${text}`)
  }
  try {
    const postmaster = await postmasterOf(url)
    await makeAll(payments / 2, create)
    // What the directory takes is not of the payments.
    const size = async () =>
      Number((await query(url, "select pg_database_size(current_database()) as size"))[0]?.["size"])
    await query(url, "vacuum")
    const before = { server: processorMillis(server.pid), postgres: millisOfAll(postmaster), size: await size() }
    const began = performance.now()
    await makeAll(payments, create)
    const perSecond = (payments * 1_000) / (performance.now() - began)
    const after = { server: processorMillis(server.pid), postgres: millisOfAll(postmaster) }
    await sleep(idleMillis)
    const idle = (processorMillis(server.pid) - after.server) / (idleMillis / 1_000)
    const each = (name: "server" | "postgres") => ((after[name] - before[name]) / payments).toFixed(2)
    console.log(
      `${workspaces} workspaces: ${each("server")} ms of the server and ${each("postgres")} ms of PostgreSQL for a create, ` +
        `${(((await size()) - before.size) / payments).toFixed(0)} bytes; ${perSecond.toFixed(0)} a second; ` +
        `without payments ${idle.toFixed(1)} ms of the server a second; the server holds ${residentMegabytes(server.pid)?.toFixed(0)} MB and started in ${server.startedMillis.toFixed(0)} ms`
    )
  } finally {
    await pool.close()
    await server.stop()
    await provider.stop()
  }
}

const main = async () => {
  const { values } = parseArgs({
    options: {
      workspaces: { type: "string", default: "1,100,10000" },
      payments: { type: "string", default: "4000" },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return console.log(usage)
  const numbers = values.workspaces.split(",").map(Number)
  const payments = Number(values.payments)
  if (![...numbers, payments].every((number) => number > 0)) throw new Error(usage)
  execFileSync(process.execPath, [join(import.meta.dirname, "../../scripts/build/server.mjs")], { stdio: "inherit" })
  const machine = watchMachine()
  if (machine.warning !== undefined) console.error(machine.warning)
  const postgres = await openPostgres()
  if ("missing" in postgres) throw new Error(`There is no PostgreSQL here: ${postgres.missing}`)
  const folder = mkdtempSync(join(tmpdir(), "pointsman-capacity-"))
  try {
    for (const number of numbers) await measure(postgres, folder, number, payments)
  } finally {
    endAll()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(toldMachine(machine.end(`${postgres.version} ${postgres.origin}`)))
}

main().catch((cause: unknown) => {
  console.error(cause)
  process.exitCode = 1
})

/**
 * An upgrade with many payments in PostgreSQL: `npm run bench:upgrade -- --from <ref> --payments 1000000`. The server of an
 * older release goes on while the one of this release brings the schema up to date, and clients pay at the older one all the
 * time. It says for how long no payment could be made.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"
import { formatApiKey } from "@pointsman/core"
import { toldMachine, watchMachine } from "./kit/Machine.ts"
import { openPostgres, query } from "./kit/Postgres.ts"
import { type Server, startServer } from "./kit/Server.ts"
import { endAll } from "./kit/Side.ts"
import { buildOlderRelease } from "./upgrade/OlderRelease.ts"
import { type Gaps, type PayingClients, startPaying } from "./upgrade/PayingClients.ts"
import { copyStatements } from "./years/Copies.ts"
import { rowsOf } from "./years/SampleRows.ts"
import { postgresStore, type YearsStore } from "./years/YearsStore.ts"

const usage = `npm run bench:upgrade -- --from <ref> [options]
  --from <ref>      commit or tag of the older release, whose additive steps this one adds to
  --payments <n>    payments that are stored before; 1000000 unless set
  --clients <n>     clients that pay without a pause; 4 unless set`

const key = formatApiKey("sandbox", new Uint8Array(64).fill(7))
/** What writers may be stopped for at most, in milliseconds. */
const allowedGap = 1_000
/** Before and after the upgrade, for comparison, in milliseconds. */
const quietMillis = 10_000
/** The rows of a statement: one that writes more of them at once needs memory for nothing. */
const copiedAtOnce = 100_000

const configuration = (webhooks: string) => ({
  workspaces: [
    {
      id: "acme",
      name: "Acme",
      country: "NL",
      keys: [{ environment: "sandbox", secret: key }],
      connections: [{ id: "main", environment: "sandbox", connector: "sandbox" }],
      routing: { sandbox: { mode: "failover", order: ["main"] } },
      webhooks: [{ environment: "sandbox", url: webhooks, secret: "whsec_bench" }]
    }
  ]
})

const listen = async () => {
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => response.writeHead(200).end())
  })
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`, close: () => receiver.close() }
}

/** Copies of one payment that the older release made, back into the last day. */
const fill = async (store: YearsStore, server: Server, payments: number) => {
  const from = Date.now() - 5_000
  const paying = startPaying(server.url, key, 1)
  while (paying.take().paid === 0 && paying.failed().length === 0) await sleep(1)
  await paying.end()
  if (paying.failed().length > 0) throw new Error(`the older release refused a payment: ${paying.failed()[0]}`)
  await sleep(2_000)
  const [row] = await store.ask("select id from payments order by id limit 1")
  const rows = await rowsOf(store, String(row?.["id"]))
  const everyMillis = -Math.floor((20 * 60 * 60_000) / payments)
  for (let first = 1; first <= payments; first += copiedAtOnce) {
    const count = Math.min(payments + 1, first + copiedAtOnce)
    const which = `n >= ${first}`
    await store.copy(copyStatements(store.dialect, { rows, from, until: Date.now(), everyMillis, count, which }))
    console.error(`${count - 1} payments`)
  }
}

const told = ({ longestGap, paid, slowest }: Gaps): string =>
  `${paid} payments, the longest time without one ${longestGap.toFixed(0)} ms, the slowest ${slowest.toFixed(0)} ms`

/** A step is recorded with the time at which its transaction began. */
const selectSteps = `select migration_id || ' ' || name as step, to_char(created_at, 'HH24:MI:SS.MS') as at
  from pointsman_migrations order by migration_id`

const upgrade = async (url: string, newer: () => Promise<Server>, paying: PayingClients): Promise<boolean> => {
  await sleep(quietMillis)
  console.log(`before: ${told(paying.take())}`)
  const [before] = await query(url, "select max(migration_id) as schema from pointsman_migrations")
  const began = performance.now()
  const next = await newer()
  const during = paying.take()
  const seconds = (performance.now() - began) / 1_000
  const [after] = await query(url, "select max(migration_id) as schema from pointsman_migrations")
  console.log(`schema ${before?.["schema"]} to ${after?.["schema"]} in ${seconds.toFixed(1)} s: ${told(during)}`)
  await sleep(quietMillis)
  console.log(`after, with both servers: ${told(paying.take())}`)
  await paying.end()
  await next.stop()
  for (const { at, step } of await query(url, selectSteps)) {
    if (Number.parseInt(String(step), 10) > Number(before?.["schema"])) console.log(`  step ${step}: ${at}`)
  }
  const failed = paying.failed()
  if (failed.length > 0) console.log(`not answered with a payment: ${failed.length}, the first: ${failed[0]}`)
  return during.longestGap <= allowedGap && failed.length === 0
}

const main = async () => {
  const { values } = parseArgs({
    options: {
      from: { type: "string" },
      payments: { type: "string", default: "1000000" },
      clients: { type: "string", default: "4" },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return console.log(usage)
  const [payments, clients] = [Number(values.payments), Number(values.clients)]
  if (values.from === undefined || !(payments > 0) || !(clients > 0)) throw new Error(usage)
  const folder = mkdtempSync(join(tmpdir(), "pointsman-upgrade-"))
  execFileSync(process.execPath, [join(import.meta.dirname, "../../scripts/build/server.mjs")], { stdio: "inherit" })
  const older = buildOlderRelease(values.from, join(folder, "release"))
  const machine = watchMachine()
  const postgres = await openPostgres()
  if ("missing" in postgres) throw new Error(`There is no PostgreSQL here: ${postgres.missing}`)
  const receiver = await listen()
  try {
    const url = await postgres.newDatabase("upgrade")
    const start = (name: string, main?: string) =>
      startServer({
        folder: join(folder, name),
        databaseUrl: url,
        configuration: configuration(receiver.url),
        environment: { POINTSMAN_ALLOW_PRIVATE_WEBHOOKS: "true" },
        ...(main === undefined ? {} : { main })
      })
    const server = await start("older", older)
    await fill(postgresStore(url), server, payments)
    const paying = startPaying(server.url, key, clients)
    const isMet = await upgrade(url, () => start("newer"), paying).finally(paying.end)
    await server.stop()
    console.log(`at most ${allowedGap} ms without a payment, and none refused: ${isMet ? "met" : "NOT MET"}`)
    if (!isMet) process.exitCode = 1
  } finally {
    endAll()
    receiver.close()
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(toldMachine(machine.end(`${postgres.version} ${postgres.origin}`)))
}

main().catch((cause: unknown) => {
  console.error(cause)
  process.exitCode = 1
})

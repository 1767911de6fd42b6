/**
 * What a payment costs, by the number of workspaces: creates of random ones through one server over PostgreSQL. Processor
 * times are those of the server's process and of all processes of PostgreSQL, from `/proc`: it has to run on this machine.
 */
import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { formatApiKey } from "@pointsman/core"
import { createAt } from "../kit/CreateRequest.ts"
import { closed } from "../kit/Load.ts"
import { query } from "../kit/Postgres.ts"
import { childrenOf, processorMicros } from "../kit/Processors.ts"
import { type Measure, type Options, type Row, row, short } from "../kit/Result.ts"
import { configurationOf, residentMegabytes, startServer } from "../kit/Server.ts"
import { stopAll } from "../kit/Side.ts"
import { startClient, startProvider } from "../kit/Sides.ts"

/** Workspaces that pay during the run, of all that there are: what each one's first payment costs is not of the others. */
const activeAtMost = 100
/** In which nobody pays. */
const idleSeconds = 5

const measure = async (
  { folder, postgres, seconds, tell }: Options,
  workspaces: number
): Promise<ReadonlyArray<Row>> => {
  const provider = await startProvider()
  const client = await startClient()
  const url = await postgres.newDatabase(`capacity_${workspaces}`)
  const keys = Array.from({ length: workspaces }, () => formatApiKey("sandbox", randomBytes(64)))
  const server = await startServer({
    folder: join(folder, `of-${workspaces}`),
    databaseUrl: url,
    configuration: configurationOf(keys.map((key, number) => [`w${number}`, `${provider.url}/0`, key]))
  })
  const ask = (length: number) =>
    client.ask({ ...createAt(server.url, keys.slice(0, activeAtMost)), load: closed(16, length) })
  const [found] = await query(url, "select split_part(pg_read_file('postmaster.pid'), chr(10), 1) as pid")
  const postmaster = Number(found?.["pid"])
  const ofServer = () => processorMicros(() => [server.pid])
  const ofPostgres = () => processorMicros(() => [postmaster, ...childrenOf(postmaster)])
  const size = async () => Number((await query(url, "select pg_database_size(current_database()) as n"))[0]?.["n"])
  await ask(seconds)
  // What the directory takes is not of the payments.
  await query(url, "vacuum")
  const before = { server: ofServer(), postgres: ofPostgres(), size: await size() }
  const { done, perSecond } = await ask(2 * seconds)
  const after = { server: ofServer(), postgres: ofPostgres(), size: await size() }
  await sleep(idleSeconds * 1_000)
  const idle = (ofServer() - after.server) / 1_000 / idleSeconds
  const [micros, bytes] = [(after.server - before.server) / done, ((after.size - before.size) / done).toFixed(0)]
  const held = residentMegabytes(server.pid)
  const started = `started in ${server.startedMillis.toFixed(0)} ms`
  tell(`${workspaces} workspaces: ${short(perSecond)}/s`)
  await stopAll()
  const of = `${workspaces} workspaces`
  return [
    row(`capacity-server-${workspaces}`, `${of}: a create, of the server`, micros, "µs", `${short(perSecond)}/s`),
    row(
      `capacity-postgres-${workspaces}`,
      `${of}: a create, of PostgreSQL`,
      (after.postgres - before.postgres) / done,
      "µs",
      `${bytes} bytes in the database`
    ),
    row(`capacity-idle-${workspaces}`, `${of}: a second without payments, of the server`, idle, "ms"),
    row(`capacity-memory-${workspaces}`, `${of}: resident memory of the server`, held, "MB", started)
  ]
}

export const capacity: Measure = async (options) => {
  const rows: Array<Row> = []
  for (const workspaces of options.smoke ? [1, 10] : [1, 100, 10_000])
    rows.push(...(await measure(options, workspaces)))
  return { id: "capacity", title: "A create by the number of workspaces, on PostgreSQL", rows, note: "One run." }
}

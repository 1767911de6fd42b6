/**
 * From the start of the server's process to its first answer, and the memory that it takes; and what `@pointsman/node`
 * takes where it is installed and imported.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { compare } from "../kit/Compare.ts"
import { createAt } from "../kit/CreateRequest.ts"
import { closed } from "../kit/Load.ts"
import { nodePackage } from "../kit/NodePackage.ts"
import { type Measure, type Options, type Row, row, short } from "../kit/Result.ts"
import { keysOf, residentMegabytes, startServer } from "../kit/Server.ts"
import { ended, forked } from "../kit/Side.ts"
import { startClient, startProvider } from "../kit/Sides.ts"
import type { ClientOrder } from "../sides/Client.ts"

interface Started {
  readonly answeredMillis: number
  readonly idleMegabytes: number
  readonly loadedMegabytes: number
}

const inFlight = 16

const packageRows = async (options: Options): Promise<ReadonlyArray<Row>> => {
  const { importMillis, megabytes, openMillis } = await nodePackage()
  const sides = { imported: async () => importMillis(), opened: async () => openMillis() }
  const { spread } = await compare(options, sides, (name, millis) => `@pointsman/node ${name}: ${short(millis)} ms`)
  const [imported, opened] = [spread((round) => round.imported), spread((round) => round.opened)]
  return [
    row("node-installed", "@pointsman/node, installed, without dependencies", megabytes, "MB", "", { atMost: 8 }),
    row("node-imported", "@pointsman/node, imported", imported, "ms", "", { atMost: 200 }),
    row("node-opened", "@pointsman/node, imported and opened over memory", opened, "ms")
  ]
}

const names = {
  sqlite: "the server on SQLite",
  "image-sqlite": "the server on SQLite, from the image's snapshot",
  postgres: "the server on PostgreSQL",
  "image-postgres": "the server on PostgreSQL, from the image's snapshot",
  bare: "a bare node:http server"
} as const

export const start: Measure = async (options) => {
  const { folder, postgres, seconds } = options
  const provider = await startProvider()
  const client = await startClient()
  const providers = { agreeing: `${provider.url}/0` }
  const { agreeing: key } = keysOf(providers)
  const [postgresUrl, imageUrl] = [await postgres.newDatabase("start"), await postgres.newDatabase("image")]
  execFileSync(process.execPath, [join(import.meta.dirname, "../../../scripts/build/Snapshot.ts"), folder])
  const snapshot = join(folder, "server.blob")

  const measure = async (began: number, pid: number, asked: Omit<ClientOrder, "load">): Promise<Started> => {
    await client.ask({ ...asked, load: closed(1, 0) })
    const answeredMillis = performance.now() - began
    const idleMegabytes = residentMegabytes(pid)
    await client.ask({ ...asked, load: closed(inFlight, seconds) })
    return { answeredMillis, idleMegabytes, loadedMegabytes: residentMegabytes(pid) }
  }
  /** The same folder or database each time: after the first start it holds payments. */
  const server =
    (name: string, options: { readonly databaseUrl?: string; readonly snapshot?: string } = {}) =>
    async () => {
      const began = performance.now()
      const { pid, stop, url } = await startServer({ ...options, folder: join(folder, `start-${name}`), providers })
      const started = await measure(began, pid, createAt(url, key))
      await stop()
      return started
    }
  const bare = async () => {
    const began = performance.now()
    const child = forked(join(import.meta.dirname, "../sides/HelloServer.ts"), { output: "pipe" })
    const origin = await new Promise<string>((resolve) => {
      child.stdout?.setEncoding("utf8").on("data", (text: string) => resolve(text.trim()))
    })
    const started = await measure(began, child.pid ?? 0, { origin, path: "/", key: "", body: {}, expected: 201 })
    child.kill("SIGTERM")
    await ended(child)
    return started
  }
  const { spread, times } = await compare(
    options,
    {
      bare,
      sqlite: server("sqlite"),
      postgres: server("postgres", { databaseUrl: postgresUrl }),
      "image-sqlite": server("image-sqlite", { snapshot }),
      "image-postgres": server("image-postgres", { snapshot, databaseUrl: imageUrl })
    },
    (name, { answeredMillis }) => `${name}: ${short(answeredMillis)} ms`
  )
  const rowsOf = (name: keyof typeof names): ReadonlyArray<Row> => {
    const ofBare = (of: keyof Started) => times(name, "bare", (started) => started[of])
    const ratio = (id: string, what: string, of: keyof Started, atMost: number) =>
      row(`${id}-of-bare-${name}`, `${names[name]}: ${what}, of ${names.bare}'s`, ofBare(of), "times", "", { atMost })
    const one = (id: string, what: string, of: keyof Started, unit: "ms" | "MB") => {
      const value = spread((round) => round[name][of])
      const beside = name === "bare" ? "" : `${short(ofBare(of).median)} times bare`
      return row(`${id}-${name}`, `${names[name]}: ${what}`, value, unit, beside)
    }
    const ratios = [
      ratio("start", "first answer", "answeredMillis", 2.2),
      ratio("idle", "resident memory after it", "idleMegabytes", 1.5)
    ]
    return [
      ...(name === "bare" ? [] : ratios),
      one("start", "process start to first answer", "answeredMillis", "ms"),
      one("idle", "resident memory after its first answer", "idleMegabytes", "MB"),
      one("loaded", `resident memory after ${short(seconds)} s of load, ${inFlight} at once`, "loadedMegabytes", "MB")
    ]
  }
  const rows = (Object.keys(names) as Array<keyof typeof names>).flatMap(rowsOf)
  return {
    id: "start",
    title: "Start and memory of the server, one process, from its bundle; and the package for Node backends",
    rows: [...rows.filter(({ value }) => Number.isFinite(value.median)), ...(await packageRows(options))],
    note: Number.isNaN(residentMegabytes(process.pid)) ? "Memory is read from /proc, which is not here." : ""
  }
}

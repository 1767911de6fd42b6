/**
 * From the start of the server's process to its first answer, and the memory that it takes; and what `@pointsman/node`
 * takes where it is installed and imported.
 */
import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { createBody } from "../kit/CreateRequest.ts"
import { closed } from "../kit/Load.ts"
import { nodePackage } from "../kit/NodePackage.ts"
import type { Measure } from "../kit/Options.ts"
import { type Row, short } from "../kit/Result.ts"
import { inRounds, spread } from "../kit/Rounds.ts"
import { keysOf, residentMegabytes, startServer } from "../kit/Server.ts"
import { ended, forked } from "../kit/Side.ts"
import { startClient, startProvider } from "../kit/Sides.ts"

interface Started {
  readonly answeredMillis: number
  readonly idleMegabytes: number
  readonly loadedMegabytes: number
}

const inFlight = 16

const packageRows = async (rounds: number): Promise<ReadonlyArray<Row>> => {
  const { importMillis, megabytes, openMillis } = await nodePackage()
  const sides = { imported: async () => importMillis(), opened: async () => openMillis() }
  const measured = await inRounds(rounds, sides, () => {})
  return [
    {
      id: "node-installed",
      what: "@pointsman/node, installed, without dependencies",
      value: { median: megabytes, min: megabytes, max: megabytes },
      unit: "MB",
      atMost: 8,
      beside: ""
    },
    {
      id: "node-imported",
      what: "@pointsman/node, imported",
      value: spread(measured, (round) => round.imported),
      unit: "ms",
      atMost: 200,
      beside: ""
    },
    {
      id: "node-opened",
      what: "@pointsman/node, imported and opened over memory",
      value: spread(measured, (round) => round.opened),
      unit: "ms",
      beside: ""
    }
  ]
}

export const start: Measure = async ({ folder, postgres, rounds, seconds, tell }) => {
  const provider = await startProvider()
  const client = await startClient()
  const providers = { agreeing: `${provider.url}/0` }
  const { agreeing: key } = keysOf(providers)
  const postgresUrl = await postgres.newDatabase("start")
  const imageUrl = await postgres.newDatabase("image")
  execFileSync(process.execPath, [
    fileURLToPath(new URL("../../../scripts/build/Snapshot.ts", import.meta.url)),
    folder
  ])
  const snapshot = join(folder, "server.blob")

  /** The same folder or database each time: after the first start it holds payments. */
  const server = async (
    name: string,
    options: { readonly databaseUrl?: string; readonly snapshot?: string } = {}
  ): Promise<Started> => {
    const began = performance.now()
    const started = await startServer({ ...options, folder: join(folder, `start-${name}`), providers })
    try {
      const create = { origin: started.url, path: "/api/v1/payments", key, body: createBody, expected: 201 }
      await client.ask({ ...create, load: closed(1, 0) })
      const answeredMillis = performance.now() - began
      const idleMegabytes = residentMegabytes(started.pid) ?? Number.NaN
      await client.ask({ ...create, load: closed(inFlight, seconds) })
      return { answeredMillis, idleMegabytes, loadedMegabytes: residentMegabytes(started.pid) ?? Number.NaN }
    } finally {
      await started.stop()
    }
  }
  const bare = async (): Promise<Started> => {
    const began = performance.now()
    const child = forked(fileURLToPath(new URL("../sides/HelloServer.ts", import.meta.url)), { output: "pipe" })
    const origin = await new Promise<string>((resolve) => {
      child.stdout?.setEncoding("utf8").on("data", (text: string) => resolve(text.trim()))
    })
    const asked = { origin, path: "/", key: "", body: {}, expected: 201 }
    await client.ask({ ...asked, load: closed(1, 0) })
    const answeredMillis = performance.now() - began
    const idleMegabytes = residentMegabytes(child.pid ?? 0) ?? Number.NaN
    await client.ask({ ...asked, load: closed(inFlight, seconds) })
    const loadedMegabytes = residentMegabytes(child.pid ?? 0) ?? Number.NaN
    child.kill("SIGTERM")
    await ended(child)
    return { answeredMillis, idleMegabytes, loadedMegabytes }
  }
  try {
    const sides = {
      bare,
      sqlite: () => server("sqlite"),
      postgres: () => server("postgres", { databaseUrl: postgresUrl }),
      "image-sqlite": () => server("image-sqlite", { snapshot }),
      "image-postgres": () => server("image-postgres", { snapshot, databaseUrl: imageUrl })
    }
    await sides.sqlite()
    await sides.postgres()
    await sides["image-sqlite"]()
    await sides["image-postgres"]()
    const measured = await inRounds(rounds, sides, (name, { answeredMillis }) =>
      tell(`${name}: ${short(answeredMillis)} ms`)
    )
    const names = {
      bare: "a bare node:http server",
      sqlite: "the server on SQLite",
      postgres: "the server on PostgreSQL",
      "image-sqlite": "the server on SQLite, from the image's snapshot",
      "image-postgres": "the server on PostgreSQL, from the image's snapshot"
    }
    const rows = (["sqlite", "image-sqlite", "postgres", "image-postgres", "bare"] as const).flatMap(
      (name): ReadonlyArray<Row> => {
        const ofBare = (of: keyof Started) =>
          name === "bare"
            ? ""
            : `${short(spread(measured, (round) => round[name][of] / round.bare[of]).median)} times bare`
        const ratio = (id: string, what: string, of: keyof Started, atMost: number): Row => ({
          id: `${id}-of-bare-${name}`,
          what: `${names[name]}: ${what}, of a bare node:http server's`,
          value: spread(measured, (round) => round[name][of] / round.bare[of]),
          unit: "times",
          atMost,
          beside: ""
        })
        const ratios = [
          ratio("start", "first answer", "answeredMillis", 2.2),
          ratio("idle", "resident memory after it", "idleMegabytes", 1.5)
        ]
        return [
          ...(name === "bare" ? [] : ratios),
          {
            id: `start-${name}`,
            what: `${names[name]}: process start to first answer`,
            value: spread(measured, (round) => round[name].answeredMillis),
            unit: "ms",
            beside: ofBare("answeredMillis")
          },
          {
            id: `idle-${name}`,
            what: `${names[name]}: resident memory after its first answer`,
            value: spread(measured, (round) => round[name].idleMegabytes),
            unit: "MB",
            beside: ofBare("idleMegabytes")
          },
          {
            id: `loaded-${name}`,
            what: `${names[name]}: resident memory after ${short(seconds)} s of load, ${inFlight} at once`,
            value: spread(measured, (round) => round[name].loadedMegabytes),
            unit: "MB",
            beside: ofBare("loadedMegabytes")
          }
        ]
      }
    )
    return {
      id: "start",
      title: "Start and memory of the server, one process, from its bundle; and the package for Node backends",
      rows: [...rows.filter(({ value }) => Number.isFinite(value.median)), ...(await packageRows(rounds))],
      note: residentMegabytes(process.pid) === undefined ? "Memory is read from /proc, which is not here." : ""
    }
  } finally {
    await client.stop()
    await provider.stop()
    await postgres.dropDatabase(postgresUrl)
    await postgres.dropDatabase(imageUrl)
  }
}

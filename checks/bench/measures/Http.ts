/**
 * What the reference server makes of the library: creates over HTTP, 16 at once, from a client in another process. The
 * provider is behind HTTP too, and the library is measured beside it with that same provider and without.
 */
import { join } from "node:path"
import { createBody } from "../kit/CreateRequest.ts"
import { closed } from "../kit/Load.ts"
import type { Measure } from "../kit/Options.ts"
import { processorMicros } from "../kit/Processors.ts"
import { type Row, short } from "../kit/Result.ts"
import { inRounds, spread } from "../kit/Rounds.ts"
import { keysOf, startServer } from "../kit/Server.ts"
import { startClient, startLibrary, startProvider } from "../kit/Sides.ts"

const inFlight = 16

export const http: Measure = async ({ folder, postgres, rounds, seconds, smoke, tell }) => {
  const provider = await startProvider()
  const client = await startClient()
  const providers = { agreeing: `${provider.url}/0` }
  const { agreeing: key } = keysOf(providers)
  const load = closed(inFlight, seconds)

  const measure = async (
    on: "PostgreSQL" | "SQLite",
    newDatabase: (name: string) => Promise<{ readonly url?: string; readonly filename: string }>
  ): Promise<ReadonlyArray<Row>> => {
    const [forServer, forLibrary, forAlone] = [
      await newDatabase("server"),
      await newDatabase("http"),
      await newDatabase("alone")
    ]
    const storageOf = ({ filename, url }: typeof forServer) =>
      url === undefined ? ({ _tag: "sqlite", filename } as const) : ({ _tag: "postgres", url } as const)
    const server = await startServer({ folder: join(folder, `server-${on}`), databaseUrl: forServer.url, providers })
    const library = await startLibrary({
      storage: storageOf(forLibrary),
      provider: { _tag: "http", url: providers.agreeing }
    })
    const alone = await startLibrary({
      storage: storageOf(forAlone),
      provider: { _tag: "agreeing", from: 0, to: 0 }
    })
    try {
      const create = { path: "/api/v1/payments", key, body: createBody, expected: 201 }
      const used = () => processorMicros(() => [server.pid])
      const askLibrary = async (one: typeof library) => {
        const sample = await one.ask({ _tag: "create", load })
        return { ...sample, ownMicros: sample.processorMicros }
      }
      const sides = {
        library: () => askLibrary(library),
        server: async () => {
          const before = used()
          const sample = await client.ask({ ...create, origin: server.url, load })
          return { ...sample, ownMicros: (used() - before) / sample.done }
        },
        alone: () => askLibrary(alone)
      }
      for (const side of Object.values(sides)) await side()
      const measured = await inRounds(rounds, sides, (name, { perSecond }) =>
        tell(`${on}: ${name} ${short(perSecond)}/s`)
      )
      const micros = (name: keyof typeof sides, of: "ownMicros" | "processorMicros") =>
        `${short(spread(measured, (round) => round[name][of]).median)} µs`
      const rate = (name: keyof typeof sides) => `${short(spread(measured, (round) => round[name].perSecond).median)}/s`
      return [
        {
          id: `server-of-library-${on}`,
          what: `the server on ${on}, of the library, both before the same provider over HTTP`,
          value: spread(measured, (round) => round.server.perSecond / round.library.perSecond),
          unit: "times",
          atLeast: 0.8,
          beside: `${rate("server")} of ${rate("library")}`
        },
        {
          id: `server-of-alone-${on}`,
          what: `the server on ${on}, of the library with a provider in its process`,
          value: spread(measured, (round) => round.server.perSecond / round.alone.perSecond),
          unit: "times",
          beside: `${rate("server")} of ${rate("alone")}`
        },
        {
          id: `server-processor-${on}`,
          what: `the server on ${on}, its processor time for a create, of the library's before the same provider`,
          value: spread(measured, (round) => round.server.ownMicros / round.library.ownMicros),
          unit: "times",
          beside: `${micros("server", "ownMicros")} for ${micros("library", "ownMicros")}; its client takes ${micros("server", "processorMicros")}`
        }
      ]
    } finally {
      await alone.stop()
      await library.stop()
      await server.stop()
    }
  }
  try {
    const onPostgres = await measure("PostgreSQL", async (name) => ({
      url: await postgres.newDatabase(name),
      filename: ""
    }))
    const onSqlite = smoke
      ? []
      : await measure("SQLite", async (name) => ({ filename: join(folder, `http-${name}.db`) }))
    return {
      id: "http",
      title: `Creates through the server, one process, ${inFlight} at once`,
      rows: [...onPostgres, ...onSqlite],
      note: ""
    }
  } finally {
    await client.stop()
    await provider.stop()
  }
}

/**
 * What the reference server makes of the library: creates over HTTP, 16 at once, from a client in another process. The
 * provider is behind HTTP too, and the library is measured beside it with that same provider and without.
 */
import { join } from "node:path"
import { compare } from "../kit/Compare.ts"
import { createAt } from "../kit/CreateRequest.ts"
import { closed, type Sample } from "../kit/Load.ts"
import { processorMicros } from "../kit/Processors.ts"
import { type Measure, type Row, row, short } from "../kit/Result.ts"
import { keysOf, startServer } from "../kit/Server.ts"
import { type Library, startClient, startLibrary, startProvider } from "../kit/Sides.ts"
import type { LibrarySettings } from "../sides/Library.ts"

const inFlight = 16

export const http: Measure = async (options) => {
  const { folder, postgres, seconds, smoke } = options
  const provider = await startProvider()
  const client = await startClient()
  const providers = { agreeing: `${provider.url}/0` }
  const load = closed(inFlight, seconds)

  const measure = async (on: "PostgreSQL" | "SQLite"): Promise<ReadonlyArray<Row>> => {
    const start = async (name: string, provider: LibrarySettings["provider"] = { slowestMillis: 0 }) =>
      startLibrary({
        storage:
          on === "PostgreSQL"
            ? { _tag: "postgres", url: await postgres.newDatabase(name) }
            : { _tag: "sqlite", filename: join(folder, `http-${name}.db`) },
        provider
      })
    const databaseUrl = on === "PostgreSQL" ? await postgres.newDatabase("server") : undefined
    const server = await startServer({ folder: join(folder, `server-${on}`), databaseUrl, providers })
    const library = await start("http", { url: providers.agreeing })
    const alone = await start("alone")
    const used = () => processorMicros(() => [server.pid])
    const ask = (one: Library) => async () => {
      const sample = await one.ask({ _tag: "create", load })
      return { ...sample, ownMicros: sample.processorMicros }
    }
    const { median, times } = await compare(
      options,
      {
        library: ask(library),
        server: async () => {
          const before = used()
          const sample = await client.ask({ ...createAt(server.url, keysOf(providers).agreeing), load })
          return { ...sample, ownMicros: (used() - before) / sample.done }
        },
        alone: ask(alone)
      },
      (name, { perSecond }) => `${on}: ${name} ${short(perSecond)}/s`
    )
    const rate = ({ perSecond }: Sample) => perSecond
    const micros = ({ ownMicros }: { readonly ownMicros: number }) => ownMicros
    const [byLibrary, byAlone] = [times("server", "library", rate), times("server", "alone", rate)]
    const rates = (other: "library" | "alone") => `${median("server", rate)}/s of ${median(other, rate)}/s`
    const clientMicros = median("server", ({ processorMicros }) => processorMicros)
    const both = `${median("server", micros)} µs for ${median("library", micros)} µs; its client takes ${clientMicros} µs`
    const what = `the server on ${on}`
    const before = `${what}, of the library, both before the same provider over HTTP`
    const processor = `${what}, its processor time for a create, of the library's before the same provider`
    const inProcess = `${what}, of the library with a provider in its process`
    return [
      row(`server-of-library-${on}`, before, byLibrary, "times", rates("library"), { atLeast: 0.8 }),
      row(`server-of-alone-${on}`, inProcess, byAlone, "times", rates("alone")),
      row(`server-processor-${on}`, processor, times("server", "library", micros), "times", both)
    ]
  }
  return {
    id: "http",
    title: `Creates through the server, one process, ${inFlight} at once`,
    rows: [...(await measure("PostgreSQL")), ...(smoke ? [] : await measure("SQLite"))],
    note: ""
  }
}

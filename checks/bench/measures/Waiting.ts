/**
 * What a caller waits for besides the provider, at half of what the server can do beside a provider of 50 ms: at the
 * library, at the server, and at a bare `node:http` proxy that writes the same twice and asks the same provider.
 */
import { join } from "node:path"
import { type Compared, compare } from "../kit/Compare.ts"
import { createAt, createBody } from "../kit/CreateRequest.ts"
import { recordCreate } from "../kit/CreateStatements.ts"
import { closed, open, type Sample, type Waits } from "../kit/Load.ts"
import { type Measure, type Row, row, short } from "../kit/Result.ts"
import { keysOf, startServer } from "../kit/Server.ts"
import { startClient, startLibrary, startProvider, startProxy } from "../kit/Sides.ts"

/** Enough that the peak is the machine's, and not the provider's. */
const peakInFlight = 128
const connections = 11

export const waiting: Measure = async (options) => {
  const { folder, postgres, seconds, smoke, tell } = options
  const provider = await startProvider()
  const client = await startClient()
  const proxyDatabase = await postgres.newDatabase("proxy")
  const statements = await recordCreate(proxyDatabase)
  const proxy = await startProxy({ url: proxyDatabase, connections, statements, provider: provider.url })
  const delays = smoke ? [50] : [50, 0, 200]
  const providers = Object.fromEntries(delays.map((millis) => [`at${millis}`, `${provider.url}/${millis}`]))
  const keys: Readonly<Record<string, string>> = keysOf(providers)
  const server = await startServer({
    folder: join(folder, "server-waiting"),
    databaseUrl: await postgres.newDatabase("server"),
    providers
  })
  const atServer = createAt(server.url, keys["at50"] as string)
  // A server that has just started refuses so many at once: its code is not compiled yet.
  await client.ask({ ...atServer, load: closed(8, Math.max(4, seconds)) })
  const all = { ...atServer, load: closed(peakInFlight, seconds) }
  await client.ask(all)
  const peak = await client.ask(all)
  const perSecond = Math.max(1, Math.round(peak.perSecond / 2))
  tell(`the server's peak beside a provider of 50 ms: ${short(peak.perSecond)}/s`)
  const load = open(perSecond, seconds)
  const rows: Array<Row> = []
  for (const delay of delays) {
    const library = await startLibrary({
      storage: { _tag: "postgres", url: await postgres.newDatabase("library") },
      provider: { url: `${provider.url}/${delay}` }
    })
    const origin = new URL(provider.url).origin
    const charge = { path: `/after/${delay}/charges`, body: { ...createBody, capture: true }, expected: 200 }
    const compared = await compare(
      options,
      {
        provider: () => client.ask({ ...charge, origin, key: "provider-api-key", load }),
        proxy: () => client.ask({ ...createAt(proxy.url, ""), path: `/${delay}`, load }),
        library: () => library.ask({ _tag: "create", load }),
        server: () => client.ask({ ...atServer, key: keys[`at${delay}`] as string, load })
      },
      (name, { waits: { p50, p99 } }) => `${name} beside ${delay} ms: p50 ${short(p50)}, p99 ${short(p99)} ms`
    )
    rows.push(...rowsOf(delay, compared))
  }
  return {
    id: "waiting",
    title: `What a caller waits for besides its provider, over PostgreSQL, ${perSecond} begun each second`,
    rows,
    note: `Half of the server's peak beside a provider of 50 ms, which was ${short(peak.perSecond)}/s.`
  }
}

const names = { proxy: "a bare proxy", library: "the library", server: "the server" } as const

const rowsOf = (beside: number, compared: Compared<"provider" | keyof typeof names, Sample>): ReadonlyArray<Row> => {
  const { median, spread, times } = compared
  const wait = (name: keyof typeof names | "provider", share: keyof Waits) =>
    `${share} ${median(name, ({ waits }) => waits[share])}`
  const isAsked = beside === 50
  return [
    ...(["proxy", "library", "server"] as const).map((name) =>
      row(
        `added-${name}-${beside}`,
        `${names[name]} beside ${beside} ms: the median, above them`,
        spread((round) => round[name].waits.p50 - beside),
        "ms",
        `${wait(name, "p50")}, ${wait(name, "p95")}, ${wait(name, "p99")} ms`
      )
    ),
    row(
      `server-above-proxy-${beside}`,
      `the server's median beside ${beside} ms, above the bare proxy's`,
      spread(({ proxy, server }) => server.waits.p50 - proxy.waits.p50),
      "ms",
      "with the same commits",
      isAsked ? { atMost: 1.5 } : {}
    ),
    row(
      `server-p99-of-proxy-${beside}`,
      `the server's p99 beside ${beside} ms, of the bare proxy's`,
      times("server", "proxy", ({ waits }) => waits.p99),
      "times",
      `the provider alone: ${wait("provider", "p50")}, ${wait("provider", "p99")} ms`,
      isAsked ? { atMost: 2 } : {}
    )
  ]
}

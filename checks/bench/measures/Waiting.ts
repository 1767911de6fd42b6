/**
 * What a caller waits for besides the provider, at half of what the server can do beside a provider of 50 ms: at the
 * library, at the server, and at a bare `node:http` proxy that writes the same twice and asks the same provider.
 */
import { join } from "node:path"
import { createBody } from "../kit/CreateRequest.ts"
import { recordCreate } from "../kit/CreateStatements.ts"
import { closed, open, type Sample } from "../kit/Load.ts"
import type { Measure } from "../kit/Options.ts"
import { type Row, short } from "../kit/Result.ts"
import { inRounds, type Round, spread } from "../kit/Rounds.ts"
import { keysOf, startServer } from "../kit/Server.ts"
import { type Library, startClient, startLibrary, startProvider, startProxy } from "../kit/Sides.ts"

/** Enough that the peak is the machine's, and not the provider's. */
const peakInFlight = 128
const connections = 11

const millis = { at0: 0, at50: 50, at200: 200 } as const
type Delay = keyof typeof millis

export const waiting: Measure = async ({ folder, postgres, rounds, seconds, smoke, tell }) => {
  const provider = await startProvider()
  const client = await startClient()
  const proxyDatabase = await postgres.newDatabase("proxy")
  const statements = await recordCreate(proxyDatabase)
  const proxy = await startProxy({ url: proxyDatabase, connections, statements, provider: provider.url })
  const providers = {
    at0: `${provider.url}/${millis.at0}`,
    at50: `${provider.url}/${millis.at50}`,
    at200: `${provider.url}/${millis.at200}`
  }
  const keys = keysOf(providers)
  const server = await startServer({
    folder: join(folder, "server-waiting"),
    databaseUrl: await postgres.newDatabase("server"),
    providers
  })
  const delays: ReadonlyArray<Delay> = smoke ? ["at50"] : ["at50", "at0", "at200"]
  const libraries = new Map<Delay, Library>()
  for (const delay of delays) {
    const url = await postgres.newDatabase("library")
    const storage = { _tag: "postgres", url } as const
    libraries.set(delay, await startLibrary({ storage, provider: { _tag: "http", url: providers[delay] } }))
  }
  const create = { path: "/api/v1/payments", body: createBody, expected: 201 }
  try {
    // A server that has just started refuses so many at once: its code is not compiled yet.
    await client.ask({ ...create, origin: server.url, key: keys.at50, load: closed(8, Math.max(4, seconds)) })
    const all = closed(peakInFlight, seconds)
    await client.ask({ ...create, origin: server.url, key: keys.at50, load: all })
    const peak = await client.ask({ ...create, origin: server.url, key: keys.at50, load: all })
    const perSecond = Math.max(1, Math.round(peak.perSecond / 2))
    tell(`the server's peak beside a provider of 50 ms: ${short(peak.perSecond)}/s`)
    const load = open(perSecond, seconds)
    const rows: Array<Row> = []
    for (const delay of delays) {
      const library = libraries.get(delay)
      if (library === undefined) continue
      const origin = new URL(provider.url).origin
      const charge = { path: `/after/${millis[delay]}/charges`, body: { ...createBody, capture: true }, expected: 200 }
      const sides = {
        provider: () => client.ask({ ...charge, origin, key: "provider-api-key", load }),
        proxy: () => client.ask({ ...create, path: `/${millis[delay]}`, origin: proxy.url, key: "", load }),
        library: () => library.ask({ _tag: "create", load }),
        server: () => client.ask({ ...create, origin: server.url, key: keys[delay], load })
      }
      for (const side of [sides.proxy, sides.library, sides.server]) await side()
      const measured = await inRounds(rounds, sides, (name, { waits }) =>
        tell(`${name} beside ${millis[delay]} ms: p50 ${short(waits.p50)}, p99 ${short(waits.p99)} ms`)
      )
      rows.push(...rowsOf(millis[delay], measured))
    }
    return {
      id: "waiting",
      title: `What a caller waits for besides its provider, over PostgreSQL, ${perSecond} begun each second`,
      rows,
      note: `Half of the server's peak beside a provider of 50 ms, which was ${short(peak.perSecond)}/s.`
    }
  } finally {
    await server.stop()
    for (const library of libraries.values()) await library.stop()
    await proxy.stop()
    await client.stop()
    await provider.stop()
  }
}

const rowsOf = (
  providerMillis: number,
  measured: ReadonlyArray<Round<"provider" | "proxy" | "library" | "server", Sample>>
): ReadonlyArray<Row> => {
  const names = { proxy: "a bare proxy", library: "the library", server: "the server" } as const
  const added = (["proxy", "library", "server"] as const).map((name): Row => {
    const [p50, p95, p99] = (["p50", "p95", "p99"] as const).map((share) =>
      short(spread(measured, (round) => round[name].waits[share]).median)
    )
    return {
      id: `added-${name}-${providerMillis}`,
      what: `${names[name]} beside ${providerMillis} ms: the median, above them`,
      value: spread(measured, (round) => round[name].waits.p50 - providerMillis),
      unit: "ms",
      beside: `p50 ${p50}, p95 ${p95}, p99 ${p99} ms`
    }
  })
  return [
    ...added,
    {
      id: `server-above-proxy-${providerMillis}`,
      what: `the server's median beside ${providerMillis} ms, above the bare proxy's`,
      value: spread(measured, (round) => round.server.waits.p50 - round.proxy.waits.p50),
      unit: "ms",
      ...(providerMillis === 50 ? { atMost: 1.5 } : {}),
      beside: "with the same commits"
    },
    {
      id: `server-p99-of-proxy-${providerMillis}`,
      what: `the server's p99 beside ${providerMillis} ms, of the bare proxy's`,
      value: spread(measured, (round) => round.server.waits.p99 / round.proxy.waits.p99),
      unit: "times",
      ...(providerMillis === 50 ? { atMost: 2 } : {}),
      beside: `the provider alone: p50 ${short(spread(measured, (round) => round.provider.waits.p50).median)}, p99 ${short(
        spread(measured, (round) => round.provider.waits.p99).median
      )} ms`
    }
  ]
}

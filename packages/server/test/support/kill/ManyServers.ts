/**
 * Several servers on one database of PostgreSQL, or of a cluster, under steady load from a merchant whose every request goes to any of
 * them, so that a key that is sent more than once meets several. Servers are killed one at a time, PostgreSQL with all of
 * its processes, and both come back; the provider, the receiver, the merchant and the follower outlive them all.
 */
import { type ServerProcess, startServer, temporaryFolder } from "../ServerProcess.ts"
import { drawFrom } from "./Draw.ts"
import type { Shop } from "./Merchant.ts"
import { evidenceFrom, openTown, untilAtRest } from "./Rest.ts"
import { apiKey, configurationFor, environment, muchMillis, pause } from "./Setting.ts"

/** The database that is killed under the servers. */
export interface KilledDatabase {
  /** What a server needs to run on it, by the server's place. */
  readonly environmentAt: (at: number) => Readonly<Record<string, string>>
  /** Its clock goes ahead of this machine's by so many milliseconds. Its servers have to be started after it. */
  readonly goAhead: (millis: number) => Promise<void>
  /** SIGKILL for its processes. */
  readonly kill: () => Promise<void>
  readonly restart: () => Promise<void>
}

/** Each of the servers does again what it did before, in milliseconds after the database accepted a connection. */
export interface Back {
  readonly createMillis: number
  readonly readMillis: number
}

/** A second is usual, and more than five are an outage. */
export const backWithinMillis = 5_000

/** How many requests the merchant has under way: the servers are not at their end. */
const lanes = 8

/** A server is killed while so many writes wait for its answer: one of them may have been answered just before. */
const killedWrites = 2

/** Longer than the seconds for which a server goes on trying to write an answer down: else its key would be answered twice. */
const claimWindow = "10 seconds"

export const startManyServers = async (database: KilledDatabase, seed: number, count: number) => {
  const draw = drawFrom(seed)
  const folders = Array.from({ length: count }, temporaryFolder)
  const up = new Map<number, ServerProcess>()
  const killed = new Set<ServerProcess>()
  /** Writes that wait for an answer, by their server. */
  const underWay = new Map<ServerProcess, number>()
  const countWrite = (server: ServerProcess, method: string, more: number) => {
    if (method === "POST") underWay.set(server, (underWay.get(server) ?? 0) + more)
  }
  let aheadMillis = 0
  /** Until when everybody should be back after the last kill of PostgreSQL, in this machine's time. */
  let outageEnds = 0
  const isExcused = (since: number) => since <= outageEnds

  const anyServer = () => draw.one([...up.values()])
  const target = () => anyServer()?.url
  const now = () => Date.now() + aheadMillis
  const town = await openTown(seed, { target, now, isExcused })
  const { merchant, provider, receiver } = town

  /** No answer is to be expected of a server that was killed, and of no other. */
  const shopAt = (server: () => ServerProcess | undefined): Shop => ({
    request: async (...asked) => {
      const one = server()
      if (one === undefined) throw new Error("no server is up")
      const since = Date.now()
      countWrite(one, asked[0], 1)
      try {
        const answer = await one.request(...asked)
        return { ...answer, duringOutage: isExcused(since) }
      } catch (cause) {
        if (killed.has(one)) throw cause
        throw new Error(`${one.url} did not answer ${asked[0]} ${asked[1]}\n${one.stderr()}`, { cause })
      } finally {
        countWrite(one, asked[0], -1)
      }
    }
  })
  const shop = shopAt(anyServer)

  const startAt = async (at: number) => {
    up.set(
      at,
      await startServer({
        folder: folders[at] ?? "",
        configuration: configurationFor(provider, receiver),
        environment: {
          ...environment,
          POINTSMAN_CLAIM_WINDOW: claimWindow,
          // Those that write commits together and those that write each alone are in no other's way.
          POINTSMAN_BATCH_COMMITS: String(at % 2 === 1),
          ...database.environmentAt(at)
        },
        clockAheadMillis: aheadMillis
      })
    )
  }
  const startAll = () => Promise.all(folders.map((_, at) => startAt(at)))
  await startAll()

  let isOver = false
  let work: Promise<void> = Promise.resolve()

  const until = async (isSo: () => Promise<boolean>): Promise<number> => {
    const began = performance.now()
    // Bounded by the time that the test allows, which is measured here.
    while (!(await isSo()) && performance.now() - began < 4 * backWithinMillis) await pause(10)
    return Math.round(performance.now() - began)
  }

  const backAt = async (server: ServerProcess): Promise<Back> => {
    const own = shopAt(() => server)
    const [createMillis, readMillis] = await Promise.all([
      until(() => merchant.createOne(own, draw)),
      until(async () => (await own.request("GET", "/api/v1/payments?limit=1", { key: apiKey })).status === 200)
    ])
    return { createMillis, readMillis }
  }

  return {
    ...town,
    /** The merchant begins, and does not stop before `rest`. */
    open: () => {
      work = merchant.work(shop, draw, { isOver: () => isOver, mayBeLost: () => true, lanes })
    },
    /** Resolves when so many more things were acknowledged; fails where the merchant did. */
    busy: async (acknowledgements: number) => {
      const before = merchant.acknowledged()
      while (merchant.acknowledged() < before + acknowledgements)
        await Promise.race([pause(5), work.then(() => pause(5))])
    },
    killServer: async (at: number) => {
      const server = up.get(at)
      if (server === undefined) return
      // A kill that no write meets proves nothing. Bounded by the time that the test allows.
      while ((underWay.get(server) ?? 0) < killedWrites) await pause(1)
      up.delete(at)
      killed.add(server)
      await server.kill("SIGKILL")
    },
    startServer: startAt,
    /** `kill -9` of the database, and its start after `millis`; gives what each server that is up needs from then on. */
    crashDatabase: async (millis: number) => {
      outageEnds = Number.POSITIVE_INFINITY
      await database.kill()
      await pause(millis)
      await database.restart()
      outageEnds = Date.now() + backWithinMillis
      return Promise.all([...up.values()].map(backAt))
    },
    /** Stops all faults; returns the records to compare, as each server shows them. */
    rest: async () => {
      isOver = true
      await work
      provider.calm()
      receiver.calm()
      // The provider does not know that its time goes ahead: what it still executes it would execute too late.
      await provider.idle()
      const stopped = [...up.values()]
      up.clear()
      for (const server of stopped) {
        const { code, stderr } = await server.stop()
        if (code !== 0) throw new Error(`a server ended with ${code}\n${stderr}`)
      }
      aheadMillis = muchMillis
      await database.goAhead(aheadMillis)
      await startAll()
      const [first, ...others] = [...up.values()] as [ServerProcess, ...Array<ServerProcess>]
      await untilAtRest(first, town)
      await merchant.repeat(shop, draw, 60)
      const evidence = (server: ServerProcess) => evidenceFrom(server, town)
      const gathered = [await evidence(first), ...(await Promise.all(others.map(evidence)))] as const
      for (const server of up.values()) await server.stop()
      return gathered
    }
  }
}

export type ManyServers = Awaited<ReturnType<typeof startManyServers>>

/**
 * One database, the servers that are started over it and killed one after the other, and all that outlives them: the
 * provider, the receiver of webhooks, the merchant, the follower of events. Time goes ahead while no server is up, so
 * that what a dead process held is free again without anybody waiting for it.
 */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { type ServerProcess, startAndKill, startServer, temporaryFolder } from "../ServerProcess.ts"
import { type Draw, drawFrom } from "./Draw.ts"
import { evidenceFrom, openTown, untilAtRest } from "./Rest.ts"
import { configurationFor, environment, muchMillis, pause } from "./Setting.ts"

/** Where the servers keep what they know. */
export interface KillStorage {
  readonly name: string
  /** Gives the settings that name a new and empty database. */
  readonly open: (folder: string) => Promise<{
    /** For the next server. */
    readonly environment: () => Readonly<Record<string, string>>
    /** How long the first server takes to make it, where that is more than a moment. In milliseconds. */
    readonly makingMillis?: number
    /** Whether the first server has reached it. */
    readonly isBegun: () => Promise<boolean>
    /** For a database with a clock of its own, which goes ahead of this machine's from now on. */
    readonly goAhead?: (millis: number) => Promise<void>
  }>
}

export const sqliteFile: KillStorage = {
  name: "SQLite",
  open: async (folder) => ({
    environment: () => ({}),
    isBegun: async () => existsSync(join(folder, ".pointsman", "pointsman.db"))
  })
}

export const openKillWorld = async (seed: number, storage: KillStorage) => {
  const folder = temporaryFolder()
  const database = await storage.open(folder)
  const draw = drawFrom(seed)
  let aheadMillis = 0
  let startMillis = 1_000
  let server: ServerProcess | undefined
  const target = () => server?.url
  const now = () => Date.now() + aheadMillis
  const town = await openTown(seed, { target, now })
  const { merchant, provider, receiver } = town

  const options = () => ({
    folder,
    configuration: configurationFor(provider, receiver),
    environment: { ...environment, ...database.environment() },
    clockAheadMillis: aheadMillis
  })

  const start = async (): Promise<ServerProcess> => {
    const began = Date.now()
    const started = await startServer(options())
    startMillis = Date.now() - began
    server = started
    return started
  }

  const passTime = async (millis: number) => {
    if (millis === 0) return
    // The provider does not know that its time went ahead: what it still executes it would execute too late.
    await provider.idle()
    aheadMillis += millis
    await database.goAhead?.(aheadMillis)
  }

  return {
    ...town,
    /** The first start of all, killed while it makes its database. */
    killWhileMigrating: async () => {
      await startAndKill(options(), async () => {
        const deadline = Date.now() + 20_000
        while (!(await database.isBegun()) && Date.now() < deadline) await pause(1)
        await pause(draw.between(0, database.makingMillis ?? 20))
      })
    },
    /** One life of a server, from its start to `kill -9`. */
    round: async (number: number) => {
      const drawn = drawFrom(seed + 1_000 * number)
      await passTime(timeOff(drawn))
      if (drawn.chance(0.15)) {
        await startAndKill(options(), () => pause(drawn.between(0, Math.ceil(1.2 * startMillis))))
      }
      const running = await start()
      let isGone = false
      // Of the shortest run, too, there is something to compare.
      const life = number === 1 ? "busy" : drawn.weighted(lives)
      // Where the merchant fails, the life is over at once, and the round fails with it.
      const work = life === "idle" ? [] : [merchant.work(running, drawn, { isOver: () => isGone })]
      const before = merchant.acknowledged()
      // However slow the machine: in a busy life something is acknowledged, and more is under way.
      while (life === "busy" && merchant.acknowledged() === before) await Promise.race([pause(5), ...work])
      await Promise.race([pause(drawn.between(...livesMillis[life])), ...work])
      isGone = true
      server = undefined
      await running.kill("SIGKILL")
      await Promise.all(work)
    },
    /** Stops all faults; returns the records to compare once every payment has settled. */
    rest: async () => {
      provider.calm()
      receiver.calm()
      await passTime(muchMillis)
      const running = await start()
      await untilAtRest(running, town)
      const evidence = await evidenceFrom(running, town)
      await running.stop()
      return evidence
    }
  }
}

export type KillWorld = Awaited<ReturnType<typeof openKillWorld>>

/** Of a server: with many requests, with its first ones, or with none but its own background. */
const lives = { busy: 7, short: 2, idle: 2 } as const
const livesMillis: Readonly<Record<keyof typeof lives, readonly [number, number]>> = {
  busy: [20, 1_200],
  short: [0, 200],
  idle: [0, 1_500]
}

/** For how long the server is off before it is started again. After a minute, leases are over. */
const timeOff = (draw: Draw): number => {
  const off = draw.weighted({ none: 4, seconds: 3, minute: 3 })
  return off === "none" ? 0 : off === "seconds" ? draw.between(2_000, 10_000) : draw.between(61_000, muchMillis)
}

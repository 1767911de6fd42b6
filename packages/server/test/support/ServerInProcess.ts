/** `ServerHere` under a clock that the test turns: nothing passes by itself, and a test waits until all is done. */
import { join } from "node:path"
import { RefusalTick } from "@pointsman/core/internal"
import { Context, Random } from "effect"
import { watchCrypto } from "./CryptoUnderWay.ts"
import { type ServerHere, startServerHere } from "./ServerHere.ts"
import type { TurnedClock } from "./TurnedClock.ts"

export interface ServerInProcess extends ServerHere {
  /**
   * Waits until nothing is under way: every provider has answered, every webhook, and what they said is written. But for
   * so many calls that the test lets hang.
   */
  readonly rest: (hanging?: number) => Promise<void>
  /**
   * Turns the clock to a second before each time (epoch milliseconds), and to the time itself, and lets the server rest at
   * both. The times must be two seconds apart, so that the background looks at both.
   */
  readonly live: (times: ReadonlyArray<number>) => Promise<void>
}

export interface ServerInProcessOptions {
  /** Holds the configuration file and the database. */
  readonly folder: string
  readonly configuration: object
  readonly environment?: Readonly<Record<string, string>> | undefined
  readonly turned: TurnedClock
}

/** How often the background looks for what is due. */
const lookEveryMillis = 1_000

/**
 * Turns of the event loop for which nobody sleeps but the background before the server counts as being at rest. Between
 * two sleeps work waits for nothing outside of the thread but cryptography, which is counted, and takes a few turns: for a
 * commit, and for who waits for it.
 */
const turnsAtRest = 25

/** Longer than anything takes here on a busy machine. */
const patienceMillis = 120_000

export const startInProcess = async (options: ServerInProcessOptions): Promise<ServerInProcess> => {
  const { configuration, folder, turned } = options
  const cryptoUnderWay = watchCrypto()
  const server = await startServerHere({
    ...{ folder, configuration, clock: turned.clock },
    environment: { POINTSMAN_DATABASE_URL: `sqlite:${join(folder, "pointsman.db")}`, ...options.environment },
    // A refusal waits for its time by a clock that stands still. Of random numbers jitter alone depends: there is none.
    services: Context.make(RefusalTick, 0).pipe(
      Context.add(Random.Random, { nextDoubleUnsafe: () => 0.5, nextIntUnsafe: () => 0 })
    )
  })

  const restUntil = async (isSo: () => boolean) => {
    const deadline = AbortSignal.timeout(patienceMillis)
    for (let turns = 0; turns < turnsAtRest; turns++) {
      await new Promise((resolve) => setImmediate(resolve))
      if (!isSo() || cryptoUnderWay() > 0) turns = 0
      if (deadline.aborted)
        throw new Error(`the server did not become idle: ${turned.sleeping()} sleep, ${idle} while nothing is due`)
    }
  }
  // Nothing is due at the start: those who sleep now are the background's, who always do.
  let idle = 0
  await restUntil(() => {
    const before = idle
    idle = turned.sleeping()
    return idle > 0 && idle === before
  })
  const rest = (hanging = 0) => restUntil(() => turned.sleeping() === idle + hanging)
  return {
    ...server,
    rest,
    live: async (times) => {
      for (const time of [...new Set(times)].toSorted((a, b) => a - b)) {
        for (const instant of [time - lookEveryMillis, time]) {
          turned.turnTo(instant)
          await rest()
        }
      }
    }
  }
}

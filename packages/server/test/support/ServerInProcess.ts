/**
 * The server in the test's own process, under a clock that the test turns: its real configuration file, database,
 * HTTP, connector and webhooks.
 */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { RefusalTick } from "@pointsman/core/internal"
import { Clock, ConfigProvider, Console, Effect, Exit, Fiber, Logger, Metric, Random } from "effect"
import { onTestFinished } from "vitest"
import { serve } from "../../src/Serve.ts"
import { environmentProvider, readSettings } from "../../src/Settings.ts"
import { watchCrypto } from "./CryptoUnderWay.ts"
import { type JsonRequest, jsonRequestsTo } from "./ServerProcess.ts"
import type { TurnedClock } from "./TurnedClock.ts"

export interface ServerInProcess {
  /** `http://127.0.0.1:<port>` */
  readonly url: string
  readonly request: JsonRequest
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
  readonly stop: () => Promise<void>
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
  const { turned } = options
  const cryptoUnderWay = watchCrypto()
  const configuration = join(options.folder, "pointsman.json")
  writeFileSync(configuration, JSON.stringify(options.configuration))
  const environment: Record<string, string> = {
    PORT: "0",
    POINTSMAN_CONFIG: configuration,
    POINTSMAN_DATABASE_URL: `sqlite:${join(options.folder, "pointsman.db")}`,
    ...options.environment
  }
  const greeted = Promise.withResolvers<string>()
  const greeting: Console.Console = Object.assign(Object.create(globalThis.console), {
    log: (text: string) => {
      const url = /^Pointsman listens on (\S+)$/mu.exec(text)?.[1]
      if (url !== undefined) greeted.resolve(url)
    }
  })
  const fiber = Effect.runFork(
    Effect.flatMap(readSettings({}), (settings) => serve(settings, environment)).pipe(
      Effect.provide([NodeServices.layer, Logger.layer([]), ConfigProvider.layer(environmentProvider(environment))]),
      Effect.provideService(Console.Console, greeting),
      Effect.provideService(Clock.Clock, turned.clock),
      // A refusal waits for its time by a clock that stands still.
      Effect.provideService(RefusalTick, 0),
      Effect.provideService(Metric.MetricRegistry, new Map()),
      // Of random numbers jitter alone depends: there is none.
      Effect.provideService(Random.Random, { nextDoubleUnsafe: () => 0.5, nextIntUnsafe: () => 0 })
    )
  )
  fiber.addObserver((exit) => greeted.reject(new Error(`the server did not start: ${String(exit)}`)))
  const stop = async () => {
    const exit = await Effect.runPromise(Effect.andThen(Fiber.interrupt(fiber), Fiber.await(fiber)))
    if (Exit.isSuccess(exit)) throw new Error("the server ended by itself")
  }
  onTestFinished(stop)
  const url = await greeted.promise

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
    url,
    request: jsonRequestsTo(url),
    rest,
    live: async (times) => {
      for (const time of [...new Set(times)].toSorted((a, b) => a - b)) {
        for (const instant of [time - lookEveryMillis, time]) {
          turned.turnTo(instant)
          await rest()
        }
      }
    },
    stop
  }
}

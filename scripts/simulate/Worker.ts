/** A thread that runs seeds, a few at a time, and tells which of them are wrong. */
import { parentPort, workerData } from "node:worker_threads"
import { applyConfiguration } from "@pointsman/configuration"
import { http } from "@pointsman/connector-http"
import { type SimulateOptions, simulate } from "@pointsman/contracts/simulator"
import { openStorage, type SharedStorage } from "./Storages.ts"

/** Some seeds, from the first on. */
export interface Batch {
  readonly first: number
  readonly count: number
}

export interface WrongSeed {
  readonly seed: number
  /** In sentences; why it did not finish, for one that did not. */
  readonly wrong: ReadonlyArray<string>
}

/** What a batch came to. */
export interface BatchEnd {
  readonly count: number
  readonly wrong: ReadonlyArray<WrongSeed>
}

// The places of errors are looked at when a seed is run again; finding them takes a third of the time.
Error.stackTraceLimit = 0

const parts: Pick<SimulateOptions, "http" | "applyFile"> = { http, applyFile: applyConfiguration }
const shared: SharedStorage = workerData.storage
const outside: SimulateOptions["outside"] = workerData.outside
const opened = openStorage(shared)

parentPort?.on("message", async ({ count, first }: Batch) => {
  const ended: Array<WrongSeed> = []
  const storageOf = await opened
  for (let seed = first; seed < first + count; seed++) {
    const { wrong } = await simulate({ storage: storageOf(seed), seed, outside, ...parts }).catch((cause: unknown) => ({
      wrong: [`it did not finish: ${cause}`]
    }))
    if (wrong.length > 0) ended.push({ seed, wrong })
  }
  parentPort?.postMessage({ count, wrong: ended } satisfies BatchEnd)
})

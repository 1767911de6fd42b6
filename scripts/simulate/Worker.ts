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

/** What a batch came to. */
export interface BatchEnd {
  readonly count: number
  /** The seeds that are wrong; those that did not finish are wrong. */
  readonly wrong: ReadonlyArray<number>
}

// The places of errors are looked at when a seed is run again; finding them takes a third of the time.
Error.stackTraceLimit = 0

const parts: Pick<SimulateOptions, "http" | "applyFile"> = { http, applyFile: applyConfiguration }
const shared: SharedStorage = workerData.storage
const outside: SimulateOptions["outside"] = workerData.outside
const opened = openStorage(shared)

parentPort?.on("message", async ({ count, first }: Batch) => {
  const wrong: Array<number> = []
  const storageOf = await opened
  for (let seed = first; seed < first + count; seed++) {
    const run = await simulate({ storage: storageOf(seed), seed, outside, ...parts }).catch(() => undefined)
    if (run === undefined || run.wrong.length > 0) wrong.push(seed)
  }
  parentPort?.postMessage({ count, wrong } satisfies BatchEnd)
})

/** Runs many seeds on all processors. */
import { availableParallelism } from "node:os"
import { Worker } from "node:worker_threads"
import type { SimulateOptions } from "@pointsman/contracts/simulator"
import type { SharedStorage } from "./Storages.ts"
import type { Batch, BatchEnd, WrongSeed } from "./Worker.ts"

export interface RunSeedsOptions {
  readonly storage: SharedStorage
  /** The fault from outside; drawn unless set. */
  readonly outside: SimulateOptions["outside"]
  readonly first: number
  readonly count: number
  /** Called as seeds have run, with how many they are by now, and those that are wrong. */
  readonly onProgress: (done: number, wrong: ReadonlyArray<WrongSeed>) => void
}

/** Few enough for the threads to end together, and enough to keep them from waiting. */
const batchSize = 50

/** More failures than this tell nothing new. */
const wrongAtMost = 20

/** The seeds that are wrong, in order; it stops early where there are many. */
export const runSeeds = async (options: RunSeedsOptions): Promise<ReadonlyArray<WrongSeed>> => {
  const { count, first, onProgress, outside } = options
  const { isPutBack, name, url } = options.storage
  const end = first + count
  const threads = Math.min(availableParallelism(), Math.ceil(count / batchSize))
  const wrong: Array<WrongSeed> = []
  let next = first
  let done = 0
  const takeBatch = (): Batch | undefined => {
    if (next >= end || wrong.length >= wrongAtMost) return undefined
    const batch = { first: next, count: Math.min(batchSize, end - next) }
    next += batch.count
    return batch
  }
  const runThread = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL("Worker.ts", import.meta.url), {
        workerData: { storage: { name, url, isPutBack }, outside }
      })
      const goOn = () => {
        const batch = takeBatch()
        if (batch === undefined) void worker.terminate()
        else worker.postMessage(batch)
      }
      worker.on("error", reject)
      worker.on("exit", () => resolve())
      worker.on("message", (batch: BatchEnd) => {
        done += batch.count
        wrong.push(...batch.wrong)
        onProgress(done, wrong)
        goOn()
      })
      goOn()
    })
  await Promise.all(Array.from({ length: threads }, runThread))
  return wrong.toSorted((a, b) => a.seed - b.seed)
}

/** The stores that a simulation here can run over; each run has an empty one of its own. */
import type { Storage } from "@pointsman/contracts/simulator"
import * as MemoryStorage from "@pointsman/storage-memory"
import * as SqliteStorage from "@pointsman/storage-sqlite"

export const storageNames = ["memory", "sqlite"] as const
export type StorageName = (typeof storageNames)[number]

/**
 * Storage in memory lets others run between its checks and its writes, in every second run. SQLite keeps its database
 * in memory: a file would wait for the disk, and what is looked for here is not what a disk does.
 */
export const storageOf = (name: StorageName, seed: number): Storage =>
  name === "memory"
    ? MemoryStorage.layer({ yieldBetween: seed % 2 === 0 })
    : SqliteStorage.layer({ filename: ":memory:" })

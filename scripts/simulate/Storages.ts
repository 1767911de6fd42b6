/** The stores that a simulation here can run over; each run has an empty one of its own. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import type { Storage } from "@pointsman/contracts/simulator"
import { StorageSnapshots } from "@pointsman/core/internal"
import * as MemoryStorage from "@pointsman/storage-memory"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Effect, Layer } from "effect"
import { type DistributedServer, distributedIn, newDistributed, startCluster } from "./Citus.ts"
import { newDatabase, startServer, storageIn } from "./Postgres.ts"

export const storageNames = ["memory", "sqlite", "postgres", "citus"] as const
export type StorageName = (typeof storageNames)[number]

/** What the threads that run over a storage share. */
export interface SharedStorage {
  readonly name: StorageName
  /** Of PostgreSQL: the server. */
  readonly url: string | null
  /** Of Citus: the cluster. */
  readonly cluster?: DistributedServer | undefined
  /** Whether runs put it back to an earlier state: SQLite has a file then, and in memory otherwise. */
  readonly isPutBack?: boolean | undefined
}

export type StorageOf = (seed: number) => Storage

export const shareStorage = async (
  name: StorageName
): Promise<SharedStorage & { readonly stop: () => Promise<void> }> => {
  if (name === "citus") {
    const { stop, ...cluster } = await startCluster()
    return { name, url: null, cluster, stop }
  }
  if (name !== "postgres") return { name, url: null, stop: () => Promise.resolve() }
  const { stop, url } = await startServer()
  return { name, url, stop }
}

/**
 * For one thread. Storage in memory lets others run between its checks and its writes, in every second run. SQLite keeps
 * its database in memory: a file would wait for the disk, and what is looked for here is not what a disk does.
 */
export const openStorage = async ({ cluster, isPutBack, name, url }: SharedStorage): Promise<StorageOf> => {
  if (cluster !== undefined) {
    const storage = distributedIn(await newDistributed(cluster))
    return () => storage
  }
  if (name === "memory") return (seed) => MemoryStorage.layer({ yieldBetween: seed % 2 === 0 })
  if (isPutBack === true && name === "sqlite") return () => sqliteFile
  if (name === "sqlite" || url === null) return () => SqliteStorage.layer({ filename: ":memory:" })
  const storage = storageIn(await newDatabase(url))
  return () => storage
}

/** In a folder of its own, and put back as a restored backup is. */
const sqliteFile: Storage = Layer.unwrap(
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(
      Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-simulation-"))),
      (path) => Effect.sync(() => rmSync(path, { recursive: true }))
    )
    const filename = join(folder, "pointsman.db")
    const copied = (from: string, to: string) =>
      Effect.promise(async () => {
        const source = new DatabaseSync(from)
        await backup(source, to)
        source.close()
      })
    const kept = join(folder, "kept.db")
    const take = Effect.as(copied(filename, kept), copied(kept, filename))
    return Layer.merge(
      SqliteStorage.layer({ filename }),
      Layer.succeed(StorageSnapshots, { take, startsHistory: false })
    )
  })
)

/** The storage that the settings name. */
import { observeStorage } from "@pointsman/core/internal"
import type { Ids, StorageError, StorageServices } from "@pointsman/core/ports"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Effect, Layer, type Redacted } from "effect"
import type { Database } from "./DatabaseUrl.ts"
import type { Settings } from "./Settings.ts"

export interface StorageOptions {
  /** For who may not make a database, and not change the schema of one that is there: `false` unless set. */
  readonly existing?: boolean
  /** See the options of `@pointsman/storage-postgres`. */
  readonly allowAsyncCommit?: boolean | undefined
  readonly batchCommits?: boolean | undefined
  /** As `maxConnections` there. */
  readonly connections?: number | undefined
  readonly readUrl?: Redacted.Redacted | undefined
  readonly maxReadLagMillis?: number | undefined
}

/** The standby of the settings. */
export const standbyOf = ({ readDatabase, readLagMillis }: Settings) => ({
  readUrl: readDatabase?.url,
  maxReadLagMillis: readLagMillis
})

export const storageLayer = (
  database: Database,
  { connections, existing = false, ...options }: StorageOptions = {}
): Layer.Layer<StorageServices, StorageError, Ids> => {
  if (database._tag === "SqliteMemory") return observeStorage("sqlite")(SqliteStorage.layer({ filename: ":memory:" }))
  if (database._tag === "SqliteFile") {
    return observeStorage("sqlite")(SqliteStorage.layer({ filename: database.path, existing }))
  }
  const { isDistributed, url } = database
  return Layer.unwrap(
    // Loaded only here: SQLite needs no client of PostgreSQL.
    Effect.map(
      Effect.promise(async () =>
        isDistributed
          ? (await import("@pointsman/storage-citus")).layer
          : (await import("@pointsman/storage-postgres")).layer
      ),
      (layer) => observeStorage("postgresql")(layer({ ...options, url, existing, maxConnections: connections }))
    )
  )
}

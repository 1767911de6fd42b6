/** The stores that every behaviour is tested over: memory and SQLite, or PostgreSQL where the run asks for it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Ids, StorageServices } from "@pointsman/core/ports"
import * as MemoryStorage from "@pointsman/storage-memory"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Effect, Layer, References, type Scope } from "effect"
import { isOnCitus, isOnMemory, isOnPostgres, isOnSqlite } from "./OnPostgres.ts"

/** A new and empty store each time that it is built. */
export type Store = Layer.Layer<StorageServices, never, Ids>

const newFile: Effect.Effect<Store, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-http-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => SqliteStorage.layer({ filename: join(folder, "pointsman.db") }).pipe(Layer.orDie)
)

/** Loaded here alone: no other run needs a client of PostgreSQL. */
const newDatabase: Effect.Effect<Store, never, Scope.Scope> = Effect.gen(function* () {
  const [{ layer }, { newDatabase }, { newDistributed }] = yield* Effect.promise(() =>
    Promise.all([
      isOnCitus ? import("@pointsman/storage-citus") : import("@pointsman/storage-postgres"),
      import("../../../storage/postgres/test/support/TestDatabase.ts"),
      import("../../../storage/citus/test/support/CitusDatabase.ts")
    ])
  )
  const url = yield* isOnCitus ? newDistributed : newDatabase
  return layer({ url, allowAsyncCommit: true }).pipe(
    // It warns that the server of these tests does not wait for its disk.
    Layer.provide(Layer.succeed(References.MinimumLogLevel, "Error")),
    Layer.orDie
  )
})

/** A store that is one and the same however often it is built, as servers share it; it is gone with the scope. */
const newShared = isOnPostgres ? newDatabase : newFile

type Named = readonly [name: string, store: Store]

/** For who puts a ledger of the test's own in the store's place. */
export const inMemory: Store = MemoryStorage.layer({ yieldBetween: true })

const memory: Named = ["memory, with other fibers between check and write", inMemory]
const shared: Named = [isOnCitus ? "Citus" : isOnPostgres ? "PostgreSQL" : "SQLite in a file", Layer.unwrap(newShared)]

export const stores: readonly [Named, ...ReadonlyArray<Named>] = isOnMemory
  ? [memory]
  : isOnPostgres || isOnSqlite
    ? [shared]
    : [memory, shared]

/** For who tests what does not depend on the store. */
export const [[, anyStore]] = stores

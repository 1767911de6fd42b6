/** The stores that every behaviour is tested over. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Deliveries, Directory, Ids, Ledger, Merchants } from "@pointsman/core"
import * as MemoryStorage from "@pointsman/storage-memory"
import * as SqliteStorage from "@pointsman/storage-sqlite"
import { Effect, Layer } from "effect"

/** A new and empty store each time that it is built. */
export type Store = Layer.Layer<Ledger | Deliveries | Directory | Merchants, never, Ids>

const newFile = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "pointsman-http-"))),
    (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
  ),
  (folder) => join(folder, "pointsman.db")
)

type Named = readonly [name: string, store: Store]

export const stores: readonly [memory: Named, sqlite: Named] = [
  ["memory, with other fibers between check and write", MemoryStorage.layer({ yieldBetween: true })],
  [
    "SQLite in a file",
    Layer.unwrap(Effect.map(newFile, (filename) => SqliteStorage.layer({ filename }))).pipe(Layer.orDie)
  ]
]

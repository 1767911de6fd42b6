import type { StorageHandle } from "@pointsman/core/ports"
import { layer } from "./Layer.ts"

/**
 * Storage in a SQLite file, for `createPointsman` of `@pointsman/node`. `filename`: as `SqliteStorageOptions` has it, or
 * `:memory:` for a store that is gone with the process.
 */
export const sqlite = (filename: string): StorageHandle => ({
  name: `SQLite ${filename}`,
  lasts: filename !== ":memory:",
  "~pointsman/storage": layer({ filename })
})

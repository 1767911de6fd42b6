/** `@pointsman/node/sqlite`: storage in a SQLite file. */
import { sqlite as open } from "@pointsman/storage-sqlite"
import type { Storage } from "./Settings.ts"

/** `filename`: a path, or `:memory:` for a store that is gone with the process. */
export const sqlite: (filename: string) => Storage = open

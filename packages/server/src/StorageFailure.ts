import { Effect } from "effect"
import type { Database } from "./Settings.ts"
import { StartFailure } from "./StartFailure.ts"

export const filenameOf = (database: Database): string =>
  database._tag === "SqliteMemory" ? ":memory:" : database.path

/** `cause`: that of a `StorageError`. */
export const storageFailure = (database: Database, cause: unknown) => {
  const told = cause instanceof Error ? cause.message : typeof cause === "string" ? cause : ""
  return Effect.fail(
    new StartFailure({
      message: `The database ${filenameOf(database)} cannot be used: ${told === "" ? "unknown cause" : told}.`
    })
  )
}

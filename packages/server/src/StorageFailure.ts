import { Effect } from "effect"
import type { Database } from "./DatabaseUrl.ts"
import { StartFailure } from "./StartFailure.ts"

const nameOf = (database: Database): string => {
  switch (database._tag) {
    case "SqliteMemory":
      return ":memory:"
    case "SqliteFile":
      return database.path
    case "Postgres":
      return database.name
  }
}

/** `cause`: that of a `StorageError`. */
export const storageFailure = (database: Database, cause: unknown) => {
  const told = cause instanceof Error ? cause.message : typeof cause === "string" ? cause : ""
  return Effect.fail(
    new StartFailure({
      message: `The database ${nameOf(database)} cannot be used: ${told === "" ? "unknown cause" : told}.`
    })
  )
}

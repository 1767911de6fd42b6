import { Effect, Schema } from "effect"
import type { Database } from "./DatabaseUrl.ts"

/** The server cannot start or continue. The message is for the operator: whole sentences, no secret, no stack trace. */
export class StartFailure extends Schema.TaggedError<StartFailure>()("pointsman/server/StartFailure", {
  message: Schema.String
}) {}

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

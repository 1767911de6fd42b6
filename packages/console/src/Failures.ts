/** Core's failures in the console's words. What the causes say is for the log. */
import type { StorageError } from "@pointsman/core/ports"
import { Cause, Effect } from "effect"
import { failure } from "./api/Errors.ts"

const serverFailed = failure("internal_error", "The server could not read or write its database. Try again.")

export const internalError = (error: StorageError) =>
  Effect.andThen(Effect.logError(error._tag, Cause.die(error.cause)), Effect.fail(serverFailed))

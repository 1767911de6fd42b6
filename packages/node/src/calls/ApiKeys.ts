/** Keys for the API over HTTP. */
import * as Core from "@pointsman/core"
import { Effect } from "effect"
import { apiKeyFields, checkId, wrong } from "../Orders.ts"
import { InternalError, NotFoundError } from "../PointsmanError.ts"
import { apiKeyView } from "../Views.ts"
import { type Defaults, readerOf } from "./Caller.ts"
import { logCause } from "./Failures.ts"

export const createApiKey = Effect.fnUntraced(function* (defaults: Defaults, order: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  // A misspelled field would make a key for everything.
  const { scopes } = yield* apiKeyFields(order)
  if (scopes !== undefined && !areScopes(scopes)) {
    return yield* Effect.fail(wrong(`\`scopes\` must be a list of ${Core.scopes.join(", ")}.`))
  }
  return yield* pointsman.createApiKey(tenant, scopes ?? null).pipe(
    Effect.tapError(logCause),
    Effect.mapBoth({
      onFailure: (failure) =>
        failure._tag === "pointsman/StorageError"
          ? new InternalError("An unused key may have been stored. Create another key.")
          : new NotFoundError("Workspace not found."),
      onSuccess: apiKeyView
    })
  )
})

export const revokeApiKey = Effect.fnUntraced(function* (hash: unknown) {
  const pointsman = yield* Core.Pointsman
  yield* pointsman.revokeApiKey(yield* checkId("hash", hash)).pipe(
    Effect.tapError(logCause),
    Effect.mapError((failure) =>
      failure._tag === "pointsman/StorageError"
        ? new InternalError("The key may have been revoked. Revoke it again.")
        : new NotFoundError("API key not found.")
    )
  )
})

const areScopes = (scopes: unknown): scopes is ReadonlyArray<Core.Scope> =>
  Array.isArray(scopes) && scopes.every((scope) => Core.scopes.includes(scope))

/** Keys for the API over HTTP. */
import * as Core from "@pointsman/core"
import { isApiKeyName, isNetwork } from "@pointsman/core/internal"
import { Clock, Effect } from "effect"
import { apiKeyFields, checkId, wrong } from "../Orders.ts"
import { InternalError, NotFoundError } from "../PointsmanError.ts"
import { apiKeyView } from "../Views.ts"
import { type Defaults, failing, logCause, readerOf } from "./RunCall.ts"

export const createApiKey = Effect.fnUntraced(function* (defaults: Defaults, order: unknown, options: unknown) {
  const pointsman = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  // A misspelled field would make a key for everything.
  const { scopes, ...fields } = yield* apiKeyFields(order)
  if (scopes !== undefined && !areScopes(scopes)) {
    return yield* Effect.fail(wrong(`\`scopes\` must be a list of ${Core.scopes.join(", ")}.`))
  }
  const limits = yield* checkLimits(fields)
  return yield* pointsman.createApiKey(tenant, scopes ?? null, limits).pipe(
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
  yield* pointsman
    .revokeApiKey(yield* checkId("hash", hash))
    .pipe(
      failing((failure) =>
        failure._tag === "pointsman/StorageError"
          ? new InternalError("The key may have been revoked. Revoke it again.")
          : new NotFoundError("API key not found.")
      )
    )
})

const checkLimits = Effect.fnUntraced(function* ({ expiresAt, name, networks }: Readonly<Record<string, unknown>>) {
  if (name !== undefined && !(typeof name === "string" && isApiKeyName(name))) {
    return yield* Effect.fail(wrong("`name` must be a text of 1 to 120 characters."))
  }
  if (
    expiresAt !== undefined &&
    !(expiresAt instanceof Date && expiresAt.getTime() > (yield* Clock.currentTimeMillis))
  ) {
    return yield* Effect.fail(wrong("`expiresAt` must be a Date in the future."))
  }
  if (networks !== undefined && !areNetworks(networks)) {
    return yield* Effect.fail(
      wrong("`networks` must be a list of IP addresses and CIDR ranges, with at least one entry.")
    )
  }
  return { name: name ?? null, expiresAt: expiresAt?.getTime() ?? null, networks: networks ?? null }
})

const areNetworks = (networks: unknown): networks is ReadonlyArray<string> =>
  Array.isArray(networks) &&
  networks.length > 0 &&
  networks.every((network) => typeof network === "string" && isNetwork(network))

const areScopes = (scopes: unknown): scopes is ReadonlyArray<Core.Scope> =>
  Array.isArray(scopes) && scopes.every((scope) => Core.scopes.includes(scope))

/** What an operator reads of API keys and does to them. The pages and the API share it. */
import { type ApiKey, Pointsman } from "@pointsman/core"
import { apiKeyIdOf, isApiKeyName, isNetwork } from "@pointsman/core/internal"
import { Directory } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Clock, Effect } from "effect"
import { failure, internalError, missing, told } from "../api/Errors.ts"
import { timeOrNull } from "../api/Records.ts"
import { callerOf, directoryContents, type TenantPath } from "../gate/Caller.ts"
import { takeRecentSignIn } from "../gate/RecentSignIn.ts"
import type { Key } from "./KeyApi.ts"

export interface KeyPath extends TenantPath {
  /** `apiKeyIdOf`. */
  readonly key: string
}

export interface KeyOrder extends Pick<ApiKey, "expiresAt" | "name" | "networks" | "scopes"> {
  readonly draft: string
}

const { timeView, validationErrorOf } = InProcess

const keyView = (key: ApiKey, usedAt: number | null): Key => ({
  id: apiKeyIdOf(key),
  name: key.name,
  scopes: key.scopes,
  networks: key.networks,
  source: key.source,
  created: timeView(key.createdAt),
  expires: timeOrNull(key.expiresAt),
  last_used: timeOrNull(usedAt),
  revoked: timeOrNull(key.revokedAt)
})

const stored = Effect.fnUntraced(function* (path: TenantPath) {
  const { tenant } = yield* callerOf(path)
  const { apiKeys } = yield* directoryContents
  const uses = yield* Effect.catch((yield* Directory).keyUses, internalError)
  return apiKeys
    .filter(({ environment, workspaceId }) => workspaceId === tenant.workspaceId && environment === tenant.environment)
    .map((apiKey) => ({ apiKey, usedAt: uses.get(apiKey.hash) ?? null }))
})

export const keys = Effect.fnUntraced(function* (path: TenantPath) {
  return (yield* stored(path))
    .toSorted(({ apiKey: a }, { apiKey: b }) => b.createdAt - a.createdAt || (a.hash < b.hash ? -1 : 1))
    .map(({ apiKey, usedAt }) => keyView(apiKey, usedAt))
})

const oneKey = Effect.fnUntraced(function* (path: KeyPath) {
  const found = (yield* stored(path)).find(({ apiKey }) => apiKeyIdOf(apiKey) === path.key)
  return found ?? (yield* missing("pointsman/ApiKeyNotFound"))
})

export const key = (path: KeyPath) => Effect.map(oneKey(path), ({ apiKey, usedAt }) => keyView(apiKey, usedAt))

export const draft = Effect.fnUntraced(function* (path: TenantPath) {
  const { tenant } = yield* callerOf(path)
  return yield* Effect.catch((yield* Pointsman).draftApiKey(tenant), internalError)
})

const expectations = {
  name: "text of 1 to 120 characters",
  scopes: "one scope or more",
  expires: "a time in the future",
  networks: "IP addresses and CIDR ranges, such as 203.0.113.0/24"
} as const

export const create = Effect.fnUntraced(function* (path: TenantPath, order: KeyOrder) {
  yield* takeRecentSignIn
  const { tenant } = yield* callerOf(path)
  const { draft, expiresAt, name, networks, scopes } = order
  const now = yield* Clock.currentTimeMillis
  const clauses = [
    ...(name === null || isApiKeyName(name) ? [] : (["name"] as const)),
    ...(scopes === null || scopes.length > 0 ? [] : (["scopes"] as const)),
    ...(expiresAt === null || expiresAt > now ? [] : (["expires"] as const)),
    ...(networks === null || (networks.length > 0 && networks.every(isNetwork)) ? [] : (["networks"] as const))
  ].map((field) => `\`${field}\` must be ${expectations[field]}`)
  if (clauses.length > 0) return yield* Effect.fail(validationErrorOf(...clauses))
  return yield* (yield* Pointsman).createDraftedApiKey(tenant, draft, scopes, { expiresAt, name, networks }).pipe(
    Effect.map(({ apiKey, secret }) => ({ view: keyView(apiKey, null), secret })),
    Effect.catchTags({
      "pointsman/ApiKeyDraftInvalid": () =>
        Effect.fail(validationErrorOf("`draft` must be a draft of this workspace and environment")),
      "pointsman/ApiKeyCreated": ({ id }) =>
        Effect.fail(
          failure(
            "key_created",
            `This request created the key ${id} before. The key was shown once: if you do not have it, revoke it and ` +
              "create another one."
          )
        )
    }),
    told
  )
})

const inConfiguration = failure(
  "key_in_configuration",
  "The configuration file names this key. Remove it there, and apply the file."
)

/** A key that is revoked stays as it is, so that a repeated request succeeds. */
export const revoke = Effect.fnUntraced(function* (path: KeyPath) {
  const { apiKey, usedAt } = yield* oneKey(path)
  if (apiKey.source === "configuration") return yield* Effect.fail(inConfiguration)
  return yield* (yield* Pointsman).revokeApiKey(apiKey.hash).pipe(
    Effect.map((revoked) => keyView(revoked.apiKey, usedAt)),
    told
  )
})

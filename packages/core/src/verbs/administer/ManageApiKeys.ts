/**
 * Keys that an operator makes and revokes, beside servers that run: they take the one and refuse the other from their
 * next request on.
 *
 * A key is stored before it is shown, so every key that an operator has works. A process that dies in between, and a
 * write whose result is unknown, may leave a key that was never shown; an operator can revoke it.
 */
import { Clock, Effect, Option, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { type ApiKey, apiKeyEntropyBytes, apiKeyIdOf, formatApiKey } from "../../model/ApiKey.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { type AuditAction, auditDraft } from "../../ports/Audit.ts"
import { Directory, type DirectoryContents } from "../../ports/Directory.ts"
import { keyStorageError, Secrets } from "../../ports/Secrets.ts"

export class WorkspaceNotFound extends Schema.TaggedError<WorkspaceNotFound>()("pointsman/WorkspaceNotFound", {}) {}

export class ApiKeyNotFound extends Schema.TaggedError<ApiKeyNotFound>()("pointsman/ApiKeyNotFound", {}) {}

export interface CreatedApiKey {
  readonly apiKey: ApiKey
  /** The key itself, which is nowhere else: the store has only its hash. */
  readonly secret: Redacted.Redacted<string>
}

export interface RevokedApiKey {
  /** As it is stored now. */
  readonly apiKey: ApiKey
  /** `false`: it was revoked before. */
  readonly isChanged: boolean
}

/** An operator revoked it: that is permanent. */
export class ApiKeyNotRestorable extends Schema.TaggedError<ApiKeyNotRestorable>()(
  "pointsman/ApiKeyNotRestorable",
  {}
) {}

export interface RestoredApiKey {
  /** As it is stored now. */
  readonly apiKey: ApiKey
  /** `false`: it was not revoked. */
  readonly isChanged: boolean
}

/** What a new key is limited to, and called; no name and no limits unless set. */
export type ApiKeyOptions = Partial<Pick<ApiKey, "name" | "expiresAt" | "networks">>

/** It was not drawn here for this workspace and environment, or it was changed. */
export class ApiKeyDraftInvalid extends Schema.TaggedError<ApiKeyDraftInvalid>()("pointsman/ApiKeyDraftInvalid", {}) {}

/** The draft's key was created before. */
export class ApiKeyCreated extends Schema.TaggedError<ApiKeyCreated>()("pointsman/ApiKeyCreated", {
  /** `apiKeyIdOf`. */
  id: Schema.String
}) {}

/** `scopes`: `null` for every scope. No configuration file revokes it. */
export const createApiKey = Effect.fnUntraced(function* (
  tenant: Tenant,
  scopes: ApiKey["scopes"],
  options?: ApiKeyOptions
) {
  return yield* storeApiKey(tenant, yield* newKeyText(tenant), scopes, options)
})

/**
 * A key that is not stored yet, encrypted for its workspace and environment. It says which key a request is to create, so
 * that a repeated request creates no second one.
 */
export const draftApiKey = Effect.fnUntraced(function* (tenant: Tenant) {
  const text = yield* newKeyText(tenant)
  return yield* (yield* Secrets)
    .seal(Redacted.make(text), draftContext(tenant))
    .pipe(Effect.mapError(keyStorageError("draftApiKey")))
})

/** As `createApiKey`, with the key of a draft. Two requests at once may both succeed, with one key: the later's. */
export const createDraftedApiKey = Effect.fnUntraced(function* (
  tenant: Tenant,
  draft: string,
  scopes: ApiKey["scopes"],
  options?: ApiKeyOptions
) {
  const secrets = yield* Secrets
  const text = yield* secrets.open(draft, draftContext(tenant)).pipe(
    Effect.catchTags({
      "pointsman/SealBroken": () => Effect.fail(new ApiKeyDraftInvalid()),
      "pointsman/KeyUnavailable": (cause) => Effect.fail(keyStorageError("createApiKey")(cause))
    })
  )
  const hash = yield* secrets.hash(Redacted.value(text))
  if (Option.isSome(yield* (yield* Directory).keyHolder(hash))) {
    return yield* new ApiKeyCreated({ id: apiKeyIdOf({ hash }) })
  }
  return yield* storeApiKey(tenant, Redacted.value(text), scopes, options)
})

const draftContext = ({ environment, workspaceId }: Tenant): string =>
  `API key draft ${JSON.stringify([workspaceId, environment])}`

const newKeyText = Effect.fnUntraced(function* ({ environment }: Tenant) {
  const entropy = yield* (yield* SecureRandom.SecureRandom).randomBytes(apiKeyEntropyBytes)
  return formatApiKey(environment, entropy)
})

const storeApiKey = Effect.fnUntraced(function* (
  tenant: Tenant,
  text: string,
  scopes: ApiKey["scopes"],
  { expiresAt = null, name = null, networks = null }: ApiKeyOptions = {}
) {
  const directory = yield* Directory
  if (Option.isNone(yield* directory.workspace(tenant.workspaceId))) return yield* new WorkspaceNotFound()
  const apiKey: ApiKey = {
    hash: yield* (yield* Secrets).hash(text),
    workspaceId: tenant.workspaceId,
    environment: tenant.environment,
    scopes,
    name,
    expiresAt,
    networks,
    revokedAt: null,
    source: "operator",
    createdAt: yield* Clock.currentTimeMillis
  }
  yield* directory.write(only(apiKey), yield* auditOf("key.created", apiKey))
  return { apiKey, secret: Redacted.make(text, { label: "API key" }) } satisfies CreatedApiKey
})

/**
 * From then on the key is the operator's, also where a configuration file brought it: the file must not bring it back to
 * life. May be called again after a failure, and says then that it is done.
 */
export const revokeApiKey = Effect.fnUntraced(function* (hash: string) {
  const directory = yield* Directory
  const { apiKey } = yield* Effect.fromOption(yield* directory.keyHolder(hash), () => new ApiKeyNotFound())
  if (apiKey.revokedAt !== null && apiKey.source === "operator") {
    return { apiKey, isChanged: false } satisfies RevokedApiKey
  }
  const revoked: ApiKey = {
    ...apiKey,
    revokedAt: apiKey.revokedAt ?? (yield* Clock.currentTimeMillis),
    source: "operator"
  }
  yield* directory.write(only(revoked), yield* auditOf("key.revoked", revoked))
  return { apiKey: revoked, isChanged: apiKey.revokedAt === null } satisfies RevokedApiKey
})

/** Restores a key that a configuration omitted. It stays the configuration's: the next that omits it revokes it. */
export const restoreApiKey = Effect.fnUntraced(function* (hash: string) {
  const directory = yield* Directory
  const stored = Effect.flatMap(
    directory.keyHolder(hash),
    Effect.fromOption(() => new ApiKeyNotFound())
  )
  const { apiKey } = yield* stored
  if (apiKey.revokedAt === null) return { apiKey, isChanged: false } satisfies RestoredApiKey
  yield* directory.write(only({ ...apiKey, revokedAt: null }), yield* auditOf("key.restored", apiKey))
  // The storage keeps what an operator revoked, also at this moment.
  const { apiKey: restored } = yield* stored
  if (restored.revokedAt !== null) return yield* new ApiKeyNotRestorable()
  return { apiKey: restored, isChanged: true } satisfies RestoredApiKey
})

const auditOf = (action: AuditAction, apiKey: ApiKey) =>
  auditDraft(action, apiKeyIdOf(apiKey), {
    workspace_id: apiKey.workspaceId,
    environment: apiKey.environment,
    name: apiKey.name,
    scopes: apiKey.scopes === null ? null : [...apiKey.scopes],
    expires_at: apiKey.expiresAt,
    networks: apiKey.networks === null ? null : [...apiKey.networks]
  })

const only = (apiKey: ApiKey): DirectoryContents => ({
  workspaces: [],
  apiKeys: [apiKey],
  connections: [],
  routing: [],
  webhookEndpoints: []
})

/**
 * Replaces the signing secret of a webhook endpoint. The new one is derived from the request's key, with a key that never
 * leaves the server, so that a request which is repeated gets the same secret.
 */
import { Clock, Effect, Redacted, Schema } from "effect"
import { configuredSecretText, endpointSecretContext } from "../../model/EndpointSecret.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { auditDraft } from "../../ports/Audit.ts"
import { Directory, type WebhookEndpoint } from "../../ports/Directory.ts"
import { keyStorageError, Secrets } from "../../ports/Secrets.ts"

/** No such endpoint of this tenant. */
export class EndpointNotFound extends Schema.TaggedError<EndpointNotFound>()("pointsman/EndpointNotFound", {}) {}

/** Another request replaced the secret first. */
export class EndpointChanged extends Schema.TaggedError<EndpointChanged>()("pointsman/EndpointChanged", {}) {}

/** For how long a former secret may sign, in milliseconds. */
export const maxSecretOverlapMillis = 7 * 24 * 60 * 60_000

export interface SecretRotationOrder {
  readonly endpointId: string
  /** For how long the former secret signs too; from 0 to `maxSecretOverlapMillis`. */
  readonly overlapMillis: number
  /** Made once for each intent. */
  readonly idempotencyKey: string
  /** `rotation.at` of the endpoint as the operator saw it; `null` if it was never rotated. */
  readonly seenRotation: number | null
}

export interface RotatedSecret {
  readonly endpoint: WebhookEndpoint
  readonly secret: Redacted.Redacted<string>
  /** `false`: this request was executed before. */
  readonly isChanged: boolean
}

/** The copy of the directory that the first try reads may be older than the store. */
const maxTries = 3

export const rotateEndpointSecret = Effect.fnUntraced(
  function* (tenant: Tenant, order: SecretRotationOrder) {
    for (let tries = 0; tries < maxTries; tries++) {
      const rotated = yield* rotateOnce(tenant, order)
      if (rotated !== undefined) return rotated
    }
    return yield* new EndpointChanged()
  },
  Effect.catchTag("pointsman/KeyUnavailable", (cause) => Effect.fail(keyStorageError("rotating a secret")(cause)))
)

/** `undefined`: another secret was written since the directory was read. */
const rotateOnce = Effect.fnUntraced(function* (tenant: Tenant, order: SecretRotationOrder) {
  const { endpointId, idempotencyKey, overlapMillis, seenRotation } = order
  const directory = yield* Directory
  const secrets = yield* Secrets
  const { webhookEndpoints } = yield* directory.contents
  const endpoint = webhookEndpoints.find(
    ({ environment, id, workspaceId }) =>
      id === endpointId && workspaceId === tenant.workspaceId && environment === tenant.environment
  )
  if (endpoint === undefined) return yield* new EndpointNotFound()

  const context = endpointSecretContext(endpointId)
  const former = yield* secrets.open(endpoint.sealedSecret, context).pipe(
    Effect.map(Redacted.value),
    // A secret that cannot be decrypted signs nothing: it is replaced all the same.
    Effect.catchTag("pointsman/SealBroken", () => Effect.undefined)
  )
  const configured =
    endpoint.rotation?.configured ?? (yield* secrets.fingerprint(configuredSecretText(endpointId, former ?? "")))
  // With the configured secret: once the configuration has replaced a rotated one, no older form brings that one back.
  const derivation = ["new secret of webhook endpoint", endpointId, configured, seenRotation, idempotencyKey]
  const secret = `whsec_${yield* secrets.fingerprint(JSON.stringify(derivation))}`
  const answer = { secret: Redacted.make(secret, { label: "webhook secret" }) }
  if (former === secret) return { ...answer, endpoint, isChanged: false } satisfies RotatedSecret
  if ((endpoint.rotation?.at ?? null) !== seenRotation) return yield* new EndpointChanged()

  const at = Math.max(yield* Clock.currentTimeMillis, (seenRotation ?? -1) + 1)
  const previousUntil = at + overlapMillis
  const after: WebhookEndpoint = {
    ...endpoint,
    sealedSecret: yield* secrets.seal(Redacted.make(secret), context),
    sealedPreviousSecret: former === undefined || overlapMillis === 0 ? null : endpoint.sealedSecret,
    rotation: { at, previousUntil, configured }
  }
  const audit = yield* auditDraft("endpoint.secret_rotated", endpointId, {
    workspace_id: tenant.workspaceId,
    environment: tenant.environment,
    previous_until: previousUntil
  })
  const isWritten = yield* directory.replaceEndpointSecret(endpoint.sealedSecret, after, audit)
  return isWritten ? ({ ...answer, endpoint: after, isChanged: true } satisfies RotatedSecret) : undefined
})

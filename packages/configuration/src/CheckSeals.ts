import { credentialsContext, endpointSecretContext, webhookSecretContext } from "@pointsman/core"
import { type DirectoryContents, keyStorageError, Secrets } from "@pointsman/core/ports"
import { Effect, Schema } from "effect"

/** What is sealed in the store does not open: the encryption key is not the one that the store was made with. */
export class SealedWithAnotherKey extends Schema.TaggedError<SealedWithAnotherKey>()("pointsman/SealedWithAnotherKey", {
  /** Which of the sealed texts it is. */
  context: Schema.String
}) {}

/**
 * Stops a start with another encryption key than the store was made with. Sealing anew would hide it: stored
 * fingerprints would no longer match, and a repeated request would be taken for another one.
 */
export const checkSeals = Effect.fnUntraced(function* (present: DirectoryContents) {
  const secrets = yield* Secrets
  const sealed: ReadonlyArray<readonly [string | null, string]> = [
    ...present.connections.flatMap((connection) => [
      [connection.sealedCredentials, credentialsContext(connection.id)] as const,
      [connection.sealedWebhookSecret, webhookSecretContext(connection.id)] as const
    ]),
    ...present.webhookEndpoints.flatMap(({ id, sealedPreviousSecret, sealedSecret }) => [
      [sealedSecret, endpointSecretContext(id)] as const,
      [sealedPreviousSecret ?? null, endpointSecretContext(id)] as const
    ])
  ]
  for (const [text, context] of sealed) {
    if (text === null) continue
    yield* Effect.mapError(secrets.open(text, context), (failure) =>
      failure._tag === "pointsman/SealBroken"
        ? new SealedWithAnotherKey({ context })
        : keyStorageError("checking sealed texts")(failure)
    )
  }
})

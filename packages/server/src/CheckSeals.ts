import {
  credentialsContext,
  type DirectoryContents,
  endpointSecretContext,
  Secrets,
  webhookSecretContext
} from "@pointsman/core"
import { Effect } from "effect"
import { StartFailure } from "./StartFailure.ts"

/**
 * Stops a start with another encryption key than the database was made with. Sealing anew would hide it: stored
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
    yield* Effect.mapError(
      secrets.open(text, context),
      () =>
        new StartFailure({
          message:
            "The encryption key is not the one that this database was made with: what is sealed in it does not " +
            `open (${context}). Set POINTSMAN_ENCRYPTION_KEY to that key, or put its file back.`
        })
    )
  }
})

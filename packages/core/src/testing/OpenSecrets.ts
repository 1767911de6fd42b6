import { Effect, Layer, Redacted } from "effect"
import { SealBroken, Secrets } from "../ports/Secrets.ts"

/**
 * Secrets that everybody can read. Real cryptography is asynchronous, and a test that owns the clock must know that a
 * fiber has got to its sleep.
 */
export const openSecretsLayer: Layer.Layer<Secrets> = Layer.succeed(Secrets, {
  seal: (plaintext, context) => Effect.succeed(`${context}|${Redacted.value(plaintext)}`),
  open: (sealed, context) =>
    sealed.startsWith(`${context}|`)
      ? Effect.succeed(Redacted.make(sealed.slice(context.length + 1)))
      : Effect.fail(new SealBroken({ context })),
  fingerprint: Effect.succeed,
  derivedUuid: Effect.succeed,
  pageToken: (paymentId) => Effect.succeed(`token-${paymentId}`),
  hash: Effect.succeed
})

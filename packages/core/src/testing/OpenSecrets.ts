import { Effect, Layer, Redacted } from "effect"
import { SealBroken, Secrets } from "../ports/Secrets.ts"

/** Of a text, the same 64 hexadecimal digits each time; nothing keeps them secret. */
const hexOf = (text: string): string =>
  [0, 1, 2, 3, 4, 5, 6, 7].map((seed) => hashOf(`${seed}${text}`).toString(16).padStart(8, "0")).join("")

/** MurmurHash3's mixing of each character. */
const hashOf = (text: string): number => {
  let hash = 0x9747b28c
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x85ebca6b)
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
    hash ^= hash >>> 16
  }
  return hash >>> 0
}

/** Secrets that all can read. Real cryptography is asynchronous: a test's clock would not know when it is done. */
export const openSecretsLayer: Layer.Layer<Secrets> = Layer.succeed(Secrets, {
  seal: (plaintext, context) => Effect.succeed(`${context}|${Redacted.value(plaintext)}`),
  open: (sealed, context) =>
    sealed.startsWith(`${context}|`)
      ? Effect.succeed(Redacted.make(sealed.slice(context.length + 1)))
      : Effect.fail(new SealBroken({ context })),
  sealedBy: (sealed, context) =>
    sealed.startsWith(`${context}|`) ? Effect.succeed("open") : Effect.fail(new SealBroken({ context })),
  keyIds: Effect.succeed(["open"]),
  fingerprint: Effect.succeed,
  derive: (text) => Effect.succeed(hexOf(text)),
  pageToken: (paymentId) => Effect.succeed(`token-${paymentId}`),
  hash: Effect.succeed
})

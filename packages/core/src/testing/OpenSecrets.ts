import { Effect, Layer, Redacted } from "effect"
import { SealBroken, Secrets } from "../ports/Secrets.ts"

/** Of a text and a time, the same UUIDv8 each time; nothing keeps it secret. */
const uuidV8From = (text: string, at: number): string => {
  const hex = [0, 1, 2].map((seed) => hashOf(`${seed}${text}`).toString(16).padStart(8, "0")).join("")
  const time = at.toString(16).padStart(12, "0")
  return [time.slice(0, 8), time.slice(8), `8${hex.slice(0, 3)}`, `a${hex.slice(3, 6)}`, hex.slice(6, 18)].join("-")
}

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
  sealedBy: (sealed, context) =>
    sealed.startsWith(`${context}|`) ? Effect.succeed("open") : Effect.fail(new SealBroken({ context })),
  keyIds: Effect.succeed(["open"]),
  fingerprint: Effect.succeed,
  derivedUuid: (text, at) => Effect.succeed(uuidV8From(text, at)),
  pageToken: (paymentId) => Effect.succeed(`token-${paymentId}`),
  hash: Effect.succeed
})

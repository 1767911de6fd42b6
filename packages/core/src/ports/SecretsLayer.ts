/**
 * `Secrets` over Effect's cryptographic services and keys of 32 bytes.
 *
 * A key is never used itself. HKDF-SHA-256 makes one key per purpose from it, so that what is sealed and what is
 * fingerprinted never share one.
 */
import { Effect, Layer, Redacted, Result } from "effect"
import { type Aead, Digest, type Kdf, Mac, type SecureRandom } from "effect/crypto"
import { Base64, Base64Url, Hex } from "effect/encoding"
import { encryptionKeyBytes, type KeySource, makeSealing, subkey } from "./Sealing.ts"
import { type KeyUnavailable, Secrets } from "./Secrets.ts"

export { type EncryptionKeys, encryptionKeyBytes, type KeySource, keyIdOf } from "./Sealing.ts"

/** What an encryption key looks like; for messages. */
export const encryptionKeyExpected = "base64 of 32 bytes (44 characters), as `openssl rand -base64 32` prints it"

// Base64 is decoded leniently, so the one canonical spelling is asked for first: a cut key must not pass as another.
const encryptionKeyText = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/u

/** Reads an encryption key's text; fails with what was expected, never with the text. */
export const parseEncryptionKey = (text: string): Result.Result<Redacted.Redacted<Uint8Array>, string> =>
  Result.flatMap(parseEarlierEncryptionKey(text), (key) =>
    isWeak(key) ? Result.fail(`${encryptionKeyExpected}, not a key with a pattern`) : Result.succeed(key)
  )

/** As `parseEncryptionKey`, for a key that no longer seals: a weak one still opens what it sealed. */
export const parseEarlierEncryptionKey = (text: string): Result.Result<Redacted.Redacted<Uint8Array>, string> => {
  if (!encryptionKeyText.test(text)) return Result.fail(encryptionKeyExpected)
  return Result.mapBoth(Base64.decode(text), {
    onFailure: () => encryptionKeyExpected,
    onSuccess: (bytes) => Redacted.make(bytes, { label: "encryption key" })
  })
}

/** 32 random bytes have about 30 distinct values; fewer than this many in one of 10^30 keys. */
const distinctAtLeast = 8
const longestPeriod = encryptionKeyBytes / 2

/** Whether it follows a pattern that random bytes never follow: few distinct bytes, a repetition, or equal steps. */
export const isWeak = (key: Redacted.Redacted<Uint8Array>): boolean => {
  const bytes = Redacted.value(key)
  if (new Set(bytes).size < distinctAtLeast) return true
  const steps = new Set(Array.from(bytes.subarray(1), (byte, at) => (byte - (bytes[at] ?? 0)) & 0xff))
  if (steps.size === 1) return true
  return Array.from({ length: longestPeriod }, (_, at) => at + 1).some((period) =>
    bytes.every((byte, at) => byte === bytes[at % period])
  )
}

export const formatEncryptionKey = (key: Redacted.Redacted<Uint8Array>): string => Base64.encode(Redacted.value(key))

const utf8 = new TextEncoder()

/** Never change these: what is stored was made with them. */
const derivation = {
  fingerprint: "pointsman/v1/fingerprint",
  pageToken: "pointsman/v1/page-token",
  derivedUuid: "pointsman/v1/derived-id"
} as const

type CryptoServices = Aead.Aead | Mac.Mac | Digest.Digest | Kdf.Kdf | SecureRandom.SecureRandom

/** One key that never changes: 32 random bytes. */
export const layer = (encryptionKey: Redacted.Redacted<Uint8Array>): Layer.Layer<Secrets, never, CryptoServices> =>
  Layer.orDie(layerRotating(Effect.succeed({ current: encryptionKey, previous: [] })))

/** Fingerprints and ids are derived from the key that is the current one at the start. */
export const layerRotating = (source: KeySource): Layer.Layer<Secrets, KeyUnavailable, CryptoServices> =>
  Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const { current } = yield* source
      return yield* makeSecrets(source, {
        fingerprint: yield* subkey(current, derivation.fingerprint),
        pageToken: yield* subkey(current, derivation.pageToken),
        derivedUuid: yield* subkey(current, derivation.derivedUuid)
      })
    })
  )

/** Keys of 32 bytes. Each must stay the same for as long as what was made with it is stored. */
interface DerivationKeys {
  readonly fingerprint: Uint8Array
  readonly pageToken: Uint8Array
  readonly derivedUuid: Uint8Array
}

const makeSecrets = Effect.fnUntraced(function* (source: KeySource, keys: DerivationKeys) {
  const mac = yield* Mac.Mac
  const digest = yield* Digest.Digest
  const fingerprintKey = yield* Mac.key(Mac.hmacSha256, keys.fingerprint)
  const pageTokenKey = yield* Mac.key(Mac.hmacSha256, keys.pageToken)
  const derivedUuidKey = yield* Mac.key(Mac.hmacSha256, keys.derivedUuid)
  return Secrets.of({
    ...(yield* makeSealing(source)),

    fingerprint: (message) => mac.sign(fingerprintKey, utf8.encode(message)).pipe(Effect.map(Hex.encode), Effect.orDie),

    derivedUuid: (message, at) =>
      mac.sign(derivedUuidKey, utf8.encode(message)).pipe(
        Effect.map((signature) => uuidV8Of(signature, at)),
        Effect.orDie
      ),

    pageToken: (paymentId) =>
      mac.sign(pageTokenKey, utf8.encode(paymentId)).pipe(Effect.map(Base64Url.encode), Effect.orDie),

    hash: (message) => digest.digestHex(Digest.sha256, utf8.encode(message))
  })
}, Effect.orDie)

/** The time in 48 bits, then the signature with the version and the variant of RFC 9562, section 5.8. */
const uuidV8Of = (signature: Uint8Array, at: number): string => {
  const hex = Hex.encode(signature.subarray(0, 10))
  const time = at.toString(16).padStart(12, "0")
  const variant = "89ab"[Number.parseInt(hex.slice(3, 4), 16) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`
}

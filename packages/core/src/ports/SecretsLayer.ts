/**
 * `Secrets` over Effect's cryptographic services and keys of 32 bytes.
 *
 * A key is never used itself. HKDF-SHA-256 makes one key per purpose from it, so that what is sealed and what is
 * fingerprinted never share one.
 */
import { Effect, Layer, Option, Redacted, Result } from "effect"
import { type Aead, Digest, type Kdf, Mac, type SecureRandom } from "effect/crypto"
import { Base64, Base64Url, Hex } from "effect/encoding"
import { derivationContext, SealedTexts, sealedContext } from "./SealedTexts.ts"
import { encryptionKeyBytes, type KeySource, makeSealing, subkey } from "./Sealing.ts"
import { type KeyUnavailable, SealBroken, Secrets } from "./Secrets.ts"
import type { StorageError } from "./StorageError.ts"

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

/** One key of 32 random bytes, for good: fingerprints and ids derive from it. To replace it: `layerRotating`. */
export const layer = (encryptionKey: Redacted.Redacted<Uint8Array>): Layer.Layer<Secrets, never, CryptoServices> =>
  Layer.effect(
    Secrets,
    Effect.flatMap(derivedFrom(encryptionKey), (keys) =>
      makeSecrets(Effect.succeed({ current: encryptionKey, previous: [] }), keys)
    )
  )

/**
 * Keys that may be replaced. Fingerprints, ids and page tokens are derived with keys that the storage keeps sealed: the
 * first start derives them from the encryption key, and they never change. Fails with `SealBroken` where no key opens
 * what is stored.
 */
export const layerRotating = (
  source: KeySource
): Layer.Layer<Secrets, KeyUnavailable | SealBroken | StorageError, CryptoServices | SealedTexts> =>
  Layer.effect(
    Secrets,
    Effect.flatMap(storedDerivation(source), (keys) => makeSecrets(source, keys))
  )

const storedDerivation = Effect.fnUntraced(function* (source: KeySource) {
  const texts = yield* SealedTexts
  const sealing = yield* makeSealing(source)
  const stored = yield* texts.derivation
  const sealed = Option.isSome(stored)
    ? stored.value
    : yield* texts.keepDerivation(
        yield* sealing.seal(derivationText(yield* derivedFrom(yield* firstKey(source))), derivationContext)
      )
  const text = Redacted.value(yield* sealing.open(sealed, derivationContext))
  const read = (name: keyof DerivationKeys) =>
    Effect.orDie(Effect.fromResult(Base64.decode((JSON.parse(text) as Record<string, string>)[name] ?? "")))
  return {
    fingerprint: yield* read("fingerprint"),
    pageToken: yield* read("pageToken"),
    derivedUuid: yield* read("derivedUuid")
  } satisfies DerivationKeys
})

const derivationText = ({ derivedUuid, fingerprint, pageToken }: DerivationKeys): Redacted.Redacted<string> =>
  Redacted.make(
    JSON.stringify({
      fingerprint: Base64.encode(fingerprint),
      pageToken: Base64.encode(pageToken),
      derivedUuid: Base64.encode(derivedUuid)
    })
  )

/** The key of a store that was used without derivation keys: the one that sealed what is stored; the current one if nothing is. */
const firstKey = Effect.fnUntraced(function* (source: KeySource) {
  const texts = yield* SealedTexts
  const { current, previous } = yield* source
  const [connection] = yield* texts.list({ kind: "credentials", after: null, limit: 1 })
  if (connection === undefined) return current
  const place = sealedContext("credentials", connection.key)
  for (const key of [current, ...previous]) {
    const alone = yield* makeSealing(Effect.succeed({ current: key, previous: [] }))
    if (Option.isSome(yield* Effect.option(alone.open(connection.sealed, place)))) return key
  }
  return yield* new SealBroken({ context: place })
})

const derivedFrom = (key: Redacted.Redacted<Uint8Array>) =>
  Effect.all({
    fingerprint: subkey(key, derivation.fingerprint),
    pageToken: subkey(key, derivation.pageToken),
    derivedUuid: subkey(key, derivation.derivedUuid)
  })

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

    derive: (message) => mac.sign(derivedUuidKey, utf8.encode(message)).pipe(Effect.map(Hex.encode), Effect.orDie),

    pageToken: (paymentId) =>
      mac.sign(pageTokenKey, utf8.encode(paymentId)).pipe(Effect.map(Base64Url.encode), Effect.orDie),

    hash: (message) => digest.digestHex(Digest.sha256, utf8.encode(message))
  })
}, Effect.orDie)

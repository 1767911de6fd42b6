/**
 * `Secrets` over Effect's cryptographic services and one key of 32 bytes.
 *
 * That key is never used itself. HKDF-SHA-256 makes one key per purpose from it, so that what is sealed and what is
 * fingerprinted never share one. Sealed text starts with the version of the scheme, so that another scheme or another
 * key can be distinguished from it later.
 */
import { Effect, Layer, Redacted, Result } from "effect"
import { Aead, Digest, Kdf, Mac, SecureRandom } from "effect/crypto"
import { Base64, Base64Url, Hex } from "effect/encoding"
import { SealBroken, Secrets } from "./Secrets.ts"

export const encryptionKeyBytes = 32

/** What an encryption key looks like; for messages. */
export const encryptionKeyExpected = "base64 of 32 bytes (44 characters), as `openssl rand -base64 32` prints it"

// Base64 is decoded leniently, so the one canonical spelling is asked for first: a cut key must not pass as another.
const encryptionKeyText = /^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$/u

/** Reads an encryption key's text; fails with what was expected, never with the text. */
export const parseEncryptionKey = (text: string): Result.Result<Redacted.Redacted<Uint8Array>, string> => {
  if (!encryptionKeyText.test(text)) return Result.fail(encryptionKeyExpected)
  return Result.mapBoth(Base64.decode(text), {
    onFailure: () => encryptionKeyExpected,
    onSuccess: (bytes) => Redacted.make(bytes, { label: "encryption key" })
  })
}

export const formatEncryptionKey = (key: Redacted.Redacted<Uint8Array>): string => Base64.encode(Redacted.value(key))

const sealVersion = "v1."
const nonceBytes = Aead.aes256Gcm.nonceLength
const utf8 = new TextEncoder()
const text = new TextDecoder("utf-8", { ignoreBOM: true })

/** Never change these: what is stored was made with them. */
const derivation = {
  salt: "pointsman",
  seal: "pointsman/v1/seal",
  fingerprint: "pointsman/v1/fingerprint",
  pageToken: "pointsman/v1/page-token",
  derivedUuid: "pointsman/v1/derived-id"
} as const

/** `encryptionKey` must hold 32 random bytes. */
export const layer = (
  encryptionKey: Redacted.Redacted<Uint8Array>
): Layer.Layer<Secrets, never, Aead.Aead | Mac.Mac | Digest.Digest | Kdf.Kdf | SecureRandom.SecureRandom> =>
  Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const aead = yield* Aead.Aead
      const mac = yield* Mac.Mac
      const digest = yield* Digest.Digest
      const kdf = yield* Kdf.Kdf
      const random = yield* SecureRandom.SecureRandom

      const master = Redacted.value(encryptionKey)
      if (master.length !== encryptionKeyBytes) {
        return yield* Effect.die(new RangeError(`an encryption key has ${encryptionKeyBytes} bytes`))
      }
      const subkey = (purpose: string) =>
        kdf.derive(Kdf.hkdfSha256, master, {
          salt: utf8.encode(derivation.salt),
          info: utf8.encode(purpose),
          length: encryptionKeyBytes
        })
      const sealKey = yield* Aead.key(Aead.aes256Gcm, yield* subkey(derivation.seal))
      const fingerprintKey = yield* Mac.key(Mac.hmacSha256, yield* subkey(derivation.fingerprint))
      const pageTokenKey = yield* Mac.key(Mac.hmacSha256, yield* subkey(derivation.pageToken))

      const derivedUuidKey = yield* Mac.key(Mac.hmacSha256, yield* subkey(derivation.derivedUuid))

      return Secrets.of({
        seal: Effect.fnUntraced(function* (plaintext, context) {
          const nonce = yield* random.randomBytes(nonceBytes)
          const sealed = yield* aead.encrypt(sealKey, utf8.encode(Redacted.value(plaintext)), {
            nonce,
            aad: utf8.encode(context)
          })
          const whole = new Uint8Array(nonce.length + sealed.length)
          whole.set(nonce)
          whole.set(sealed, nonce.length)
          return sealVersion + Base64Url.encode(whole)
        }, Effect.orDie),

        open: (sealed, context) =>
          Effect.gen(function* () {
            if (!sealed.startsWith(sealVersion)) return yield* new SealBroken({ context })
            const whole = yield* Effect.fromResult(Base64Url.decode(sealed.slice(sealVersion.length)))
            const plaintext = yield* aead.decrypt(sealKey, whole.subarray(nonceBytes), {
              nonce: whole.subarray(0, nonceBytes),
              aad: utf8.encode(context)
            })
            return Redacted.make(text.decode(plaintext))
          }).pipe(
            // Which check failed is of use to somebody who forges sealed text, and to nobody else.
            Effect.mapError(() => new SealBroken({ context }))
          ),

        fingerprint: (message) =>
          mac.sign(fingerprintKey, utf8.encode(message)).pipe(Effect.map(Hex.encode), Effect.orDie),

        derivedUuid: (message, at) =>
          mac.sign(derivedUuidKey, utf8.encode(message)).pipe(
            Effect.map((signature) => uuidV8Of(signature, at)),
            Effect.orDie
          ),

        pageToken: (paymentId) =>
          mac.sign(pageTokenKey, utf8.encode(paymentId)).pipe(Effect.map(Base64Url.encode), Effect.orDie),

        hash: (message) => digest.digestHex(Digest.sha256, utf8.encode(message))
      })
    }).pipe(Effect.orDie)
  )

/** The time in 48 bits, then the signature with the version and the variant of RFC 9562, section 5.8. */
const uuidV8Of = (signature: Uint8Array, at: number): string => {
  const hex = Hex.encode(signature.subarray(0, 10))
  const time = at.toString(16).padStart(12, "0")
  const variant = "89ab"[Number.parseInt(hex.slice(3, 4), 16) & 3]
  return `${time.slice(0, 8)}-${time.slice(8)}-8${hex.slice(0, 3)}-${variant}${hex.slice(4, 7)}-${hex.slice(7, 19)}`
}

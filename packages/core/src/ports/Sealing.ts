/**
 * What seals and opens, over the keys that an adapter gives.
 *
 * A sealed text is `v2.`, the id of the key that sealed it, `.`, and the nonce and the ciphertext of AES-256-GCM in
 * base64url; the context is its associated data. A text of the format before, `v1.`, names no key: each one is tried.
 */
import { Effect, Redacted } from "effect"
import { Aead, Digest, Kdf, SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import { type KeyUnavailable, SealBroken, type Secrets } from "./Secrets.ts"

export const encryptionKeyBytes = 32

/** Keys of 32 random bytes. */
export interface EncryptionKeys {
  /** The one that seals. */
  readonly current: Redacted.Redacted<Uint8Array>
  /** Those that still open what they sealed, or what a process seals that has them as its current key already. */
  readonly previous: ReadonlyArray<Redacted.Redacted<Uint8Array>>
}

/**
 * Where the keys come from. It is asked for each text, so one that asks a key service keeps what it was given, and gives
 * the same objects again: what is derived from a key is kept with its object.
 */
export type KeySource = Effect.Effect<EncryptionKeys, KeyUnavailable>

const sealVersion = "v2."
const versionWithoutId = "v1."
const sealedText = /^v2\.([0-9a-f]{16})\.([A-Za-z0-9_-]+)$/u
const keyIdBytes = 8
const nonceBytes = Aead.aes256Gcm.nonceLength
const utf8 = new TextEncoder()
const text = new TextDecoder("utf-8", { ignoreBOM: true })

/** Never change these: what is stored was made with them. */
const derivation = {
  salt: "pointsman",
  keyId: "pointsman/v2/key-id",
  seal: "pointsman/v2/seal",
  sealWithoutId: "pointsman/v1/seal"
} as const

/** The id of the key that a sealed text names; `null` where it names none. */
export const keyIdOf = (sealed: string): string | null => sealedText.exec(sealed)?.[1] ?? null

/** Node's own encoder takes a hundredth of the time of Effect's: a sealed message of a provider may have a megabyte. */
const encodeBase64Url = (bytes: Uint8Array): string =>
  typeof Buffer === "undefined"
    ? Base64Url.encode(bytes)
    : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64url")

/** One key per purpose, so that what is sealed and what is fingerprinted never share one. Fails where the key is short. */
export const subkey = Effect.fnUntraced(function* (key: Redacted.Redacted<Uint8Array>, purpose: string) {
  const kdf = yield* Kdf.Kdf
  const master = Redacted.value(key)
  if (master.length !== encryptionKeyBytes) {
    return yield* Effect.die(new RangeError(`an encryption key has ${encryptionKeyBytes} bytes`))
  }
  return yield* Effect.orDie(
    kdf.derive(Kdf.hkdfSha256, master, {
      salt: utf8.encode(derivation.salt),
      info: utf8.encode(purpose),
      length: encryptionKeyBytes
    })
  )
})

interface SealingKey {
  readonly id: string
  readonly key: Aead.Key<Aead.AesGcm>
  /** For texts that name no key. */
  readonly keyBefore: Aead.Key<Aead.AesGcm>
}

export const makeSealing = Effect.fnUntraced(function* (source: KeySource) {
  const aead = yield* Aead.Aead
  const random = yield* SecureRandom.SecureRandom
  const context = yield* Effect.context<Digest.Digest | Kdf.Kdf>()
  const known = new WeakMap<Redacted.Redacted<Uint8Array>, SealingKey>()

  const sealingKey = (key: Redacted.Redacted<Uint8Array>): Effect.Effect<SealingKey> => {
    const found = known.get(key)
    if (found !== undefined) return Effect.succeed(found)
    return Effect.tap(Effect.provideContext(deriveSealingKey(key), context), (made) =>
      Effect.sync(() => known.set(key, made))
    )
  }

  /** The text, and the key that opened it. */
  const openWith = Effect.fnUntraced(function* (sealed: string, place: string) {
    const { current, previous } = yield* source
    const keys = yield* Effect.forEach([current, ...previous], sealingKey)
    const named = sealedText.exec(sealed)
    const candidates =
      named !== null
        ? keys.flatMap(({ id, key }) => (id === named[1] ? [{ id, key }] : []))
        : sealed.startsWith(versionWithoutId)
          ? keys.map(({ id, keyBefore }) => ({ id, key: keyBefore }))
          : []
    const payload = named?.[2] ?? sealed.slice(versionWithoutId.length)
    // Only a forger of sealed text could use which check failed.
    const broken = () => new SealBroken({ context: place })
    const whole = yield* Effect.mapError(Effect.fromResult(Base64Url.decode(payload)), broken)
    for (const { id, key } of candidates) {
      const opened = yield* Effect.option(
        aead.decrypt(key, whole.subarray(nonceBytes), { nonce: whole.subarray(0, nonceBytes), aad: utf8.encode(place) })
      )
      if (opened._tag === "Some") return { id, plaintext: text.decode(opened.value) }
    }
    return yield* broken()
  })

  return {
    seal: Effect.fnUntraced(function* (plaintext, place) {
      const { id, key } = yield* sealingKey((yield* source).current)
      const nonce = yield* Effect.orDie(random.randomBytes(nonceBytes))
      const sealed = yield* Effect.orDie(
        aead.encrypt(key, utf8.encode(Redacted.value(plaintext)), { nonce, aad: utf8.encode(place) })
      )
      const whole = new Uint8Array(nonce.length + sealed.length)
      whole.set(nonce)
      whole.set(sealed, nonce.length)
      return `${sealVersion}${id}.${encodeBase64Url(whole)}`
    }),
    open: (sealed, place) => Effect.map(openWith(sealed, place), ({ plaintext }) => Redacted.make(plaintext)),
    sealedBy: (sealed, place) => Effect.map(openWith(sealed, place), ({ id }) => id),
    keyIds: Effect.flatMap(source, ({ current, previous }) =>
      Effect.forEach([current, ...previous], (key) => Effect.map(sealingKey(key), ({ id }) => id))
    )
  } satisfies Pick<Secrets["Service"], "seal" | "open" | "sealedBy" | "keyIds">
})

const deriveSealingKey = Effect.fnUntraced(function* (key: Redacted.Redacted<Uint8Array>) {
  const digest = yield* Digest.Digest
  const bytes = Redacted.value(key)
  const named = utf8.encode(derivation.keyId)
  const message = new Uint8Array(named.length + bytes.length)
  message.set(named)
  message.set(bytes, named.length)
  const hash = yield* digest.digestHex(Digest.sha256, message)
  return {
    id: hash.slice(0, keyIdBytes * 2),
    key: yield* Aead.key(Aead.aes256Gcm, yield* subkey(key, derivation.seal)),
    keyBefore: yield* Aead.key(Aead.aes256Gcm, yield* subkey(key, derivation.sealWithoutId))
  } satisfies SealingKey
}, Effect.orDie)

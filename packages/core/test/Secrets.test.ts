import { createCipheriv, createHash, createHmac, hkdfSync, randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Context, Effect, Layer, Option, Redacted, Result } from "effect"
import { Aead, Digest, Kdf, Mac, SecureRandom } from "effect/crypto"
import { Directory } from "../src/ports/Directory.ts"
import { Ids } from "../src/ports/Ids.ts"
import { derivationContext, derivationKey, SealedTexts } from "../src/ports/SealedTexts.ts"
import { KeyUnavailable, Secrets } from "../src/ports/Secrets.ts"
import * as SecretsLayer from "../src/ports/SecretsLayer.ts"
import { itRuns } from "./support/ItIn.ts"
import { connectionOf, nothingConfigured } from "./support/World.ts"

const crypto = Layer.mergeAll(Aead.layerWebCrypto, Mac.layerWebCrypto, Digest.layerWebCrypto, Kdf.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)

const memory = MemoryStorage.layer().pipe(Layer.provide(Ids.layer))

const keyOf = (fill: number) => Redacted.make(new Uint8Array(32).fill(fill))
const keyLayer = (fill: number) => SecretsLayer.layer(keyOf(fill)).pipe(Layer.provide(crypto))
const withKey = (fill: number) => Effect.provide(keyLayer(fill))

/** `v2.`, the id of the key, and a dot. */
const headLength = 20

/** As the format before key ids was: `v1.`, then nonce and ciphertext in base64url. */
const sealedBefore = (fill: number, plaintext: string, context: string) => {
  const key = Buffer.from(hkdfSync("sha256", new Uint8Array(32).fill(fill), "pointsman", "pointsman/v1/seal", 32))
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(context))
  const sealed = Buffer.concat([nonce, cipher.update(plaintext, "utf8"), cipher.final(), cipher.getAuthTag()])
  return `v1.${sealed.toString("base64url")}`
}

const rotating = (current: number, ...previous: ReadonlyArray<number>) =>
  SecretsLayer.layerRotating(Effect.succeed({ current: keyOf(current), previous: previous.map(keyOf) })).pipe(
    Layer.provide(crypto)
  )

const keysLayer = (current: number, ...previous: ReadonlyArray<number>) =>
  rotating(current, ...previous).pipe(Layer.provide(memory))
const withKeys = (current: number, ...previous: ReadonlyArray<number>) =>
  Effect.provide(keysLayer(current, ...previous))

const itWith = <R, E>(
  title: string,
  layer: Layer.Layer<R, E>,
  body: () => Effect.fn.Return<unknown, unknown, NoInfer<R>>
): void => it.effect(title, () => Effect.provide(Effect.gen(body), layer))

const idOf = (fill: number): string =>
  createHash("sha256").update("pointsman/v2/key-id").update(new Uint8Array(32).fill(fill)).digest("hex").slice(0, 16)

const seal = (plaintext: string, context: string) =>
  Effect.flatMap(Secrets, (secrets) => secrets.seal(Redacted.make(plaintext), context))
const open = (sealed: string, context: string) =>
  Effect.flatMap(Secrets, (secrets) => secrets.open(sealed, context)).pipe(Effect.map(Redacted.value))

describe("Secrets", () => {
  it.effect.each(["", "whsec_1", '{"apiKey":"é 😀"}', "\ufeffx", "x".repeat(100_000)])(
    "a sealed text that is opened with its context comes back (%#)",
    (plaintext) =>
      Effect.gen(function* () {
        const sealed = yield* seal(plaintext, "connection/main")
        assert.match(sealed, /^v2\.[0-9a-f]{16}\.[A-Za-z0-9_-]+$/)
        assert.strictEqual(yield* open(sealed, "connection/main"), plaintext)
      }).pipe(withKey(1))
  )

  itWith("sealed texts of one text differ and do not contain it", keyLayer(1), function* () {
    const first = yield* seal("whsec_visible", "a")
    const second = yield* seal("whsec_visible", "a")
    assert.notStrictEqual(first, second)
    assert.notInclude(Buffer.from(first.slice(headLength), "base64url").toString("latin1"), "visible")
  })

  itWith("a sealed text opened in another place is broken, and only the place is named", keyLayer(1), function* () {
    const sealed = yield* seal("whsec_visible", "connection/a/credentials")
    const failure = yield* Effect.flip(open(sealed, "connection/b/credentials"))
    assert.strictEqual(failure._tag, "pointsman/SealBroken")
    assert.strictEqual(failure._tag === "pointsman/SealBroken" && failure.context, "connection/b/credentials")
    assert.notInclude(JSON.stringify(failure), "visible")
  })

  itWith("a sealed text with any part changed or cut is broken", keyLayer(1), function* () {
    const sealed = yield* seal("secret", "a")
    const head = sealed.slice(0, headLength)
    const bytes = Buffer.from(sealed.slice(headLength), "base64url")
    const flipped = Array.from(bytes.keys(), (at) => {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ 1
      return `${head}${changed.toString("base64url")}`
    })
    const cut = Array.from(bytes.keys(), (length) => `${head}${bytes.subarray(0, length).toString("base64url")}`)
    for (const wrong of [
      ...flipped,
      ...cut,
      "",
      "secret",
      "v1.",
      "v1.***",
      head,
      `${head}***`,
      sealed.slice(headLength),
      sealed.replace("v2.", "v3."),
      `v1.${sealed.slice(headLength)}`,
      sealed.replace(/\.[0-9a-f]{16}\./u, ".0000000000000000.")
    ]) {
      const failure = yield* Effect.flip(open(wrong, "a"))
      assert.strictEqual(failure._tag, "pointsman/SealBroken", wrong)
    }
  })

  itWith("each of several keys opens what it sealed, and the current one seals", keysLayer(3, 1, 2), function* () {
    const secrets = yield* Secrets
    const texts = [yield* withKey(1)(seal("one", "a")), yield* withKey(2)(seal("two", "a")), yield* seal("now", "a")]
    assert.deepStrictEqual(yield* Effect.forEach(texts, (text) => open(text, "a")), ["one", "two", "now"])
    const ids = yield* Effect.forEach(texts, (text) => secrets.sealedBy(text, "a"))
    assert.deepStrictEqual(ids, [idOf(1), idOf(2), idOf(3)])
    assert.deepStrictEqual(yield* secrets.keyIds, [idOf(3), idOf(1), idOf(2)])
    assert.deepStrictEqual(
      texts.map((text) => SecretsLayer.keyIdOf(text)),
      ids
    )
    for (const text of texts) {
      assert.strictEqual((yield* Effect.flip(open(text, "b")))._tag, "pointsman/SealBroken")
      assert.strictEqual((yield* Effect.flip(secrets.sealedBy(text, "b")))._tag, "pointsman/SealBroken")
    }
    // A text is tried with the key that it names alone.
    const renamed = texts[0]?.replace(idOf(1), idOf(2)) ?? ""
    assert.strictEqual((yield* Effect.flip(open(renamed, "a")))._tag, "pointsman/SealBroken")
    assert.strictEqual((yield* withKeys(3, 2)(Effect.flip(open(texts[0] ?? "", "a"))))._tag, "pointsman/SealBroken")
  })

  itWith("a text without a key id is tried with every key, with its context", keysLayer(3, 1), function* () {
    const secrets = yield* Secrets
    for (const fill of [1, 3]) {
      const before = sealedBefore(fill, "kept é", "a")
      assert.strictEqual(yield* open(before, "a"), "kept é")
      assert.strictEqual(yield* secrets.sealedBy(before, "a"), idOf(fill))
      assert.isNull(SecretsLayer.keyIdOf(before))
      assert.strictEqual((yield* Effect.flip(open(before, "b")))._tag, "pointsman/SealBroken")
    }
    assert.strictEqual((yield* Effect.flip(open(sealedBefore(4, "kept", "a"), "a")))._tag, "pointsman/SealBroken")
  })

  itRuns("fingerprints, ids and page tokens stay when an encryption key is replaced", function* () {
    const made = Effect.gen(function* () {
      const { derive, fingerprint, pageToken } = yield* Secrets
      return [yield* fingerprint("request"), yield* derive("text"), yield* pageToken("payment")]
    })
    const storage = yield* Layer.build(memory)
    const withStore = (current: number, ...previous: ReadonlyArray<number>) =>
      Effect.provide(made, rotating(current, ...previous).pipe(Layer.provide(Layer.succeedContext(storage))))
    const before = yield* withKey(1)(made)
    assert.deepStrictEqual(yield* withStore(1), before)
    assert.deepStrictEqual(yield* withStore(2, 1), before)
    assert.strictEqual((yield* Effect.flip(withStore(2)))._tag, "pointsman/SealBroken")

    const texts = Context.get(storage, SealedTexts)
    const sealed = Option.getOrThrow(yield* texts.derivation)
    const kept = yield* withKeys(
      2,
      1
    )(Effect.flatMap(open(sealed, derivationContext), (text) => seal(text, derivationContext)))
    // Not the encryption key itself: who reads this could open every text that it sealed.
    assert.notInclude(yield* withKeys(2)(open(kept, derivationContext)), Buffer.alloc(32, 1).toString("base64"))
    const replacement = { kind: "derivation", key: derivationKey, expected: sealed, sealed: kept } as const
    assert.strictEqual(yield* texts.replace("derivation", [replacement]), 1)
    assert.deepStrictEqual(yield* withStore(2), before)
    assert.strictEqual((yield* Effect.flip(withStore(1)))._tag, "pointsman/SealBroken")
  })

  itRuns("a store without derivation keys derives by the key that sealed its texts", function* () {
    const storage = yield* Layer.build(memory)
    const mark = Effect.flatMap(Secrets, (secrets) => secrets.fingerprint("request"))
    const sealedCredentials = sealedBefore(1, "{}", "connection:main:credentials")
    const connections = [connectionOf("main", { sealedCredentials })]
    yield* Context.get(storage, Directory).write({ ...nothingConfigured, connections })
    const start = (current: number, ...previous: ReadonlyArray<number>) =>
      Effect.provide(mark, rotating(current, ...previous).pipe(Layer.provide(Layer.succeedContext(storage))))
    assert.strictEqual((yield* Effect.flip(start(3, 2)))._tag, "pointsman/SealBroken")
    assert.isTrue(Option.isNone(yield* Context.get(storage, SealedTexts).derivation))
    assert.strictEqual(yield* start(2, 1), yield* withKey(1)(mark))
  })

  itRuns("a failure says that keys cannot be had when a text is sealed or opened", function* () {
    let isUp = true
    const source = Effect.suspend(() =>
      isUp
        ? Effect.succeed({ current: keyOf(1), previous: [] })
        : Effect.fail(new KeyUnavailable({ reason: "the key service does not answer" }))
    )
    yield* Effect.gen(function* () {
      const sealed = yield* seal("secret", "a")
      isUp = false
      for (const failing of [seal("secret", "a"), open(sealed, "a")]) {
        assert.strictEqual((yield* Effect.flip(failing))._tag, "pointsman/KeyUnavailable")
      }
      isUp = true
      assert.strictEqual(yield* open(sealed, "a"), "secret")
    }).pipe(Effect.provide(SecretsLayer.layerRotating(source).pipe(Layer.provide([crypto, memory]))))
  })

  const both = Layer.merge(keyLayer(7), crypto)
  itWith("a separate computation of the derivation for stored data agrees", both, function* () {
    const secrets = yield* Secrets
    const subkey = Buffer.from(
      hkdfSync("sha256", new Uint8Array(32).fill(7), "pointsman", "pointsman/v1/fingerprint", 32)
    )
    const expected = createHmac("sha256", subkey).update("request é").digest("hex")
    assert.strictEqual(yield* secrets.fingerprint("request é"), expected)

    const sealKey = Buffer.from(hkdfSync("sha256", new Uint8Array(32).fill(7), "pointsman", "pointsman/v2/seal", 32))
    assert.notStrictEqual(sealKey.toString("hex"), subkey.toString("hex"))
    const aead = yield* Aead.Aead
    const whole = Buffer.from((yield* seal("abc", "here")).slice(headLength), "base64url")
    const plaintext = yield* aead.decrypt(yield* Aead.key(Aead.aes256Gcm, sealKey), whole.subarray(12), {
      nonce: whole.subarray(0, 12),
      aad: new TextEncoder().encode("here")
    })
    assert.strictEqual(new TextDecoder().decode(plaintext), "abc")
  })

  itWith("ids are derived from a text by a keyed HMAC-SHA-256 with a key of its own", keyLayer(1), function* () {
    const key = Buffer.from(hkdfSync("sha256", new Uint8Array(32).fill(1), "pointsman", "pointsman/v1/derived-id", 32))
    const derive = (text: string) => Effect.flatMap(Secrets, (it) => it.derive(text))
    for (const text of ["", "order-0001", "order-0002", "é 😀"]) {
      assert.strictEqual(yield* derive(text), createHmac("sha256", key).update(text, "utf8").digest("hex"))
      assert.notStrictEqual(yield* withKey(2)(derive(text)), yield* derive(text))
    }
  })

  itRuns("fingerprints of one text by two keys differ; the hash is plain SHA-256", function* () {
    const mark = Effect.flatMap(Secrets, (secrets) => secrets.fingerprint("x"))
    assert.notStrictEqual(yield* withKey(1)(mark), yield* withKey(2)(mark))
    const hash = yield* withKey(1)(Effect.flatMap(Secrets, (secrets) => secrets.hash("ps_test_é")))
    assert.strictEqual(hash, createHash("sha256").update("ps_test_é").digest("hex"))
  })

  it("the text of an encryption key is only base64 of exactly 32 bytes", () => {
    const text = createHash("sha256").update("text").digest("base64")
    const key = Result.getOrThrow(SecretsLayer.parseEncryptionKey(text))
    assert.deepStrictEqual(Redacted.value(key), new Uint8Array(Buffer.from(text, "base64")))
    assert.strictEqual(SecretsLayer.formatEncryptionKey(key), text)
    assert.notInclude(`${key}${JSON.stringify(key)}`, text)
    const others = [31, 33, 16, 0].map((length) => Buffer.alloc(length, 1).toString("base64"))
    // Two of the last character's bits are unused: four spellings of it decode to the same key, and one is canonical.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    const spelledOtherwise = `${text.slice(0, 42)}${alphabet[alphabet.indexOf(text[42] as string) + 1]}=`
    assert.deepStrictEqual(Buffer.from(spelledOtherwise, "base64"), Buffer.from(text, "base64"))
    for (const wrong of [
      ...others,
      text.slice(0, 43),
      text.slice(0, 20),
      `${text}\n`,
      text.replaceAll("/", "_"),
      spelledOtherwise
    ]) {
      const refused = SecretsLayer.parseEncryptionKey(wrong)
      assert.isTrue(Result.isFailure(refused), wrong)
    }
  })

  it("a key that follows a pattern is refused, and taken as an earlier one", () => {
    const weak = [
      Buffer.alloc(32),
      Buffer.alloc(32, 0xab),
      Buffer.alloc(32, "0123456789abcdef"),
      Buffer.from(Array.from({ length: 32 }, (_, at) => (at * at) % 7)),
      Buffer.from(Array.from({ length: 32 }, (_, at) => 250 + at))
    ]
    for (const bytes of weak) {
      const text = bytes.toString("base64")
      const refused = SecretsLayer.parseEncryptionKey(text)
      assert.isTrue(Result.isFailure(refused) && refused.failure.endsWith("not a key with a pattern"), text)
      assert.isTrue(Result.isSuccess(SecretsLayer.parseEarlierEncryptionKey(text)))
    }
    for (let round = 0; round < 1_000; round++) {
      assert.isTrue(Result.isSuccess(SecretsLayer.parseEncryptionKey(randomBytes(32).toString("base64"))))
    }
  })
})

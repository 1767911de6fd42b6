import { createCipheriv, createHash, hkdfSync, randomBytes } from "node:crypto"
import { assert, describe } from "@effect/vitest"
import { type Connection, credentialsContext, endpointSecretContext, rotateEncryption } from "@pointsman/core"
import { Directory, Ids, Ledger, SealedTexts, Secrets } from "@pointsman/core/ports"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Context, Effect, Layer, Redacted } from "effect"
import { Aead, Digest, Kdf, Mac, SecureRandom } from "effect/crypto"
import { messageContext } from "../src/model/StoredMessage.ts"
import * as SecretsLayer from "../src/ports/SecretsLayer.ts"
import { itRuns } from "./support/ItIn.ts"
import { rowOf } from "./support/Messages.ts"
import { assertFields } from "./support/Steps.ts"
import { connectionOf, nothingConfigured } from "./support/World.ts"

const crypto = Layer.mergeAll(Aead.layerWebCrypto, Mac.layerWebCrypto, Digest.layerWebCrypto, Kdf.layerWebCrypto).pipe(
  Layer.provideMerge(SecureRandom.layerWebCrypto)
)
const memory = MemoryStorage.layer().pipe(Layer.provide(Ids.layer))

const bytesOf = (name: string) => new Uint8Array(createHash("sha256").update(name).digest())
const idOf = (name: string): string =>
  createHash("sha256").update("pointsman/v2/key-id").update(bytesOf(name)).digest("hex").slice(0, 16)

/** Secrets over the store, by the names of keys. */
const secretsOf = (current: string, ...previous: ReadonlyArray<string>) => {
  const keyOf = (name: string) => Redacted.make(bytesOf(name))
  const keys = { current: keyOf(current), previous: previous.map(keyOf) }
  return SecretsLayer.layerRotating(Effect.succeed(keys)).pipe(Layer.provide(crypto))
}

/** As a release before key ids sealed. */
const sealedBefore = (name: string, plaintext: string, context: string) => {
  const key = Buffer.from(hkdfSync("sha256", bytesOf(name), "pointsman", "pointsman/v1/seal", 32))
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", key, nonce).setAAD(Buffer.from(context))
  return `v1.${Buffer.concat([nonce, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]).toString("base64url")}`
}

const tenant = { workspaceId: "acme", environment: "production" } as const

const seal = (plaintext: string, context: string) =>
  Effect.flatMap(Secrets, (secrets) => secrets.seal(Redacted.make(plaintext), context))

const writeConnections = (connections: ReadonlyArray<Connection>) =>
  Effect.flatMap(Directory, (directory) => directory.write({ ...nothingConfigured, connections }))

const connectionWith = (id: string, sealedCredentials: string) =>
  connectionOf(id, { ...tenant, connector: "http", sealedCredentials })

const messages = 120

/** A store with texts that the key `first` sealed: three connections, an endpoint, messages and the derivation keys. */
const givenStore = Effect.gen(function* () {
  const storage = yield* Layer.build(memory)
  yield* Effect.gen(function* () {
    const ids = ["a", "b", "c"]
    yield* writeConnections(
      yield* Effect.forEach(ids, (id) =>
        Effect.map(seal(`credentials of ${id}`, credentialsContext(id)), (sealed) => connectionWith(id, sealed))
      )
    )
    yield* (yield* Directory).write({
      ...nothingConfigured,
      connections: [connectionWith("old", sealedBefore("first", "credentials of old", credentialsContext("old")))],
      webhookEndpoints: [
        {
          id: "whe_1",
          ...tenant,
          url: "https://shop.example",
          events: ["*"],
          sealedSecret: yield* seal("endpoint secret", endpointSecretContext("whe_1")),
          sealedPreviousSecret: yield* seal("previous secret", endpointSecretContext("whe_1")),
          active: true
        }
      ]
    })
    for (let number = 0; number < messages; number++) {
      const eventId = `evt_${number}`
      const body = yield* seal(`body ${number}`, messageContext("a", eventId))
      yield* (yield* Ledger).storeMessage(tenant, rowOf({ connectionId: "a", eventId, body, isSealed: true }))
    }
  }).pipe(Effect.provide(secretsOf("first").pipe(Layer.provideMerge(Layer.succeedContext(storage)))))
  return storage
})

const all = 4 + 2 + messages + 1

/** What is stored, in the clear, as a server with these keys reads it. */
const plaintexts = Effect.gen(function* () {
  const secrets = yield* Secrets
  const { connections, webhookEndpoints } = yield* (yield* Directory).contents
  const open = (sealed: string, context: string) => Effect.map(secrets.open(sealed, context), Redacted.value)
  return {
    credentials: yield* Effect.forEach(connections, (one) => open(one.sealedCredentials, credentialsContext(one.id))),
    secrets: yield* Effect.forEach(webhookEndpoints, (one) => open(one.sealedSecret, endpointSecretContext(one.id))),
    fingerprint: yield* secrets.fingerprint("request")
  }
})

const onStore =
  (storage: Context.Context<Layer.Success<typeof memory>>, current: string, ...previous: ReadonlyArray<string>) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.provide(effect, secretsOf(current, ...previous).pipe(Layer.provideMerge(Layer.succeedContext(storage))), {
      local: true
    })

describe("rotating the encryption key", () => {
  itRuns("rotated texts are all under the new key and say what they said", function* () {
    const storage = yield* givenStore
    const before = yield* plaintexts.pipe(onStore(storage, "first"))
    const seen: Array<number> = []
    const rotation = yield* rotateEncryption({ onProgress: (count) => Effect.sync(() => seen.push(count)) }).pipe(
      onStore(storage, "second", "first")
    )
    assert.deepStrictEqual(
      { ...rotation, left: [...rotation.left.byKey] },
      {
        keyId: idOf("second"),
        resealed: all,
        left: [
          [idOf("second"), all],
          [idOf("first"), 0]
        ]
      }
    )
    assert.deepStrictEqual(rotation.left.unreadable, { count: 0, first: null })
    assert.deepStrictEqual(
      seen,
      seen.toSorted((a, b) => a - b)
    )
    assert.strictEqual(seen.at(-1), all)
    assert.deepStrictEqual(yield* plaintexts.pipe(onStore(storage, "second")), before)
    const again = yield* rotateEncryption().pipe(onStore(storage, "second", "first"))
    assert.strictEqual(again.resealed, 0)
  })

  itRuns("a rotation that ends in the middle continues there when it runs again", function* () {
    const storage = yield* givenStore
    const before = yield* plaintexts.pipe(onStore(storage, "first"))
    let ends = 0
    let resealed = 0
    for (;;) {
      let batches = 0
      const exit = yield* Effect.exit(
        rotateEncryption({
          onProgress: () => Effect.suspend(() => (++batches === 2 ? Effect.interrupt : Effect.void))
        }).pipe(onStore(storage, "second", "first"))
      )
      // In the middle, servers read everything, with either key as their current one.
      assert.deepStrictEqual(yield* plaintexts.pipe(onStore(storage, "first", "second")), before)
      assert.deepStrictEqual(yield* plaintexts.pipe(onStore(storage, "second", "first")), before)
      if (exit._tag === "Success") {
        resealed = exit.value.resealed
        assert.deepStrictEqual([...exit.value.left.byKey.values()], [all, 0])
        break
      }
      ends++
    }
    assert.isAbove(ends, 1)
    assert.isBelow(resealed, all)
    assert.deepStrictEqual(yield* plaintexts.pipe(onStore(storage, "second")), before)
  })

  itRuns("credentials that a server changes during a rotation are kept", function* () {
    const storage = yield* givenStore
    const texts = Context.get(storage, SealedTexts)
    let changes = 0
    // Between the reading and the writing, a server whose current key is the first one stores other credentials.
    const replace: SealedTexts["Service"]["replace"] = (kind, replacements) =>
      kind === "credentials" && changes++ === 0
        ? Effect.andThen(
            Effect.flatMap(seal("newer credentials", credentialsContext("b")), (sealed) =>
              writeConnections([connectionWith("b", sealed)])
            ).pipe(onStore(storage, "first", "second"), Effect.orDie),
            texts.replace(kind, replacements)
          )
        : texts.replace(kind, replacements)
    const raced = Context.add(storage, SealedTexts, { ...texts, replace })
    const rotation = yield* rotateEncryption().pipe(onStore(raced, "second", "first"))
    assert.deepStrictEqual([...rotation.left.byKey.values()], [all, 0])
    const { credentials } = yield* plaintexts.pipe(onStore(storage, "second"))
    assert.deepStrictEqual(credentials, [
      "credentials of a",
      "newer credentials",
      "credentials of c",
      "credentials of old"
    ])
  })

  itRuns("texts that no key opens stay as they are in a rotation, and are reported", function* () {
    const storage = yield* givenStore
    const lost = yield* seal("lost", credentialsContext("b")).pipe(
      Effect.provide(SecretsLayer.layer(Redacted.make(bytesOf("third"))).pipe(Layer.provide(crypto)))
    )
    const moved = yield* seal("another's", credentialsContext("a")).pipe(onStore(storage, "first"))
    yield* writeConnections([connectionWith("b", lost), connectionWith("c", moved)]).pipe(onStore(storage, "first"))
    const rotation = yield* rotateEncryption().pipe(onStore(storage, "second", "first"))
    assert.deepStrictEqual(rotation.left.unreadable, { count: 2, first: credentialsContext("b") })
    assert.deepStrictEqual([...rotation.left.byKey.values()], [all - 2, 0])
    const { connections } = yield* Context.get(storage, Directory).contents
    assertFields(connections.slice(1, 3), "sealedCredentials", lost, moved)
  })
})

/** What a configuration does to the secret of a webhook endpoint that an operator rotated. */
import { assert, describe, it } from "@effect/vitest"
import { applyConfiguration, type ConfigurationFile } from "@pointsman/configuration"
import { configuredSecretText } from "@pointsman/core/internal"
import { Directory, Ids, Secrets, type WebhookEndpoint } from "@pointsman/core/ports"
import { openSecretsLayer } from "@pointsman/core/testing"
import * as MemoryStorage from "@pointsman/storage-memory"
import { Effect, Layer, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"

const world = Layer.mergeAll(MemoryStorage.layer(), openSecretsLayer).pipe(
  Layer.provide(Ids.layer),
  Layer.provide(SecureRandom.layerWebCrypto)
)

const fileWith = (secret: string, more: { readonly name?: string; readonly previousSecret?: string } = {}) => {
  const { name = "Acme", ...webhook } = more
  const file: ConfigurationFile = {
    workspaces: [
      {
        id: "acme",
        name,
        webhooks: [{ environment: "sandbox", url: "https://shop.example/hook", secret, ...webhook }]
      }
    ]
  }
  return file
}

const stored = Effect.gen(function* () {
  const [endpoint] = (yield* (yield* Directory).contents).webhookEndpoints
  return endpoint as WebhookEndpoint
})

const secretsOf = ({ sealedPreviousSecret, sealedSecret }: WebhookEndpoint) =>
  [sealedSecret, sealedPreviousSecret].map((sealed) => sealed?.split("|")[1] ?? null)

/** As `rotateEndpointSecret` writes it. */
const rotateTo = Effect.fnUntraced(function* (secret: string) {
  const before = yield* stored
  const secrets = yield* Secrets
  const [former = null] = secretsOf(before)
  const context = `webhook-endpoint:${before.id}:secret`
  const after: WebhookEndpoint = {
    ...before,
    sealedSecret: yield* secrets.seal(Redacted.make(secret), context),
    sealedPreviousSecret: before.sealedSecret,
    rotation: {
      at: 5,
      previousUntil: 10,
      configured:
        before.rotation?.configured ?? (yield* secrets.fingerprint(configuredSecretText(before.id, former ?? "")))
    }
  }
  const draft = {
    at: 5,
    actor: "jo",
    via: "library",
    action: "endpoint.secret_rotated",
    subject: before.id,
    details: "{}"
  } as const
  assert.isTrue(yield* (yield* Directory).replaceEndpointSecret(before.sealedSecret, after, draft))
})

describe("a rotated secret", () => {
  it.effect("a rotated secret stays when a configuration names the former one", () =>
    Effect.gen(function* () {
      yield* applyConfiguration(fileWith("first"))
      yield* rotateTo("second")
      const rotated = yield* stored
      yield* applyConfiguration(fileWith("first"))
      assert.deepStrictEqual(yield* stored, rotated)
      yield* applyConfiguration(fileWith("first", { name: "Acme again", previousSecret: "zeroth" }))
      assert.deepStrictEqual(yield* stored, rotated)
      // Rotated once more, while the file still names the first.
      yield* rotateTo("third")
      yield* applyConfiguration(fileWith("first", { name: "Acme once more" }))
      assert.deepStrictEqual(secretsOf(yield* stored), ["third", "second"])
    }).pipe(Effect.provide(world))
  )

  it.effect("the overlap continues when a configuration names the new secret", () =>
    Effect.gen(function* () {
      yield* applyConfiguration(fileWith("first"))
      yield* rotateTo("second")
      yield* applyConfiguration(fileWith("second"))
      const endpoint = yield* stored
      assert.deepStrictEqual(secretsOf(endpoint), ["second", "first"])
      assert.deepInclude(endpoint.rotation, { at: 5, previousUntil: 10 })
      // The file is the word again: what it names next counts.
      yield* applyConfiguration(fileWith("third"))
      assert.deepStrictEqual(secretsOf(yield* stored), ["third", null])
      assert.notProperty(yield* stored, "rotation")
    }).pipe(Effect.provide(world))
  )

  it.effect("another secret that a configuration names counts", () =>
    Effect.gen(function* () {
      yield* applyConfiguration(fileWith("first"))
      yield* rotateTo("second")
      yield* applyConfiguration(fileWith("other", { previousSecret: "second" }))
      assert.deepStrictEqual(secretsOf(yield* stored), ["other", "second"])
      assert.notProperty(yield* stored, "rotation")
    }).pipe(Effect.provide(world))
  )

  it.effect("a configuration is planned again after a rotation, and the new secret stays", () =>
    Effect.gen(function* () {
      yield* applyConfiguration(fileWith("first"))
      const directory = yield* Directory
      const services = yield* Effect.context<Directory | Secrets>()
      let count = 0
      const slow: Directory["Service"] = {
        ...directory,
        apply: (change) =>
          Effect.gen(function* () {
            // After the configuration was planned, and before it is written.
            if (count++ === 0) yield* Effect.orDie(Effect.provideContext(rotateTo("second"), services))
            return yield* directory.apply(change)
          })
      }
      const withdrawn = applyConfiguration({ workspaces: [{ id: "acme" }] })
      yield* Effect.provideService(withdrawn, Directory, slow)
      assert.strictEqual(count, 2)
      assert.isFalse((yield* stored).active)
      assert.deepStrictEqual(secretsOf(yield* stored), ["second", "first"])
    }).pipe(Effect.provide(world))
  )

  it.effect("a rotated secret stays when its endpoint leaves the configuration and returns", () =>
    Effect.gen(function* () {
      yield* applyConfiguration(fileWith("first"))
      yield* rotateTo("second")
      yield* applyConfiguration({ workspaces: [{ id: "acme" }] })
      assert.isFalse((yield* stored).active)
      yield* applyConfiguration(fileWith("first", { name: "Back" }))
      const endpoint = yield* stored
      assert.isTrue(endpoint.active)
      assert.deepStrictEqual(secretsOf(endpoint), ["second", "first"])
    }).pipe(Effect.provide(world))
  )
})

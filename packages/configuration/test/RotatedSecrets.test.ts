/** What a configuration does to the secret of a webhook endpoint that an operator rotated. */
import { assert, describe } from "@effect/vitest"
import { applyConfiguration, type ConfigurationFile } from "@pointsman/configuration"
import { configuredSecretText } from "@pointsman/core/internal"
import { Directory, Secrets, type WebhookEndpoint } from "@pointsman/core/ports"
import { Effect, Redacted } from "effect"
import { itInWorld, overtaken } from "./support/World.ts"

const fileWith = (secret: string, name = "Acme", previous: { readonly previousSecret?: string } = {}) => {
  const webhooks = [{ environment: "sandbox", url: "https://shop.example/hook", secret, ...previous }] as const
  return { workspaces: [{ id: "acme", name, webhooks }] } satisfies ConfigurationFile
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
  itInWorld("a rotated secret stays when a configuration names the former one", function* () {
    yield* applyConfiguration(fileWith("first"))
    yield* rotateTo("second")
    const rotated = yield* stored
    yield* applyConfiguration(fileWith("first"))
    assert.deepStrictEqual(yield* stored, rotated)
    yield* applyConfiguration(fileWith("first", "Acme again", { previousSecret: "zeroth" }))
    assert.deepStrictEqual(yield* stored, rotated)
    // Rotated once more, while the file still names the first.
    yield* rotateTo("third")
    yield* applyConfiguration(fileWith("first", "Acme once more"))
    assert.deepStrictEqual(secretsOf(yield* stored), ["third", "second"])
  })

  itInWorld("the overlap continues when a configuration names the new secret", function* () {
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
  })

  itInWorld("another secret that a configuration names counts", function* () {
    yield* applyConfiguration(fileWith("first"))
    yield* rotateTo("second")
    yield* applyConfiguration(fileWith("other", "Acme", { previousSecret: "second" }))
    assert.deepStrictEqual(secretsOf(yield* stored), ["other", "second"])
    assert.notProperty(yield* stored, "rotation")
  })

  itInWorld("a configuration is planned again after a rotation, and the new secret stays", function* () {
    yield* applyConfiguration(fileWith("first"))
    const withdrawn = applyConfiguration({ workspaces: [{ id: "acme" }] })
    assert.strictEqual((yield* overtaken(withdrawn, rotateTo("second"))).writes, 2)
    assert.isFalse((yield* stored).active)
    assert.deepStrictEqual(secretsOf(yield* stored), ["second", "first"])
  })

  itInWorld("a rotated secret stays when its endpoint leaves the configuration and returns", function* () {
    yield* applyConfiguration(fileWith("first"))
    yield* rotateTo("second")
    yield* applyConfiguration({ workspaces: [{ id: "acme" }] })
    assert.isFalse((yield* stored).active)
    yield* applyConfiguration(fileWith("first", "Back"))
    const endpoint = yield* stored
    assert.isTrue(endpoint.active)
    assert.deepStrictEqual(secretsOf(endpoint), ["second", "first"])
  })
})

/** The time after which an unverified message is refused: by it, nobody learns which connections exist. */
import { assert, describe } from "@effect/vitest"
import { Pointsman, webhookSecretContext } from "@pointsman/core"
import { KeyUnavailable, MessageUnreadable, MessageUnverified, Secrets } from "@pointsman/core/ports"
import { openSecretsLayer, scriptedProvider } from "@pointsman/core/testing"
import { Effect, Layer, Result } from "effect"
import { TestClock } from "effect/testing"
import { itIn } from "./support/ItIn.ts"
import { world } from "./support/World.ts"

/** What verifying takes, in milliseconds, by connection: as long as the provider's scheme and the message need. */
const schemes: Readonly<Record<string, number>> = { http: 1, stripe: 3.25, adyen: 24.75, slow: 25.25 }

const worldOf = (secrets: Layer.Layer<Secrets> = openSecretsLayer) => {
  const scripted = scriptedProvider()
  const { definition } = scripted
  const provider = {
    ...scripted,
    definition: {
      ...definition,
      connect: (
        account: Parameters<typeof definition.connect>[0],
        transport: Parameters<typeof definition.connect>[1]
      ) =>
        Result.map(definition.connect(account, transport), (connector) => ({
          ...connector,
          readMessage: ({ body }: { readonly body: Uint8Array }) =>
            Effect.andThen(
              Effect.sleep(schemes[account.connectionId] ?? 0),
              Effect.fail(
                new TextDecoder().decode(body) === "signed"
                  ? new MessageUnreadable({ reason: "it is a test" })
                  : new MessageUnverified({ reason: "its signature is missing" })
              )
            )
        }))
    }
  }
  const connections = [
    ...Object.keys(schemes).map((id) => ({ id, sealedWebhookSecret: `${webhookSecretContext(id)}|whsec_${id}` })),
    { id: "no-secret" },
    { id: "broken", sealedWebhookSecret: "sealed by another key" }
  ]
  return world({ provider, secrets, connections })
}

const send = Effect.fnUntraced(function* (connectionId: string, text = "unsigned") {
  const pointsman = yield* Pointsman
  const body = new TextEncoder().encode(text)
  const result = yield* Effect.result(pointsman.verifyMessage({ connectionId, headers: {}, body }))
  return Result.isSuccess(result) ? "verified" : result.failure._tag
})

/** What becomes of a message after so many milliseconds, and not a quarter of one before. */
const receiveAfter = Effect.fnUntraced(function* (millis: number, connectionId: string, text?: string) {
  const sent = yield* Effect.forkChild(send(connectionId, text))
  yield* TestClock.adjust(millis - 0.25)
  assert.isUndefined(sent.pollUnsafe(), `${connectionId} was answered before ${millis} ms`)
  yield* TestClock.adjust(0.25)
  const answered = sent.pollUnsafe()
  assert.isDefined(answered, `${connectionId} was not answered after ${millis} ms`)
  return yield* answered
})

describe("an unverified message", () => {
  itIn("a message is refused after the same time whether its connection exists or not", worldOf(), function* () {
    for (const id of ["absent", "no-secret", "broken", "http", "stripe", "adyen"]) {
      assert.strictEqual(yield* receiveAfter(25, id), "pointsman/MessageRefused")
    }
  })

  itIn("a verification longer than a tick is refused at the next one", worldOf(), function* () {
    assert.strictEqual(yield* receiveAfter(50, "slow"), "pointsman/MessageRefused")
  })

  itIn("a message that is verified waits for no tick", worldOf(), function* () {
    assert.strictEqual(yield* receiveAfter(3.25, "stripe", "signed"), "verified")
  })

  const unavailable = Layer.effect(
    Secrets,
    Effect.map(Secrets, (secrets) => ({
      ...secrets,
      open: () => Effect.fail(new KeyUnavailable({ reason: "the key service does not answer" }))
    }))
  ).pipe(Layer.provide(openSecretsLayer))

  const keyless = worldOf(unavailable)
  itIn("an unknown connection fails as a known one does while a key is unavailable", keyless, function* () {
    for (const id of ["absent", "no-secret", "http"]) {
      assert.deepStrictEqual([id, yield* send(id)], [id, "pointsman/StorageError"])
    }
  })
})

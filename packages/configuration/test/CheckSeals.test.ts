import { assert, describe, it } from "@effect/vitest"
import { checkSeals } from "@pointsman/configuration"
import { type Connection, credentialsContext } from "@pointsman/core"
import { type DirectoryContents, Secrets } from "@pointsman/core/ports"
import { openSecretsLayer } from "@pointsman/core/testing"
import { Effect, Exit, Redacted } from "effect"

type Stored = readonly [id: string, active: boolean, sealedBy: "ours" | "another key"]

const contentsOf = Effect.fnUntraced(function* (stored: ReadonlyArray<Stored>) {
  const secrets = yield* Secrets
  const connections: Array<Connection> = []
  for (const [id, active, sealedBy] of stored) {
    const context = sealedBy === "ours" ? credentialsContext(id) : "elsewhere"
    connections.push({
      id,
      workspaceId: "acme",
      environment: "sandbox",
      name: id,
      connector: "scripted",
      active,
      priority: 1,
      sealedCredentials: yield* secrets.seal(Redacted.make("{}"), context),
      sealedWebhookSecret: null,
      timeoutMillis: null,
      supports: {},
      restrictions: [],
      circuitBreaker: null
    })
  }
  return { workspaces: [], apiKeys: [], connections, routing: [], webhookEndpoints: [] } satisfies DirectoryContents
})

describe("the encryption key of a start", () => {
  it.effect.each<[string, ReadonlyArray<Stored>, boolean]>([
    ["nothing is stored", [], true],
    ["all can be decrypted", [["main", true, "ours"]], true],
    [
      "an active connection cannot be decrypted",
      [
        ["main", true, "another key"],
        ["old", false, "ours"]
      ],
      false
    ],
    [
      "a removed connection cannot be decrypted",
      [
        ["main", true, "ours"],
        ["old", false, "another key"]
      ],
      true
    ],
    [
      "another removed one can be decrypted",
      [
        ["older", false, "ours"],
        ["old", false, "another key"]
      ],
      true
    ],
    ["nothing can be decrypted", [["old", false, "another key"]], false]
  ])("a start when %s continues only with the right key", ([, stored, isRight]) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(checkSeals(yield* contentsOf(stored)))
      assert.strictEqual(Exit.isSuccess(exit), isRight)
    }).pipe(Effect.provide(openSecretsLayer))
  )
})

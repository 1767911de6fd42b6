import { assert, describe, it } from "@effect/vitest"
import { checkSeals } from "@pointsman/configuration"
import { type Connection, credentialsContext } from "@pointsman/core"
import { type DirectoryContents, Secrets } from "@pointsman/core/ports"
import { openSecretsLayer } from "@pointsman/core/testing"
import { Effect, Exit, Redacted } from "effect"
import { connection } from "./support/Routes.ts"

type Stored = readonly [id: string, active: boolean, sealedBy: "ours" | "another key"]

const contentsOf = Effect.fnUntraced(function* (stored: ReadonlyArray<Stored>) {
  const secrets = yield* Secrets
  const connections: Array<Connection> = []
  for (const [id, active, sealedBy] of stored) {
    const context = sealedBy === "ours" ? credentialsContext(id) : "elsewhere"
    const sealedCredentials = yield* secrets.seal(Redacted.make("{}"), context)
    connections.push(connection(id, { active, sealedCredentials }))
  }
  return { workspaces: [], apiKeys: [], connections, routing: [], webhookEndpoints: [] } satisfies DirectoryContents
})

const old: Stored = ["old", false, "another key"]
const older: Stored = ["older", false, "ours"]

describe("the encryption key of a start", () => {
  it.effect.each<[string, ReadonlyArray<Stored>, boolean]>([
    ["nothing is stored", [], true],
    ["all can be decrypted", [["main", true, "ours"]], true],
    ["an active connection cannot be decrypted", [["main", true, "another key"], older], false],
    ["a removed connection cannot be decrypted", [["main", true, "ours"], old], true],
    ["another removed one can be decrypted", [older, old], true],
    ["nothing can be decrypted", [old], false]
  ])("a start when %s continues only with the right key", ([, stored, isRight]) =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(checkSeals(yield* contentsOf(stored)))
      assert.strictEqual(Exit.isSuccess(exit), isRight)
    }).pipe(Effect.provide(openSecretsLayer))
  )
})

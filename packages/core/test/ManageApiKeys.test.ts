/** Keys of operators, and what a configuration file may do to them afterwards. */
import { assert } from "@effect/vitest"
import { Pointsman, type Tenant } from "@pointsman/core"
import { apiKeyIdOf, environmentOfApiKey, planDirectory } from "@pointsman/core/internal"
import { Directory, type KeyUse, Secrets } from "@pointsman/core/ports"
import { Clock, Context, Effect, Latch, Layer, Option, Redacted, Result } from "effect"
import { TestClock } from "effect/testing"
import { Background } from "../src/commit/Background.ts"
import { KeyUses } from "../src/verbs/administer/KeyUses.ts"
import { itHere } from "./support/ItIn.ts"
import { apiKeyOf, workspace } from "./support/World.ts"

const live: Tenant = { workspaceId: "acme", environment: "production" }
const fromFile = apiKeyOf("f".repeat(64), { source: "configuration" })

const nothingElse = { connections: [], routing: [], webhookEndpoints: [] }

itHere("a new key finds its workspace, and the store does not have the key", function* (_, pointsman) {
  yield* TestClock.adjust(7_000)
  const { apiKey, secret } = yield* pointsman.createApiKey(live, ["payments:read"])
  const key = Redacted.value(secret)
  assert.strictEqual(environmentOfApiKey(key), "production")
  assert.deepStrictEqual(apiKey, {
    ...{ ...fromFile, ...live, scopes: ["payments:read"], source: "operator", createdAt: 7_000 },
    hash: yield* (yield* Secrets).hash(key)
  })
  assert.strictEqual(apiKeyIdOf(apiKey), apiKey.hash.slice(0, 12))
  assert.deepStrictEqual(yield* pointsman.authenticate(key), { apiKey, workspace })
  const other = yield* pointsman.createApiKey(live, null)
  assert.notStrictEqual(Redacted.value(other.secret), key)
  assert.strictEqual(other.apiKey.scopes, null)

  const nowhere = yield* Effect.flip(pointsman.createApiKey({ ...live, workspaceId: "globex" }, null))
  assert.strictEqual(nowhere._tag, "pointsman/WorkspaceNotFound")
  assert.lengthOf((yield* (yield* Directory).contents).apiKeys, 2)
})

itHere("a key created twice from one draft is one key, which is shown once", function* (_, pointsman) {
  const draft = yield* pointsman.draftApiKey(live)
  assert.lengthOf((yield* (yield* Directory).contents).apiKeys, 0)
  const create = pointsman.createDraftedApiKey(live, draft, ["payments:read"], { name: "shop" })
  const { apiKey, secret } = yield* create
  assert.deepInclude(apiKey, { ...live, scopes: ["payments:read"], name: "shop", source: "operator" })
  assert.deepStrictEqual((yield* pointsman.authenticate(Redacted.value(secret))).apiKey, apiKey)
  const again = yield* Effect.flip(create)
  assert.deepInclude(again, { _tag: "pointsman/ApiKeyCreated", id: apiKeyIdOf(apiKey) })
  yield* pointsman.revokeApiKey(apiKey.hash)
  assert.strictEqual((yield* Effect.flip(create))._tag, "pointsman/ApiKeyCreated")
  assert.lengthOf((yield* (yield* Directory).contents).apiKeys, 1)
  assert.notStrictEqual(yield* pointsman.draftApiKey(live), draft)
  for (const [elsewhere, text] of [
    [{ ...live, environment: "sandbox" }, draft],
    [{ ...live, workspaceId: "globex" }, draft],
    [live, "no draft"],
    [live, ""]
  ] as const) {
    const refused = yield* Effect.flip(pointsman.createDraftedApiKey(elsewhere, text, null))
    assert.strictEqual(refused._tag, "pointsman/ApiKeyDraftInvalid")
  }
})

itHere("an expired key is refused like an unknown key", function* (_, pointsman) {
  const { apiKey, secret } = yield* pointsman.createApiKey(live, null, { name: "shop", expiresAt: 1_000 })
  assert.deepInclude(apiKey, { name: "shop", expiresAt: 1_000, networks: null })
  yield* TestClock.adjust(999)
  yield* pointsman.authenticate(Redacted.value(secret))
  yield* TestClock.adjust(1)
  const refused = yield* Effect.flip(pointsman.authenticate(Redacted.value(secret)))
  assert.strictEqual(refused._tag, "pointsman/KeyRefused")
})

itHere("a key for networks refuses a caller in none of them, and an unknown one", function* (_, pointsman) {
  const networks = ["10.0.0.0/8"]
  const key = Redacted.value((yield* pointsman.createApiKey(live, null, { networks })).secret)
  assert.deepStrictEqual(
    (yield* pointsman.authenticate(key, (of) => of.join() === networks.join())).apiKey.networks,
    networks
  )
  for (const comesFrom of [() => false, undefined]) {
    const refused = yield* Effect.flip(pointsman.authenticate(key, comesFrom))
    assert.strictEqual(refused._tag, "pointsman/KeyRefused")
  }
})

itHere("a storage that does not answer delays no request, and records a key's use once", function* () {
  const directory = yield* Directory
  const latch = yield* Latch.make()
  const written: Array<ReadonlyArray<KeyUse>> = []
  const slow = Directory.of({
    ...directory,
    recordKeyUses: (uses) =>
      Effect.andThen(
        Effect.sync(() => written.push(uses)),
        latch.await
      )
  })
  const { note } = yield* Layer.build(
    Layer.fresh(KeyUses.layer).pipe(Layer.provide([Layer.succeed(Directory, slow), Background.layer]))
  ).pipe(Effect.map(Context.get(KeyUses)))
  const use = Effect.flatMap(Clock.currentTimeMillis, (at) => note({ hash: "h", at }) ?? Effect.void)
  yield* use
  yield* TestClock.adjust(59_999)
  yield* use
  assert.deepStrictEqual(written, [[{ hash: "h", at: 0 }]])
  yield* latch.open
  yield* TestClock.adjust(1)
  yield* use
  yield* TestClock.adjust(1)
  assert.deepStrictEqual(written[1], [{ hash: "h", at: 60_000 }])
  assert.lengthOf(written, 2)
})

itHere("a key revoked twice is refused, and the second time says when it was", function* (_, pointsman) {
  const { apiKey, secret } = yield* pointsman.createApiKey(live, null)
  yield* TestClock.adjust(1_000)
  const revoked = { ...apiKey, revokedAt: 1_000 }
  assert.deepStrictEqual(yield* pointsman.revokeApiKey(apiKey.hash), { apiKey: revoked, isChanged: true })
  yield* Effect.flip(pointsman.authenticate(Redacted.value(secret)))
  yield* TestClock.adjust(1_000)
  assert.deepStrictEqual(yield* pointsman.revokeApiKey(apiKey.hash), { apiKey: revoked, isChanged: false })
  const unknown = yield* Effect.flip(pointsman.revokeApiKey("0".repeat(64)))
  assert.strictEqual(unknown._tag, "pointsman/ApiKeyNotFound")
})

itHere("a restored key works though a file omits it; an operator's revocation is final", function* (_, pointsman) {
  const directory = yield* Directory
  const holderOf = Effect.map(directory.keyHolder(fromFile.hash), Option.getOrThrow)
  yield* directory.write({ ...nothingElse, workspaces: [], apiKeys: [{ ...fromFile, revokedAt: 500 }] })
  assert.deepStrictEqual(yield* pointsman.restoreApiKey(fromFile.hash), { apiKey: fromFile, isChanged: true })
  assert.deepStrictEqual((yield* holderOf).apiKey, fromFile)
  assert.isFalse((yield* pointsman.restoreApiKey(fromFile.hash)).isChanged)
  yield* pointsman.revokeApiKey(fromFile.hash)
  const refused = yield* Effect.flip(pointsman.restoreApiKey(fromFile.hash))
  assert.strictEqual(refused._tag, "pointsman/ApiKeyNotRestorable")
  assert.strictEqual((yield* holderOf).apiKey.revokedAt, 0)
  const unknown = yield* Effect.flip(pointsman.restoreApiKey("0".repeat(64)))
  assert.strictEqual(unknown._tag, "pointsman/ApiKeyNotFound")
})

for (const revokedAt of [null, 500]) {
  itHere(`a file's key revoked at ${revokedAt} and by an operator comes back by no file`, function* () {
    const directory = yield* Directory
    yield* directory.write({ ...nothingElse, workspaces: [], apiKeys: [{ ...fromFile, revokedAt }] })
    yield* TestClock.adjust(1_000)
    const { apiKey, isChanged } = yield* (yield* Pointsman).revokeApiKey(fromFile.hash)
    assert.deepStrictEqual([apiKey.revokedAt, isChanged], [revokedAt ?? 1_000, revokedAt === null])
    const wanted = { ...nothingElse, workspaces: [workspace], apiKeys: [fromFile] }
    const plan = planDirectory(yield* directory.contents, wanted, { now: 2_000, isNew: true, notRuled: new Set() })
    assert.deepStrictEqual(Result.getOrThrow(plan).apiKeys, [])
  })
}

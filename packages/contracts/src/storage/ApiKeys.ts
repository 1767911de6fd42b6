/** A revoked API key never moves money: the commit itself looks. */
import { expect } from "@effect/vitest"
import type { ApiKey } from "@pointsman/core"
import { Directory } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { apiKeyOf, firstChange, noTrace, traceOf, workspaceOf, writeDirectory } from "./Given.ts"
import { chapter } from "./StorageTest.ts"

const stored = ({ hash }: ApiKey) =>
  Effect.flatMap(Directory, ({ keyHolder }) => Effect.map(keyHolder(hash), (held) => Option.getOrThrow(held).apiKey))

export const apiKeys = chapter("API keys", (it) => {
  it("a revoked live key makes the next commit write nothing and the next read show it", function* (given) {
    const { ledger, tenant } = given
    const apiKey = apiKeyOf(tenant)
    yield* writeDirectory({ workspaces: [workspaceOf(tenant)], apiKeys: [apiKey] })
    const before = yield* firstChange(tenant)
    yield* ledger.commit({ ...before.change, apiKeyHash: apiKey.hash })
    expect(yield* traceOf(before.change)).toMatchObject({ book: Option.some(before.after), timeline: [{}] })
    expect((yield* stored(apiKey)).revokedAt).toBeNull()

    yield* writeDirectory({ apiKeys: [{ ...apiKey, revokedAt: 5 }] })

    expect((yield* stored(apiKey)).revokedAt).toBe(5)
    const after = yield* firstChange(tenant)
    const refused = yield* Effect.flip(ledger.commit({ ...after.change, apiKeyHash: apiKey.hash }))
    expect(refused._tag).toBe("pointsman/ApiKeyRevoked")
    expect(yield* traceOf(after.change)).toStrictEqual(noTrace)
  })

  it("a revoked key is reported before a taken idempotency key when both refuse", function* ({ ledger, tenant }) {
    const apiKey = apiKeyOf(tenant, { revokedAt: 5 })
    yield* writeDirectory({ apiKeys: [apiKey] })
    const { change } = yield* firstChange(tenant)
    // What needs no key is written.
    yield* ledger.commit(change)
    expect((yield* traceOf(change)).timeline).toHaveLength(1)
    const refused = yield* Effect.flip(ledger.commit({ ...change, apiKeyHash: apiKey.hash }))
    expect(refused._tag).toBe("pointsman/ApiKeyRevoked")
  })

  it("a key that an operator revoked stays so for writers that read it before", function* ({ tenant }) {
    const brought = apiKeyOf(tenant, { source: "configuration" })
    const made = apiKeyOf(tenant, { source: "operator" })
    yield* writeDirectory({ workspaces: [workspaceOf(tenant)], apiKeys: [brought, made] })
    for (const apiKey of [brought, made]) {
      yield* writeDirectory({ apiKeys: [{ ...apiKey, revokedAt: 5, source: "operator" }] })
      yield* writeDirectory({ apiKeys: [{ ...apiKey, scopes: ["payments:read"] }] })
      expect(yield* stored(apiKey)).toStrictEqual({ ...apiKey, revokedAt: 5, source: "operator" })
    }
  })

  it("a key that a file no longer names is alive when it is named again", function* ({ tenant }) {
    const apiKey = apiKeyOf(tenant, { source: "configuration" })
    yield* writeDirectory({ workspaces: [workspaceOf(tenant)], apiKeys: [{ ...apiKey, revokedAt: 5 }] })
    yield* writeDirectory({ apiKeys: [apiKey] })
    expect(yield* stored(apiKey)).toStrictEqual(apiKey)
  })

  it("a key is read with its name, expiry and networks", function* ({ tenant }) {
    const apiKey = apiKeyOf(tenant, { name: "shop \u0000 \ud800", expiresAt: 7, networks: ["10.0.0.0/8", "::1"] })
    yield* writeDirectory({ workspaces: [workspaceOf(tenant)], apiKeys: [apiKey] })
    expect(yield* stored(apiKey)).toStrictEqual(apiKey)
    const unlimited = { ...apiKey, name: null, expiresAt: null, networks: null }
    yield* writeDirectory({ apiKeys: [unlimited] })
    expect(yield* stored(apiKey)).toStrictEqual(unlimited)
  })

  it("the last use of a key is recorded once a minute", function* ({ directory, tenant }) {
    const [first, second] = [apiKeyOf(tenant), apiKeyOf(tenant, { hash: `second-${tenant.workspaceId}` })]
    yield* writeDirectory({ workspaces: [workspaceOf(tenant)], apiKeys: [first, second] })
    const uses = Effect.map(directory.keyUses, (all) => [all.get(first.hash), all.get(second.hash)])
    const before = yield* directory.contents
    expect(yield* uses).toEqual([undefined, undefined])
    yield* directory.recordKeyUses([{ hash: first.hash, at: 100_000 }])
    yield* directory.recordKeyUses([
      { hash: first.hash, at: 159_999 },
      { hash: second.hash, at: 159_999 }
    ])
    expect(yield* uses).toEqual([100_000, 159_999])
    yield* directory.recordKeyUses([{ hash: first.hash, at: 160_000 }])
    yield* directory.recordKeyUses([{ hash: first.hash, at: 100_000 }])
    yield* writeDirectory({ apiKeys: [{ ...first, revokedAt: 5 }, second] })
    expect(yield* uses).toEqual([160_000, 159_999])
    expect(before.apiKeys).toContainEqual(first)
  })
})

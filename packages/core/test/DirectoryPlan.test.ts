import { assert, it } from "@effect/vitest"
import { Result } from "effect"
import type { ApiKey } from "../src/model/ApiKey.ts"
import type { Connection } from "../src/model/Connection.ts"
import type { Workspace } from "../src/model/Workspace.ts"
import type { DirectoryContents, WebhookEndpoint } from "../src/ports/Directory.ts"
import { type DirectoryConflict, isEmptyPlan, planDirectory, type WantedDirectory } from "../src/ports/DirectoryPlan.ts"
import { workspace as acme, connectionOf, nothingConfigured as nothing } from "./support/World.ts"

const workspace = (id: string, change: Partial<Workspace> = {}): Workspace => ({ ...acme, id, name: id, ...change })

/** As the plan writes it. */
const ruled = (id: string): Workspace => workspace(id, { source: "configuration" })

const connection = (id: string, change: Partial<Connection> = {}): Connection =>
  connectionOf(id, {
    environment: "production",
    supports: { currencies: ["EUR"], amount: { EUR: { min: 50 } } },
    ...change
  })

const endpoint = (id: string, change: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  id,
  workspaceId: "acme",
  environment: "production",
  url: `http://127.0.0.1/${id}`,
  events: ["*"],
  sealedSecret: "v1.s",
  active: true,
  ...change
})

const wantedKey = (hash: string, change: Partial<ApiKey> = {}) =>
  ({
    hash,
    workspaceId: "acme",
    environment: "production",
    scopes: null,
    name: null,
    expiresAt: null,
    networks: null,
    ...change
  }) as const

const storedKey = (hash: string, change: Partial<ApiKey> = {}): ApiKey => ({
  ...wantedKey(hash),
  revokedAt: null,
  source: "configuration",
  createdAt: 1,
  ...change
})

const wanted = (change: Partial<WantedDirectory> = {}): WantedDirectory => ({
  ...nothing,
  workspaces: [workspace("acme")],
  ...change
})

/** What `Directory.write` does: insert, or replace by key. */
const write = (present: DirectoryContents, plan: DirectoryContents): DirectoryContents => {
  const merge = <A>(before: ReadonlyArray<A>, after: ReadonlyArray<A>, keyOf: (row: A) => string) => [
    ...new Map([...before, ...after].map((row) => [keyOf(row), row])).values()
  ]
  return {
    workspaces: merge(present.workspaces, plan.workspaces, (row) => row.id),
    apiKeys: merge(present.apiKeys, plan.apiKeys, (row) => row.hash),
    connections: merge(present.connections, plan.connections, (row) => row.id),
    routing: merge(present.routing, plan.routing, (row) => `${row.workspaceId} ${row.environment}`),
    webhookEndpoints: merge(present.webhookEndpoints, plan.webhookEndpoints, (row) => row.id)
  }
}

const plan = (present: DirectoryContents, want: WantedDirectory, now = 10, notRuled: ReadonlyArray<string> = []) =>
  Result.getOrThrow(planDirectory(present, want, { now, isNew: true, notRuled: new Set(notRuled) }))

const conflicts = (present: DirectoryContents, want: WantedDirectory): ReadonlyArray<DirectoryConflict> => {
  const planned = planDirectory(present, want, { now: 10, isNew: true, notRuled: new Set() })
  return Result.isFailure(planned) ? planned.failure : []
}

const full = wanted({
  apiKeys: [wantedKey("k1", { scopes: ["payments:read"] })],
  connections: [connection("main"), connection("off", { active: false })],
  routing: [{ workspaceId: "acme", environment: "production", settings: { mode: "fixed", order: ["main"] } }],
  webhookEndpoints: [endpoint("e1")]
})

it("a configuration planned for an empty directory is written completely", () => {
  const planned = plan(nothing, full)
  assert.deepStrictEqual(planned, {
    workspaces: [ruled("acme")],
    apiKeys: [storedKey("k1", { scopes: ["payments:read"], createdAt: 10 })],
    connections: full.connections,
    routing: full.routing,
    webhookEndpoints: full.webhookEndpoints
  })
})

it("a configuration that was applied writes nothing when planned again", () => {
  const present = write(nothing, plan(nothing, full))
  assert.isTrue(isEmptyPlan(plan(present, structuredClone(full), 99)))
})

it("a connection and an endpoint no longer named become inactive and keep the rest", () => {
  const present = write(nothing, plan(nothing, full))
  const planned = plan(present, wanted())
  assert.deepStrictEqual(planned.connections, [connection("main", { active: false })])
  assert.deepStrictEqual(planned.webhookEndpoints, [endpoint("e1", { active: false })])
  const after = write(present, planned)
  assert.isTrue(isEmptyPlan(plan(after, wanted(), 99)))
  const again = plan(after, full)
  assert.deepStrictEqual(again.connections, [connection("main")])
  assert.deepStrictEqual(again.webhookEndpoints, [endpoint("e1")])
})

it("a connection no longer named has no scheduled reports fetched", () => {
  const reports = { everyMillis: 3_600_000 }
  for (const active of [true, false]) {
    const named = wanted({ ...full, connections: [connection("main", { active, reports })] })
    const present = write(nothing, plan(nothing, named))
    assert.deepStrictEqual(plan(present, wanted()).connections, [connection("main", { active: false })])
  }
})

it("a workspace no longer named stays, and what it has is switched off", () => {
  const present = write(nothing, plan(nothing, full))
  const planned = plan(present, wanted({ workspaces: [workspace("other")] }), 20)
  assert.deepStrictEqual(planned.workspaces, [ruled("other")])
  assert.deepStrictEqual(planned.connections, [connection("main", { active: false })])
  assert.deepStrictEqual(planned.apiKeys, [
    storedKey("k1", { scopes: ["payments:read"], createdAt: 10, revokedAt: 20 })
  ])
  assert.deepStrictEqual(planned.routing, [])
})

it("a key of the configuration dropped and named again is revoked and stays so", () => {
  const present = { ...nothing, workspaces: [ruled("acme")], apiKeys: [storedKey("k1")] }
  const dropped = plan(present, wanted(), 20)
  assert.deepStrictEqual(dropped.apiKeys, [storedKey("k1", { revokedAt: 20 })])
  const revoked = write(present, dropped)
  assert.deepStrictEqual(plan(revoked, wanted(), 30).apiKeys, [])
  assert.deepStrictEqual(plan(revoked, wanted({ apiKeys: [wantedKey("k1")] }), 30).apiKeys, [])
})

it("a restored key that the configuration omits stays active when planned again", () => {
  const present = { ...nothing, workspaces: [ruled("acme")], apiKeys: [storedKey("k1")] }
  const planned = planDirectory(present, wanted(), { now: 20, isNew: false, notRuled: new Set() })
  assert.deepStrictEqual(Result.getOrThrow(planned).apiKeys, [])
})

it("an operator's key stays as it is, named in the configuration or not", () => {
  for (const revokedAt of [null, 5]) {
    const present = { ...nothing, apiKeys: [storedKey("k1", { source: "operator", revokedAt })] }
    assert.deepStrictEqual(plan(present, wanted()).apiKeys, [])
    assert.deepStrictEqual(plan(present, wanted({ apiKeys: [wantedKey("k1")] })).apiKeys, [])
  }
})

it("the default replaces routing that the file of a named workspace dropped", () => {
  const present = write(nothing, plan(nothing, full))
  const planned = plan(present, { ...full, routing: [] })
  assert.deepStrictEqual(planned.routing, [
    { workspaceId: "acme", environment: "production", settings: { mode: "failover" } }
  ])
  assert.deepStrictEqual(plan(nothing, { ...full, routing: [] }).routing, [])
})

it("a workspace outside the configuration's rule keeps all it has until it is named", () => {
  const present = {
    ...nothing,
    workspaces: [workspace("demo")],
    connections: [connection("d1", { workspaceId: "demo" })],
    apiKeys: [storedKey("k1", { workspaceId: "demo", source: "operator" })],
    webhookEndpoints: [endpoint("e1", { workspaceId: "demo" })]
  }
  assert.deepStrictEqual(plan(present, wanted(), 10, ["demo"]), { ...nothing, workspaces: [ruled("acme")] })
  const named = plan(present, wanted({ workspaces: [workspace("demo")] }), 10, ["demo"])
  assert.deepStrictEqual(named.connections, [connection("d1", { workspaceId: "demo", active: false })])
  assert.deepStrictEqual(named.apiKeys, [])
})

it("a configuration defines a workspace that a program wrote, once it rules it", () => {
  const present = { ...nothing, workspaces: [ruled("acme"), workspace("other"), workspace("mer_1")] }
  assert.deepStrictEqual(plan(present, wanted(), 10, ["mer_1"]), { ...nothing, workspaces: [ruled("other")] })
})

it("a key that the file gave to a workspace outside its rule is revoked once unnamed", () => {
  const present = {
    ...nothing,
    workspaces: [ruled("acme"), ruled("mer_1")],
    apiKeys: [storedKey("k1", { workspaceId: "mer_1" })]
  }
  assert.deepStrictEqual(plan(present, wanted(), 10, ["mer_1"]), {
    ...nothing,
    workspaces: [workspace("mer_1")],
    apiKeys: [storedKey("k1", { workspaceId: "mer_1", revokedAt: 10 })]
  })
})

it("a connection id taken elsewhere or named twice is reported, and nothing planned", () => {
  const present = { ...nothing, connections: [connection("main")] }
  for (const elsewhere of [{ workspaceId: "other" }, { environment: "sandbox" }] as const) {
    assert.deepStrictEqual(conflicts(present, wanted({ connections: [connection("main", elsewhere)] })), [
      { _tag: "ConnectionElsewhere", connectionId: "main", workspaceId: "acme", environment: "production" }
    ])
  }
  assert.deepStrictEqual(conflicts(nothing, wanted({ connections: [connection("a"), connection("a")] })), [
    { _tag: "ConnectionTwice", connectionId: "a" }
  ])
})

it("another connector for a stored connection is a conflict", () => {
  const present = { ...nothing, connections: [connection("main", { active: false })] }
  assert.deepStrictEqual(conflicts(present, wanted({ connections: [connection("main", { connector: "stripe" })] })), [
    { _tag: "ConnectorChanged", connectionId: "main", connector: "scripted" }
  ])
})

it("a key named twice or an operator's key of another workspace is a conflict", () => {
  const present = { ...nothing, apiKeys: [storedKey("k1", { source: "operator", workspaceId: "other" })] }
  assert.deepStrictEqual(conflicts(present, wanted({ apiKeys: [wantedKey("k1"), wantedKey("k2"), wantedKey("k2")] })), [
    { _tag: "ApiKeyElsewhere", hash: "k1", workspaceId: "other" },
    { _tag: "ApiKeyTwice", hash: "k2" }
  ])
})

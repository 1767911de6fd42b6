/** Workspaces, keys, connections, routing and endpoints: replaced by their keys, never deleted. */
import { expect } from "@effect/vitest"
import type { RoutingSettings, Tenant } from "@pointsman/core"
import { auditDraft, Directory, type ProviderAccount } from "@pointsman/core/ports"
import { Effect, Option } from "effect"
import { apiKeyOf, connectionOf, endpointOf, newTenant, nothing, workspaceOf, writeDirectory } from "./Given.ts"
import { chapter } from "./StorageTest.ts"

const full: RoutingSettings = {
  mode: "failover",
  order: ["b", "a"],
  maxAttempts: 3,
  rules: [{ name: "large", when: { amount: { min: 10_000 } }, use: { mode: "fixed", split: { a: 1, b: 2 } } }],
  control: { share: 0.05, order: ["a"] },
  auto: { exploration: 0.1, objective: "value", maxApprovalLoss: 0.02 }
}

const live = { id: "acct_1", mode: "live" } as const
const other = { id: "acct_2", mode: "live" } as const

/** What the directory tells of the connection's account after what its provider stated. */
const stated = Effect.fnUntraced(function* (
  tenant: Tenant,
  account: ProviderAccount,
  at: number,
  sealedCredentials = connectionOf(tenant).sealedCredentials
) {
  const directory = yield* Directory
  yield* directory.recordAccount({ connectionId: connectionOf(tenant).id, sealedCredentials, account, at })
  const [connection] = yield* directory.connections(tenant)
  expect(Option.getOrThrow(yield* directory.connection(connectionOf(tenant).id))).toStrictEqual(connection)
  return connection?.account
})

export const directory = chapter("directory", (it) => {
  it("a full entry of each kind is read as it was written", function* ({ directory, tenant }) {
    const workspace = workspaceOf(tenant, {
      suspended: true,
      partner: { allowance: 3 },
      country: null,
      category: null,
      brand: { name: "Café Ü", logo: "https://cdn.example/logo.svg", support: "mailto:help@shop.example" },
      hostedPage: "provider",
      fourEyes: { EUR: 100_000, JPY: 0 },
      source: "configuration" as const
    })
    const apiKey = apiKeyOf(tenant, { scopes: ["payments:read", "events:read"], source: "configuration" })
    const connection = connectionOf(tenant, {
      sealedWebhookSecret: "sealed too",
      timeoutMillis: 5_000,
      supports: { currencies: ["EUR"], recurring: false, amount: { EUR: { min: 1, max: 2 } } },
      restrictions: [{ country: ["DE"], initiator: ["mit"] }],
      circuitBreaker: { failures: 3, openMillis: 1_000 },
      fees: [
        { when: { region: ["domestic", "eea"], cardBrand: ["visa"] }, partsPerMillion: 14_500, fixed: { EUR: 25 } },
        { partsPerMillion: 32_500 }
      ],
      reports: { everyMillis: 21_600_000 }
    })
    const routing = { ...tenant, settings: full }
    const endpoint = endpointOf(tenant)
    const of = { workspaces: workspace, apiKeys: apiKey, connections: connection, routing, webhookEndpoints: endpoint }
    yield* writeDirectory(Object.fromEntries(Object.entries(of).map(([kind, one]) => [kind, [one]])))

    expect(Option.getOrThrow(yield* directory.workspace(workspace.id))).toStrictEqual(workspace)
    expect(Option.getOrThrow(yield* directory.keyHolder(apiKey.hash))).toStrictEqual({ apiKey, workspace })
    expect(yield* directory.connections(tenant)).toStrictEqual([connection])
    expect(Option.getOrThrow(yield* directory.routing(tenant))).toStrictEqual(full)
    const contents = yield* directory.contents
    for (const kind of ["workspaces", "apiKeys", "connections", "routing", "webhookEndpoints"] as const) {
      expect(contents[kind]).toContainEqual(of[kind])
    }
  })

  it("an entry of each kind written again is replaced and nothing is added", function* ({ directory, tenant }) {
    const write = (name: string, active: boolean, mode: RoutingSettings["mode"]) =>
      writeDirectory({
        workspaces: [workspaceOf(tenant, { name, ...(active ? { brand: { color: "#0b5fff" } } : {}) })],
        apiKeys: [apiKeyOf(tenant, { revokedAt: active ? null : 9 })],
        connections: [connectionOf(tenant, { name, active })],
        routing: [{ ...tenant, settings: { mode } }],
        webhookEndpoints: [endpointOf(tenant, { active })]
      })
    yield* write("before", true, "failover")
    yield* write("after", false, "fixed")

    const contents = yield* directory.contents
    const own = <A extends { readonly workspaceId: string }>(rows: ReadonlyArray<A>) =>
      rows.filter(({ workspaceId }) => workspaceId === tenant.workspaceId)
    const workspaces = contents.workspaces.filter(({ id }) => id === tenant.workspaceId)
    expect(workspaces).toStrictEqual([workspaceOf(tenant, { name: "after" })])
    expect(own(contents.apiKeys).map(({ revokedAt }) => revokedAt)).toEqual([9])
    expect(own(contents.connections).map(({ active, name }) => [active, name])).toEqual([[false, "after"]])
    expect(own(contents.routing).map(({ settings }) => settings)).toStrictEqual([{ mode: "fixed" }])
    expect(own(contents.webhookEndpoints).map(({ active }) => active)).toEqual([false])
    expect(Option.getOrThrow(yield* directory.keyHolder(apiKeyOf(tenant).hash)).workspace.name).toBe("after")
  })

  it("entries stay that a later write does not name", function* ({ directory, tenant }) {
    const first = connectionOf(tenant, { id: `${tenant.workspaceId}-a` })
    const second = connectionOf(tenant, { id: `${tenant.workspaceId}-b`, active: false })
    yield* writeDirectory({ workspaces: [workspaceOf(tenant)], apiKeys: [apiKeyOf(tenant)], connections: [first] })
    yield* writeDirectory({ connections: [second] })
    expect(yield* directory.connections(tenant)).toStrictEqual([first, second])
    expect(Option.isSome(yield* directory.keyHolder(apiKeyOf(tenant).hash))).toBe(true)
  })

  it("nothing of one environment shows in the other", function* ({ directory }) {
    const sandbox = yield* newTenant()
    const production: Tenant = { ...sandbox, environment: "production" }
    const stranger = yield* newTenant()
    yield* writeDirectory({
      workspaces: [workspaceOf(sandbox), workspaceOf(stranger)],
      connections: [connectionOf(sandbox), connectionOf(production), connectionOf(stranger)],
      routing: [{ ...sandbox, settings: { mode: "fixed" } }]
    })
    expect(yield* directory.connections(sandbox)).toStrictEqual([connectionOf(sandbox)])
    expect(yield* directory.connections(production)).toStrictEqual([connectionOf(production)])
    expect(yield* directory.routing(sandbox)).toStrictEqual(Option.some({ mode: "fixed" }))
    expect(yield* directory.routing(production)).toEqual(Option.none())
    expect(yield* directory.routing(stranger)).toEqual(Option.none())
  })

  it("a secret is replaced only where the expected one is stored, with an entry", function* (given) {
    const { audit, directory, tenant } = given
    const endpoint = endpointOf(tenant)
    yield* writeDirectory({ workspaces: [workspaceOf(tenant)], webhookEndpoints: [endpoint] })
    const read = Effect.map(directory.contents, ({ webhookEndpoints }) =>
      webhookEndpoints.find(({ id }) => id === endpoint.id)
    )
    const entries = Effect.map(audit.list({ after: 0, limit: 10_000 }), (all) =>
      all.filter(({ subject }) => subject === endpoint.id)
    )
    const draft = yield* auditDraft("endpoint.secret_rotated", endpoint.id, {})
    const rotation = { at: 5, previousUntil: 10, configured: "fingerprint" }
    const after = { ...endpoint, sealedSecret: "second", sealedPreviousSecret: "sealed", rotation }
    expect(yield* directory.replaceEndpointSecret("other", after, draft)).toBe(false)
    expect(yield* read).toStrictEqual(endpoint)
    expect(yield* entries).toEqual([])
    // Nothing but the secrets and the rotation is written.
    const stale = { ...after, url: "https://elsewhere.example", active: false, events: [] }
    expect(yield* directory.replaceEndpointSecret("sealed", stale, draft)).toBe(true)
    expect(yield* read).toStrictEqual(after)
    expect(yield* directory.replaceEndpointSecret("sealed", after, draft)).toBe(false)
    expect(yield* entries).toHaveLength(1)
    const alone = { ...after, sealedSecret: "third", sealedPreviousSecret: null }
    expect(yield* directory.replaceEndpointSecret("second", alone, draft)).toBe(true)
    const { sealedPreviousSecret: _, ...expected } = alone
    expect(yield* read).toStrictEqual(expected)
    yield* writeDirectory({ webhookEndpoints: [endpoint] })
    expect(yield* read).toStrictEqual(endpoint)
    yield* writeDirectory({ webhookEndpoints: [after] })
    expect(yield* read).toStrictEqual(after)
  })

  it("a change planned before a write of any kind is refused", function* ({ directory, tenant }) {
    const [connection, endpoint] = [connectionOf(tenant), endpointOf(tenant)]
    const workspaces = [workspaceOf(tenant)]
    yield* writeDirectory({ workspaces, connections: [connection], webhookEndpoints: [endpoint] })
    const routing = [{ ...tenant, settings: { mode: "fixed" } as const }]
    const draft = yield* auditDraft("endpoint.secret_rotated", endpoint.id, {})
    const { id: connectionId, sealedCredentials } = connection
    const account = { id: "acct_1", mode: "live" } as const
    for (const write of [
      directory.write({ ...nothing, routing: [{ ...tenant, settings: { mode: "auto" } }] }),
      directory.replaceEndpointSecret("sealed", { ...endpoint, sealedSecret: "second" }, draft),
      directory.recordAccount({ connectionId, sealedCredentials, account, at: 1 }),
      Effect.flatMap(directory.state, ({ version }) =>
        directory.apply({ contents: nothing, configuration: null, version })
      )
    ]) {
      const { version } = yield* directory.state
      yield* write
      const change = { contents: { ...nothing, routing }, configuration: null, version }
      expect(yield* directory.apply(change)).toBe(false)
      expect(Option.getOrNull(yield* directory.routing(tenant))).toStrictEqual({ mode: "auto" })
    }
  })

  it("what is not stored is not found", function* ({ directory, tenant }) {
    expect(yield* directory.keyHolder("of no key")).toEqual(Option.none())
    expect(yield* directory.workspace(tenant.workspaceId)).toEqual(Option.none())
    expect(yield* directory.connections(tenant)).toEqual([])
    // A key without its workspace opens nothing.
    yield* writeDirectory({ apiKeys: [apiKeyOf(tenant)] })
    expect(yield* directory.keyHolder(apiKeyOf(tenant).hash)).toEqual(Option.none())
  })

  it("a connection keeps the first and the last account that its provider names", function* ({ tenant }) {
    yield* writeDirectory({ workspaces: [workspaceOf(tenant)], connections: [connectionOf(tenant)] })
    const first = { first: live, current: live, changedAt: null }
    expect(yield* stated(tenant, live, 10)).toStrictEqual(first)
    expect(yield* stated(tenant, live, 11)).toStrictEqual(first)
    expect(yield* stated(tenant, other, 12)).toStrictEqual({ first: live, current: other, changedAt: 12 })
    // The time of the change stays.
    expect(yield* stated(tenant, live, 13)).toStrictEqual({ first: live, current: live, changedAt: 12 })
    const testMode = { id: "acct_1", mode: "test" } as const
    expect(yield* stated(tenant, testMode, 14)).toStrictEqual({ first: live, current: testMode, changedAt: 12 })
  })

  it("a connection's account stays when a configuration is written", function* ({ directory, tenant }) {
    yield* writeDirectory({ workspaces: [workspaceOf(tenant)], connections: [connectionOf(tenant)] })
    const recorded = yield* stated(tenant, live, 10)
    const another = { first: other, current: other, changedAt: 3 }
    yield* writeDirectory({ connections: [connectionOf(tenant, { name: "renamed" })] })
    yield* writeDirectory({ connections: [connectionOf(tenant, { name: "renamed", account: another })] })
    const { version } = yield* directory.state
    const connections = [connectionOf(tenant, { name: "again" })]
    const change = { contents: { ...nothing, connections }, configuration: null, version }
    expect(yield* directory.apply(change)).toBe(true)
    const [connection] = yield* directory.connections(tenant)
    expect(connection?.name).toBe("again")
    expect(connection?.account).toStrictEqual(recorded)
  })

  it("an account is not recorded of a connection with other credentials by now", function* ({ tenant }) {
    yield* writeDirectory({ workspaces: [workspaceOf(tenant)], connections: [connectionOf(tenant)] })
    expect(yield* stated(tenant, other, 9, "sealed before")).toBeUndefined()
    expect(yield* stated(tenant, live, 10)).toBeDefined()
    const recorded = { first: live, current: live, changedAt: null }
    expect(yield* stated(tenant, other, 11, "sealed before")).toStrictEqual(recorded)
  })
})

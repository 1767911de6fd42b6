/** Generations of configurations: recorded with what they write, in exactly one order; and endpoints that return. */
import { expect } from "@effect/vitest"
import type { DeliveryEnd } from "@pointsman/core"
import { type ConfigurationChange, Deliveries, Directory, type DirectoryContents } from "@pointsman/core/ports"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  apiKeyOf,
  connectionOf,
  endpointOf,
  firstChange,
  newTenant,
  nothing,
  workspaceOf,
  writeDirectory,
  written
} from "./Given.ts"
import { chapter } from "./StorageTest.ts"
import { atOnce, controlRacers, racers } from "./Unguarded.ts"

const withdrawn: DeliveryEnd = { _tag: "Failed", failure: "EndpointWithdrawn" }

/** The next one of this store, which other tests use too. */
const nextChange = Effect.fnUntraced(function* (contents: Partial<DirectoryContents>, hash = "0".repeat(64)) {
  const { configurations, version } = yield* (yield* Directory).state
  const generation = (configurations.at(-1)?.generation ?? 0) + 3
  const configuration = { generation, hash, appliedAt: yield* Clock.currentTimeMillis }
  return { contents: { ...nothing, ...contents }, configuration, version } satisfies ConfigurationChange
})

/** A delivery whose attempt found its endpoint inactive, taken and not yet recorded. */
const takenWhileInactive = Effect.gen(function* () {
  const deliveries = yield* Deliveries
  const tenant = yield* newTenant()
  yield* writeDirectory({ webhookEndpoints: [endpointOf(tenant)] })
  yield* written(firstChange(tenant))
  yield* writeDirectory({ webhookEndpoints: [endpointOf(tenant, { active: false })] })
  const now = yield* Clock.currentTimeMillis
  const query = { now: now + 1_000_000, leaseMillis: 1_000, limit: 10_000, limitPerEndpoint: 1_000 }
  const found = yield* deliveries.takeDue(query)
  const taken = found.find(({ delivery }) => delivery.tenant.workspaceId === tenant.workspaceId)
  if (taken === undefined) return yield* Effect.die("nothing was due")
  const { delivery } = taken
  const record = (end: DeliveryEnd) =>
    deliveries.record([
      {
        after: { ...delivery, state: "GivenUp", failures: 2, dueAt: null },
        attempt: { deliveryId: delivery.id, number: delivery.attempts, sentAt: now, endedAt: now + 7, end }
      }
    ])
  const stored = Effect.map(deliveries.list(tenant, { limit: 2 }), ([only]) => only)
  return { delivery, endpoint: endpointOf(tenant), now, record, stored, tenant }
})

export const configurations = chapter("configurations", (it) => {
  it("an applied change stores contents and generation, and a later start reads both", function* ({
    directory,
    tenant
  }) {
    const before = (yield* directory.state).configurations
    const change = yield* nextChange({ workspaces: [workspaceOf(tenant)], connections: [connectionOf(tenant)] })
    expect(yield* directory.apply(change)).toBe(true)
    const { configurations, contents, version } = yield* directory.state
    expect(configurations).toStrictEqual([...before, change.configuration])
    expect(contents).toStrictEqual(yield* directory.contents)
    expect(contents.connections).toContainEqual(connectionOf(tenant))

    const completed = { ...change, configuration: null, version }
    expect(yield* directory.apply(completed)).toBe(true)
    expect((yield* directory.state).configurations).toStrictEqual(configurations)
  })

  it("nothing is written of a change planned before a newer generation", function* ({ directory, tenant }) {
    const late = yield* nextChange({ workspaces: [workspaceOf(tenant)], connections: [connectionOf(tenant)] })
    expect(yield* directory.apply(yield* nextChange({}, "1".repeat(64)))).toBe(true)
    const before = yield* directory.state
    for (const configuration of [late.configuration, null]) {
      expect(yield* directory.apply({ ...late, configuration })).toBe(false)
    }
    expect(yield* directory.state).toStrictEqual(before)
  })

  it(`one of ${racers} configurations at once is applied, and nothing of the others`, function* ({ directory }) {
    const { changes, state, won } = yield* race(directory.apply, racers)
    expect(won).toHaveLength(1)
    const [winner] = won
    expect(state.configurations.at(-1)).toStrictEqual(winner?.configuration)
    const stored = new Set(state.contents.connections.map(({ id }) => id))
    const written = changes.filter(({ contents }) => contents.connections.every(({ id }) => stored.has(id)))
    expect(written).toStrictEqual([winner])
  })

  it("control: without a guard, several are applied, and their contents are mixed", function* ({ directory }) {
    const unguarded: Directory["Service"]["apply"] = ({ contents, version }) =>
      Effect.gen(function* () {
        const isSame = (yield* directory.state).version === version
        yield* Effect.yieldNow
        if (isSame) yield* directory.write(contents)
        return isSame
      })
    expect((yield* race(unguarded, controlRacers)).won).toHaveLength(controlRacers)
  })

  it("a configuration planned on a key leaves an operator's revocation of it", function* ({ directory, tenant }) {
    const apiKey = apiKeyOf(tenant, { source: "configuration" })
    yield* writeDirectory({ apiKeys: [{ ...apiKey, revokedAt: 5, source: "operator" }] })
    const change = yield* nextChange({ workspaces: [workspaceOf(tenant)], apiKeys: [apiKey] })
    expect(yield* directory.apply(change)).toBe(true)
    expect((yield* directory.contents).apiKeys).toContainEqual({ ...apiKey, revokedAt: 5, source: "operator" })
  })

  it("a delivery given up for its endpoint is due again, with failures, on its return", function* ({ directory }) {
    const { delivery, endpoint, record, stored } = yield* takenWhileInactive
    yield* record(withdrawn)
    expect(yield* stored).toMatchObject({ state: "GivenUp", dueAt: null })
    yield* writeDirectory({ webhookEndpoints: [{ ...endpoint, active: false }] })
    expect(yield* stored).toMatchObject({ state: "GivenUp", dueAt: null })
    yield* TestClock.adjust("1 hour")
    const returned = yield* Clock.currentTimeMillis
    expect(yield* directory.apply(yield* nextChange({ webhookEndpoints: [endpoint] }))).toBe(true)
    expect(yield* stored).toStrictEqual({ ...delivery, state: "Due", failures: 2, dueAt: returned })
  })

  it("a delivery is due if an attempt found its returned endpoint inactive", function* () {
    const { delivery, endpoint, now, record, stored } = yield* takenWhileInactive
    yield* writeDirectory({ webhookEndpoints: [endpoint] })
    yield* record(withdrawn)
    expect(yield* stored).toStrictEqual({ ...delivery, state: "Due", failures: 2, dueAt: now + 7 })
  })

  it("a delivery is due in either order of an attempt and its endpoint's return", function* () {
    for (let round = 0; round < 10; round++) {
      const { endpoint, record, stored } = yield* takenWhileInactive
      const both = [record(withdrawn), writeDirectory({ webhookEndpoints: [endpoint] })]
      yield* Effect.all(round % 2 === 0 ? both : both.toReversed(), { concurrency: "unbounded", discard: true })
      expect(yield* stored).toMatchObject({ state: "Due" })
    }
  })

  it("a delivery with an exhausted schedule stays given up when its endpoint returns", function* () {
    const { endpoint, record, stored } = yield* takenWhileInactive
    yield* record({ _tag: "Answered", status: 500 })
    yield* writeDirectory({ webhookEndpoints: [endpoint] })
    expect(yield* stored).toMatchObject({ state: "GivenUp", dueAt: null })
  })
})

/** Each with a connection of its own, planned on the same state. */
const race = Effect.fnUntraced(function* (apply: Directory["Service"]["apply"], count: number) {
  const directory = yield* Directory
  const changes = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
    Effect.gen(function* () {
      const tenant = yield* newTenant()
      return yield* nextChange({ connections: [connectionOf(tenant)] }, String(index).padStart(64, "0"))
    })
  )
  const applied = yield* atOnce(changes, apply)
  return { changes, won: changes.filter((_, index) => applied[index]), state: yield* directory.state }
})

import { assert, describe, it } from "@effect/vitest"
import {
  applyConfiguration,
  type ConfigurationFile,
  contentHash,
  decodeConfigurationFile,
  formatMistake,
  type Standing,
  standingOf
} from "@pointsman/configuration"
import { formatApiKey } from "@pointsman/core"
import { type AppliedConfiguration, Directory } from "@pointsman/core/ports"
import { Effect, Result } from "effect"
import { itInWorld, overtaken } from "./support/World.ts"

const applied = (...entries: ReadonlyArray<readonly [generation: number, hash: string]>) =>
  entries.map(([generation, hash]): AppliedConfiguration => ({ generation, hash, appliedAt: 0 }))

/** Generation 8 is a rollback to the content of 3. */
const history = applied([3, "a"], [7, "b"], [8, "a"])

describe("standingOf", () => {
  it.each<[string, number | undefined, string, ReadonlyArray<AppliedConfiguration>, Standing]>([
    ["the first file", undefined, "a", [], { _tag: "New", generation: 1 }],
    ["the first file with a number", 5, "a", [], { _tag: "New", generation: 5 }],
    ["new content", undefined, "c", history, { _tag: "New", generation: 9 }],
    ["new content with a greater number", 20, "c", history, { _tag: "New", generation: 20 }],
    ["earlier content with a greater number", 9, "b", history, { _tag: "New", generation: 9 }],
    ["the served content with a greater number", 9, "a", history, { _tag: "New", generation: 9 }],
    ["the served content", undefined, "a", history, { _tag: "Served", generation: 8 }],
    ["the served content under an earlier number of its own", 3, "a", history, { _tag: "Served", generation: 8 }],
    ["earlier content", undefined, "b", history, { _tag: "Older", generation: 7, served: 8 }],
    ["earlier content under its number", 7, "b", history, { _tag: "Older", generation: 7, served: 8 }],
    ["new content with a smaller number", 5, "c", history, { _tag: "Older", generation: 5, served: 8 }],
    ["other content under the served number", 8, "c", history, { _tag: "NumberTaken", generation: 8, newest: 8 }],
    ["other content under an earlier number", 3, "b", history, { _tag: "NumberTaken", generation: 3, newest: 8 }],
    ["the served content under another's number", 7, "a", history, { _tag: "NumberTaken", generation: 7, newest: 8 }]
  ])("%s is treated as the table says", (_, number, hash, configurations, standing) => {
    assert.deepStrictEqual(standingOf(number, hash, configurations), standing)
  })
})

const key = (byte: number): string => formatApiKey("sandbox", new Uint8Array(64).fill(byte))

const fileWith = (connection: string, more: Partial<ConfigurationFile> = {}): ConfigurationFile => ({
  workspaces: [
    {
      id: "acme",
      keys: [{ environment: "sandbox", secret: key(1) }],
      connections: [{ id: connection, environment: "sandbox" }]
    }
  ],
  ...more
})

const active = Effect.gen(function* () {
  const { connections } = yield* (yield* Directory).contents
  return connections.filter((connection) => connection.active).map(({ id }) => id)
})

describe("contentHash", () => {
  itInWorld("content in another order, with number and schema, has the same hash", function* () {
    const [workspace] = fileWith("main").workspaces
    const turned = Object.fromEntries(Object.entries(workspace ?? {}).toReversed())
    const same = { $schema: "x", generation: 4, workspaces: [turned] } as unknown as ConfigurationFile
    assert.strictEqual(yield* contentHash(same), yield* contentHash(fileWith("main")))
    assert.notStrictEqual(yield* contentHash(fileWith("main")), yield* contentHash(fileWith("other")))
  })
})

describe("the number of a file", () => {
  it.each<[unknown]>([[0], [1.5], [1_000_000_000_000_001]])("%s is a mistake", (generation) => {
    const decoded = decodeConfigurationFile({ generation, workspaces: [] })
    assert.deepStrictEqual(Result.isFailure(decoded) ? decoded.failure.map(formatMistake) : [], [
      "generation: expected a whole number from 1 to 1000000000000000"
    ])
  })
})

describe("applyConfiguration", () => {
  itInWorld("the later of two configurations is planned again on what the other left", function* () {
    yield* applyConfiguration(fileWith("first"))
    const late = yield* overtaken(applyConfiguration(fileWith("late")), applyConfiguration(fileWith("between")))
    assert.strictEqual(late.writes, 2)
    assert.deepStrictEqual(late.result.standing, { _tag: "New", generation: 3 })
    assert.deepStrictEqual(yield* active, ["late"])
  })

  itInWorld("an older file is not applied at all when a newer number comes in between", function* () {
    const older = applyConfiguration(fileWith("older", { generation: 7 }))
    const { result } = yield* overtaken(older, applyConfiguration(fileWith("newer", { generation: 8 })))
    assert.deepStrictEqual(result.standing, { _tag: "Older", generation: 7, served: 8 })
    assert.deepStrictEqual(yield* active, ["newer"])
  })

  itInWorld("a restored key works until the next new configuration that omits it", function* () {
    const directory = yield* Directory
    const without = (connection: string) => ({
      workspaces: [{ id: "acme", connections: fileWith(connection).workspaces[0]?.connections ?? [] }]
    })
    yield* applyConfiguration(fileWith("main"))
    yield* applyConfiguration(without("main"))
    const revokedAt = Effect.map(directory.contents, ({ apiKeys }) => apiKeys[0]?.revokedAt)
    assert.strictEqual(yield* revokedAt, 0)
    const { apiKeys } = yield* directory.contents
    const restored = apiKeys.map((apiKey) => ({ ...apiKey, revokedAt: null }))
    const others = { workspaces: [], connections: [], routing: [], webhookEndpoints: [] }
    yield* directory.write({ ...others, apiKeys: restored })
    yield* applyConfiguration(without("main"))
    assert.strictEqual(yield* revokedAt, null)
    yield* applyConfiguration(without("other"))
    assert.strictEqual(yield* revokedAt, 0)
  })

  itInWorld("a rollback makes the older content the newest, and its keys stay revoked", function* () {
    const other = fileWith("new", {
      workspaces: [{ id: "acme", connections: [{ id: "new", environment: "sandbox" }] }]
    })
    yield* applyConfiguration(fileWith("old"))
    yield* applyConfiguration(other)
    const kept = yield* applyConfiguration(fileWith("old"))
    assert.strictEqual(kept.standing._tag, "Older")
    assert.deepStrictEqual(yield* active, ["new"])
    const back = yield* applyConfiguration(fileWith("old"), { rollback: true })
    assert.deepStrictEqual(back.standing, { _tag: "New", generation: 3 })
    assert.deepStrictEqual(yield* active, ["old"])
    assert.deepStrictEqual(
      back.revokedKeys.map(({ hash }) => hash),
      [key(1)]
    )
    assert.deepStrictEqual((yield* applyConfiguration(other)).standing, { _tag: "Older", generation: 2, served: 3 })
  })
})

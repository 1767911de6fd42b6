/**
 * Which configuration is served when files of different age come to one database: a file that is rolled out, and servers
 * that restart with the file before it.
 */
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { formatApiKey } from "@pointsman/core"
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { isLong } from "./support/LongRuns.ts"
import { environmentOn, newDatabase, postgresMissing } from "./support/PostgresServer.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { startServer, temporaryFolder } from "./support/ServerProcess.ts"

const keyOf = (byte: number) => formatApiKey("sandbox", new Uint8Array(64).fill(byte))
const [oldKey, newKey] = [keyOf(21), keyOf(22)]
const fileWith = (key: string) => ({
  workspaces: [
    {
      id: "acme",
      country: "NL",
      keys: [{ environment: "sandbox", secret: key }],
      connections: [{ id: "main", environment: "sandbox" }]
    }
  ]
})

const pay = async (server: Pick<ServerHere, "url" | "request">, key: string): Promise<number> =>
  (await server.request("POST", "/api/v1/payments", { key, body: { amount: 1000, currency: "EUR", country: "NL" } }))
    .status

const ready = async (server: Pick<ServerHere, "url" | "request">) =>
  (await server.request("GET", "/health/ready", { key: null })).body

/** The gauges of a configuration, by name. */
const gauges = async (server: Pick<ServerHere, "url" | "request">): Promise<ReadonlyArray<string>> => {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Array.from(text.matchAll(/^pointsman_configuration_(.*)$/gmu), ([, gauge = ""]) => gauge)
}

const idOf = (key: string): string => createHash("sha256").update(key).digest("hex").slice(0, 12)

const [older, newer] = [fileWith(oldKey), fileWith(newKey)]

/** A folder whose database was given the older file, and then the newer one. */
const withBoth = async (): Promise<string> => {
  const folder = temporaryFolder()
  await (await startServerHere({ folder, configuration: older })).stop()
  await (await startServerHere({ folder, configuration: newer })).stop()
  return folder
}

describe("configurations on SQLite", () => {
  it("the newer applied file is served after a start with an older one, and reported", async () => {
    const folder = await withBoth()
    const server = await startServerHere({ folder, configuration: older })
    assert.deepStrictEqual([await pay(server, oldKey), await pay(server, newKey)], [401, 201])
    assert.deepStrictEqual((await ready(server)).configuration, { generation: 2, file: "older" })
    assert.match(
      server.stderr(),
      /level=WARN .*pointsman\.json was not applied: its content is generation 1, and generation 2 is served/u
    )
    assert.deepStrictEqual(await gauges(server), ["generation 2", "older 1"])
    const doctor = await runHere(folder, ["doctor", "--config", "pointsman.json", "--json"])
    const line = JSON.parse(doctor.stdout).data.checks.find(({ check }: { check: string }) => check === "generation")
    assert.strictEqual(line.verdict, "warning")
    assert.match(line.says, /pointsman\.json is generation 1, but generation 2 is served/u)
    await server.stop()

    const again = await startServerHere({ folder, configuration: newer })
    assert.deepStrictEqual((await ready(again)).configuration, { generation: 2, file: "served" })
    assert.deepStrictEqual(await gauges(again), ["generation 2", "older 0"])
  })

  it("an older file with --rollback is served at once; its keys stay revoked", async () => {
    const folder = await withBoth()
    const server = await startServerHere({ folder, configuration: newer })
    writeFileSync(join(folder, "older.json"), JSON.stringify(older))
    const run = (...words: ReadonlyArray<string>) => runHere(folder, words)

    assertRefused(
      await run("config", "apply", "older.json"),
      /^The configuration file older\.json was not applied: its content is generation 1, .*--rollback/u
    )
    assert.deepStrictEqual([await pay(server, oldKey), await pay(server, newKey)], [401, 201])

    const applied = await run("config", "apply", "older.json", "--rollback", "--json")
    assert.deepStrictEqual(documentOf(applied).data, { generation: 3, applied: true, revoked_keys: [idOf(oldKey)] })
    assert.deepStrictEqual([await pay(server, oldKey), await pay(server, newKey)], [401, 401])
    assert.deepStrictEqual((await ready(server)).configuration, { generation: 3, file: "older" })

    assert.strictEqual((await run("keys", "restore", idOf(oldKey))).code, 0)
    assert.deepStrictEqual([await pay(server, oldKey), await pay(server, newKey)], [201, 401])
    const twice = await run("config", "apply", "older.json", "--rollback")
    assert.match(twice.stdout, /^older\.json is already served, as generation 3\./u)
    await server.stop()
    const restarted = await startServerHere({ folder, configuration: newer })
    assert.deepStrictEqual([await pay(restarted, oldKey), await pay(restarted, newKey)], [201, 401])
  })
})

describe.skipIf(postgresMissing !== undefined)("configurations on PostgreSQL", () => {
  it.runIf(isLong)("each worker says that the primary started with an older file", async () => {
    const environment = environmentOn(await newDatabase())
    await (await startServerHere({ configuration: older, environment })).stop()
    await (await startServerHere({ configuration: newer, environment })).stop()
    const server = await startServer({ configuration: older, environment, flags: ["--workers", "2"] })
    for (let asked = 0; asked < 4; asked++) {
      assert.deepStrictEqual((await ready(server)).configuration, { generation: 2, file: "older" })
    }
    assert.deepStrictEqual([await pay(server, oldKey), await pay(server, newKey)], [401, 201])
  })
})

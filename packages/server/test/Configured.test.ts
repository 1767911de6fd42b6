import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "vitest"
import { assertRefused } from "./support/CommandProcess.ts"
import {
  configurationWith,
  connectionTo,
  liveKey,
  otherLiveKey,
  testKey,
  workspaceWith
} from "./support/Configurations.ts"
import { pay as create } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { runServerHere, type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const pay = (server: Pick<ServerHere, "request">, key: string, idempotencyKey: string) =>
  create(server, idempotencyKey, {}, key)

/** Every row of every table. */
const dump = (folder: string): unknown => {
  const db = new DatabaseSync(join(folder, ".pointsman/pointsman.db"), { readOnly: true })
  try {
    const tables = db.prepare("select name from sqlite_master where type = 'table' order by name").all()
    return tables.map(({ name }) => [name, db.prepare(`select * from "${String(name)}" order by 1`).all()])
  } finally {
    db.close()
  }
}

describe("a start with a configuration file", () => {
  it("a start with a file has its keys and connections, and no demo", async () => {
    const provider = await startProvider()
    const folder = temporaryFolder()
    const server = await startServerHere({ folder, configuration: configurationWith(connectionTo(provider)) })
    assert.isUndefined(server.curl)
    assert.notInclude(server.stdout(), "ps_")
    assert.include(server.stdout(), "1 workspace(s), 1 active connection(s)")
    const made = (await pay(server, liveKey, "order-4711")).body.data
    assert.deepInclude(made, { status: "CAPTURED", environment: "production" })
    assert.lengthOf(provider.chargesOf(made.id), 1)
    assert.strictEqual((await pay(server, otherLiveKey, "order-4711")).status, 401)
    await server.stop()

    // A start without the file gets no sandbox in its database.
    const without = await startServerHere({ folder })
    assert.isUndefined(without.sandboxKey)
    assert.strictEqual((await pay(without, liveKey, "order-0001")).status, 201)
    assert.isFalse(existsSync(join(folder, ".pointsman/pointsman.db.sandbox-key")))
  })

  it("the sandbox of a first start still works when a file comes later", async () => {
    const provider = await startProvider()
    const folder = temporaryFolder()
    const demo = await startServerHere({ folder })
    await demo.stop()
    const server = await startServerHere({ folder, configuration: configurationWith(connectionTo(provider)) })
    assert.strictEqual((await pay(server, liveKey, "order-0001")).status, 201)
    assert.strictEqual((await pay(server, demo.sandboxKey as string, "order-0001")).status, 201)
    await server.stop()
    const again = await startServerHere({ folder })
    assert.strictEqual(again.sandboxKey, demo.sandboxKey)
  })

  it("the simulator plays a sandbox connection without a connector", async () => {
    const keys = [{ environment: "sandbox", secret: testKey }]
    const connections = [{ id: "play", environment: "sandbox" }]
    const server = await startServerHere({ configuration: { workspaces: [{ id: "acme", keys, connections }] } })
    const declined = await create(server, "order-0001", { simulate: { charge: "decline:expired_card" } }, testKey)
    assert.deepInclude(declined.body.data, { status: "DECLINED", decline_category: "expired_card" })
  })

  it("no file of a server holds a secret of its file or environment", async () => {
    const apiKey = "pk_9f8e7d6c5b4a39281706"
    const secrets = { apiKey, webhookSecret: "whsec_provider_5d1c", hookSecret: "whsec_merchant_77aa" }
    const provider = await startProvider({ apiKey })
    const folder = temporaryFolder()
    const connection = connectionTo(provider)
    const credentials = { ...connection.credentials, apiKey: { $env: "PROVIDER_API_KEY" } }
    const workspace = {
      ...workspaceWith([]),
      routing: {},
      keys: [{ environment: "production", secret: { $env: "ACME_KEY" } }],
      connections: [{ ...connection, credentials, webhookSecret: secrets.webhookSecret }],
      webhooks: [{ environment: "production", url: "http://127.0.0.1:9/hook", secret: secrets.hookSecret }]
    }
    const server = await startServerHere({
      folder,
      configuration: { workspaces: [workspace] },
      environment: { ACME_KEY: liveKey, PROVIDER_API_KEY: apiKey }
    })
    const made = await pay(server, liveKey, "order-0001")
    assert.strictEqual(made.body.data.status, "CAPTURED")
    assert.strictEqual(provider.calls[0]?.headers.authorization, `Bearer ${apiKey}`)

    const kept = join(folder, ".pointsman")
    const encryptionKey = readFileSync(join(kept, "pointsman.db.encryption-key"), "utf8").trim()
    const look = () => {
      const files = readdirSync(kept).filter((file) => !file.endsWith(".encryption-key"))
      assert.includeMembers(files, ["pointsman.db"])
      for (const file of files) {
        const bytes = readFileSync(join(kept, file))
        for (const secret of [...Object.values(secrets), liveKey, liveKey.slice(8, 40), encryptionKey]) {
          assert.isFalse(bytes.includes(secret), `${file} holds ${secret}`)
          assert.isFalse(bytes.includes(Buffer.from(secret, "utf16le")), `${file} holds ${secret} in UTF-16`)
        }
        assert.isFalse(bytes.includes(Buffer.from(encryptionKey, "base64")), `${file} holds the encryption key`)
      }
    }
    look()
    const exited = await server.stop()
    look()
    for (const secret of [...Object.values(secrets), liveKey]) assert.notInclude(exited.stdout + exited.stderr, secret)
  })
})

describe("a wrong configuration file", () => {
  const provider = { url: "http://127.0.0.1:9", apiKey: "visible-api-key" }

  it("a claim window shorter than a stored connection's timeout stops the start", async () => {
    const folder = temporaryFolder()
    await (await startServerHere({ folder, configuration: configurationWith(connectionTo(provider)) })).stop()
    const flags = ["--claim-window", "5 seconds", "--provider-timeout", "1 second"]
    for (const configuration of [undefined, { workspaces: [] }]) {
      const exited = await runServerHere({ folder, configuration, flags })
      assertRefused(exited, /^The stored connection "main" has a timeout of 5000 ms: expected less than/u)
    }
    const shorter = configurationWith({ ...connectionTo(provider), timeout: "4 seconds" })
    await (await startServerHere({ folder, configuration: shorter, flags })).stop()

    // Of an older file nothing is applied: the time-out that counts is the stored one.
    const longer = { ...configurationWith(connectionTo(provider)), generation: 9 }
    await (await startServerHere({ folder, configuration: longer })).stop()
    const older = await runServerHere({ folder, configuration: shorter, flags })
    assert.match(older.stderr, /^The stored connection "main" has a timeout of 5000 ms: expected less than/u)
  })

  it.each<[string, object | string, RegExp]>([
    [
      "a wrong field",
      configurationWith({ ...connectionTo(provider), timeout: "15 minutes" }),
      /^The configuration file \S+ is invalid; nothing was applied:\n {2}workspaces\[0\]\.connections\[0\]\.timeout: expected less than the claim window/u
    ],
    [
      "wrong credentials",
      configurationWith({ ...connectionTo(provider), credentials: { baseUrl: "visible", apiKey: "visible" } }),
      /\n {2}workspaces\[0\]\.connections\[0\]\.credentials\.baseUrl: expected an absolute http or https URL/u
    ],
    [
      "the simulator in production",
      configurationWith({ ...connectionTo(provider), connector: "sandbox" }),
      /\n {2}workspaces\[0\]\.connections\[0\]\.connector: expected one of the connectors for production: http, adyen, checkout, mollie, paypal, stripe\n/u
    ],
    [
      "a variable that is not set",
      { workspaces: [{ id: { $env: "ACME_ID" } }] },
      /\n {2}workspaces\[0\]\.id: the environment variable ACME_ID is not set\n/u
    ],
    ["no JSON", '{"workspaces": [\n  {"id": "visible" "name"', /is not valid JSON, line 2, column 20\.\n/u],
    ["nothing", "", /is not valid JSON: it is empty\.\n/u]
  ])("%s stops the start with 1, says where, and changes nothing", async (_, file, said) => {
    const folder = temporaryFolder()
    const exited = await runServerHere({ folder, configuration: file })
    assertRefused(exited, said)
    assert.notInclude(exited.stderr, "visible")
    assert.deepStrictEqual(readdirSync(folder), ["pointsman.json"])
  })

  it("a start with an applied file, or one that contradicts it, changes not one row", async () => {
    const folder = temporaryFolder()
    const webhooks = [{ environment: "production", url: "http://127.0.0.1:9/hook", secret: "whsec_1" }]
    const connections = [connectionTo(provider), connectionTo(provider, "backup")]
    const configuration = { workspaces: [{ ...workspaceWith(connections), webhooks }] }
    await (await startServerHere({ folder, configuration })).stop()
    const before = dump(folder)
    assert.include(JSON.stringify(before), "whe_")
    await (await startServerHere({ folder, configuration })).stop()
    assert.deepStrictEqual(dump(folder), before)
    const moved = {
      workspaces: [
        { id: "acme", suspended: true },
        { id: "other", connections: [connectionTo(provider, "own"), connectionTo(provider)] }
      ]
    }
    assertRefused(
      await runServerHere({ folder, configuration: moved }),
      /\n {2}workspaces\[1\]\.connections\[1\]\.id: expected an id .* belongs to the production environment of the workspace "acme"/u
    )
    assertRefused(
      await runServerHere({ folder, configuration: { workspaces: [], generation: 1 } }),
      /nothing was applied:\n {2}generation: expected a number greater than 1: generation 1 was applied with other content\n/u
    )
    assert.deepStrictEqual(dump(folder), before)
  })
})

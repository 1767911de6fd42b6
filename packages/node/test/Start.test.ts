import { readdirSync, readlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sandbox } from "@pointsman/connector-sandbox"
import { memory } from "@pointsman/storage-memory"
import { postgres } from "@pointsman/storage-postgres"
import { sqlite } from "@pointsman/storage-sqlite"
import { assert, describe, it } from "vitest"
import { createPointsman, type PointsmanSettings, StartError } from "../src/index.ts"
import { encryptionKey, failureOf, folder, inFiles, open, order, otherEncryptionKey, shop } from "./support/Shop.ts"
import { slowProvider } from "./support/SlowProvider.ts"

const start = (settings: object) =>
  failureOf(
    createPointsman({
      storage: memory(),
      connectors: [sandbox()],
      workspaces: [shop],
      log: () => {},
      ...settings
    } as PointsmanSettings)
  )

/** What this process has open under a folder. */
const openFiles = (path: string): ReadonlyArray<string> =>
  readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`)
      return target.startsWith(path) ? [target] : []
    } catch {
      return []
    }
  })

const inProduction: Pick<PointsmanSettings, "connectors" | "workspaces"> = {
  connectors: [sandbox(), slowProvider().definition],
  workspaces: [
    {
      ...shop,
      connections: [
        { id: "first", environment: "sandbox" },
        { id: "live", environment: "production", connector: "slow" }
      ]
    }
  ]
}

const wrongSettings: Readonly<Record<string, readonly [settings: object, field: string, says: RegExp]>> = {
  "no storage": [{ storage: undefined }, "storage", /expected a storage, such as/u],
  "a storage that is a path": [{ storage: "payments.db" }, "storage", /expected a storage, such as/u],
  "no connectors": [{ connectors: [] }, "connectors", /at least one connector/u],
  "a connector that is a name": [{ connectors: ["sandbox"] }, "connectors[0]", /expected a connector, such as/u],
  "a connector twice": [
    { connectors: [sandbox(), sandbox()] },
    "connectors[1]",
    /expected unique connector names; "sandbox"/u
  ],
  "production over memory": [
    { environment: "production" },
    "storage",
    /^expected a storage that outlives this process, because `environment` is production: memory loses .*set allowVolatileStorage/u
  ],
  "production over SQLite in memory": [
    { storage: sqlite(":memory:"), environment: "production" },
    "storage",
    /^expected a storage that outlives this process, .* SQLite :memory: loses/u
  ],
  "a production connection over memory": [
    inProduction,
    "storage",
    /because the connection "live" is for production: memory loses/u
  ],
  "a permission in words": [{ allowVolatileStorage: "yes" }, "allowVolatileStorage", /expected true or false/u],
  "an absent key for a file": [{ storage: sqlite("payments.db") }, "encryptionKey", /base64 of 32 bytes.*outlives/u],
  "a cut key": [{ encryptionKey: encryptionKey.slice(1) }, "encryptionKey", /base64 of 32 bytes/u],
  "an unknown setting": [{ worspaces: [] }, "worspaces", /unknown setting; expected one of storage, connectors/u],
  "a share of nothing": [{ lookUpsPerConnection: 0 }, "lookUpsPerConnection", /expected a whole number, 1 or more/u],
  "a limit in words": [{ inboundRateLimit: "none" }, "inboundRateLimit", /messages per second, 1 or more, or "off"/u],
  "an unknown choice after a restore": [{ afterRestore: "ask" }, "afterRestore", /expected refuse or serve/u],
  "an invalid base URL": [{ baseUrl: "shop.example" }, "baseUrl", /absolute http or https URL/u],
  "an unknown environment": [{ environment: "live" }, "environment", /sandbox or production/u],
  "a time-out as long as the claim window": [
    { providerTimeoutMillis: 900_000 },
    "providerTimeoutMillis",
    /less than claimWindowMillis/u
  ],
  "a connection's wrong field": [
    { workspaces: [{ ...shop, connections: [{ id: "one", environment: "sandbox", priority: 0 }] }] },
    "workspaces[0].connections[0].priority",
    /whole number, 1 or more/u
  ],
  "a generation that is no number": [{ generation: 1.5 }, "generation", /whole number from 1/u],
  "a generation without workspaces": [
    { workspaces: undefined, generation: 1 },
    "generation",
    /only together with workspaces/u
  ],
  "a connector that is not there": [
    { workspaces: [{ ...shop, connections: [{ id: "one", environment: "production", connector: "stripe" }] }] },
    "workspaces[0].connections[0].connector",
    /expected one of the connectors for production/u
  ],
  "a variable that is not set": [
    {
      workspaces: [
        {
          ...shop,
          webhooks: [{ environment: "sandbox", url: "https://shop.example", secret: { $env: "POINTSMAN_TEST_UNSET" } }]
        }
      ]
    },
    "workspaces[0].webhooks[0].secret",
    /POINTSMAN_TEST_UNSET is not set/u
  ]
}

it("production over memory starts with allowVolatileStorage", async () => {
  const { pointsman } = await open({ ...inProduction, environment: "production", allowVolatileStorage: true })
  assert.deepStrictEqual((await pointsman.payments()).data, [])
})

describe("wrong settings", () => {
  for (const [name, [settings, field, says]] of Object.entries(wrongSettings)) {
    it(`${name} fails the start, naming only the field`, async () => {
      const failure = await start(settings)
      assert.instanceOf(failure, StartError)
      assert.strictEqual(failure.code, "wrong_settings")
      const mistake = failure.mistakes.find((one) => one.field === field)
      assert.match(mistake?.message ?? "", says)
      assert.include(failure.message, field)
      assert.notInclude(failure.message, encryptionKey.slice(1))
    })
  }
})

describe("a storage that lasts", () => {
  it("a start with another encryption key is refused and closed; the right one works", async () => {
    const path = folder()
    const first = await open(inFiles(path))
    const { payment } = await first.pointsman.create(order, { idempotencyKey: "order-1001" })
    await first.pointsman.close()
    const failure = await start({ ...inFiles(path), encryptionKey: otherEncryptionKey })
    assert.instanceOf(failure, StartError)
    assert.strictEqual(failure.code, "wrong_encryption_key")
    assert.deepStrictEqual(openFiles(path), [])
    const { pointsman } = await open(inFiles(path))
    const again = await pointsman.create(order, { idempotencyKey: "order-1001" })
    assert.strictEqual(again.payment.id, payment.id)
  })

  it("newer workspaces are served to a start with older ones, until a greater number", async () => {
    const path = folder()
    const without = { ...shop, connections: [{ id: "first", environment: "sandbox" as const }] }
    const served = async (settings: Partial<PointsmanSettings>) => {
      const { lines, pointsman } = await open({ ...inFiles(path), ...settings })
      const { payment } = await pointsman.create({ ...order, simulate: { charge: "technical_error" } })
      const warned = lines.filter(({ level, message }) => level === "warn" && message.includes("were not applied"))
      await pointsman.close()
      // A second connection is tried after a technical error where there is one.
      return { attempts: payment.routing?.attempts.length, warnings: warned.length }
    }
    assert.deepStrictEqual(await served({ workspaces: [shop] }), { attempts: 2, warnings: 0 })
    assert.deepStrictEqual(await served({ workspaces: [without] }), { attempts: 1, warnings: 0 })
    assert.deepStrictEqual(await served({ workspaces: [shop] }), { attempts: 1, warnings: 1 })
    const failure = await start({ ...inFiles(path), workspaces: [shop], generation: 2 })
    assert.instanceOf(failure, StartError)
    assert.match(
      failure.message,
      /generation: expected a number greater than 2: generation 2 was applied with other content/u
    )
    assert.deepStrictEqual(await served({ workspaces: [shop], generation: 3 }), { attempts: 2, warnings: 0 })
  })

  it("a file that is no database is named by a failed start, and nothing stays open", async () => {
    const path = folder()
    const file = join(path, "payments.db")
    writeFileSync(file, "this is a text and no database, however long one makes it".repeat(40))
    const failure = await start({ storage: sqlite(file), encryptionKey })
    assert.instanceOf(failure, StartError)
    assert.strictEqual(failure.code, "storage_unusable")
    assert.include(failure.message, file)
    assert.deepStrictEqual(openFiles(path), [])
  })

  for (const [name, url] of Object.entries({
    "none, as of a variable that is not set": undefined as unknown as string,
    "another database's": "mysql://user:SECRET@127.0.0.1:1/shop",
    "one whose password has a slash and an @": "postgres://user:p@SECRET/SECRET@127.0.0.1:1/shop",
    "one whose password has a question mark": "postgres://user:1?SECRET@127.0.0.1:1/shop",
    "one whose password has a number sign": "postgres://user:1#SECRET@127.0.0.1:1/shop"
  })) {
    it(`a start says what it expected of a URL of PostgreSQL that is ${name}, hiding it`, async () => {
      const failure = await start({ storage: postgres(url), encryptionKey })
      assert.instanceOf(failure, StartError)
      assert.strictEqual(failure.code, "storage_unusable")
      assert.match(failure.message, /expected postgres:\/\/user:password@host:port\/database, with reserved/u)
      assert.notInclude(failure.message, "SECRET")
    })
  }

  it("another workspace's connection fails a start, which leaves the store", async () => {
    const path = folder()
    const first = await open(inFiles(path))
    await first.pointsman.close()
    const failure = await start({ ...inFiles(path), workspaces: [{ ...shop, id: "other" }] })
    assert.instanceOf(failure, StartError)
    assert.strictEqual(failure.mistakes[0]?.field, "workspaces[0].connections[0].id")
    assert.deepStrictEqual(openFiles(path), [])
    const { pointsman } = await open(inFiles(path))
    assert.strictEqual((await pointsman.create(order)).payment.status, "CAPTURED")
  })

  it("a start says that records of the simulator cannot be opened", async () => {
    const path = folder()
    const failure = await start({ connectors: [sandbox(path)] })
    assert.instanceOf(failure, StartError)
    assert.strictEqual(failure.code, "connector_unusable")
  })

  it("the stored workspaces apply to a start without any", async () => {
    const path = folder()
    const first = await open(inFiles(path))
    await first.pointsman.close()
    const { pointsman } = await open({ ...inFiles(path), workspaces: undefined } as object)
    assert.strictEqual((await pointsman.create(order, { workspace: "shop" })).payment.status, "CAPTURED")
  })
})

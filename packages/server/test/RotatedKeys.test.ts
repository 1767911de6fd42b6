/** What does not depend on which encryption key is the current one. */
import { assert, describe, it } from "vitest"
import { connectionTo, liveKey, workspaceWith } from "./support/Configurations.ts"
import { encryptionKeyOf } from "./support/EncryptionKeys.ts"
import { environmentOn, newDatabase, postgresMissing } from "./support/PostgresServer.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const first = encryptionKeyOf("first")
const second = encryptionKeyOf("second")

const order = { amount: 1999, currency: "EUR", country: "NL" }

describe("an encryption key that is replaced", { timeout: 60_000 }, () => {
  it.for(["SQLite", "PostgreSQL"])(
    "given a payment on %s, when the key is rotated, then the request is known, and its ids stay",
    async (storage, { skip }) => {
      if (storage === "PostgreSQL" && postgresMissing !== undefined) skip(postgresMissing)
      const database =
        storage === "SQLite" ? { POINTSMAN_DATABASE_URL: "sqlite:payments.db" } : environmentOn(await newDatabase())
      const provider = await startProvider()
      const folder = temporaryFolder()
      const configuration = { workspaces: [workspaceWith([connectionTo(provider)])] }
      const start = (current: string, ...previous: ReadonlyArray<string>) =>
        startServerHere({
          folder,
          configuration,
          environment: {
            ...database,
            POINTSMAN_BASE_URL: "https://pay.example",
            POINTSMAN_ENCRYPTION_KEY: current,
            ...(previous.length === 0 ? {} : { POINTSMAN_ENCRYPTION_KEY_PREVIOUS: previous.join(",") })
          }
        })
      const pay = (server: ServerHere, body: unknown = order) =>
        server.request("POST", "/api/v1/payments", { key: liveKey, idempotencyKey: "order-0001", body })
      const hosted = (server: ServerHere) =>
        server.request("POST", "/api/v1/payments", {
          key: liveKey,
          idempotencyKey: "order-0002",
          body: { ...order, return_url: "https://shop.example/back" }
        })
      const before = await start(first)
      const made = await pay(before)
      const page = await hosted(before)
      assert.strictEqual(made.status, 201, JSON.stringify(made.body))
      const token = new URL(page.body.data.next_action.url).pathname
      await before.stop()

      const server = await start(second, first)
      const again = await pay(server)
      assert.deepStrictEqual(again.body, made.body)
      const conflict = await pay(server, { ...order, amount: 2000 })
      assert.deepStrictEqual([conflict.status, conflict.body.error.code], [422, "idempotency_key_reuse"])
      assert.deepStrictEqual((await hosted(server)).body.data.next_action, page.body.data.next_action)
      assert.strictEqual((await fetch(`${server.url}${token}`)).status, 200)
      await server.stop()
      assert.strictEqual(provider.calls.filter(({ operation }) => operation === "charge").length, 1)
    }
  )
})

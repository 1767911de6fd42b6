/** What does not depend on which encryption key is the current one. */
import { assert, describe, it } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { configurationWith, connectionTo } from "./support/Configurations.ts"
import { encryptionKeyOf, keyIdOf } from "./support/EncryptionKeys.ts"
import { pay as payAt } from "./support/Pay.ts"
import { startProvider } from "./support/ScriptedProvider.ts"
import { runServerHere, type ServerHere, startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const first = encryptionKeyOf("first")
const second = encryptionKeyOf("second")

describe("an encryption key that is replaced", () => {
  it("a payment keeps its ids after a rotation, and its request is known", async () => {
    const database = { POINTSMAN_DATABASE_URL: "sqlite:payments.db" }
    const provider = await startProvider()
    const folder = temporaryFolder()
    const configuration = configurationWith(connectionTo(provider))
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
    const pay = (server: ServerHere, more = {}) => payAt(server, "order-0001", more)
    const hosted = (server: ServerHere) => payAt(server, "order-0002", { return_url: "https://shop.example/back" })
    const before = await start(first)
    const made = await pay(before)
    const page = await hosted(before)
    assert.strictEqual(made.status, 201, JSON.stringify(made.body))
    const token = new URL(page.body.data.next_action.url).pathname
    await before.stop()

    const isKnown = async (server: ServerHere) => {
      assert.deepStrictEqual((await pay(server)).body, made.body)
      const conflict = await pay(server, { amount: 2000 })
      assert.deepStrictEqual([conflict.status, conflict.body.error.code], [422, "idempotency_key_reuse"])
      assert.deepStrictEqual((await hosted(server)).body.data.next_action, page.body.data.next_action)
      assert.strictEqual((await fetch(`${server.url}${token}`)).status, 200)
    }
    const both = { POINTSMAN_ENCRYPTION_KEY: second, POINTSMAN_ENCRYPTION_KEY_PREVIOUS: first }
    const run = (words: ReadonlyArray<string>, keys: Readonly<Record<string, string>>) =>
      runHere(folder, words, { ...database, ...keys })
    const doctor = async (keys: Readonly<Record<string, string>>): Promise<ReadonlyArray<string>> =>
      JSON.parse((await run(["doctor", "--json"], keys)).stdout)
        .data.checks.filter(({ check }: { check: string }) => check === "encryption key")
        .map(({ says, verdict }: { says: string; verdict: string }) => `${verdict}: ${says}`)
    const rotate = ["keys", "rotate-encryption", "--json"]

    const server = await start(second, first)
    await isKnown(server)
    assert.deepStrictEqual(await doctor(both), [
      `warning: 2 texts encrypted with the previous key ${keyIdOf(first)}: run \`pointsman keys rotate-encryption\``
    ])
    // With the new key alone, the command changes nothing.
    const alone = await run(rotate, { POINTSMAN_ENCRYPTION_KEY: second })
    assert.deepStrictEqual([alone.code, alone.stdout], [1, ""])
    assert.match(alone.stderr, /^The encryption key does not match the database/u)

    const rotated = await run(rotate, both)
    assert.strictEqual(rotated.code, 0, rotated.stderr)
    assert.deepStrictEqual(JSON.parse(rotated.stdout).data, {
      key: keyIdOf(second),
      encrypted_again: 2,
      left: [
        { key: keyIdOf(second), current: true, texts: 2 },
        { key: keyIdOf(first), current: false, texts: 0 }
      ],
      unreadable: { count: 0, first: null }
    })
    const again = await run(rotate.slice(0, 2), both)
    assert.deepStrictEqual([again.code, again.stdout.split("\n")[0]], [0, "0 texts encrypted again."])
    await isKnown(server)
    await server.stop()

    assert.deepStrictEqual(await doctor({ POINTSMAN_ENCRYPTION_KEY: second }), [
      "ok: the key decrypts the stored secrets"
    ])
    const after = await start(second)
    await isKnown(after)
    assert.strictEqual((await payAt(after, "order-0003")).status, 201)
    await after.stop()
    const old = await runServerHere({ folder, environment: { ...database, POINTSMAN_ENCRYPTION_KEY: first } })
    assert.match(old.stderr, /^The encryption key does not match the database/mu)
    assert.strictEqual(provider.calls.filter(({ operation }) => operation === "charge").length, 2)
  })
})

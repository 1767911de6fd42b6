/** Keys that expire or are limited to networks, over real sockets. */
import { assert, describe, it, vi } from "vitest"
import { runHere } from "./support/CommandInProcess.ts"
import { assertRefused, documentOf } from "./support/CommandProcess.ts"
import { liveKey, otherLiveKey, testKey } from "./support/Configurations.ts"
import { ask, statusOf } from "./support/RawSocket.ts"
import { startServerHere } from "./support/ServerHere.ts"
import { temporaryFolder } from "./support/ServerProcess.ts"

const networks = ["203.0.113.0/24", "2001:db8:2::9"]
const keys = [
  { environment: "production", secret: liveKey, name: "shop", expires: "2026-01-31" },
  { environment: "production", secret: otherLiveKey, expires: "2100-01-31T00:00:00Z" },
  { environment: "sandbox", secret: testKey, networks }
]
const configuration = { workspaces: [{ id: "acme", keys }] }

const unknownKey = `${testKey.slice(0, -1)}${testKey.endsWith("0") ? "1" : "0"}`

/** Without the id of the request, which differs between two answers. */
const bodyOf = (answer: string): string =>
  answer.slice(answer.indexOf("\r\n\r\n")).replace(/"request_id":"req_[0-9a-f-]{36}",?/u, "")

const get = (url: string, key: string, from: string) =>
  ask(url, [
    "GET /api/v1/payments HTTP/1.1",
    "Host: pay.example",
    `Authorization: Bearer ${key}`,
    `X-Forwarded-For: ${from}`
  ])

describe("a key with limits", () => {
  it("a key outside of its networks by a trusted proxy is refused as unknown", async () => {
    const environment = { POINTSMAN_TRUSTED_PROXIES: "127.0.0.0/8" }
    const server = await startServerHere({ configuration, environment })
    for (const address of ["203.0.113.7", "198.51.100.1, 203.0.113.7", "::ffff:203.0.113.7", "2001:db8:2::9"]) {
      assert.strictEqual(statusOf(await get(server.url, testKey, address)), "200", address)
    }
    const unknown = await get(server.url, unknownKey, "203.0.113.8")
    assert.strictEqual(statusOf(unknown), "401")
    for (const address of ["198.51.100.1", "203.0.113.7, 198.51.100.1", "2001:db8:2::8", "nobody"]) {
      const refused = await get(server.url, testKey, address)
      assert.deepStrictEqual([statusOf(refused), bodyOf(refused)], ["401", bodyOf(unknown)], address)
    }
  })

  it("a key is refused whose caller writes a network's address without a trusted proxy", async () => {
    const server = await startServerHere({ configuration })
    assert.strictEqual(statusOf(await get(server.url, testKey, "203.0.113.7")), "401")
  })

  it("an expired key is refused like an unknown one, and another one works", async () => {
    const server = await startServerHere({ configuration })
    const [expired = "", unknown = "", other = ""] = await Promise.all(
      [liveKey, unknownKey, otherLiveKey].map((key) => get(server.url, key, "203.0.113.7"))
    )
    assert.deepStrictEqual([expired, unknown, other].map(statusOf), ["401", "401", "200"])
    assert.strictEqual(bodyOf(expired), bodyOf(unknown))
  })

  it("the limits of `keys create` are listed and hold", async () => {
    const folder = temporaryFolder()
    const server = await startServerHere({ folder, configuration })
    const create = (...flags: ReadonlyArray<string>) =>
      runHere(folder, ["keys", "create", "--environment", "sandbox", ...flags, "--json"])
    const [here, elsewhere, past, wrongNetwork, wrongDay] = await Promise.all([
      create("--name", "here", "--networks", "127.0.0.0/8, ::1", "--expires", "2099-12-31"),
      create("--networks", "203.0.113.0/24"),
      create("--expires", "2026-01-01"),
      create("--networks", "203.0.113.0/33"),
      create("--expires", "2027-02-30")
    ])
    const made = documentOf(here).data
    const began = Date.now() - 1
    assert.deepInclude(made, { name: "here", networks: ["127.0.0.0/8", "::1"], expires: "2099-12-31T00:00:00.000Z" })
    assert.strictEqual(statusOf(await get(server.url, made.key, "203.0.113.7")), "200")
    assert.strictEqual(statusOf(await get(server.url, documentOf(elsewhere).data.key, "203.0.113.7")), "401")
    assertRefused(past, /--expires: expected a time in the future/u)
    assertRefused(wrongNetwork, /comma-separated IP addresses or CIDR ranges/u)
    assert.strictEqual(wrongDay.code, 1)

    const listed = async () => documentOf(await runHere(folder, ["keys", "list", "--json"])).data
    const usedOf = async (id: string) =>
      (await listed()).find((one: { readonly id: string }) => one.id === id).last_used
    await vi.waitFor(async () => assert.isAbove(Date.parse(await usedOf(made.id)), began), { timeout: 180_000 })
    assert.isNull(await usedOf(documentOf(elsewhere).data.id))
    const text = await runHere(folder, ["keys", "list"])
    assert.match(
      text.stdout,
      /^\w+ +here +acme +sandbox +every +127\.0\.0\.0\/8,::1 .* 2099-12-31T00:00:00\.000Z +2\S+Z +-$/mu
    )
    assert.match(text.stdout, /^\w+ +shop +acme +production +every +any .* 2026-01-31T00:00:00\.000Z +- +-$/mu)

    // A person who revokes a key sees whether somebody uses it.
    const used = await usedOf(made.id)
    const revoked = await runHere(folder, ["keys", "revoke", made.id])
    assert.include(
      revoked.stdout,
      `Expires: 2099-12-31T00:00:00.000Z. Networks: 127.0.0.0/8, ::1. Last used: ${used}.\n`
    )
    const again = documentOf(await runHere(folder, ["keys", "revoke", made.id, "--json"])).data
    assert.deepInclude(again, { expires: made.expires, networks: made.networks, last_used: used })
  })
})

/** Keys that expire or are limited to networks, over real sockets. */
import { assert, describe, it } from "vitest"
import { liveKey, otherLiveKey, testKey } from "./support/Configurations.ts"
import { ask, statusOf } from "./support/RawSocket.ts"
import { startServerHere } from "./support/ServerHere.ts"

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
})

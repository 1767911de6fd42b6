/** Who a request comes from behind proxies, and how often a source may fail. */
import { assert, describe, it } from "vitest"
import { makeSources } from "../src/SourceOf.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { ask, statusOf } from "./support/RawSocket.ts"
import { startServerHere } from "./support/ServerHere.ts"

const trusted = ["10.0.0.0/8", "192.0.2.9", "2001:db8:1::/48"]

describe("the source of a request", () => {
  const cases: ReadonlyArray<readonly [address: string, forwardedFor: string | undefined, source: string]> = [
    ["198.51.100.1", undefined, "198.51.100.1"],
    // Anybody can write the header.
    ["198.51.100.1", "203.0.113.7", "198.51.100.1"],
    ["10.1.2.3", undefined, "10.1.2.3"],
    ["10.1.2.3", "203.0.113.7", "203.0.113.7"],
    ["::ffff:10.1.2.3", "203.0.113.7", "203.0.113.7"],
    ["192.0.2.9", " 203.0.113.7:4711 ", "203.0.113.7"],
    // The client wrote the first, the proxies the others.
    ["10.1.2.3", "127.0.0.1, 203.0.113.7, 10.4.4.4,192.0.2.9", "203.0.113.7"],
    ["10.1.2.3", "10.4.4.4", "10.4.4.4"],
    ["10.1.2.3", "203.0.113.7, unknown", "10.1.2.3"],
    ["10.1.2.3", "", "10.1.2.3"],
    ["10.1.2.3", "[2001:db8:2::1]:443", "2001:db8:2:0::/64"],
    ["2001:db8:1::1", "::ffff:203.0.113.7", "203.0.113.7"],
    ["2001:DB8:2:3:4:5:6:7", undefined, "2001:db8:2:3::/64"],
    ["2001:db8:2:3::9", undefined, "2001:db8:2:3::/64"],
    ["fe80::1%eth0", undefined, "fe80:0:0:0::/64"],
    ["::1", undefined, "0:0:0:0::/64"]
  ]
  it.each(cases)("%s with X-Forwarded-For %s is %s", (address, forwardedFor, source) => {
    assert.strictEqual(makeSources(trusted).sourceOf(address, forwardedFor), source)
  })
})

const host = "Host: pay.example"

/** While its clock stands, nobody is given time back. */
const startAtOneTime = async (environment: Record<string, string> = {}) => {
  const moved = makeMovedClock()
  const server = await startServerHere({ environment, clock: moved.clock })
  moved.hold()
  return server
}

const wrongKeys = (url: string, times: number, from: string) =>
  Promise.all(
    Array.from({ length: times }, () =>
      ask(url, [
        "GET /api/v1/payments HTTP/1.1",
        host,
        "Authorization: Bearer ps_test_wrong",
        `X-Forwarded-For: ${from}`
      ])
    )
  )

describe("a source that fails too often", () => {
  it("only the client that tries keys behind a proxy waits, and its right key works", async () => {
    const server = await startAtOneTime({ POINTSMAN_TRUSTED_PROXIES: "127.0.0.0/8" })
    const answers = await wrongKeys(server.url, 60, "198.51.100.99, 203.0.113.7")
    const refused = answers.filter((answer) => statusOf(answer) === "429")
    assert.lengthOf(refused, 40)
    assert.match(refused[0] ?? "", /^retry-after: 1\r$/im)
    assert.strictEqual(answers.filter((answer) => statusOf(answer) === "401").length, 60 - refused.length)

    const [other] = await wrongKeys(server.url, 1, "203.0.113.8")
    assert.strictEqual(statusOf(other ?? ""), "401")
    const right = ["GET /api/v1/payments HTTP/1.1", host, `Authorization: Bearer ${server.sandboxKey}`]
    assert.strictEqual(statusOf(await ask(server.url, [...right, "X-Forwarded-For: 203.0.113.7"])), "200")
  })

  it("changing headers are one source without a trusted proxy", async () => {
    const server = await startAtOneTime()
    const answers = await Promise.all(
      Array.from({ length: 60 }, async (_, at) => (await wrongKeys(server.url, 1, `203.0.113.${at}`))[0] ?? "")
    )
    assert.isAbove(answers.filter((answer) => statusOf(answer) === "429").length, 20)
    assert.lengthOf(server.stderr().match(/POINTSMAN_TRUSTED_PROXIES names no proxy/gu) ?? [], 1)
  })

  it("a client that guesses page tokens has to wait, and a right token works", async () => {
    const server = await startAtOneTime()
    const { body } = await server.request("POST", "/api/v1/payments", {
      body: { amount: 1000, currency: "EUR", country: "NL", return_url: "https://shop.example/thanks" }
    })
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, at) => ask(server.url, [`GET /hosted/guess${at} HTTP/1.1`, host]))
    )
    const refused = answers.filter((answer) => statusOf(answer) === "429")
    assert.lengthOf(refused, 40)
    assert.match(refused[0] ?? "", /^retry-after: 1\r$/im)
    assert.match(refused[0] ?? "", /Too many requests/u)
    const page = new URL(body.data.next_action.url)
    assert.strictEqual(statusOf(await ask(server.url, [`GET ${page.pathname} HTTP/1.1`, host])), "200")
  })
})

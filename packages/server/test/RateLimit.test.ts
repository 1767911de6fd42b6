/** The settings, at a server that listens. The limits' own rules are tested where they are, by a clock of the test's. */
import { assert, describe, it } from "vitest"
import { configurationWith, connectionTo } from "./support/Configurations.ts"
import { makeMovedClock } from "./support/MovedClock.ts"
import { sendSigned } from "./support/Pay.ts"
import { startServerHere } from "./support/ServerHere.ts"

const list = "/api/v1/payments?limit=1"

describe("POINTSMAN_RATE_LIMIT", () => {
  it("4 of 12 requests at once pass a rate of 2, and the others learn when to return", async () => {
    const moved = makeMovedClock()
    const server = await startServerHere({
      environment: { POINTSMAN_RATE_LIMIT: "2" },
      clock: moved.clock
    })
    moved.hold()
    const answers = await Promise.all(Array.from({ length: 12 }, () => server.request("GET", list)))
    const refused = answers.filter(({ status }) => status !== 200)
    assert.lengthOf(refused, 8)
    for (const { body, headers, status } of refused) {
      assert.deepStrictEqual([status, body.error.code, headers.get("retry-after")], [429, "rate_limited", "1"])
    }
    // Nobody's key: these are not counted.
    for (let times = 0; times < 10; times++) {
      assert.strictEqual((await server.request("GET", "/health/live", { key: null })).status, 200)
    }
    moved.push(1_000)
    assert.strictEqual((await server.request("GET", list)).status, 200)
  })
})

describe("POINTSMAN_INBOUND_RATE_LIMIT", () => {
  it("messages above a connection's limit are answered with when to come again", async () => {
    const { clock, hold } = makeMovedClock()
    const webhookSecret = "whsec_provider_1"
    const connection = { ...connectionTo({ url: "http://127.0.0.1:1", apiKey: "k" }), webhookSecret }
    const server = await startServerHere({
      configuration: configurationWith(connection),
      environment: { POINTSMAN_INBOUND_RATE_LIMIT: "1" },
      clock
    })
    hold()
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, at) => sendSigned(server, "main", webhookSecret, `{"id":"${at}"}`))
    )
    const refused = answers.filter(({ status }) => status === 429)
    // Two at once, and one a second: no second passes.
    assert.lengthOf(refused, 28)
    assert.strictEqual(refused[0]?.headers.get("retry-after"), "1")
  })
})

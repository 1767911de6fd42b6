/** The setting, at a server that listens. The limit's own rules are tested where it is, by a clock of the test's. */
import { assert, describe, it } from "vitest"
import { makeMovedClock } from "./support/MovedClock.ts"
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

  it("500 requests at once without a rate are all answered", async () => {
    const server = await startServerHere({ flags: ["--rate-limit", "off"] })
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => server.request("GET", list)))
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([200]))
    }
  })
})

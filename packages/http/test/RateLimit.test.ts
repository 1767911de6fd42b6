/** The rate of a key, by a clock that the test turns: 4 requests a second, 8 at once. */
import { beforeEach, describe, expect, test } from "vitest"
import { answerOf } from "./support/Payments.ts"
import { anyStore } from "./support/Stores.ts"
import { usedWorld } from "./support/UsedWorld.ts"
import { keys, keyWithout, openWorld } from "./support/World.ts"

const perSecond = 4
const burst = 2 * perSecond
const refillMillis = 1000 / perSecond

describe("a limit of 4 requests a second", () => {
  const world = usedWorld(anyStore, { perSecond, testClock: true })
  // Longer than it takes to fill up every bucket.
  beforeEach(() => world.adjust("1 minute"))

  const list = (key: string = keys.acme) => world.send("/api/v1/payments", { key })
  const lists = async (times: number, key?: string) => {
    const answers: Array<string> = []
    for (let time = 0; time < times; time++) answers.push(answerOf(await list(key)))
    return answers
  }
  const passed = (times: number) => Array(times).fill("200")
  const refused = "429 rate_limited"

  test("the ninth request at once after a pause is 429 and says how long to wait", async () => {
    expect(await lists(burst)).toEqual(passed(burst))
    const reply = await list()
    expect(answerOf(reply)).toBe(refused)
    expect(reply.headers.get("retry-after")).toBe("1")
    expect(reply.headers.get("x-request-id")).toMatch(/^req_/u)
    expect(Object.keys(reply.body.error)).toEqual(["code", "message"])
  })

  test("one request passes a used-up rate after a quarter of a second, and not before", async () => {
    await lists(burst)
    await world.adjust(refillMillis - 1)
    expect(await lists(1)).toEqual([refused])
    await world.adjust(1)
    expect(await lists(2)).toEqual(["200", refused])
    await world.adjust(refillMillis - 1)
    expect(await lists(1)).toEqual([refused])
    await world.adjust(1)
    expect(await lists(2)).toEqual(["200", refused])
  })

  test("requests that are refused again and again put nothing off", async () => {
    await lists(burst)
    for (let times = 0; times < 5; times++) {
      await world.adjust(refillMillis / 5)
      if (times < 4) expect(await lists(3)).toEqual(Array(3).fill(refused))
    }
    expect(await lists(1)).toEqual(["200"])
  })

  test("8 requests pass at once after a year without any, and no more", async () => {
    await world.adjust("365 days")
    expect(await lists(burst + 1)).toEqual([...passed(burst), refused])
  })

  test("another key of the same workspace has its own rate when one is used up", async () => {
    await lists(burst)
    expect(await lists(1)).toEqual([refused])
    for (const key of [keys.leaving, keys.acmeLive, keys.globex]) expect(await lists(1, key)).toEqual(["200"])
    expect(await lists(1)).toEqual([refused])
  })

  test("requests that do not get that far take nothing of a rate", async () => {
    for (let times = 0; times < 3 * burst; times++) {
      expect(answerOf(await world.send("/api/v1/payments", { key: keys.revoked }))).toBe("401 unauthorized")
      expect(answerOf(await list(keys.closed))).toBe("403 workspace_suspended")
      expect(answerOf(await list(keyWithout("payments:read")))).toBe("403 insufficient_scope")
    }
    const events = () => world.send("/api/v1/events", { key: keyWithout("payments:read") })
    for (let times = 0; times < burst; times++) expect(answerOf(await events())).toBe("200")
    expect(answerOf(await events())).toBe(refused)
  })

  test("a request to move money at a used-up rate asks no provider", async () => {
    const { id } = (
      await world.send("/api/v1/payments", {
        key: keys.acme,
        body: { amount: 1000, currency: "EUR", country: "NL", capture_method: "manual" }
      })
    ).body.data
    await lists(burst - 1)
    for (const path of ["", `/${id}/capture`, `/${id}/void`, `/${id}/refunds`]) {
      const headers = { "idempotency-key": "short" }
      const reply = await world.send(`/api/v1/payments${path}`, { key: keys.acme, method: "POST", body: "{", headers })
      expect(answerOf(reply)).toBe(refused)
    }
    const { captures, charges, voids } = world.provider
    expect([captures.length, charges.length, voids.length]).toEqual([0, 1, 0])
  })

  test("evidence counts by its declared bytes, and without a length by a whole second", async () => {
    const form = async (bytes: number, isDeclared = true) => {
      const body = "x".repeat(bytes)
      const headers: Record<string, string> = { "content-type": "multipart/form-data; boundary=x" }
      if (isDeclared) headers["content-length"] = String(bytes)
      return answerOf(
        await world.send("/api/v1/disputes/dp_none/evidence", { key: keys.acme, method: "POST", body, headers })
      )
    }
    const malformed = "422 validation_error"
    for (const [bytes, isDeclared, requests] of [
      [16_384, true, 1],
      [16_385, true, 2],
      [65_536, true, 4],
      // No form is refused for ever, however large it is.
      [1_000_000, true, perSecond],
      [100, false, perSecond]
    ] as const) {
      expect(await form(bytes, isDeclared)).toBe(malformed)
      expect(await lists(burst - requests + 1)).toEqual([...passed(burst - requests), refused])
      await world.adjust("1 minute")
    }
    await lists(burst - 1)
    expect(await form(16_385)).toBe(refused)
    expect(await form(16_384)).toBe(malformed)
  })
})

test("a thousand requests without a limit are all answered", async () => {
  const world = await openWorld(anyStore, { testClock: true })
  const replies = await Promise.all(
    Array.from({ length: 1000 }, () => world.send("/api/v1/payments?limit=1", { key: keys.acme }))
  )
  expect(new Set(replies.map(answerOf))).toEqual(new Set(["200"]))
  await world.close()
})

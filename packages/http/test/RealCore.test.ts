/** The handlers over the real core: what a client sees from create to timeline. */
import { afterAll, describe, expect, test } from "vitest"
import { keys, realCore } from "./support/RealCore.ts"
import { serve } from "./support/Web.ts"

const web = serve(realCore)
afterAll(web.close)

let count = 0
const create = (fields: object = {}, options: { key?: string; idempotencyKey?: string } = {}) =>
  web.send("/api/v1/payments", {
    key: options.key ?? keys.acme,
    body: { amount: 1999, currency: "EUR", country: "NL", reference: `order-${++count}`, ...fields },
    headers: options.idempotencyKey === undefined ? {} : { "idempotency-key": options.idempotencyKey }
  })
const get = (path: string, key: string = keys.acme) => web.send(`/api/v1${path}`, { key })

describe("outcomes of a create", () => {
  const outcomes: ReadonlyArray<readonly [simulate: object, status: string, fields: object, events: Array<string>]> = [
    [{}, "CAPTURED", { captured_amount: 1999 }, ["payment.created", "payment.captured"]],
    [
      { charge: "decline:insufficient_funds" },
      "DECLINED",
      { decline_category: "insufficient_funds" },
      ["payment.created", "payment.declined"]
    ],
    [
      { charge: "requires_authentication" },
      "DECLINED",
      { decline_category: "authentication_failed", decline_reason: "provider_requires_action" },
      ["payment.created", "payment.declined"]
    ],
    [{ charge: "no_answer" }, "UNKNOWN", { decline_reason: null }, ["payment.created", "payment.unknown"]],
    [{ charge: "pending" }, "PENDING", {}, ["payment.created", "payment.pending"]],
    [
      { charge: "technical_error" },
      "FAILED",
      { decline_reason: "provider_error", decline_category: null },
      ["payment.created", "payment.failed"]
    ]
  ]
  test.each(outcomes)("%j is %s everywhere once created", async (...row) => {
    const [simulate, status, fields, events] = row
    const created = await create({ simulate })
    expect(created.status).toBe(201)
    expect(created.body.data).toMatchObject({ status, payment_status: status, environment: "sandbox", ...fields })
    const { routing, ...rest } = created.body.data
    expect(routing).toMatchObject({ path: "engine", mode: "failover", rule: null })
    const id = created.body.data.payment_id
    expect((await get(`/payments/${id}`)).body).toEqual({ data: { ...rest, refunds: [] } })
    const timeline = (await get(`/payments/${id}/events`)).body
    expect(timeline.data.map((event: { type: string }) => event.type)).toEqual(events)
    expect((await get(`/payments?status=${status.toLowerCase()}&limit=1`)).body.data[0]).toEqual(rest)
  })

  test("a create with manual capture is AUTHORIZED and nothing is captured", async () => {
    const created = await create({ capture_method: "manual" })
    expect(created.body.data).toMatchObject({ status: "AUTHORIZED", captured_amount: 0, capture_method: "manual" })
  })

  test("both attempts are listed in order after a technical error first", async () => {
    const { routing } = (await create({ simulate: { charge: ["technical_error", "approve"] } })).body.data
    expect(routing.attempts.map((a: { connection_id: string }) => a.connection_id)).toEqual(["main", "backup"])
  })
})

describe("metadata and what is bought", () => {
  const given = {
    metadata: { order: "1001", "name with ]": "text & more" },
    description: "Two tickets",
    locale: "de-AT",
    lines: [
      { name: "Ticket", quantity: 2, amount: 2499 },
      { name: "Voucher", quantity: 1, amount: -500 }
    ]
  }

  test("every answer repeats metadata and reference, and events the metadata", async () => {
    const { data } = (await create(given)).body
    expect(data).toMatchObject(given)
    expect((await get(`/payments/${data.id}`)).body.data).toMatchObject(given)
    const events = (await get(`/payments/${data.id}/events`)).body.data
    expect(events.map((event: { data: object }) => event.data)).toEqual(
      events.map(() => expect.objectContaining({ metadata: given.metadata }))
    )
    const { data: none } = (await create({ metadata: {} })).body
    for (const field of Object.keys(given)) expect(none).not.toHaveProperty(field)
    const [event] = (await get(`/payments/${none.id}/events`)).body.data
    expect(event.data).not.toHaveProperty("metadata")
  })

  test("lists filtered by metadata find the payments with all of it", async () => {
    const { data } = (await create({ metadata: { ...given.metadata, channel: "filtered" } })).body
    await create({ metadata: { channel: "filtered" } })
    const find = async (query: string) =>
      (await get(`/payments?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await find("metadata[channel]=filtered")).toHaveLength(2)
    expect(await find("metadata[channel]=filtered&metadata%5Border%5D=1001")).toEqual([data.id])
    expect(await find("metadata[name with ]]=text %26 more&metadata[channel]=filtered")).toEqual([data.id])
    expect(await find("metadata[channel]=filtered&status=declined")).toEqual([])
    expect(await find("metadata[__proto__]=filtered")).toEqual([])
  })
})

describe("idempotency", () => {
  test("the same key and body get the same answer, marked as a replay", async () => {
    const fields = { reference: "same" }
    const first = await create(fields, { idempotencyKey: "key-of-the-replay" })
    const second = await create(fields, { idempotencyKey: "key-of-the-replay" })
    expect(second.status).toBe(201)
    expect(second.body).toEqual(first.body)
    expect(first.headers.get("idempotent-replay")).toBeNull()
    expect(second.headers.get("idempotent-replay")).toBe("true")
    expect(second.headers.get("x-request-id")).not.toBe(first.headers.get("x-request-id"))
  })

  test("the same key and another body are 422", async () => {
    await create({ reference: "a" }, { idempotencyKey: "key-of-the-reuse" })
    const reply = await create({ reference: "b" }, { idempotencyKey: "key-of-the-reuse" })
    expect([reply.status, reply.body.error.code]).toEqual([422, "idempotency_key_reuse"])
  })

  test("a default spelled out is the same request", async () => {
    await create({ reference: "d" }, { idempotencyKey: "key-of-defaults" })
    const reply = await create({ reference: "d", method: "card", debug: false }, { idempotencyKey: "key-of-defaults" })
    expect(reply.headers.get("idempotent-replay")).toBe("true")
  })

  test("a refused request leaves its key free for a good one", async () => {
    expect((await create({ amount: 1 }, { idempotencyKey: "key-not-consumed" })).status).toBe(422)
    const reply = await create({}, { idempotencyKey: "key-not-consumed" })
    expect([reply.status, reply.headers.get("idempotent-replay")]).toEqual([201, null])
  })

  test("the same key in production and sandbox makes two payments", async () => {
    const sandbox = await create({ reference: "e" }, { idempotencyKey: "key-of-both-worlds" })
    const live = await create({ reference: "e" }, { idempotencyKey: "key-of-both-worlds", key: keys.acmeLive })
    expect(live.status).toBe(201)
    expect(live.body.data.payment_id).not.toBe(sandbox.body.data.payment_id)
    expect(live.headers.get("idempotent-replay")).toBeNull()
  })
})

describe("routing that fails", () => {
  test("debug returns every exclusion if no connection has the currency", async () => {
    const plain = await create({}, { key: keys.globex })
    expect([plain.status, plain.body.error.code, "excluded" in plain.body.error]).toEqual([
      409,
      "routing_failed",
      false
    ])
    const debug = await create({ debug: true }, { key: keys.globex })
    expect(debug.body.error.excluded).toEqual([
      expect.objectContaining({ providerId: "globex-main", code: "CURRENCY_NOT_SUPPORTED" })
    ])
  })

  test("debug on a routed payment says in routing which one is excluded", async () => {
    const { routing } = (await create({ debug: true, currency: "JPY" })).body.data
    expect(routing.excluded).toEqual([
      { providerId: "backup", name: "The backup acquirer", code: "CURRENCY_NOT_SUPPORTED", reason: expect.any(String) }
    ])
    expect(routing).toMatchObject({ degraded: false, eligibility_version: expect.any(String) })
  })

  test("instruments for one connection exclude the others", async () => {
    const instruments = [{ connection: "backup", token: "tok_secret" }]
    const created = await create({ debug: true, instruments })
    expect(created.body.data.routing.excluded).toEqual([
      expect.objectContaining({ providerId: "main", code: "INSTRUMENT_NOT_AVAILABLE" })
    ])
    expect(JSON.stringify(created.body)).not.toContain("tok_secret")
  })
})

describe("tenants and environments", () => {
  test("a payment of acme is 404 for others and in none of their lists", async () => {
    const { payment_id } = (await create()).body.data
    const live = (await create({}, { key: keys.acmeLive, idempotencyKey: "key-of-the-live-one" })).body.data
    expect(live.environment).toBe("production")
    for (const [id, strangers] of [
      [payment_id, [keys.globex, keys.acmeLive]],
      [live.payment_id, [keys.globex, keys.acme]]
    ] as const) {
      for (const key of strangers) {
        for (const path of [`/payments/${id}`, `/payments/${id}/events`]) {
          const reply = await get(path, key)
          expect([reply.status, reply.body.error.code]).toEqual([404, "not_found"])
        }
        for (const path of ["/payments?limit=100", "/events?limit=100"]) {
          expect(JSON.stringify((await get(path, key)).body)).not.toContain(id)
        }
      }
    }
    expect((await get(`/payments/${payment_id.toUpperCase()}`)).status).toBe(404)
  })

  test("a revoked, an unknown and a mistyped key are each 401", async () => {
    for (const key of [keys.revoked, keys.unknown, `${keys.acme.slice(0, -1)}!`, keys.acme.slice(0, -1)]) {
      expect((await get("/payments", key)).status).toBe(401)
    }
  })

  test("a key that may read gets 403 for a create, and it reads", async () => {
    const reply = await create({}, { key: keys.acmeReader })
    expect([reply.status, reply.body.error.code]).toEqual([403, "insufficient_scope"])
    expect((await get("/payments", keys.acmeReader)).status).toBe(200)
    expect((await get("/events", keys.acmeReader)).status).toBe(403)
  })
})

describe("walking the lists", () => {
  const walk = async (path: string, cursor: "before" | "after"): Promise<ReadonlyArray<string>> => {
    const ids: Array<string> = []
    let next: string | null = null
    do {
      const from: string = next === null ? "" : `&${cursor}=${next}`
      const page = (await get(`${path}${path.includes("?") ? "&" : "?"}limit=3${from}`)).body
      ids.push(...page.data.map((item: { id: string }) => item.id))
      expect(page.data.length).toBeLessThanOrEqual(3)
      expect(page.next_cursor === null).toBe(!page.has_more)
      next = page.next_cursor
    } while (next !== null)
    return ids
  }

  test("pages of many payments and events have each once, in order", async () => {
    for (let made = 0; made < 5; made++) await create()
    const payments = await walk("/payments", "before")
    expect(payments.length).toBeGreaterThan(7)
    expect(payments).toEqual([...new Set(payments)].sort().reverse())
    const newest = await walk("/events", "before")
    expect(newest).toEqual([...new Set(newest)].sort().reverse())
    const first = newest.at(-1) as string
    expect(await walk(`/payments/${payments[0]}/events`, "after")).toHaveLength(2)
    // A follower starts behind the first event and reads on, oldest first.
    const followed: Array<string> = []
    let after = first
    for (;;) {
      const page = (await get(`/events?limit=3&after=${after}`)).body
      followed.push(...page.data.map((item: { id: string }) => item.id))
      if (!page.has_more) break
      after = page.next_cursor
    }
    expect([first, ...followed]).toEqual([...newest].reverse())
  })

  test("only events of a type are read by it", async () => {
    await create({ simulate: { charge: "decline:expired_card" } })
    const { data } = (await get("/events?type=payment.declined")).body
    expect(data.length).toBeGreaterThan(0)
    expect(new Set(data.map((event: { type: string }) => event.type))).toEqual(new Set(["payment.declined"]))
    expect(data[0].data).toMatchObject({ payment_status: "DECLINED", decline_category: "expired_card" })
  })

  test("no payment is found as CREATED", async () => {
    expect((await get("/payments?status=CREATED")).body).toEqual({ data: [], has_more: false, next_cursor: null })
  })
})

test("no server failure was logged by all of the above", () => {
  expect(web.log).toEqual([])
})

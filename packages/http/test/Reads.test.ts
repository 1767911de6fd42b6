import { type Event, type Payment, PaymentNotFound, paymentStatuses, statesOf } from "@pointsman/core"
import { StorageError } from "@pointsman/core/ports"
import { Deferred, Effect } from "effect"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { payment, paymentId, scripted } from "./support/Scripted.ts"
import { serve } from "./support/Web.ts"

const tenant = { workspaceId: "acme", environment: "sandbox" } as const
const eventId = "evt_019a8c3e-7b1d-7c64-8f5e-2f6d9f1f0b01"
const event: Event = {
  id: eventId,
  type: "payment.captured",
  paymentId,
  createdAt: Date.UTC(2026, 10, 21, 11, 0, 0, 7),
  data: { payment_id: paymentId, amount: 1999, reference: null }
}
const eventView = { id: eventId, type: event.type, created: "2026-11-21T11:00:00.007Z", data: event.data }

let more = false
const script = scripted({
  payments: () => Effect.succeed({ items: [payment], hasMore: more }),
  timeline: (_tenant, id) =>
    id === paymentId ? Effect.succeed({ items: [event], hasMore: more }) : new PaymentNotFound(),
  events: () => Effect.succeed({ items: [event], hasMore: more })
})
const web = serve(script.layer)
afterAll(web.close)
beforeEach(() => {
  more = false
  script.asked.length = 0
})
const get = (path: string) => web.send(`/api/v1${path}`, { key: "sandbox" })
const queryOf = () => script.asked[0]?.at(-1)

describe("the lists' queries", () => {
  const accepted: ReadonlyArray<readonly [path: string, query: object]> = [
    ["/payments", { states: undefined, before: undefined, limit: 50 }],
    ["/payments?limit=1", { limit: 1 }],
    ["/payments?limit=100", { limit: 100 }],
    [`/payments?before=${paymentId}`, { before: paymentId }],
    [`/payments?before=${paymentId.toUpperCase()}`, { before: paymentId }],
    ...paymentStatuses.map((status) => [`/payments?status=${status}`, { states: statesOf(status) }] as const),
    ["/payments?status=captured", { states: ["Captured"] }],
    ["/payments?status=Partially_Refunded", { states: ["PartiallyRefunded"] }],
    ["/payments?status=CREATED", { states: [] }],
    ["/payments?reference=order-1001", { reference: "order-1001" }],
    ["/payments?reference=", { reference: "" }],
    ["/payments?amount=1999&currency=EUR", { amountMinor: 1999, currency: "EUR" }],
    ["/payments?connection=first&provider_reference=ch_1", { connectionId: "first", providerRef: "ch_1" }],
    ["/payments?metadata[order]=1001&metadata[b]=", { metadata: { order: "1001", b: "" } }],
    ["/payments?created_from=2026-11-01T00:00:00Z", { createdFrom: Date.UTC(2026, 10, 1) }],
    ["/payments?created_before=2026-11-01t02:00:00.5%2B02:00", { createdBefore: Date.UTC(2026, 10, 1, 0, 0, 0, 500) }],
    [
      "/payments?created_before=2024-02-29T23:59:59.999999999Z",
      { createdBefore: Date.UTC(2024, 1, 29, 23, 59, 59, 999) }
    ],
    ["/events", { type: undefined, before: undefined, after: undefined, limit: 50 }],
    ["/events?type=payment.captured&limit=7", { type: "payment.captured", limit: 7 }],
    ["/events?type=payment.invented_later", { type: "payment.invented_later" }],
    [`/events?before=${eventId}`, { before: eventId }],
    [`/events?after=${eventId}`, { after: eventId }],
    [`/events?after=${eventId.toUpperCase().replace("EVT_", "evt_")}`, { after: eventId }],
    [`/payments/${paymentId}/events`, { after: undefined, limit: 50 }],
    [`/payments/${paymentId}/events?after=${eventId}&limit=2`, { after: eventId, limit: 2 }]
  ]
  test.each(accepted)("%s asks core for just that", async (path, query) => {
    expect((await get(path)).status).toBe(200)
    expect(queryOf()).toMatchObject(query)
    expect(script.asked[0]?.[1]).toEqual(tenant)
  })

  const limits = ["0", "101", "-1", "1.5", "1e1", "0x10", "abc", "", "%201", "+5", "NaN", "99999999999", "1&limit=2"]
  const cursors = ["", "x", "1", paymentId.slice(1), `${paymentId}0`, `'${paymentId}`, "%00", `${paymentId}&before=x`]
  const refused: ReadonlyArray<readonly [path: string, named: string]> = [
    ...["/payments", "/events", `/payments/${paymentId}/events`].flatMap((path) =>
      limits.map((limit) => [`${path}?limit=${limit}`, "limit"] as const)
    ),
    ...["", "PAID", "CAPTURED,DECLINED", " CAPTURED", "%C5%BFettled", "captured&status=settled"].map(
      (status) => [`/payments?status=${status}`, "status"] as const
    ),
    ...cursors.map((before) => [`/payments?before=${before}`, "before"] as const),
    [`/payments?reference=${"a".repeat(65)}`, "reference"],
    [`/payments?metadata[order]=${"a".repeat(501)}`, "metadata[name]"],
    ["/payments?metadata[order]=1&metadata[order]=2", "metadata[name]"],
    [`/payments?${Array.from({ length: 21 }, (_, at) => `metadata[${at}]=1`).join("&")}`, "metadata[name]"],
    ["/payments?reference=a&reference=b", "reference"],
    ...["", "0", "-1", "1.5", "1e3", "99999999999999999", "EUR"].map(
      (amount) => [`/payments?amount=${amount}`, "amount"] as const
    ),
    ...["", "eur", "EURO", "XYZ"].map((currency) => [`/payments?currency=${currency}`, "currency"] as const),
    ["/payments?connection=", "connection"],
    ["/payments?provider_reference=", "provider_reference"],
    [`/payments?provider_reference=${"a".repeat(256)}`, "provider_reference"],
    ...[
      "",
      "2026-11-01",
      "2026-11-01T00:00:00",
      "2026-02-30T00:00:00Z",
      "2026-13-01T00:00:00Z",
      "2026-11-01T24:00:01Z",
      // A plus sign that is not encoded is a space.
      "2026-11-01T00:00:00+02:00",
      "1793491200000"
    ].flatMap((time) => ["created_from", "created_before"].map((name) => [`/payments?${name}=${time}`, name] as const)),
    [`/payments?before=${eventId}`, "before"],
    ...cursors.map((before) => [`/events?before=${before}`, "before"] as const),
    ...[...cursors, paymentId, "evt_", `${eventId}0`, `%20${eventId}`].map(
      (after) => [`/events?after=${after}`, "after"] as const
    ),
    ...cursors.map((after) => [`/payments/${paymentId}/events?after=${after}`, "after"] as const),
    [`/events?before=${paymentId}`, "before"],
    ...["", "%00", "payment.captured%00", "Payment.Captured", "a".repeat(101)].map(
      (type) => [`/events?type=${type}`, "type"] as const
    )
  ]
  test.each(refused)("%s is 422 and names %s", async (path, named) => {
    const reply = await get(path)
    expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
    expect(reply.body.error.message).toContain(`\`${named}\` must be `)
    expect(script.asked).toEqual([])
  })

  const ofPayments =
    "`status`, `reference`, `amount`, `currency`, `connection`, `provider_reference`, `created_from`, " +
    "`created_before`, `before`, `limit`, `metadata[name]`"
  test.each([
    ["/payments?metadata=1001", "`metadata`", ofPayments],
    ["/payments?metadata[]=1001", "`metadata[]`", ofPayments],
    ["/payments?state=CAPTURED", "`state`", ofPayments],
    ["/payments?__proto__=2", "`__proto__`", ofPayments],
    ["/events?payment=1", "`payment`", "`type`, `before`, `after`, `limit`"],
    [`/payments/${paymentId}/events?before=${eventId}`, "`before`", "`after`, `limit`"]
  ])("%s is refused as a parameter, and nothing is read", async (path, name, expected) => {
    const reply = await get(path)
    expect([reply.status, reply.body.error.code]).toEqual([422, "validation_error"])
    expect(reply.body.error.message).toBe(`${name} is not a parameter: expected ${expected}.`)
    expect(script.asked).toEqual([])
  })
})

describe("pages", () => {
  test.each([
    ["/payments", paymentId],
    ["/events", eventId],
    [`/payments/${paymentId}/events`, eventId]
  ])("a page of more of %s has its last id as next_cursor", async (path, last) => {
    more = true
    expect((await get(path)).body).toMatchObject({ has_more: true, next_cursor: last })
    more = false
    expect((await get(path)).body).toMatchObject({ has_more: false, next_cursor: null })
  })

  test("a search page that ended early has the next one begin where it ended", async () => {
    const walkedTo = "019a8c3e-7b1d-7c64-8f5e-000000000001"
    const searching = serve(
      scripted({ payments: () => Effect.succeed({ items: [payment], hasMore: true, walkedTo }) }).layer
    )
    const reply = await searching.send("/api/v1/payments?reference=order-1001", { key: "sandbox" })
    expect(reply.body).toMatchObject({ has_more: true, next_cursor: walkedTo, search_incomplete: true })
    expect((await get("/payments?reference=order-1001")).body).not.toHaveProperty("search_incomplete")
    await searching.close()
  })

  test("a fifth search of a workspace waits a second beside four; lists do not", async () => {
    const end = Deferred.makeUnsafe<void>()
    const slow = serve(
      scripted({
        payments: (_, { limit, states }) =>
          Effect.as(states === undefined ? Deferred.await(end) : Effect.void, {
            items: [payment],
            hasMore: limit === 1
          })
      }).layer
    )
    const search = (key: string) => slow.send("/api/v1/payments?metadata[a]=b", { key })
    const waiting = Array.from({ length: 4 }, () => search("sandbox"))
    const refused = await search("sandbox")
    expect([refused.status, refused.body.error.code, refused.headers.get("retry-after")]).toEqual([
      ...[429, "rate_limited", "1"]
    ])
    expect((await slow.send("/api/v1/payments?status=captured", { key: "sandbox" })).status).toBe(200)
    Effect.runSync(Deferred.succeed(end, undefined))
    for (const { status } of await Promise.all([...waiting, search("production")])) expect(status).toBe(200)
    expect((await search("sandbox")).status).toBe(200)
    await slow.close()
  })

  test("a payment in a list and one read are the same but for refunds, without routing", async () => {
    const listed = (await get("/payments")).body
    const single = (await get(`/payments/${paymentId}`)).body
    expect(single.data).toEqual({ ...listed.data[0], refunds: [] })
    expect(single.data).not.toHaveProperty("routing")
    expect(Object.keys(single.data).sort()).toEqual(
      [
        "id, payment_id, reference, payment_status, status, environment, amount, currency, country, method",
        "card_brand, initiator, capture_method, decline_category, decline_reason, captured_amount, refunded_amount",
        "refund_pending_amount, next_action, created, refunds"
      ]
        .flatMap((line) => line.split(", "))
        .sort()
    )
  })

  test("an event has the four fields of version 1", async () => {
    expect((await get("/events")).body.data).toEqual([eventView])
    expect((await get(`/payments/${paymentId}/events`)).body.data).toEqual([eventView])
  })
})

describe("an id in a path", () => {
  const ids = ["x", "%00", "%2F", "a".repeat(99), "a".repeat(101), "%E0%A4%A", "__proto__", "é"]
  test.each(ids)("%s is 404 in the envelope", async (id) => {
    for (const path of [`/payments/${id}`, `/payments/${id}/events`]) {
      const reply = await get(path)
      expect([reply.status, reply.body.error.code]).toEqual([404, "not_found"])
    }
  })

  test("an id that core does not find is 404", async () => {
    expect((await get("/payments/019a8c3e-7b1d-7c64-8f5e-000000000000")).status).toBe(404)
  })
})

describe("a store that fails", () => {
  const broken = Effect.fail(new StorageError({ operation: "read", cause: new Error("hunter2") }))
  const failing = serve(
    scripted({
      payment: () => broken as Effect.Effect<Payment, StorageError>,
      payments: () => broken,
      timeline: () => broken,
      events: () => broken
    }).layer
  )
  const failingKeys = serve(scripted({ authenticate: () => broken }).layer)
  afterAll(() => Promise.all([failing.close(), failingKeys.close()]))

  const paths = ["/payments", `/payments/${paymentId}`, `/payments/${paymentId}/events`, "/events"]
  test.each(paths)("reading %s is 500 internal_error, and the operators know why", async (path) => {
    for (const server of [failing, failingKeys]) {
      const logged = server.log.length
      const reply = await server.send(`/api/v1${path}`, { key: "sandbox" })
      expect([reply.status, reply.body.error.code]).toEqual([500, "internal_error"])
      expect(JSON.stringify(reply.body)).not.toContain("hunter2")
      expect(server.log.slice(logged)).toEqual([expect.stringContaining("hunter2")])
      expect(server.log.at(-1)).toContain(String(reply.headers.get("x-request-id")))
    }
  })
})

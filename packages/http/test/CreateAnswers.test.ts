import {
  type CreateFailure,
  KeyReused,
  NothingSent,
  PaymentResultUnknown,
  type Pointsman,
  RequestInProgress,
  RoutingFailed
} from "@pointsman/core"
import { ApiKeyRevoked, RecordsMissing } from "@pointsman/core/ports"
import { Effect } from "effect"
import { afterEach, describe, expect, test } from "vitest"
import { payment, paymentId, routing, scripted } from "./support/Scripted.ts"
import { serve, type Web } from "./support/Web.ts"

let web: Web | undefined
afterEach(() => web?.close())

const good = { amount: 1999, currency: "EUR", country: "NL" }
const createWith = (create: Pointsman["Service"]["create"], fields: object = {}) => {
  web = serve(scripted({ create }).layer)
  return web.send("/api/v1/payments", { key: "sandbox", body: { ...good, ...fields } })
}
const answered = (fields: Partial<typeof payment>) => () =>
  Effect.succeed({ payment: { ...payment, ...fields }, isReplay: false })
const failed = (failure: CreateFailure) => () => Effect.fail(failure)
const secret = new Error("password of the database is hunter2")

describe("a failure of create", () => {
  const failures: ReadonlyArray<readonly [failure: CreateFailure, status: number, code: string, logged: boolean]> = [
    [new RoutingFailed({ excluded: routing.excluded }), 409, "routing_failed", false],
    [new KeyReused(), 422, "idempotency_key_reuse", false],
    [new RequestInProgress(), 409, "idempotency_in_progress", false],
    [new ApiKeyRevoked(), 401, "unauthorized", false],
    [new NothingSent({ cause: secret }), 500, "internal_error", true],
    [new PaymentResultUnknown({ paymentId, cause: secret }), 500, "payment_result_unknown", true]
  ]

  test.each(failures)("%s of core is answered %i %s", async (failure, status, code, logged) => {
    const reply = await createWith(failed(failure))
    expect(reply.status).toBe(status)
    const requestId = reply.headers.get("x-request-id")
    expect(requestId).toMatch(/^req_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/u)
    expect(reply.body).toEqual({ error: { code, message: expect.stringMatching(/.+/u) } })
    expect(JSON.stringify(reply.body)).not.toMatch(/hunter2|\.ts:/u)
    expect(web?.log).toEqual(logged ? [expect.stringContaining(String(requestId))] : [])
    if (logged) expect(web?.log[0]).toContain("hunter2")
  })

  test.each([
    [new NothingSent({ cause: new RecordsMissing() }), 500, "internal_error"],
    [new RequestInProgress({ retryAfterMillis: 60_000 }), 409, "idempotency_in_progress"]
  ] as const)("Retry-After says when to come again if core fails with %s for missing records", async (...given) => {
    const [failure, status, code] = given
    const reply = await createWith(failed(failure))
    expect([reply.status, reply.body.error.code, reply.headers.get("retry-after")]).toEqual([status, code, "60"])
    expect(web?.log).toEqual([])
  })

  test("routing_failed with debug returns every exclusion", async () => {
    const reply = await createWith(failed(new RoutingFailed({ excluded: routing.excluded })), { debug: true })
    expect(reply.body.error.excluded).toEqual([
      { providerId: "backup", name: "Backup", code: "CIRCUIT_OPEN", reason: "Its circuit is open." }
    ])
  })

  test("routing_failed with debug and nothing excluded has an empty list", async () => {
    const reply = await createWith(failed(new RoutingFailed({ excluded: [] })), { debug: true })
    expect(reply.body.error.excluded).toEqual([])
  })

  test("no response to a defect in core says that nothing was sent", async () => {
    const reply = await createWith(() => Effect.die(secret))
    const requestId = reply.headers.get("x-request-id")
    expect([reply.status, reply.body.error.code]).toEqual([500, "payment_result_unknown"])
    expect(JSON.stringify(reply.body)).not.toContain("hunter2")
    expect(web?.log).toEqual([expect.stringContaining("hunter2")])
    expect(web?.log[0]).toContain(String(requestId))
  })
})

describe("an operation", () => {
  const breaks = () => Effect.die(secret)
  test.each([
    ["capture", "capture", "capture_result_unknown"],
    ["void", "void", "void_result_unknown"],
    ["refund", "refunds", "refund_result_unknown"]
  ] as const)("a defect in core makes the result of %s unknown", async (name, path, code) => {
    web = serve(scripted({ [name]: breaks }).layer)
    const reply = await web.send(`/api/v1/payments/${paymentId}/${path}`, {
      key: "sandbox",
      method: "POST",
      headers: { "idempotency-key": "operation-1" },
      body: {}
    })
    expect([reply.status, reply.body.error.code]).toEqual([502, code])
    expect(JSON.stringify(reply.body)).not.toContain("hunter2")
    expect(web.log).toEqual([expect.stringContaining("hunter2")])
  })
})

describe("a created payment", () => {
  const outcome = {
    path: "engine",
    strategy: "order",
    mode: "failover",
    rule: null,
    candidates: [{ connection_id: "main", name: "Main", priority: 1 }],
    attempts: [{ attempt_id: "att_1", connection_id: "main", outcome: "not_sent", code: null }]
  }
  const whole = {
    id: paymentId,
    payment_id: paymentId,
    reference: "order-1",
    payment_status: "CAPTURED",
    status: "CAPTURED",
    environment: "sandbox",
    amount: 1999,
    currency: "EUR",
    country: "NL",
    method: "card",
    card_brand: null,
    initiator: "cit",
    capture_method: "automatic",
    decline_category: null,
    decline_reason: null,
    captured_amount: 1999,
    refunded_amount: 0,
    refund_pending_amount: 0,
    next_action: { type: "NONE" },
    created: "2026-11-21T11:00:00.007Z"
  }

  test("an answer without debug has every field, and routing says only what it may", async () => {
    const reply = await createWith(answered({}))
    expect(reply.status).toBe(201)
    expect(reply.body).toEqual({ data: { ...whole, routing: outcome } })
    expect(reply.headers.has("idempotent-replay")).toBe(false)
  })

  test("routing says what was excluded with debug", async () => {
    const reply = await createWith(answered({}), { debug: true })
    expect(reply.body.data.routing).toEqual({
      ...outcome,
      excluded: [{ providerId: "backup", name: "Backup", code: "CIRCUIT_OPEN", reason: "Its circuit is open." }],
      eligibility_version: "1",
      degraded: false
    })
  })

  test("a decline has its category and reason", async () => {
    const reply = await createWith(
      answered({
        state: "Declined",
        declineCategory: "insufficient_funds",
        declineReason: "51",
        capturedMinor: 0,
        reference: null,
        cardBrand: "visa"
      })
    )
    expect(reply.body.data).toMatchObject({
      status: "DECLINED",
      payment_status: "DECLINED",
      decline_category: "insufficient_funds",
      decline_reason: "51",
      captured_amount: 0,
      reference: null,
      card_brand: "visa"
    })
  })

  test("an answer with refunds has both amounts", async () => {
    const reply = await createWith(answered({ refundedMinor: 100, refundPendingMinor: 50 }))
    expect(reply.body.data).toMatchObject({ refunded_amount: 100, refund_pending_amount: 50 })
  })

  test("a replay is answered with 201, Idempotent-Replay and routing", async () => {
    const reply = await createWith(() => Effect.succeed({ payment, isReplay: true }))
    expect(reply.status).toBe(201)
    expect(reply.headers.get("idempotent-replay")).toBe("true")
    expect(reply.body.data.routing).toEqual(outcome)
  })
})

import { KeyReused, PaymentNotFound } from "@pointsman/core"
import { RateLimit } from "@pointsman/http"
import { Effect, Layer } from "effect"
import { afterAll, beforeEach, describe, expect, test } from "vitest"
import { paymentId, scripted } from "./support/Scripted.ts"
import { serve } from "./support/Web.ts"

const script = scripted({ create: () => new KeyReused(), payment: () => new PaymentNotFound() })
const web = serve(script.layer)
afterAll(web.close)
beforeEach(() => {
  script.created.length = 0
})

const good = { amount: 1999, currency: "EUR", country: "NL" }
const padded = (size: number) => {
  const start = JSON.stringify(good).slice(0, -1)
  return `${start},"pad":"${"x".repeat(size - start.length - 10)}"}`
}
const oversizeGarbage = "{".repeat(50_000)

const creates: ReadonlyArray<
  readonly [what: string, key: string | undefined, idempotencyKey: string | undefined, body: unknown, answer: string]
> = [
  ["no key, and 50 KB of no JSON", undefined, "short", oversizeGarbage, "401 unauthorized"],
  ["an unknown key and a bad idempotency key", "nobody", "short", good, "401 unauthorized"],
  ["a suspended workspace and bad everything", "suspended", "short", oversizeGarbage, "403 workspace_suspended"],
  ["a suspended workspace without a scope", "suspendedAndScopeless", "12345678", good, "403 workspace_suspended"],
  ["a wrong scope and a bad body", "readOnly", "12345678", "{", "403 insufficient_scope"],
  ["a wrong scope and a bad idempotency key", "readOnly", "short", good, "403 insufficient_scope"],
  ["a bad idempotency key and an oversize body", "sandbox", "short", oversizeGarbage, "400 invalid_idempotency_key"],
  [
    "a live key, no idempotency key, oversize",
    "production",
    undefined,
    oversizeGarbage,
    "400 idempotency_key_required"
  ],
  ["a live key, no idempotency key, bad fields", "production", undefined, {}, "400 idempotency_key_required"],
  ["an oversize body that is no JSON", "sandbox", undefined, oversizeGarbage, "413 payload_too_large"],
  ["an oversize body with good fields", "sandbox", undefined, padded(16_385), "413 payload_too_large"],
  ["a body that is no JSON", "sandbox", undefined, "{", "400 invalid_json"],
  ["wrong fields and a used key", "sandbox", "12345678", { ...good, amount: 1 }, "422 validation_error"],
  ["good fields and a used key", "sandbox", "12345678", good, "422 idempotency_key_reuse"],
  ["exactly 16,384 bytes", "sandbox", undefined, padded(16_384), "422 idempotency_key_reuse"]
]

describe("the order of checks on create", () => {
  test.each(creates)("the earliest check answers %s in a request", async (...row) => {
    const [, key, idempotencyKey, body, answer] = row
    const reply = await web.send("/api/v1/payments", {
      key,
      body,
      headers: idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }
    })
    expect(`${reply.status} ${reply.body.error.code}`).toBe(answer)
    expect(script.created).toHaveLength(answer.endsWith("reuse") ? 1 : 0)
  })

  test("a wrong media type is answered before a bad idempotency key", async () => {
    const headers = { "content-type": "text/plain", "idempotency-key": "short" }
    const reply = await web.send("/api/v1/payments", { key: "sandbox", body: oversizeGarbage, headers })
    expect(reply.body.error).toMatchObject({ code: "invalid_idempotency_key", param: "Idempotency-Key" })
  })

  test("a wrong media type and an oversize body are 415", async () => {
    const headers = { "content-type": "text/plain" }
    const reply = await web.send("/api/v1/payments", { key: "sandbox", body: oversizeGarbage, headers })
    expect(reply.status).toBe(415)
  })
})

describe("the order of checks on reads", () => {
  const reads: ReadonlyArray<readonly [path: string, key: string | undefined, answer: string]> = [
    ["/api/v1/payments?limit=0", undefined, "401 unauthorized"],
    ["/api/v1/payments?limit=0", "suspended", "403 workspace_suspended"],
    ["/api/v1/payments?limit=0", "writeOnly", "403 insufficient_scope"],
    ["/api/v1/payments?limit=0", "readOnly", "422 validation_error"],
    [`/api/v1/payments/${paymentId}`, undefined, "401 unauthorized"],
    ["/api/v1/payments/not-an-id", undefined, "401 unauthorized"],
    ["/api/v1/payments/not-an-id", "writeOnly", "403 insufficient_scope"],
    ["/api/v1/payments/not-an-id", "readOnly", "404 not_found"],
    [`/api/v1/payments/${paymentId}`, "readOnly", "404 not_found"],
    ["/api/v1/payments/not-an-id/events?limit=0", "readOnly", "422 validation_error"],
    [`/api/v1/payments/${paymentId}/events`, "eventsOnly", "403 insufficient_scope"],
    ["/api/v1/events", "readOnly", "403 insufficient_scope"],
    ["/api/v1/events?limit=0", "eventsOnly", "422 validation_error"],
    ["/api/v1/nothing", undefined, "404 not_found"]
  ]
  test.each(reads)("%s with the key %s is %s", async (path, key, answer) => {
    const reply = await web.send(path, { key })
    expect(`${reply.status} ${reply.body.error.code}`).toBe(answer)
  })
})

describe("the credential", () => {
  const list = (authorization: string) => web.send("/api/v1/payments", { headers: { authorization } })

  test.each(["Bearer sandbox", "bearer sandbox", "BEARER sandbox", "Bearer   sandbox"])(
    "a list with the credential %j is answered",
    async (authorization) => expect((await list(authorization)).status).toBe(200)
  )
})

describe("Idempotency-Key", () => {
  const send = (idempotencyKey: string) =>
    web.send("/api/v1/payments", { key: "sandbox", body: good, headers: { "idempotency-key": idempotencyKey } })

  test.each(["12345678", "k".repeat(200), "with space ~!", `a "quoted" {key}`])(
    "%j reaches core as it is in a create",
    async (idempotencyKey) => {
      await send(idempotencyKey)
      expect(script.created[0]?.request.idempotencyKey).toBe(idempotencyKey)
    }
  )

  test.each(["", "1234567", "k".repeat(201), "with\ttab 123", "caf\u00e912345", "\u007f12345678"])(
    "%j is 400 in a create",
    async (idempotencyKey) => {
      const reply = await send(idempotencyKey)
      expect([reply.status, reply.body.error.code]).toEqual([400, "invalid_idempotency_key"])
    }
  )
})

describe("the rate limiter's place", () => {
  const asked: Array<string> = []
  const limited = serve(script.layer, undefined, [
    Layer.succeed(RateLimit.RateLimit, {
      take: (apiKey) => {
        asked.push(apiKey.hash)
        return Effect.fail(new RateLimit.RateExceeded({ retryAfterMillis: 1200 }))
      }
    })
  ])
  afterAll(limited.close)
  beforeEach(() => {
    asked.length = 0
  })

  test("a used-up rate is 429 before the headers are read", async () => {
    const headers = { "idempotency-key": "short" }
    const reply = await limited.send("/api/v1/payments", { key: "sandbox", body: "{", headers })
    expect([reply.status, reply.body.error.code]).toEqual([429, "rate_limited"])
    expect(reply.headers.get("retry-after")).toBe("2")
    expect(reply.headers.get("x-request-id")).toMatch(/^req_/u)
    expect(asked).toEqual(["hash-of-the-key"])
  })

  test.each([
    ["nobody", 401],
    ["suspended", 403],
    ["writeOnly", 403]
  ] as const)("the key %s leaves its rate as it is in a list", async (key, status) => {
    expect((await limited.send("/api/v1/payments", { key })).status).toBe(status)
    expect(asked).toEqual([])
  })
})

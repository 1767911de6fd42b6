import { Effect } from "effect"
import { afterAll, describe, expect, test } from "vitest"
import { paymentId, scripted } from "./support/Scripted.ts"
import { serve } from "./support/Web.ts"

const web = serve(scripted({ payments: () => Effect.die(new Error("hunter2")) }).layer, {
  paths: { "/health/live": ["GET"] }
})
afterAll(web.close)

describe("a route that is not there", () => {
  const paths = [
    "/",
    "/api",
    "/api/v1",
    "/api/v2/payments",
    "/api/v1/transactions",
    "/api/v1/payments/a/b",
    `/api/v1/payments/${paymentId}/events/x`,
    "//",
    "/api/v1/payments%2F",
    "/%E0%A4%A",
    "/__proto__"
  ]
  test.each(paths)("%s is 404 in the envelope", async (path) => {
    for (const method of ["GET", "POST", "DELETE", "OPTIONS", "PROPFIND"]) {
      const reply = await web.send(path, { method })
      expect([reply.status, reply.body]).toEqual([404, { error: { code: "not_found", message: "Route not found." } }])
      expect(reply.headers.get("x-request-id")).toMatch(/^req_/u)
    }
  })
})

describe("a path that is spelled otherwise", () => {
  const paths = [
    "/API/V1/payments",
    "//api/v1/payments",
    "/api//v1/payments",
    "/api/v1/payments//",
    "/api/v1/payments;x",
    "/api/v1/payments;x=/../y",
    "/%61pi/v1/payments",
    "/api/v1/%70ayments",
    `/api/v1/payments%2F${paymentId}`,
    "/HEALTH/live",
    "/health/live;x",
    "/health%2flive",
    "/%68ealth/live"
  ]
  test.each(paths)("%s is 404", async (path) => {
    for (const method of ["GET", "POST"]) {
      const reply = await web.send(path, { method, key: "sandbox" })
      expect([reply.status, reply.body?.error.code]).toEqual([404, "not_found"])
    }
  })
})

describe("an id that is encoded", () => {
  test("an encoded character in a payment's path is the same payment", async () => {
    const path = `/api/v1/payments/${paymentId.replace("-", "%2D")}`
    expect((await web.send(path, { key: "sandbox" })).status).toBe(200)
  })
})

describe("a URL that is too long", () => {
  const longPath = (bytes: number) => `/api/v1/payments/${"a".repeat(bytes)}`.slice(0, bytes)
  const longQuery = (bytes: number) => `/api/v1/payments?limit=0&x=${"a".repeat(bytes)}`.slice(0, 17 + bytes)

  test("one character above a path of 2,048 or a query of 8,192 is 414 without a key", async () => {
    const statusOf = async (path: string) => (await web.send(path)).status
    expect(await statusOf(longPath(2_048))).toBe(404)
    expect(await statusOf(longPath(2_049))).toBe(414)
    expect(await statusOf(longQuery(8_192))).toBe(401)
    expect(await statusOf(longQuery(8_193))).toBe(414)
    expect((await web.send(longPath(2_049))).body.error.code).toBe("uri_too_long")
  })

  test("a path full of encoded percent signs is refused before it is decoded", async () => {
    const path = `/api/v1/payments/${"%25".repeat(60_000)}`
    expect((await web.send(path)).status).toBe(414)
  })
})

describe("a method that a path does not have", () => {
  const paths: ReadonlyArray<readonly [path: string, allow: string]> = [
    ["/api/v1/payments", "GET, HEAD, POST"],
    ["/api/v1/payments/", "GET, HEAD, POST"],
    ["/api/v1/payments?limit=0", "GET, HEAD, POST"],
    [`/api/v1/payments/${paymentId}`, "GET, HEAD"],
    ["/api/v1/payments/anything", "GET, HEAD"],
    [`/api/v1/payments/${paymentId}/events`, "GET, HEAD"],
    ["/api/v1/events", "GET, HEAD"],
    [`/api/v1/payments/${paymentId}/capture`, "POST"],
    [`/api/v1/payments/${paymentId}/void`, "POST"],
    [`/api/v1/payments/${paymentId}/refunds`, "POST"],
    ["/api/v1/psp-webhooks/main", "POST"],
    ["/health/live", "GET, HEAD"]
  ]
  test.each(paths)("%s with another method is 405 with Allow", async (path, allow) => {
    for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
      const reply = await web.send(path, { method })
      expect([reply.status, reply.body.error.code]).toEqual([405, "method_not_allowed"])
      expect(reply.headers.get("allow")).toBe(allow)
      expect(reply.headers.get("x-request-id")).toMatch(/^req_/u)
    }
  })
})

describe("HEAD and slashes", () => {
  test("HEAD of a payment has the headers of GET and no body", async () => {
    const path = `/api/v1/payments/${paymentId}`
    const get = await web.send(path, { key: "sandbox" })
    const head = await web.send(path, { key: "sandbox", method: "HEAD" })
    expect([head.status, head.body]).toEqual([200, undefined])
    expect(head.headers.get("content-type")).toBe(get.headers.get("content-type"))
    expect(head.headers.get("x-request-id")).toMatch(/^req_/u)
  })

  test("HEAD without a key or a route is 401 or 404 without a body", async () => {
    const heads = [
      await web.send("/api/v1/payments", { method: "HEAD" }),
      await web.send("/api/v1/nothing", { method: "HEAD" })
    ]
    expect(heads.map((head) => [head.status, head.body])).toEqual([
      [401, undefined],
      [404, undefined]
    ])
  })

  test.each(["/", "/?x=1"])("%s at the end of a payment's path is the same", async (end) => {
    expect((await web.send(`/api/v1/payments/${paymentId}${end}`, { key: "sandbox" })).status).toBe(200)
  })
})

describe("a defect", () => {
  test("a defect in a read is 500 in the envelope, and only the log knows why", async () => {
    const reply = await web.send("/api/v1/payments", { key: "sandbox" })
    expect([reply.status, reply.body]).toEqual([
      500,
      { error: { code: "internal_error", message: "Internal server error." } }
    ])
    const requestId = String(reply.headers.get("x-request-id"))
    expect(web.log).toEqual([expect.stringContaining("hunter2")])
    expect(web.log[0]).toContain(requestId)
  })

  test("ids of any two requests differ", async () => {
    const ids = await Promise.all([1, 2, 3].map(async () => (await web.send("/")).headers.get("x-request-id")))
    expect(new Set(ids).size).toBe(3)
  })
})

describe("a client of the web handler that goes away", () => {
  test("reading a body that never ends ends with its aborted request", async () => {
    const abort = new AbortController()
    const reading = Promise.withResolvers<void>()
    const body = new ReadableStream({
      start: (stream) => stream.enqueue(Buffer.from('{"amount":')),
      // Once the first part was read.
      pull: () => reading.resolve()
    })
    const request = new Request("http://pointsman.test/api/v1/payments", {
      method: "POST",
      headers: { authorization: "Bearer sandbox" },
      body,
      signal: abort.signal,
      duplex: "half"
    })
    const answer = web.fetch(request)
    await reading.promise
    abort.abort()
    // Nobody reads this answer; that there is one shows that the request's fiber has ended.
    expect((await answer).status).toBe(499)
  })
})

describe("headers of every answer", () => {
  test.each([
    ["https://pay.example", "max-age=31536000"],
    ["http://pay.example", null],
    ["https://localhost:3000", null]
  ])("the base URL %s has Strict-Transport-Security %s, and nothing is guessed or kept", async (baseUrl, hsts) => {
    const secured = serve(scripted().layer, { baseUrl })
    for (const path of ["/api/v1/payments", "/elsewhere"]) {
      const { headers } = await secured.send(path, { key: "sandbox" })
      expect(headers.get("strict-transport-security")).toBe(hsts)
      expect(headers.get("x-content-type-options")).toBe("nosniff")
      expect(headers.get("cache-control")).toBe("no-store")
    }
    await secured.close()
  })
})

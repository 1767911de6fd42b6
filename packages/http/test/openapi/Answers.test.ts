/** Real answers of the real core, held against the document that describes them. */
import { Predicate } from "effect"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { endpointOf, isValid } from "../support/Contract.ts"
import { keys, realCore } from "../support/RealCore.ts"
import { type Reply, type Sent, serve } from "../support/Web.ts"

const web = serve(realCore, { baseUrl: "https://payments.example.com" })
afterAll(web.close)

const body = { amount: 1999, currency: "EUR", country: "NL" }
const create = (more: object = {}, sent: Sent = {}) =>
  web.send("/api/v1/payments", { key: keys.acme, body: { ...body, ...more }, ...sent })

let captured = ""
let authorized = ""
beforeAll(async () => {
  captured = (await create()).body.data.id
  authorized = (await create({ capture_method: "manual" })).body.data.id
})

/** The answer as the document has it, by the status that came. */
const expectDocumented = (operationId: string, reply: Reply) => {
  const response = endpointOf(operationId).operation.responses[String(reply.status)]
  expect(response, `${operationId} answered ${reply.status}`).toBeDefined()
  const schema = response?.content?.["application/json"]?.schema ?? {}
  expect([isValid(schema, reply.body), reply.body]).toEqual([true, reply.body])
  for (const [name, header] of Object.entries(response?.headers ?? {})) {
    const isOptional = "schema" in header ? header.required === false : header.$ref.endsWith("RetryAfter")
    if (!isOptional) expect([name, reply.headers.has(name)]).toEqual([name, true])
  }
  for (const name of ["idempotent-replay", "retry-after", "www-authenticate"]) {
    const documented = Object.keys(response?.headers ?? {}).map((header) => header.toLowerCase())
    if (reply.headers.has(name)) expect(documented).toContain(name)
  }
}

/** The document's example for the code that came, without the id of its request. */
const exampleOf = (operationId: string, reply: Reply) => {
  const content = endpointOf(operationId).operation.responses[String(reply.status)]?.content?.["application/json"]
  const example = structuredClone(content?.examples?.[reply.body.error.code]?.value)
  if (isError(example)) delete example.error.request_id
  return example
}

const isError = (example: unknown): example is { readonly error: { request_id?: string } } =>
  Predicate.hasProperty(example, "error")

describe("the check itself", () => {
  test("answers that differ from the document are not valid", async () => {
    const { schema = {} } =
      endpointOf("retrievePayment").operation.responses["200"]?.content?.["application/json"] ?? {}
    const { data } = (await web.send(`/api/v1/payments/${captured}`, { key: keys.acme })).body
    const { amount: _, ...rest } = data
    const wrong = [{}, { data: rest }, { data: { ...data, status: "captured" } }, { data: { ...data, amount: 49 } }]
    expect([{ data }, ...wrong].map((answer) => isValid(schema, answer))).toEqual([true, false, false, false, false])
  })
})

describe("answers of the real core", () => {
  const creates: ReadonlyArray<readonly [name: string, status: number, more: object]> = [
    ["a payment that is captured", 201, {}],
    ["one that is authorized", 201, { capture_method: "manual", reference: "order-1", card_brand: "visa" }],
    ["one that is declined", 201, { simulate: { charge: "decline:expired_card" } }],
    ["one that needs the customer", 201, { simulate: { charge: "requires_authentication" } }],
    ["one that is unknown", 201, { simulate: { charge: "no_answer" } }],
    ["one that is pending", 201, { simulate: { charge: "pending" } }],
    ["one that failed", 201, { simulate: { charge: ["technical_error", "technical_error"] } }],
    ["one with its exclusions", 201, { debug: true, currency: "JPY" }]
  ]
  test.each(creates)("the document describes %s", async (_, status, more) => {
    const reply = await create(more)
    expect(reply.status).toBe(status)
    expectDocumented("createPayment", reply)
  })

  test("the replay of a repeated create is described too", async () => {
    const headers = { "idempotency-key": "answers-replayed" }
    await create({}, { headers })
    const reply = await create({}, { headers })
    expect(reply.headers.get("idempotent-replay")).toBe("true")
    expectDocumented("createPayment", reply)
  })

  test("the exclusions of debug without a connection for a currency are described", async () => {
    const reply = await web.send("/api/v1/payments", { key: keys.globex, body: { ...body, debug: true } })
    expect(reply.body.error.excluded).toHaveLength(1)
    expectDocumented("createPayment", reply)
  })

  test("the document describes the answers of reads", async () => {
    const reads: ReadonlyArray<readonly [operationId: string, path: string]> = [
      ["listPayments", "/api/v1/payments?status=captured&limit=1"],
      ["listPayments", "/api/v1/payments"],
      ["retrievePayment", `/api/v1/payments/${captured}`],
      ["listPaymentEvents", `/api/v1/payments/${captured}/events`],
      ["listEvents", "/api/v1/events?type=payment.captured"]
    ]
    for (const [operationId, path] of reads) {
      const reply = await web.send(path, { key: keys.acme })
      expect(reply.status).toBe(200)
      expectDocumented(operationId, reply)
    }
  })

  test("the answers of a capture, a refund and a refused void are described", async () => {
    const act = (path: string, body?: object) =>
      web.send(`/api/v1/payments/${path}`, { key: keys.acme, method: "POST", ...(body === undefined ? {} : { body }) })
    const capture = await act(`${authorized}/capture`, { amount: 1500 })
    const refund = await act(`${captured}/refunds`, { amount: 500, reason: "One item came back." })
    const release = await act(`${captured}/void`)
    expect([capture.status, refund.status, release.status]).toEqual([200, 200, 409])
    expectDocumented("capturePayment", capture)
    expectDocumented("refundPayment", refund)
    expectDocumented("voidPayment", release)
    expect(release.body).toEqual(exampleOf("voidPayment", release))
  })

  const refusals: ReadonlyArray<readonly [operationId: string, status: number, path: string, sent: Sent]> = [
    ["createPayment", 401, "/api/v1/payments", { body }],
    ["createPayment", 403, "/api/v1/payments", { body, key: keys.acmeReader }],
    ["createPayment", 400, "/api/v1/payments", { body, key: keys.acmeLive }],
    ["createPayment", 400, "/api/v1/payments", { body, key: keys.acme, headers: { "idempotency-key": "short" } }],
    ["createPayment", 400, "/api/v1/payments", { body: "{", key: keys.acme }],
    ["createPayment", 413, "/api/v1/payments", { body: " ".repeat(16_385), key: keys.acme }],
    ["createPayment", 415, "/api/v1/payments", { body, key: keys.acme, headers: { "content-type": "text/plain" } }],
    ["createPayment", 422, "/api/v1/payments", { body: { ...body, amount: 1 }, key: keys.acme }],
    ["listPayments", 422, "/api/v1/payments?limit=0", { key: keys.acme }],
    ["listEvents", 403, "/api/v1/events", { key: keys.acmeReader }],
    ["retrievePayment", 404, "/api/v1/payments/nothing", { key: keys.acme }],
    ["listPaymentEvents", 404, "/api/v1/payments/nothing/events", { key: keys.acme }],
    ["listMerchants", 403, "/api/v1/merchants", { key: keys.acme }],
    ["createMerchant", 403, "/api/v1/merchants", { key: keys.acme, body: {} }]
  ]
  test.each(refusals)("%s with %i at %s answers as the document's example", async (operationId, status, path, sent) => {
    const reply = await web.send(path, sent)
    expect(reply.status).toBe(status)
    expectDocumented(operationId, reply)
    expect(reply.body).toEqual(exampleOf(operationId, reply))
  })
})

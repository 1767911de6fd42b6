import { eventTypes, paymentMethodNames, paymentStatuses } from "@pointsman/core"
import { errorTable, openApiDocument, type TotalErrorTable } from "@pointsman/http"
import { ApiV1, errorCodes } from "@pointsman/http/api"
import { HttpApi } from "effect/http-api"
import { afterAll, describe, expect, test } from "vitest"
import { codesOf, document, endpointOf, endpoints, failuresOf, isValid, webhooks } from "../support/Contract.ts"
import { scripted } from "../support/Scripted.ts"
import { serve } from "../support/Web.ts"

const web = serve(scripted().layer)
afterAll(web.close)

const parameter = (operationId: string, name: string) =>
  endpointOf(operationId).operation.parameters?.find((parameter) => parameter.name === name)

const component = (name: string) => document.components.schemas[name] as { readonly properties: Record<string, object> }

/** Every object inside the document, with its path; examples and defaults are data and left out. */
const nodes = (node: unknown, path = ""): ReadonlyArray<readonly [path: string, node: Record<string, unknown>]> => {
  if (typeof node !== "object" || node === null) return []
  const inner = Object.entries(node)
    .filter(([key]) => key !== "examples" && key !== "default")
    .flatMap(([key, value]) => nodes(value, `${path}/${key}`))
  return Array.isArray(node) ? inner : [[path, node as Record<string, unknown>], ...inner]
}

describe("what the document covers", () => {
  test("each served route is in the document, and nothing else", () => {
    const served: Array<string> = []
    HttpApi.reflect(ApiV1, {
      onGroup: () => {},
      onEndpoint: ({ endpoint }) => {
        served.push(`${endpoint.method} ${endpoint.path.replace(/:(\w+)/gu, "{$1}")}`)
      }
    })
    expect(endpoints.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(served.sort())
  })

  test("every path has the documented methods, and others are 405", async () => {
    for (const path of Object.keys(document.paths)) {
      const url = path.replace(/\{\w+\}/gu, "x")
      const documented = endpoints.filter((endpoint) => endpoint.path === path).map(({ method }) => method)
      const put = await web.send(url, { method: "PUT" })
      expect([path, put.status]).toEqual([path, 405])
      const allowed = String(put.headers.get("allow"))
      expect(allowed.split(", ").filter((method) => method !== "HEAD")).toEqual(documented.toSorted())
    }
  })

  test("the ids of the operations are the stable ones, each with its route and scope", () => {
    expect(document.components.securitySchemes).toMatchObject({ bearer: { type: "http", scheme: "bearer" } })
    const found = endpoints.map(({ method, operation, path }) => [
      operation.operationId,
      [`${method} ${path}`, operation.security[0]?.["bearer"]?.[0]]
    ])
    expect(Object.fromEntries(found)).toEqual({
      createPayment: ["POST /api/v1/payments", "payments:write"],
      listPayments: ["GET /api/v1/payments", "payments:read"],
      retrievePayment: ["GET /api/v1/payments/{id}", "payments:read"],
      listPaymentEvents: ["GET /api/v1/payments/{id}/events", "payments:read"],
      capturePayment: ["POST /api/v1/payments/{id}/capture", "payments:write"],
      voidPayment: ["POST /api/v1/payments/{id}/void", "payments:write"],
      refundPayment: ["POST /api/v1/payments/{id}/refunds", "refunds:write"],
      listDisputes: ["GET /api/v1/disputes", "disputes:read"],
      retrieveDispute: ["GET /api/v1/disputes/{id}", "disputes:read"],
      keepDisputeEvidence: ["POST /api/v1/disputes/{id}/evidence", "disputes:write"],
      submitDispute: ["POST /api/v1/disputes/{id}/submit", "disputes:write"],
      acceptDispute: ["POST /api/v1/disputes/{id}/accept", "disputes:write"],
      listEvents: ["GET /api/v1/events", "events:read"],
      createMerchant: ["POST /api/v1/merchants", "merchants:write"],
      listMerchants: ["GET /api/v1/merchants", "merchants:read"],
      receiveProviderWebhook: ["POST /api/v1/psp-webhooks/{pspId}", undefined],
      getOpenApi: ["GET /api/v1/openapi.json", undefined]
    })
  })

  test("the names of the components are the stable ones", () => {
    expect(Object.keys(document.components.schemas).sort()).toEqual([
      "AcceptedEnvelope",
      "AmountMismatchEventData",
      "CancelledEventData",
      "CapturePayment",
      "CapturedEventData",
      "ConflictEventData",
      "CreateMerchant",
      "CreatePayment",
      "Decline",
      "DeclinedEventData",
      "Dispute",
      "DisputeEnvelope",
      "DisputeEventData",
      "DisputeEvidenceDueEventData",
      "DisputeList",
      "ErrorDocUrl",
      "ErrorParam",
      "ErrorRequestId",
      "Event",
      "EventList",
      "Merchant",
      "MerchantEnvelope",
      "MerchantList",
      "NextAction",
      "OperationFailedEventData",
      "Payment",
      "PaymentEnvelope",
      "PaymentEventData",
      "PaymentList",
      "PaymentStatus",
      "ProviderMessage",
      "PurchaseLine",
      "Refund",
      "RefundEventData",
      "RefundFailedEventData",
      "RefundPayment",
      "RefundSettlement",
      "ReviewedEventData",
      "RoutingAttempt",
      "RoutingCandidate",
      "RoutingDecision",
      "RoutingExclusion",
      "Settlement",
      "SimulatedCharge",
      "Simulation"
    ])
  })

  test("the document has the base URL's server, or the one it came from", () => {
    expect(openApiDocument("https://pay.test/x").servers.map(({ url }) => url)).toEqual(["https://pay.test/x"])
    expect(openApiDocument().servers.map(({ url }) => url)).toEqual(["/"])
  })

  test("every operation, tag, parameter, header, schema and field is described", () => {
    for (const { operation } of endpoints) expect(operation.summary, operation.operationId).not.toBe("")
    for (const tag of document.tags) expect(tag.description, tag.name).not.toBe("")
    const silent = nodes({ ...document, openapi: null }).filter(([path, node]) => {
      const isNamed = /\/(?:parameters\/\d+|headers\/[\w-]+|responses\/\w+|properties\/\w+|components\/schemas\/\w+)$/u
      const isOperation = typeof node["operationId"] === "string"
      const isReference = typeof node["$ref"] === "string"
      // `data` of an envelope and `error` of a failure are what the envelope is there for.
      const isEnvelope = /(?:Envelope|responses\/\d+\/content\/application\/json\/schema)\/properties\/(?:data|error)$/u
      return (isNamed.test(path) || isOperation) && !isReference && !isEnvelope.test(path) && !node["description"]
    })
    expect(silent.map(([path]) => path)).toEqual([])
  })
})

describe("the failures of each operation", () => {
  const common = { 401: "unauthorized", 403: "workspace_suspended insufficient_scope", 429: "rate_limited" }
  const partner = {
    401: "unauthorized",
    403: "workspace_suspended live_key_required insufficient_scope not_a_partner",
    500: "internal_error"
  }
  const submission = {
    ...common,
    404: "not_found",
    409: "dispute_pending dispute_closed dispute_conflict",
    413: "payload_too_large",
    422: "validation_error idempotency_key_reuse",
    500: "internal_error state_unconfirmed",
    501: "unsupported",
    502: "psp_error dispute_result_unknown",
    503: "internal_error"
  }
  /** The codes of version 1, and those that were added. */
  const expected: Readonly<Record<string, Readonly<Record<number, string>>>> = {
    createPayment: {
      ...common,
      400: "idempotency_key_required invalid_idempotency_key invalid_json",
      409: "idempotency_in_progress routing_failed",
      413: "payload_too_large",
      415: "unsupported_media_type",
      422: "validation_error idempotency_key_reuse",
      500: "internal_error payment_result_unknown",
      503: "internal_error"
    },
    listPayments: { ...common, 422: "validation_error", 500: "internal_error" },
    retrievePayment: { ...common, 404: "not_found", 500: "internal_error" },
    listPaymentEvents: { ...common, 404: "not_found", 422: "validation_error", 500: "internal_error" },
    capturePayment: {
      ...common,
      400: "invalid_idempotency_key",
      404: "not_found",
      409: "not_capturable capture_conflict no_provider_ref idempotency_in_progress",
      413: "payload_too_large",
      415: "unsupported_media_type",
      422: "validation_error invalid_amount idempotency_key_reuse",
      500: "internal_error state_unconfirmed state_conflict",
      501: "unsupported",
      502: "psp_error capture_result_unknown",
      503: "internal_error"
    },
    voidPayment: {
      ...common,
      400: "invalid_idempotency_key",
      404: "not_found",
      409: "not_voidable void_conflict no_provider_ref idempotency_in_progress",
      413: "payload_too_large",
      422: "idempotency_key_reuse",
      500: "internal_error state_unconfirmed state_conflict",
      501: "unsupported",
      502: "psp_error void_result_unknown",
      503: "internal_error"
    },
    refundPayment: {
      ...common,
      404: "not_found",
      409: "refund_pending not_refundable refund_conflict",
      413: "payload_too_large",
      415: "unsupported_media_type",
      422: "validation_error invalid_amount idempotency_key_reuse",
      500: "internal_error state_unconfirmed",
      502: "psp_error refund_result_unknown",
      503: "internal_error"
    },
    listDisputes: { ...common, 422: "validation_error", 500: "internal_error" },
    retrieveDispute: { ...common, 404: "not_found", 500: "internal_error" },
    keepDisputeEvidence: {
      ...common,
      404: "not_found",
      409: "dispute_pending dispute_closed",
      413: "payload_too_large",
      415: "unsupported_media_type",
      422: "validation_error",
      500: "internal_error",
      503: "internal_error"
    },
    submitDispute: submission,
    acceptDispute: submission,
    listEvents: { ...common, 422: "validation_error", 500: "internal_error" },
    createMerchant: {
      ...partner,
      400: "invalid_json",
      409: "already_invited",
      413: "payload_too_large",
      415: "unsupported_media_type",
      422: "validation_error",
      429: "rate_limited merchant_limit"
    },
    listMerchants: { ...partner, 422: "validation_error", 429: "rate_limited" },
    receiveProviderWebhook: {
      401: "unauthorized",
      413: "payload_too_large",
      429: "rate_limited",
      500: "internal_error"
    },
    getOpenApi: { 500: "internal_error" }
  }
  const sorted = (codes: string) => codes.split(" ").toSorted()

  test.each(endpoints.map((endpoint) => [endpoint.operation.operationId, endpoint] as const))(
    "%s has exactly these failures",
    (operationId, endpoint) => {
      const documented = failuresOf(endpoint).map(([status, response]) => [status, codesOf(response).toSorted()])
      const wanted = Object.entries(expected[operationId] ?? {}).map(([status, codes]) => [status, sorted(codes)])
      expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(wanted))
    }
  )

  const operationOf: Readonly<Record<Exclude<keyof typeof errorTable, "authenticate">, string>> = {
    create: "createPayment",
    capture: "capturePayment",
    void: "voidPayment",
    refund: "refundPayment",
    dispute: "retrieveDispute",
    disputes: "listDisputes",
    keepEvidence: "keepDisputeEvidence",
    submitDispute: "submitDispute",
    payment: "retrievePayment",
    payments: "listPayments",
    timeline: "listPaymentEvents",
    events: "listEvents",
    provisionMerchant: "createMerchant",
    merchants: "listMerchants",
    verifyMessage: "receiveProviderWebhook",
    recordMessage: "receiveProviderWebhook"
  }
  test("the code of each of core's failures is documented at its operation", () => {
    for (const [operation, operationId] of Object.entries(operationOf)) {
      const documented = failuresOf(endpointOf(operationId)).flatMap(([, response]) => codesOf(response))
      const rows = { ...errorTable.authenticate, ...errorTable[operation as keyof typeof operationOf] }
      for (const row of Object.values(rows)) expect(documented, operationId).toContain(row.code)
    }
  })

  test("a table without one of core's failures does not compile", () => {
    const { "pointsman/KeyReused": missing, ...rest } = errorTable.create
    // @ts-expect-error the row of KeyReused is missing
    const table: TotalErrorTable = { ...errorTable, create: rest }
    expect([missing.code, Object.keys(table.create)]).toEqual(["idempotency_key_reuse", Object.keys(rest)])
  })

  test("the answer of each code has its status and an example with a message", () => {
    for (const endpoint of endpoints) {
      for (const [status, response] of failuresOf(endpoint)) {
        const { examples = {}, schema = {} } = response.content?.["application/json"] ?? {}
        expect(Object.keys(examples).toSorted()).toEqual(codesOf(response).toSorted())
        for (const [code, { value }] of Object.entries(examples)) {
          const row = errorCodes[code as keyof typeof errorCodes]
          // What was refused before it was begun has the code of what failed before anything was sent.
          const statuses = code === "internal_error" ? ["500", "503"] : [String(row.status)]
          expect(statuses).toContain(status)
          expect(value).toMatchObject({ error: { code, message: expect.stringMatching(/\S \S/u) } })
          // Where nothing says more, the document falls back on what is said of a defect.
          if (code !== "internal_error") expect(JSON.stringify(value)).not.toContain("Internal server error.")
          expect(isValid(schema, value), `${endpoint.operation.operationId} ${code}`).toBe(true)
        }
      }
    }
  })
})

describe("what the generator gets wrong by itself", () => {
  test("any object is open: unknown fields are ignored", () => {
    expect(nodes(document).filter(([, node]) => node["additionalProperties"] === false)).toEqual([])
    const withMore = { amount: 1999, currency: "EUR", country: "NL", unknown: { a: 1 } }
    expect(isValid({ $ref: "#/components/schemas/CreatePayment" }, withMore)).toBe(true)
  })

  test("query parameters have the type that they mean, and not text", () => {
    for (const operationId of ["listPayments", "listPaymentEvents", "listEvents", "listMerchants"]) {
      const limit = parameter(operationId, "limit")
      expect([limit?.required, limit?.schema]).toEqual([
        false,
        { type: "integer", minimum: 1, maximum: 100, default: 50 }
      ])
    }
    const status = parameter("listPayments", "status")
    expect(status?.schema).toMatchObject({ anyOf: [{ enum: paymentStatuses }, {}] })
    for (const text of paymentStatuses.flatMap((name) => [
      name,
      name.toLowerCase(),
      `${name[0]}${name.slice(1).toLowerCase()}`
    ]))
      expect([text, isValid(status?.schema ?? {}, text)]).toEqual([text, true])
    for (const text of ["", "PAID", "CAPTURED ", "captureds"])
      expect([text, isValid(status?.schema ?? {}, text)]).toEqual([text, false])
    expect(status?.description).toContain("Case-insensitive")
  })

  test("a request has the list of methods; an answer may hold a later release's name", () => {
    expect(component("CreatePayment").properties["payment_method"]).toMatchObject({ enum: paymentMethodNames })
    const answered = component("Payment").properties["payment_method"]
    expect(answered).toMatchObject({ type: "string", description: expect.stringContaining("`ideal`") })
    expect(answered).not.toHaveProperty("enum")
  })

  test("bodies that may be left out are not required", () => {
    const required = endpoints.map(({ operation }) => [operation.operationId, operation.requestBody?.required])
    expect(Object.fromEntries(required.filter(([, value]) => value !== undefined))).toEqual({
      createPayment: true,
      capturePayment: false,
      keepDisputeEvidence: true,
      refundPayment: false,
      createMerchant: true,
      receiveProviderWebhook: true
    })
  })

  test("every schema has only true bounds and no wrapping", () => {
    for (const [path, node] of nodes(document)) {
      for (const bound of ["minimum", "maximum"]) {
        const value = node[bound]
        if (typeof value === "number") expect(Math.abs(value), path).toBeLessThanOrEqual(100_000_000)
      }
      expect(Object.keys(node), path).not.toContain("allOf")
      expect(Object.keys(node), path).not.toContain("x-documented")
      if (Array.isArray(node["anyOf"])) expect(node["anyOf"].length, path).toBeGreaterThan(1)
    }
    expect(component("RefundPayment").properties["amount"]).not.toHaveProperty("maximum")
  })

  test("headers are written as people write them", () => {
    expect(parameter("createPayment", "Idempotency-Key")).toMatchObject({
      in: "header",
      required: false,
      schema: { type: "string", pattern: "^[ -~]{8,200}$" }
    })
    const descriptions = ["createPayment", "capturePayment", "voidPayment", "refundPayment"].map(
      (operationId) => parameter(operationId, "Idempotency-Key")?.description
    )
    // Two say the same of two operations that are alike.
    expect(new Set(descriptions).size).toBe(3)
    expect(descriptions[0]).toContain("Required with a `ps_live_` key")
    expect(Object.keys(endpointOf("createPayment").operation.responses["201"]?.headers ?? {})).toEqual([
      "Idempotent-Replay",
      "X-Ignored-Fields",
      "X-Request-Id"
    ])
  })

  test("the headers of every answer are those that the server sends", () => {
    for (const { operation } of endpoints) {
      for (const [status, { headers }] of Object.entries(operation.responses)) {
        const names = Object.keys(headers ?? {})
        expect(names).toContain("X-Request-Id")
        expect(names.includes("WWW-Authenticate")).toBe(status === "401")
        expect(names.includes("Retry-After")).toBe(["409", "429", "500", "503"].includes(status))
      }
    }
  })

  test("examples of requests and successes are there and valid", () => {
    for (const { operation } of endpoints) {
      const contents = [
        operation.requestBody?.content,
        ...Object.values(operation.responses).map(({ content }) => content)
      ]
      for (const { examples, schema } of contents.flatMap((content) => Object.values(content ?? {}))) {
        if (operation.operationId === "getOpenApi" && examples === undefined) continue
        expect(Object.keys(examples ?? {}).length, operation.operationId).toBeGreaterThan(0)
        for (const [name, { value }] of Object.entries(examples ?? {})) {
          expect([operation.operationId, name, isValid(schema, value)]).toEqual([operation.operationId, name, true])
        }
      }
    }
  })
})

describe("the webhooks that the service sends", () => {
  test("each event type of the catalogue has one webhook", () => {
    expect(webhooks.map(({ method, path }) => [method, path])).toEqual(eventTypes.map((type) => ["POST", type]))
    expect(new Set(webhooks.map(({ operation }) => operation.operationId)).size).toBe(eventTypes.length)
  })

  test("every webhook has its headers, its body and no API key", () => {
    for (const { operation, path } of webhooks) {
      expect(operation.parameters?.map(({ in: place, name, required }) => [place, name, required])).toEqual([
        ["header", "X-Service-Signature", true],
        ["header", "X-Service-Event-Id", true],
        ["header", "X-Service-Delivery-Id", true]
      ])
      expect(operation.security).toEqual([])
      const { examples = {}, schema = {} } = operation.requestBody?.content["application/json"] ?? {}
      expect(examples["event"]?.value).toMatchObject({ type: path })
      expect(isValid(schema, examples["event"]?.value), path).toBe(true)
      expect(isValid({ $ref: "#/components/schemas/Event" }, examples["event"]?.value)).toBe(true)
    }
  })
})

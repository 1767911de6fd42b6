/**
 * What version 1 of the contract has, written out word for word: nothing of it may be removed or change its type.
 * Additions are in none of these lists, and no test of these fails for it.
 */
import { Schema } from "effect"
import { describe, expect, test } from "vitest"
import { document, endpointOf } from "./support/Contract.ts"

type Node = Readonly<Record<string, unknown>>

const nodeOf: (value: unknown) => Node = Schema.decodeUnknownSync(Schema.Record(Schema.String, Schema.Unknown))

/** A schema or a parameter, with what it refers to in its place. */
const resolved = (node: Node): Node => {
  const [, kind, name] = /^#\/components\/(\w+)\/(\w+)$/u.exec(String(node["$ref"])) ?? []
  return kind === undefined || name === undefined ? node : nodeOf(nodeOf(nodeOf(document.components)[kind])[name])
}

const component = (name: string): Node => nodeOf(nodeOf(document.components.schemas)[name])

/** The JSON types of a field, as "integer" or "string|null". */
const typeOf = (schema: Node): string => {
  const whole = resolved(schema)
  const alternatives = whole["anyOf"] ?? whole["oneOf"]
  if (Array.isArray(alternatives)) return [...new Set(alternatives.map((one) => typeOf(nodeOf(one))))].join("|")
  const type = whole["type"]
  return Array.isArray(type) ? type.join("|") : String(type)
}

const fieldsOf = (schema: Node): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(nodeOf(schema["properties"])).map(([name, field]) => [name, typeOf(nodeOf(field))]))

/** The values of a field that takes certain texts alone. */
const valuesOf = (schema: Node): unknown => {
  const whole = resolved(schema)
  return whole["enum"] ?? [whole["const"]]
}

const field = (of: string, name: string): Node => nodeOf(nodeOf(component(of)["properties"])[name])

describe("resources", () => {
  test.each([
    [
      "Payment",
      {
        id: "string",
        payment_id: "string",
        reference: "string|null",
        payment_status: "string",
        status: "string",
        environment: "string",
        amount: "integer",
        currency: "string",
        decline_category: "string|null",
        decline_reason: "string|null",
        captured_amount: "integer",
        refunded_amount: "integer",
        refund_pending_amount: "integer",
        next_action: "object",
        routing: "object"
      }
    ],
    ["NextAction", { type: "string", url: "string", expires_at: "string" }],
    [
      "RoutingDecision",
      {
        path: "string",
        strategy: "string",
        mode: "string",
        rule: "string|null",
        candidates: "array",
        attempts: "array",
        excluded: "array",
        eligibility_version: "string|null",
        degraded: "boolean"
      }
    ],
    ["RoutingExclusion", { providerId: "string", name: "string", code: "string", reason: "string" }],
    ["Event", { id: "string", type: "string", created: "string", data: "object" }],
    ["PaymentEnvelope", { data: "object" }],
    ["PaymentList", { data: "array", has_more: "boolean", next_cursor: "string|null" }],
    ["EventList", { data: "array", has_more: "boolean", next_cursor: "string|null" }],
    [
      "CreatePayment",
      {
        amount: "integer",
        currency: "string",
        country: "string",
        method: "string",
        card_brand: "string",
        reference: "string",
        initiator: "string",
        capture_method: "string",
        return_url: "string",
        cancel_url: "string",
        debug: "boolean"
      }
    ],
    ["CapturePayment", { amount: "integer" }],
    ["RefundPayment", { amount: "integer", reason: "string" }]
  ])("%s has each field of version 1 with its type", (name, fields) => {
    expect(fieldsOf(component(name))).toMatchObject(fields)
  })

  test("the fields that requests must send are these and no more", () => {
    expect(component("CreatePayment")["required"]).toEqual(["amount", "currency", "country"])
    expect(component("CapturePayment")["required"] ?? []).toEqual([])
    expect(component("RefundPayment")["required"] ?? []).toEqual([])
  })

  test.each([
    [
      "PaymentStatus",
      component("PaymentStatus"),
      "CREATED PENDING REQUIRES_ACTION AUTHORIZED CAPTURED DECLINED FAILED UNKNOWN CANCELLED REFUNDED " +
        "PARTIALLY_REFUNDED CHARGEBACK SETTLED"
    ],
    ["next_action.type", field("NextAction", "type"), "NONE REDIRECT"],
    ["environment", field("Payment", "environment"), "sandbox production"],
    ["method", field("CreatePayment", "method"), "card bank wallet crypto"],
    ["initiator", field("CreatePayment", "initiator"), "cit mit"],
    ["capture_method", field("CreatePayment", "capture_method"), "automatic manual"]
  ])("%s has each value of version 1", (_name, schema, values) => {
    expect(valuesOf(schema)).toEqual(expect.arrayContaining(values.split(" ")))
  })

  test.each([
    ["CreatePayment", "amount", { minimum: 50, maximum: 100_000_000 }],
    ["CreatePayment", "currency", { pattern: "^[A-Z]{3}$" }],
    ["CreatePayment", "country", { pattern: "^[A-Z]{2}$" }],
    ["CreatePayment", "card_brand", { maxLength: 20 }],
    ["CreatePayment", "reference", { maxLength: 64 }],
    ["CreatePayment", "return_url", { format: "uri" }],
    ["CreatePayment", "cancel_url", { format: "uri" }],
    ["CreatePayment", "method", { default: "card" }],
    ["CreatePayment", "initiator", { default: "cit" }],
    ["CreatePayment", "capture_method", { default: "automatic" }],
    ["CreatePayment", "debug", { default: false }],
    ["CapturePayment", "amount", { minimum: 1 }],
    ["RefundPayment", "amount", { minimum: 1 }],
    ["RefundPayment", "reason", { maxLength: 200 }]
  ])("%s.%s has these limits and this default", (name, of, limits) => {
    expect(field(name, of)).toMatchObject(limits)
  })
})

describe("endpoints", () => {
  test.each([
    ["createPayment", ["Idempotency-Key"]],
    ["listPayments", ["status", "before", "limit"]],
    ["capturePayment", ["id", "Idempotency-Key"]],
    ["voidPayment", ["id", "Idempotency-Key"]],
    ["refundPayment", ["id", "Idempotency-Key"]],
    ["retrievePayment", ["id"]],
    ["listPaymentEvents", ["id"]],
    ["listEvents", ["type", "before", "limit"]]
  ])("%s has each parameter of version 1", (operationId, parameters) => {
    const names = (endpointOf(operationId).operation.parameters ?? []).map((parameter) =>
      String(resolved(nodeOf(parameter))["name"]).toLowerCase()
    )
    expect(names).toEqual(expect.arrayContaining(parameters.map((name) => name.toLowerCase())))
  })

  test("each webhook type with a stated meaning is there", () => {
    expect(Object.keys(document.webhooks)).toEqual(
      expect.arrayContaining([
        "payment.captured",
        "payment.declined",
        "payment.unknown",
        "payment.refunded",
        "payment.refund_failed",
        "payment.refund_unknown"
      ])
    )
    expect(fieldsOf(component("RefundFailedEventData"))).toMatchObject({
      refund_id: "string",
      refund_amount: "integer",
      refunded_total: "integer",
      refund_pending_amount: "integer",
      failure_reason: "string|null"
    })
  })
})

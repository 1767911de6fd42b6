/**
 * The failures of each operation: one answer for each status, with exactly the codes that the contract declares
 * there, and one example for each code with the message that the server sends.
 */
import { insufficientScope, liveKeyRequired, notAPartner, rateLimited, suspended } from "../AccessErrors.ts"
import { createLimits } from "../api/CreatePayment.ts"
import { evidenceBodyBytes } from "../api/Disputes.ts"
import { type ErrorBody, type ErrorCode, errorCodes, paramCodes, replayedCodes } from "../api/Errors.ts"
import { messageLimits } from "../api/ProviderWebhooks.ts"
import { type Operation as CoreOperation, errorTable } from "../ErrorTable.ts"
import { formRequired } from "../EvidenceForm.ts"
import {
  createExpectations,
  merchantExpectations,
  operationExpectations,
  queryExpectations,
  validationErrorOf
} from "../Expectations.ts"
import { serverFailed } from "../Fallbacks.ts"
import { invalidJson, tooLarge, unsupportedMediaType } from "../JsonBody.ts"
import { keyRequired } from "../PaymentHandlers.ts"
import { tooManyMessages } from "../ProviderWebhookHandlers.ts"
import { malformedKey } from "../RequestErrors.ts"
import { exampleIds, exclusionExample } from "./Examples.ts"
import { headers } from "./Headers.ts"
import type { Example, JsonSchema, Response } from "./Model.ts"

/** The rows of core's failures that an operation answers from. */
const coreOperations: Readonly<Record<string, CoreOperation>> = {
  createPayment: "create",
  capturePayment: "capture",
  voidPayment: "void",
  refundPayment: "refund",
  listDisputes: "disputes",
  retrieveDispute: "dispute",
  keepDisputeEvidence: "keepEvidence",
  submitDispute: "submitDispute",
  acceptDispute: "submitDispute",
  listPayments: "payments",
  retrievePayment: "payment",
  listPaymentEvents: "timeline",
  listEvents: "events",
  createMerchant: "provisionMerchant",
  listMerchants: "merchants",
  receiveProviderWebhook: "recordMessage"
}

/** What an operation asks first: for a key, or for a provider's signature. */
const guardOf = (operationId: string): "authenticate" | "verifyMessage" =>
  operationId === "receiveProviderWebhook" ? "verifyMessage" : "authenticate"

const bodyBytesOf = (operationId: string): number => {
  if (operationId === "keepDisputeEvidence") return evidenceBodyBytes
  return operationId === "receiveProviderWebhook" ? messageLimits.bodyBytes : createLimits.bodyBytes
}

/** One mistake of a request for each operation that takes more than a page's limit, as the server tells it. */
const mistakes: Readonly<Record<string, string>> = {
  createPayment: `\`amount\` must be ${createExpectations.amount}`,
  capturePayment: "the body must be a JSON object",
  refundPayment: `\`reason\` must be ${operationExpectations.reason}`,
  keepDisputeEvidence: "`receipt`: expected a PDF, JPEG or PNG file",
  submitDispute: "`evidence`: expected evidence that is kept for the dispute",
  acceptDispute: `\`Idempotency-Key\` must be ${queryExpectations["idempotency-key"]}`,
  createMerchant: `\`email\` must be ${merchantExpectations.email}`
}

/** The codes of an answer, in the order of the contract, from the schema that the generator made of it. */
export const codesIn = (schema: unknown): ReadonlyArray<ErrorCode> => [
  ...new Set(enumValues(schema).filter(isErrorCode))
]

const enumValues = (node: unknown): ReadonlyArray<unknown> => {
  if (typeof node !== "object" || node === null) return []
  return Object.entries(node).flatMap(([keyword, value]) =>
    keyword === "enum" && Array.isArray(value) ? value : enumValues(value)
  )
}

const isErrorCode = (value: unknown): value is ErrorCode =>
  typeof value === "string" && Object.hasOwn(errorCodes, value)

export const errorResponse = (
  operationId: string,
  scope: string | undefined,
  codes: ReadonlyArray<ErrorCode>
): Omit<Response, "headers"> => ({
  description: codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join("\n\n"),
  content: {
    "application/json": {
      schema: errorSchema(codes),
      examples: Object.fromEntries(codes.map((code) => [code, exampleOf(operationId, scope, code)]))
    }
  }
})

/** Fields that many errors share, as components of the document. */
export const errorFields: Readonly<Record<string, JsonSchema>> = {
  ErrorParam: {
    type: "string",
    description:
      "The first wrong field, parameter or header, such as `lines[2].name`. Absent if the error is not about one of them."
  },
  ErrorRequestId: { ...headers.RequestId.schema, description: "The same as `X-Request-Id`." },
  ErrorDocUrl: {
    type: "string",
    format: "uri",
    description: "The page of this server that explains the code. Absent if the server does not serve its `/docs`."
  }
}

const errorSchema = (codes: ReadonlyArray<ErrorCode>): JsonSchema => ({
  type: "object",
  required: ["error"],
  properties: {
    error: {
      type: "object",
      required: ["code", "message"],
      properties: {
        code: { type: "string", enum: codes, description: "Stable. Base decisions on it." },
        message: { type: "string", description: "Human-readable. It may change; do not parse it." },
        ...(codes.some((code) => paramCodes.includes(code))
          ? { param: { $ref: "#/components/schemas/ErrorParam" } }
          : {}),
        ...(codes.includes("routing_failed")
          ? {
              excluded: {
                type: "array",
                items: { $ref: "#/components/schemas/RoutingExclusion" },
                description:
                  "Every connection that was excluded before routing. Present on `routing_failed` if the request set " +
                  "`debug`."
              }
            }
          : {}),
        ...(codes.every((code) => replayedCodes.has(code))
          ? {}
          : {
              request_id: { $ref: "#/components/schemas/ErrorRequestId" },
              doc_url: { $ref: "#/components/schemas/ErrorDocUrl" }
            })
      }
    }
  }
})

const exampleOf = (operationId: string, scope: string | undefined, code: ErrorCode): Example => {
  const { error } = bodyOf(operationId, scope, code)
  return {
    summary: errorCodes[code].meaning,
    value: {
      error: {
        code,
        message: error.message,
        ...(error.param === undefined ? {} : { param: error.param }),
        ...(code === "routing_failed" ? { excluded: [exclusionExample] } : {}),
        ...(replayedCodes.has(code)
          ? {}
          : { request_id: exampleIds.request, doc_url: `https://payments.example.com/docs/errors#${code}` })
      }
    }
  }
}

/** The body that the server sends: from the table of core's failures, or from whatever refuses before core. */
const bodyOf = (operationId: string, scope: string | undefined, code: ErrorCode): ErrorBody => {
  switch (code) {
    case "workspace_suspended":
      return suspended
    case "insufficient_scope":
      return insufficientScope(scope ?? "")
    case "rate_limited":
      return operationId === "receiveProviderWebhook" ? tooManyMessages(1) : rateLimited(1)
    case "idempotency_key_required":
      return keyRequired
    case "invalid_idempotency_key":
      return malformedKey
    case "unsupported_media_type":
      return operationId === "keepDisputeEvidence" ? formRequired : unsupportedMediaType
    case "payload_too_large":
      return tooLarge(bodyBytesOf(operationId))
    case "invalid_json":
      return invalidJson("syntax error")
    case "validation_error":
      return validationErrorOf(mistakes[operationId] ?? `\`limit\` must be ${queryExpectations.limit}`)
    case "live_key_required":
      return liveKeyRequired
    case "not_a_partner":
      return notAPartner
    default:
      return { error: { code, message: coreMessage(operationId, code) ?? serverFailed } }
  }
}

const coreMessage = (operationId: string, code: ErrorCode): string | undefined => {
  const operation = coreOperations[operationId]
  const rows = [
    ...(code === "unauthorized" ? Object.values(errorTable[guardOf(operationId)]) : []),
    ...(operation === undefined ? [] : Object.values(errorTable[operation]))
  ]
  return rows.find((row) => row.code === code)?.message
}

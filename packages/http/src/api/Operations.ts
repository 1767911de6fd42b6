/** `POST /payments/{id}/capture`, `/void` and `/refunds`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScope } from "./Authorization.ts"
import { errors } from "./Errors.ts"
import { idempotencyHeader, replayHeader } from "./Headers.ts"
import { PaymentEnvelope } from "./Payment.ts"
import { paymentPath } from "./Payments.ts"
import { IdempotencyKeyErrors, ValidationErrors } from "./RequestErrors.ts"

/** Minor units; absent is a value of its own: all of it. */
const OperationAmount = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const CapturePayment = Schema.Struct({ amount: Schema.optionalKey(OperationAmount) }).annotate({
  identifier: "CapturePayment"
})

export const refundReasonLimit = 200

export const RefundPayment = Schema.Struct({
  amount: Schema.optionalKey(OperationAmount),
  reason: Schema.optionalKey(Schema.String.check(Schema.isMaxCodePoints(refundReasonLimit)))
}).annotate({ identifier: "RefundPayment" })

const success = HttpApiSchema.WithHeaders(PaymentEnvelope, replayHeader)

export class Operations extends HttpApiGroup.make("operations")
  .add(
    HttpApiEndpoint.post("capture", "/payments/:id/capture", {
      params: paymentPath,
      headers: idempotencyHeader,
      payload: [CapturePayment, HttpApiSchema.NoContent],
      success,
      error: errors(
        "unsupported_media_type",
        "payload_too_large",
        "validation_error",
        "invalid_amount",
        "idempotency_key_reuse",
        "not_found",
        "idempotency_in_progress",
        "not_capturable",
        "capture_conflict",
        "no_provider_ref",
        "internal_error",
        "state_unconfirmed",
        "state_conflict",
        "unsupported",
        "psp_error",
        "capture_result_unknown"
      )
    })
      .middleware(IdempotencyKeyErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:write")
      .annotate(OpenApi.Summary, "Capture an authorization"),
    HttpApiEndpoint.post("void", "/payments/:id/void", {
      params: paymentPath,
      headers: idempotencyHeader,
      success,
      error: errors(
        "idempotency_key_reuse",
        "not_found",
        "idempotency_in_progress",
        "not_voidable",
        "void_conflict",
        "no_provider_ref",
        "internal_error",
        "state_unconfirmed",
        "state_conflict",
        "unsupported",
        "psp_error",
        "void_result_unknown"
      )
    })
      .middleware(IdempotencyKeyErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:write")
      .annotate(OpenApi.Summary, "Void an authorization"),
    HttpApiEndpoint.post("refund", "/payments/:id/refunds", {
      params: paymentPath,
      headers: idempotencyHeader,
      payload: [RefundPayment, HttpApiSchema.NoContent],
      success,
      error: errors(
        "unsupported_media_type",
        "payload_too_large",
        "invalid_amount",
        "idempotency_key_reuse",
        "not_found",
        "refund_pending",
        "not_refundable",
        "refund_conflict",
        "internal_error",
        "state_unconfirmed",
        "psp_error",
        "refund_result_unknown"
      )
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "refunds:write")
      .annotate(OpenApi.Summary, "Refund a captured payment")
  )
  .annotate(OpenApi.Title, "Capture, void, refund") {}

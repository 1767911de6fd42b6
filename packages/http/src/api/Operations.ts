/** `POST /payments/{id}/capture`, `/void` and `/refunds`. */
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScope } from "./Authorization.ts"
import { errors, unavailable } from "./ErrorSchemas.ts"
import { answerHeaders, idempotencyHeader } from "./Headers.ts"
import { PaymentEnvelope } from "./Payment.ts"
import { paymentPath } from "./Payments.ts"
import { CapturePayment, RefundPayment } from "./RequestBodies.ts"
import { IdempotencyKeyErrors, ValidationErrors } from "./RequestErrors.ts"

const operationKey =
  "Optional. A repeated key returns the first response without contacting the provider. The key " +
  "applies to this payment and operation, and never expires."

const success = HttpApiSchema.WithHeaders(PaymentEnvelope, answerHeaders)

export class Operations extends HttpApiGroup.make("operations")
  .add(
    HttpApiEndpoint.post("capture", "/payments/:id/capture", {
      params: paymentPath,
      headers: idempotencyHeader(operationKey),
      payload: [CapturePayment, HttpApiSchema.NoContent],
      success,
      error: [
        ...errors(
          "unsupported_media_type",
          "payload_too_large",
          "validation_error",
          "invalid_amount",
          "idempotency_key_reuse",
          "unauthorized",
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
        ),
        unavailable
      ]
    })
      .middleware(IdempotencyKeyErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:write")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "capturePayment",
          summary: "Capture an authorization",
          description:
            "Captures a payment that was created with `capture_method: manual`, once, in full or in part. A 5xx " +
            "response other than `internal_error` and `psp_error` means that the provider may have captured: do " +
            "not retry."
        })
      ),
    HttpApiEndpoint.post("void", "/payments/:id/void", {
      params: paymentPath,
      headers: idempotencyHeader(operationKey),
      success,
      error: [
        ...errors(
          "payload_too_large",
          "idempotency_key_reuse",
          "unauthorized",
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
        ),
        unavailable
      ]
    })
      .middleware(IdempotencyKeyErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:write")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "voidPayment",
          summary: "Void an authorization",
          description:
            "Releases an authorization that was not captured. Refund a captured payment instead. The request has " +
            "no body."
        })
      ),
    HttpApiEndpoint.post("refund", "/payments/:id/refunds", {
      params: paymentPath,
      headers: idempotencyHeader(
        "Optional, but recommended: it identifies the refund. A repeated key on the same payment is the same " +
          "refund and is never sent to the provider again; without a key, every request is a new refund."
      ),
      payload: [RefundPayment, HttpApiSchema.NoContent],
      success,
      error: [
        ...errors(
          "unsupported_media_type",
          "payload_too_large",
          "validation_error",
          "invalid_amount",
          "idempotency_key_reuse",
          "unauthorized",
          "not_found",
          "refund_pending",
          "not_refundable",
          "refund_conflict",
          "internal_error",
          "state_unconfirmed",
          "psp_error",
          "refund_result_unknown"
        ),
        unavailable
      ]
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "refunds:write")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "refundPayment",
          summary: "Refund a captured payment",
          description:
            "Refunds a captured payment, in full or in part. 200 means that the provider confirmed the refund. " +
            "After `refund_pending`, `refund_result_unknown` or `state_unconfirmed`, do not retry with a new " +
            "key: the amount stays reserved in `refund_pending_amount` until the result is known."
        })
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Capture, void, refund",
      description: "Capture, void and refund existing payments."
    })
  ) {}

/** `POST /payments/{id}/capture`, `/void` and `/refunds`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScope } from "./Authorization.ts"
import { documented } from "./Documented.ts"
import { errors } from "./Errors.ts"
import { idempotencyHeader, replayHeader } from "./Headers.ts"
import { PaymentEnvelope } from "./Payment.ts"
import { paymentPath } from "./Payments.ts"
import { IdempotencyKeyErrors, ValidationErrors } from "./RequestErrors.ts"
import { isStorableText } from "./StorableText.ts"

export const operationLimits = { bodyBytes: 16_384, reason: 200 } as const

/** Minor units; absent is a value of its own: all of it. */
export const OperationAmount = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const CapturePayment = Schema.Struct({
  amount: Schema.optionalKey(OperationAmount).annotateKey(
    documented("What to capture, in minor units, up to the authorization. Leave it out to capture all of it.")
  )
}).annotate({ identifier: "CapturePayment", description: "What to capture." })

export const RefundPayment = Schema.Struct({
  amount: Schema.optionalKey(OperationAmount).annotateKey(
    documented(
      "What to refund, in minor units. More than the refundable balance refunds that balance. Leave it out to refund " +
        "all of the balance."
    )
  ),
  reason: Schema.optionalKey(
    Schema.String.check(Schema.isMaxCodePoints(operationLimits.reason), isStorableText)
  ).annotateKey(documented("Why, for your records and the provider's."))
}).annotate({ identifier: "RefundPayment", description: "What to refund." })

const operationKey =
  "Optional. The same key gives the first answer again and asks no provider. It belongs to this payment and operation, " +
  "and lives as long as the payment."

const success = HttpApiSchema.WithHeaders(PaymentEnvelope, replayHeader)

export class Operations extends HttpApiGroup.make("operations")
  .add(
    HttpApiEndpoint.post("capture", "/payments/:id/capture", {
      params: paymentPath,
      headers: idempotencyHeader(operationKey),
      payload: [CapturePayment, HttpApiSchema.NoContent],
      success,
      error: errors(
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
      )
    })
      .middleware(IdempotencyKeyErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:write")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "capturePayment",
          summary: "Capture an authorization",
          description:
            "Captures a payment that was created with `capture_method: manual`, in full or in part, once. A 5xx answer but " +
            "`internal_error` and `psp_error` says that the provider may have captured: do not retry it."
        })
      ),
    HttpApiEndpoint.post("void", "/payments/:id/void", {
      params: paymentPath,
      headers: idempotencyHeader(operationKey),
      success,
      error: errors(
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
      )
    })
      .middleware(IdempotencyKeyErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:write")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "voidPayment",
          summary: "Void an authorization",
          description:
            "Releases an authorization that was not captured; a captured payment is refunded instead. Takes no body."
        })
      ),
    HttpApiEndpoint.post("refund", "/payments/:id/refunds", {
      params: paymentPath,
      headers: idempotencyHeader(
        "Optional, and worth sending: it names the refund. The same key on the same payment is the same refund and " +
          "never reaches the provider again; without a key every request is a new refund."
      ),
      payload: [RefundPayment, HttpApiSchema.NoContent],
      success,
      error: errors(
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
      )
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "refunds:write")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "refundPayment",
          summary: "Refund a captured payment",
          description:
            "Refunds a captured payment, in full or in part. 200 means that the provider confirmed the refund. After " +
            "`refund_pending`, `refund_result_unknown` or `state_unconfirmed` do not retry with a new key: the amount stays " +
            "reserved in `refund_pending_amount` until the refund is settled."
        })
      )
  )
  .annotateMerge(
    OpenApi.annotations({
      title: "Capture, void, refund",
      description: "What can be done with a payment after it was authorized or captured."
    })
  ) {}

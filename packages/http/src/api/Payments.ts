/** `POST /payments`, `GET /payments`, `GET /payments/{id}`, `GET /payments/{id}/events`. */
import { paymentStatuses } from "@pointsman/core"
import { Schema, SchemaGetter } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScope } from "./Authorization.ts"
import { CreatePayment } from "./CreatePayment.ts"
import { errors } from "./Errors.ts"
import { Event } from "./Event.ts"
import { idempotencyHeader, replayHeader } from "./Headers.ts"
import { EventCursor, Limit, PaymentCursor, pageOf } from "./Pages.ts"
import { Payment, PaymentEnvelope } from "./Payment.ts"
import { IdempotencyKeyErrors, ValidationErrors } from "./RequestErrors.ts"

/** Any case; ASCII letters alone, because some other letters have ASCII ones as their upper case. */
export const StatusFilter = Schema.String.check(Schema.isPattern(/^[A-Za-z_]+$/u)).pipe(
  Schema.decodeTo(Schema.Literals(paymentStatuses), {
    decode: SchemaGetter.transform((text: string) => text.toUpperCase() as (typeof paymentStatuses)[number]),
    encode: SchemaGetter.transform((status): string => status)
  })
)

/** Anything that is not an id of ours names no payment: 404, so it is not decoded here. */
export const paymentPath = { id: Schema.String.annotate({ format: "uuid" }) }

export class Payments extends HttpApiGroup.make("payments")
  .add(
    HttpApiEndpoint.post("create", "/payments", {
      headers: idempotencyHeader,
      payload: CreatePayment,
      success: HttpApiSchema.WithHeaders(PaymentEnvelope, replayHeader).annotate({ httpApiStatus: 201 }),
      error: errors(
        "idempotency_key_required",
        "unsupported_media_type",
        "payload_too_large",
        "invalid_json",
        "validation_error",
        "idempotency_key_reuse",
        "idempotency_in_progress",
        "routing_failed",
        "unauthorized",
        "internal_error",
        "payment_result_unknown"
      )
    })
      .middleware(IdempotencyKeyErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:write")
      .annotate(OpenApi.Summary, "Create a payment"),
    HttpApiEndpoint.get("list", "/payments", {
      query: {
        status: Schema.optionalKey(StatusFilter),
        before: Schema.optionalKey(PaymentCursor),
        limit: Schema.optionalKey(Limit)
      },
      success: pageOf(Payment).annotate({ identifier: "PaymentList" }),
      error: errors("internal_error")
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:read")
      .annotate(OpenApi.Summary, "List payments, newest first"),
    HttpApiEndpoint.get("retrieve", "/payments/:id", {
      params: paymentPath,
      success: PaymentEnvelope,
      error: errors("not_found", "internal_error")
    })
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:read")
      .annotate(OpenApi.Summary, "Retrieve a payment"),
    HttpApiEndpoint.get("timeline", "/payments/:id/events", {
      params: paymentPath,
      query: { after: Schema.optionalKey(EventCursor), limit: Schema.optionalKey(Limit) },
      success: pageOf(Event).annotate({ identifier: "EventList" }),
      error: errors("not_found", "internal_error")
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:read")
      .annotate(OpenApi.Summary, "A payment's timeline, oldest first")
  )
  .annotate(OpenApi.Title, "Payments") {}

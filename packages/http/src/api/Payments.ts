/** `POST /payments`, `GET /payments`, `GET /payments/{id}`, `GET /payments/{id}/events`. */
import { paymentStatuses } from "@pointsman/core"
import { Schema, SchemaGetter } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScope } from "./Authorization.ts"
import { CreatePayment } from "./CreatePayment.ts"
import { documented } from "./Documented.ts"
import { errors } from "./Errors.ts"
import { EventList } from "./Event.ts"
import { idempotencyHeader, replayHeader } from "./Headers.ts"
import { afterEvent, beforePayment, limitParameter, pageOf } from "./Pages.ts"
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
export const paymentPath = {
  id: Schema.String.annotate({ format: "uuid" }).annotateKey(
    documented("The payment's `payment_id`. Anything that is no id of yours is 404.", {
      examples: ["01a1fe08-9226-7266-a33a-e3e7f1609a4e"]
    })
  )
}

const PaymentList = pageOf(Payment).annotate({ identifier: "PaymentList", description: "A page of payments." })

export class Payments extends HttpApiGroup.make("payments")
  .add(
    HttpApiEndpoint.post("create", "/payments", {
      headers: idempotencyHeader(
        "Required with a `ps_live_` key, optional with a `ps_test_` key. The same key with the same body gives the " +
          "first answer again and charges nothing; with another body it is refused. It is kept for 24 hours after " +
          "the answer, and for as long as the outcome is unknown."
      ),
      payload: CreatePayment,
      success: HttpApiSchema.WithHeaders(PaymentEnvelope, replayHeader).annotate({
        httpApiStatus: 201,
        description:
          "The payment: its outcome with `routing`, or a redirect in `next_action`. Read `status`: a payment that was " +
          "declined is created too."
      }),
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
      .annotateMerge(
        OpenApi.annotations({
          identifier: "createPayment",
          summary: "Create a payment",
          description:
            "Routes a payment over your active connections and charges it at once; with `return_url` the customer pays on a " +
            "hosted page instead, and nothing is routed until they act.\n\n" +
            "An answer `UNKNOWN`, or no answer at all, means that a provider may have charged: send the same request with the " +
            "same `Idempotency-Key` again, and never with a new one."
        })
      ),
    HttpApiEndpoint.get("list", "/payments", {
      query: {
        status: Schema.optionalKey(StatusFilter).annotateKey(
          documented("Payments of this status alone. Case-insensitive.", { type: "string", enum: paymentStatuses })
        ),
        before: beforePayment,
        limit: limitParameter
      },
      success: PaymentList,
      error: errors("internal_error")
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:read")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "listPayments",
          summary: "List payments",
          description: "Payments of the key's environment, newest first."
        })
      ),
    HttpApiEndpoint.get("retrieve", "/payments/:id", {
      params: paymentPath,
      success: PaymentEnvelope,
      error: errors("not_found", "internal_error")
    })
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:read")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "retrievePayment",
          summary: "Retrieve a payment",
          description: "The payment as it stands now. A payment of another workspace or environment is 404."
        })
      ),
    HttpApiEndpoint.get("timeline", "/payments/:id/events", {
      params: paymentPath,
      query: { after: afterEvent, limit: limitParameter },
      success: EventList,
      error: errors("not_found", "internal_error")
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:read")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "listPaymentEvents",
          summary: "List a payment's events",
          description: "The payment's append-only timeline, oldest first."
        })
      )
  )
  .annotateMerge(OpenApi.annotations({ title: "Payments", description: "Create, read and list payments." })) {}

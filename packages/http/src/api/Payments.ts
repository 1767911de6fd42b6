/** `POST /payments`, `GET /payments`, `GET /payments/{id}`, `GET /payments/{id}/events`. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, RequiredScope } from "./Authorization.ts"
import { CreatePayment } from "./CreatePayment.ts"
import { documented } from "./Documented.ts"
import { errors, tooManyRequests, unavailable } from "./ErrorSchemas.ts"
import { EventList } from "./Events.ts"
import { answerHeaders, idempotencyHeader } from "./Headers.ts"
import { afterEvent, beforePayment, limitParameter, pageOf } from "./Pages.ts"
import { Payment, PaymentEnvelope } from "./Payment.ts"
import { paymentFilter } from "./PaymentFilter.ts"
import { IdempotencyKeyErrors, ValidationErrors } from "./RequestErrors.ts"

/** Anything that is not one of our ids names no payment: 404, so it is not decoded here. */
export const paymentPath = {
  id: Schema.String.annotate({ format: "uuid" }).annotateKey(
    documented("The payment's `payment_id`. An unknown id returns 404.", {
      examples: ["01a1fe08-9226-7266-a33a-e3e7f1609a4e"]
    })
  )
}

export const paymentsQueryFields = { ...paymentFilter, before: beforePayment, limit: limitParameter }
export const timelineQueryFields = { after: afterEvent, limit: limitParameter }

const PaymentList = Schema.Struct({
  ...pageOf(Payment).fields,
  search_incomplete: Schema.optionalKey(Schema.Literal(true)).annotateKey(
    documented(
      "True where the page ended before it was full: one request compares filters other than `status` with at most " +
        "10,000 payments. The next page continues from there."
    )
  )
}).annotate({ identifier: "PaymentList", description: "A page of payments." })

export class Payments extends HttpApiGroup.make("payments")
  .add(
    HttpApiEndpoint.post("create", "/payments", {
      headers: idempotencyHeader(
        "Required with a `ps_live_` key, optional with a `ps_test_` key. A request with the same key and " +
          "body returns the first response and charges nothing; with a different body it is rejected. The key " +
          "is kept for 24 hours after the response, and for as long as the outcome is unknown."
      ),
      payload: CreatePayment,
      success: HttpApiSchema.WithHeaders(PaymentEnvelope, answerHeaders).annotate({
        httpApiStatus: 201,
        description:
          "The payment with its outcome and `routing`, or with a redirect in `next_action`. Check `status`: a " +
          "declined payment is also created."
      }),
      error: [
        ...errors(
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
        ),
        unavailable
      ]
    })
      .middleware(IdempotencyKeyErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:write")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "createPayment",
          summary: "Create a payment",
          description:
            "Routes a payment over your active connections and charges it immediately. With `return_url`, the " +
            "customer pays on a hosted page instead, and nothing is routed until they act.\n\nA status of " +
            "`UNKNOWN`, or no response at all, means that a provider may have charged: repeat the request with " +
            "the same `Idempotency-Key`, never with a new one."
        })
      ),
    HttpApiEndpoint.get("list", "/payments", {
      query: paymentsQueryFields,
      success: PaymentList,
      error: [...errors("internal_error"), tooManyRequests("rate_limited")]
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "payments:read")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "listPayments",
          summary: "List payments",
          description:
            "Payments of the key's environment, newest first. Filters that are given must all match. A page may be " +
            "shorter than `limit`, or empty, where `search_incomplete` is true: continue with `next_cursor`."
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
          description:
            "Returns the current state of a payment. A payment of another workspace or environment returns 404."
        })
      ),
    HttpApiEndpoint.get("timeline", "/payments/:id/events", {
      params: paymentPath,
      query: timelineQueryFields,
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

/** `GET /disputes`, `GET /disputes/{id}` and what a merchant answers to a dispute. */
import { disputeReasons, disputeStatuses, evidenceFileTypes, evidenceLimits } from "@pointsman/core"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization, BodyLimit, RequiredScope } from "./Authorization.ts"
import { documented } from "./Documented.ts"
import { errors, unavailable } from "./ErrorSchemas.ts"
import { idempotencyHeader, replayHeader } from "./Headers.ts"
import { beforeDispute, limitParameter, PaymentCursor, pageOf } from "./Pages.ts"
import { DateTime } from "./Payment.ts"
import { ValidationErrors } from "./RequestErrors.ts"

/**
 * The largest body of evidence in bytes: its files, 40 texts of 20,000 characters of up to four bytes, and what a form adds
 * to them.
 */
export const evidenceBodyBytes =
  evidenceLimits.fileBytes + evidenceLimits.texts * evidenceLimits.textLength * 4 + 65_536

const KeptEvidence = Schema.Struct({
  texts: Schema.Array(Schema.String).annotateKey(documented("The names of the texts.")),
  files: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotateKey(documented("The name that it was sent under.")),
      type: Schema.Literals(evidenceFileTypes).annotateKey(documented("Its media type, by its contents.")),
      bytes: Schema.Int.annotateKey(documented("The size in bytes."))
    })
  ).annotateKey(documented("The files, without their contents."))
})

export const Dispute = Schema.Struct({
  id: Schema.String.annotateKey(
    documented("`dp_` and a UUID.", { examples: ["dp_01a1fe0c-51d3-7e0a-9b6f-3c7d8e9f0a1b"] })
  ),
  payment_id: Schema.String.annotate({ format: "uuid" }).annotateKey(documented("The disputed payment.")),
  status: Schema.Literals(disputeStatuses).annotateKey(
    documented(
      "`needs_response`: send evidence or accept. `warning`: an inquiry, by which no money has moved; it may be answered. " +
        "`accepted`: you gave the money up. New values may be added."
    )
  ),
  amount: Schema.NullOr(Schema.Int).annotateKey(
    documented("The disputed amount in minor units of `currency`; null if the provider does not state it.", {
      minimum: 0
    })
  ),
  currency: Schema.NullOr(Schema.String).annotateKey(documented("ISO 4217.", { pattern: "^[A-Z]{3}$" })),
  reason: Schema.NullOr(Schema.Literals(disputeReasons)).annotateKey(
    documented("The customer's reason, normalized across providers.")
  ),
  provider_reason: Schema.NullOr(Schema.String).annotateKey(documented("The provider's code of the reason.")),
  evidence_due_by: Schema.NullOr(DateTime).annotateKey(
    documented("Until when the provider takes evidence; null if it does not state it.")
  ),
  evidence_submitted_at: Schema.NullOr(DateTime).annotateKey(
    documented("When the provider took the evidence; null while it waits for some.")
  ),
  evidence: Schema.NullOr(KeptEvidence).annotateKey(
    documented("What is kept until you submit it; null if nothing is. Its contents are never shown.")
  ),
  created: DateTime.annotateKey(documented("When the dispute was recorded."))
}).annotate({ identifier: "Dispute", description: "A dispute of a payment." })
export type Dispute = typeof Dispute.Type

const DisputeEnvelope = Schema.Struct({ data: Dispute }).annotate({
  identifier: "DisputeEnvelope",
  description: "A dispute."
})
const DisputeList = pageOf(Dispute).annotate({ identifier: "DisputeList", description: "A page of disputes." })

/** Anything that is not one of our ids names no dispute: 404, so it is not decoded here. */
const disputePath = {
  id: Schema.String.annotateKey(
    documented("The dispute's `id`. An unknown id returns 404.", {
      examples: ["dp_01a1fe0c-51d3-7e0a-9b6f-3c7d8e9f0a1b"]
    })
  )
}

/** Read by its handler, as its bytes arrive. */
const Evidence = HttpApiSchema.asMultipart()(
  Schema.Record(Schema.String, Schema.String).annotate(
    documented(
      "Texts and files by name. A name is 1 to 60 lower-case letters, digits and underscores, a letter first; the guide " +
        "lists those that each provider has a field for. Up to 40 texts of up to 20,000 characters, and up to 10 files (PDF, " +
        "JPEG or PNG, as their contents show) of up to 5,000,000 bytes together.",
      { additionalProperties: true }
    )
  )
)

const submissionKey =
  "Optional. A repeated key is the same request and is never sent to the provider again. The key applies to this dispute, " +
  "and never expires."

const submissionErrors = [
  ...errors(
    "payload_too_large",
    "validation_error",
    "idempotency_key_reuse",
    "unauthorized",
    "not_found",
    "dispute_pending",
    "dispute_closed",
    "dispute_conflict",
    "internal_error",
    "state_unconfirmed",
    "unsupported",
    "psp_error",
    "dispute_result_unknown"
  ),
  unavailable
] as const

const submitted = HttpApiSchema.WithHeaders(DisputeEnvelope, replayHeader)

const unknownResult =
  "After `dispute_pending`, `dispute_result_unknown` or `state_unconfirmed`, nothing has to be sent again: the provider is " +
  "asked what became of it. The request has no body."

export const disputesQueryFields = {
  status: Schema.optionalKey(Schema.Literals(disputeStatuses)).annotateKey(
    documented("Only disputes with this status.")
  ),
  payment: Schema.optionalKey(PaymentCursor).annotateKey(
    documented("Only disputes of this payment.", { examples: ["01a1fe08-9226-7266-a33a-e3e7f1609a4e"] })
  ),
  before: beforeDispute,
  limit: limitParameter
}

export class Disputes extends HttpApiGroup.make("disputes")
  .add(
    HttpApiEndpoint.get("list", "/disputes", {
      query: disputesQueryFields,
      success: DisputeList,
      error: errors("internal_error")
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "disputes:read")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "listDisputes",
          summary: "List disputes",
          description: "Disputes of all payments in the key's environment, newest first."
        })
      ),
    HttpApiEndpoint.get("retrieve", "/disputes/:id", {
      params: disputePath,
      success: DisputeEnvelope,
      error: errors("not_found", "internal_error")
    })
      .middleware(Authorization)
      .annotate(RequiredScope, "disputes:read")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "retrieveDispute",
          summary: "Retrieve a dispute",
          description: "The dispute as the provider's last statement left it."
        })
      ),
    HttpApiEndpoint.post("evidence", "/disputes/:id/evidence", {
      params: disputePath,
      payload: Evidence,
      success: DisputeEnvelope,
      error: [
        ...errors(
          "unsupported_media_type",
          "payload_too_large",
          "validation_error",
          "unauthorized",
          "not_found",
          "dispute_pending",
          "dispute_closed",
          "internal_error"
        ),
        unavailable
      ]
    })
      .middleware(Authorization)
      .annotate(RequiredScope, "disputes:write")
      .annotate(BodyLimit, evidenceBodyBytes)
      .annotateMerge(
        OpenApi.annotations({
          identifier: "keepDisputeEvidence",
          summary: "Keep evidence",
          description:
            "Keeps texts and files for a dispute, encrypted, in place of what was kept before. Nothing is sent to the " +
            "provider until you submit it, and nothing is kept afterwards. In the rate of your key, a form counts as one " +
            "request for each 16 KB of its body, or for all that a form may have where its length is not declared."
        })
      ),
    HttpApiEndpoint.post("submit", "/disputes/:id/submit", {
      params: disputePath,
      headers: idempotencyHeader(submissionKey),
      success: submitted,
      error: submissionErrors
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "disputes:write")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "submitDispute",
          summary: "Submit the evidence",
          description: `Sends the kept evidence to the provider, once and for good. 200 means that the provider has it. ${unknownResult}`
        })
      ),
    HttpApiEndpoint.post("accept", "/disputes/:id/accept", {
      params: disputePath,
      headers: idempotencyHeader(submissionKey),
      success: submitted,
      error: submissionErrors
    })
      .middleware(ValidationErrors)
      .middleware(Authorization)
      .annotate(RequiredScope, "disputes:write")
      .annotateMerge(
        OpenApi.annotations({
          identifier: "acceptDispute",
          summary: "Accept a dispute",
          description: `Leaves the disputed money to the customer, for good. ${unknownResult}`
        })
      )
  )
  .annotateMerge(
    OpenApi.annotations({ title: "Disputes", description: "Disputes of payments, and what you answer to them." })
  ) {}

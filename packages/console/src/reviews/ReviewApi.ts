/** Payments under review: the list, one of them, and evidence of what the provider's record says. */
import { limitParameter, pageOf } from "@pointsman/http/api"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import { reviewOrders } from "./ReviewDesk.ts"
import { Correction, PaymentAfterStatement, PaymentWithCorrection, Review, ReviewRecord } from "./ReviewRecords.ts"
import { Statement } from "./Statements.ts"

const reviewPath = { ...tenantPath, payment: Schema.String }
const correctionPath = { ...reviewPath, correction: Schema.String }
const correctionAt = "/workspaces/:workspace/:environment/reviews/:payment/corrections/:correction"

const Evidence = Schema.Struct({
  statement: Statement,
  evidence: Schema.String.annotateKey({
    description: "What was seen, and where. It is on the payment's timeline and in its webhook."
  }),
  file_sha256: Schema.optionalKey(Schema.String).annotateKey({
    description: "SHA-256 of a file that shows it, in 64 lower-case hexadecimal digits. The file is kept elsewhere."
  }),
  evidence_reference: Schema.optionalKey(Schema.String).annotateKey({
    description: "The provider's support case or other reference."
  }),
  revision: Schema.String.annotateKey({ description: "Of the review that the statement is based on." })
})

export class Reviews extends HttpApiGroup.make("reviews")
  .add(
    HttpApiEndpoint.get("reviews", "/workspaces/:workspace/:environment/reviews", {
      params: tenantPath,
      query: {
        order: Schema.optionalKey(Schema.Literals(reviewOrders)).annotateKey({
          description: "`age`, the default: the longest waiting first. `amount`: the largest of each currency first."
        }),
        after: Schema.optionalKey(Schema.String).annotateKey({
          description: "Cursor: the `next_cursor` of the previous page, in the same order."
        }),
        limit: limitParameter
      },
      success: pageOf(Review),
      error: failures("not_found", "validation_error", "internal_error")
    }).annotateMerge(summary("List payments under review", "Unknown results, contradictions and overdue operations.")),
    HttpApiEndpoint.get("review", "/workspaces/:workspace/:environment/reviews/:payment", {
      params: reviewPath,
      success: Schema.Struct({ data: ReviewRecord }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(
      summary("One review", "All that is recorded of the payment, and what can be stated of it. Also without a review.")
    ),
    HttpApiEndpoint.post("evidence", "/workspaces/:workspace/:environment/reviews/:payment/evidence", {
      params: reviewPath,
      payload: Evidence,
      success: PaymentAfterStatement,
      error: failures("not_found", "validation_error", "statement_refused", "internal_error")
    }).annotateMerge(
      summary(
        "Record evidence",
        "Records what the provider's record says, under the operator's name. Nothing is sent to the provider. A " +
          "repeated request is recorded once. Where the workspace asks for a second person, `correction` has the statement, " +
          "and the payment is as it was."
      )
    ),
    HttpApiEndpoint.get("corrections", "/workspaces/:workspace/:environment/corrections", {
      params: tenantPath,
      success: Schema.Struct({
        data: Schema.Array(Schema.Struct({ payment_id: Schema.String, correction: Correction }))
      }),
      error: failures("not_found", "internal_error")
    }).annotateMerge(summary("List proposed corrections", "Those that wait for a second person.")),
    HttpApiEndpoint.post("approveCorrection", `${correctionAt}/approve`, {
      params: correctionPath,
      success: PaymentWithCorrection,
      error: failures("sign_in_again", "not_found", "correction_refused", "internal_error")
    }).annotateMerge(
      summary(
        "Approve a correction",
        "Decides the statement again on the payment as it is now, and records it. An operator's own correction is refused. " +
          "A repeated request is answered as the first one was."
      )
    ),
    HttpApiEndpoint.post("rejectCorrection", `${correctionAt}/reject`, {
      params: correctionPath,
      payload: Schema.Struct({
        reason: Schema.String.annotateKey({ description: "For people; 1 to 2000 characters." })
      }),
      success: PaymentWithCorrection,
      error: failures("not_found", "validation_error", "correction_refused", "internal_error")
    }).annotateMerge(summary("Reject a correction", "Of another operator. Nothing else of the payment changes.")),
    HttpApiEndpoint.post("withdrawCorrection", `${correctionAt}/withdraw`, {
      params: correctionPath,
      success: PaymentWithCorrection,
      error: failures("not_found", "correction_refused", "internal_error")
    }).annotateMerge(summary("Withdraw a correction", "The operator's own. Nothing else of the payment changes."))
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}

/** Payments under review: the list, one of them, and evidence of what the provider's record says. */
import { limitParameter, PaymentEnvelope, pageOf } from "@pointsman/http/api"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { failures } from "../api/Errors.ts"
import { Authorize, RequestErrors, summary, tenantPath } from "../api/Parts.ts"
import type { AccessOf } from "../gate/Access.ts"
import { reviewOrders } from "./ReviewDesk.ts"
import { Review, ReviewRecord } from "./ReviewRecords.ts"
import { Statement } from "./Statements.ts"

const reviewPath = { ...tenantPath, payment: Schema.String }

const Evidence = Schema.Struct({
  statement: Statement,
  evidence: Schema.String.annotateKey({
    description: "What was seen, and where. It is on the payment's timeline and in its webhook."
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
      success: PaymentEnvelope,
      error: failures("not_found", "validation_error", "statement_refused", "internal_error")
    }).annotateMerge(
      summary(
        "Record evidence",
        "Records what the provider's record says, under the operator's name. Nothing is sent to the provider. A " +
          "repeated request is recorded once."
      )
    )
  )
  .middleware(RequestErrors)
  .middleware(Authorize) {}

export const reviewAccess = {
  reviews: "review.resolve",
  review: "review.resolve",
  evidence: "review.resolve"
} as const satisfies AccessOf<typeof Reviews>

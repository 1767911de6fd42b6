/** Payments that wait for operations. */
import { Effect } from "effect"
import type { JsonObject } from "../model/Event.ts"
import type { Payment } from "../model/Payment.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { ReviewQuery } from "../ports/Ledger.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { PaymentNotFound } from "../verbs/read/ReadArchive.ts"
import type { Page } from "../verbs/read/ReadPayments.ts"
import {
  type PaymentFile,
  type ReviewFile,
  type ReviewNotFound,
  reviewFile,
  reviewOf,
  reviews
} from "../verbs/review/ReadReviews.ts"
import { type ResolveReviewOrder, resolveReview, type StatementRefused } from "../verbs/review/RecordEvidence.ts"
import type { DoorContext } from "./DoorContext.ts"
import { intents } from "./Intent.ts"

export interface ReviewMethods {
  /** Payments that operations have to look at, those that wait longest first, or by amount; of all tenants unless one is named. */
  readonly reviews: (query: ReviewQuery) => Effect.Effect<Page<Payment>, StorageError>
  /** All that is recorded of a payment that waits for operations, of whichever tenant. */
  readonly reviewOf: (paymentId: string) => Effect.Effect<PaymentFile, ReviewNotFound | StorageError>
  /** All that is recorded of a payment of the tenant, under review or not, and what an operator can state of it now. */
  readonly reviewFile: (tenant: Tenant, paymentId: string) => Effect.Effect<ReviewFile, PaymentNotFound | StorageError>
  /**
   * Writes what an operator states that the provider's record says, with their evidence on the timeline, and gives the
   * payment as it is then. It sends nothing to the provider. After `StatementRefused` nothing is written; after
   * `StorageError` it may be written all the same, and the review says so.
   */
  readonly resolveReview: (
    order: ResolveReviewOrder
  ) => Effect.Effect<Payment, PaymentNotFound | StatementRefused | StorageError>
}

/** As names are in documents: `amount_minor`; `_tag` is `about`. */
const inSnakeCase = (stated: ResolveReviewOrder["stated"]): JsonObject =>
  Object.fromEntries(
    Object.entries(stated).map(([name, value]) => [
      name === "_tag" ? "about" : name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`),
      value
    ])
  )

export const reviewMethods = (context: DoorContext): ReviewMethods => ({
  reviews: (query) => Effect.provideContext(reviews(query), context),
  reviewFile: (tenant, paymentId) => Effect.provideContext(reviewFile(tenant, paymentId), context),
  reviewOf: (paymentId) => Effect.provideContext(reviewOf(paymentId), context),
  resolveReview: (order) => {
    const { workspaceId, environment } = order.tenant
    const details = { workspace_id: workspaceId, environment, by: order.by, stated: inSnakeCase(order.stated) }
    return Effect.andThen(
      intents(context)("review.resolving", order.paymentId, details),
      Effect.provideContext(resolveReview(order), context)
    )
  }
})

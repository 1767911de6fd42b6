/** Payments that wait for operations. */
import { Effect } from "effect"
import type { Correction, Person, ProposedRefund } from "../model/Correction.ts"
import type { JsonObject } from "../model/Event.ts"
import type { Payment } from "../model/Payment.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { AuditAction } from "../ports/Audit.ts"
import type { ReviewQuery } from "../ports/Ledger.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { PaymentNotFound } from "../verbs/read/ReadArchive.ts"
import type { Page } from "../verbs/read/ReadPayments.ts"
import { compareOfPayment } from "../verbs/reconcile/CompareDifferences.ts"
import {
  approveCorrection,
  type CorrectionNotFound,
  type CorrectionOrder,
  type DecidedCorrection,
  type Rejection,
  rejectCorrection,
  withdrawCorrection
} from "../verbs/review/DecideCorrection.ts"
import {
  type PaymentFile,
  proposals,
  type ReviewFile,
  type ReviewNotFound,
  reviewFile,
  reviewOf,
  reviews
} from "../verbs/review/ReadReviews.ts"
import { type ResolveReviewOrder, resolveReview, type StatementRefused } from "../verbs/review/RecordEvidence.ts"
import type { CorrectionRefused } from "../verbs/review/SecondPerson.ts"
import { type DoorContext, type DoorServices, intents, ofTenant } from "./DoorContext.ts"
import { type CardNumberFound, storing } from "./StoredTexts.ts"

export interface ReviewMethods {
  /** Payments that operations have to look at, those that wait longest first, or by amount; of all tenants unless one is named. */
  readonly reviews: (query: ReviewQuery) => Effect.Effect<Page<Payment>, StorageError>
  /** All that is recorded of a payment that waits for operations, of whichever tenant. */
  readonly reviewOf: (paymentId: string) => Effect.Effect<PaymentFile, ReviewNotFound | StorageError>
  /** All that is recorded of a payment of the tenant, under review or not, and what an operator can state of it now. */
  readonly reviewFile: (tenant: Tenant, paymentId: string) => Effect.Effect<ReviewFile, PaymentNotFound | StorageError>
  /**
   * Writes what an operator states that the provider's record says, with their evidence on the timeline, and gives the
   * payment as it is then. Where the workspace's four eyes ask for a second person, the statement is proposed instead: the
   * payment has it as `openCorrection`, and nothing else of it changes. It sends nothing to the provider. After `StatementRefused` nothing is written; after
   * `StorageError` it may be written all the same, and the review says so.
   */
  readonly resolveReview: (
    order: ResolveReviewOrder
  ) => Effect.Effect<Payment, CardNumberFound | PaymentNotFound | StatementRefused | StorageError>
  /** Payments with a correction that waits for a second person; of all tenants unless one is named. */
  readonly proposals: (tenant?: Tenant) => Effect.Effect<ReadonlyArray<Payment>, StorageError>
  /**
   * Another person than the one who proposed it approves a correction: it is decided again on the payment as it is now, and
   * written, or `overtaken` where it no longer fits. A refund is sent then. A repeated approval is answered as the first
   * one was, and sends nothing.
   */
  readonly approveCorrection: (order: CorrectionOrder) => Effect.Effect<DecidedCorrection, CorrectionFailure>
  /** Another person than the one who proposed it rejects a correction; nothing else changes. */
  readonly rejectCorrection: (order: Rejection) => Effect.Effect<DecidedCorrection, CardNumberFound | CorrectionFailure>
  /** The person who proposed a correction withdraws it; nothing else changes. */
  readonly withdrawCorrection: (order: CorrectionOrder) => Effect.Effect<DecidedCorrection, CorrectionFailure>
}

/** After `StorageError` it may be written all the same; the same order again gives what was written. */
export type CorrectionFailure = PaymentNotFound | CorrectionNotFound | CorrectionRefused | StorageError

/** As names are in documents: `amount_minor`; `_tag` is `about`. */
const inSnakeCase = (stated: ResolveReviewOrder["stated"]): JsonObject =>
  Object.fromEntries(
    Object.entries(stated).map(([name, value]) => [
      name === "_tag" ? "about" : name.replace(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`),
      value
    ])
  )

/** What proves it, where the order names something besides the note. */
const evidenceOf = ({ fileHash, providerReference }: ResolveReviewOrder): JsonObject => ({
  ...(fileHash === undefined ? {} : { evidence_sha256: fileHash }),
  ...(providerReference === undefined ? {} : { evidence_reference: providerReference })
})

const decisionOf = ({ by, correctionId, tenant }: CorrectionOrder): JsonObject => ({
  ...ofTenant(tenant),
  correction_id: correctionId,
  by: by.name,
  operator_id: by.of === "operators" ? by.id : null
})

/** What a row of a report said may be what the person stated. The act is done: a store that fails then is no failure of it. */
const comparing =
  (context: DoorContext) =>
  <A, E>(
    { paymentId, tenant }: Pick<ResolveReviewOrder, "paymentId" | "tenant">,
    act: Effect.Effect<A, E>
  ): Effect.Effect<A, E> =>
    Effect.tap(act, () =>
      compareOfPayment(tenant, paymentId).pipe(
        Effect.catch((failure) =>
          Effect.logWarning(`the open differences of payment ${paymentId} could not be compared again`, failure)
        ),
        Effect.provideContext(context)
      )
    )

/** An approved refund has the entry of every other one, with both names. */
const sendingOf =
  (context: DoorContext) =>
  ({ paymentId, tenant }: CorrectionOrder) =>
  ({ id, proposedBy, stated, target }: Correction<ProposedRefund>, by: Person) =>
    intents(context)("payment.refunding", paymentId, {
      ...ofTenant(tenant),
      amount: target.amountMinor,
      idempotency_key: stated.idempotencyKey,
      correction_id: id,
      proposed_by: proposedBy.name,
      approved_by: by.name
    })

const deciding =
  (context: DoorContext) =>
  <Order extends CorrectionOrder | Rejection>(
    action: AuditAction,
    decide: (order: Order) => Effect.Effect<DecidedCorrection, CorrectionFailure, DoorServices>
  ) =>
  (order: Order): Effect.Effect<DecidedCorrection, CorrectionFailure> => {
    const reason = "reason" in order ? { reason: order.reason } : {}
    return Effect.andThen(
      intents(context)(action, order.paymentId, { ...decisionOf(order), ...reason }),
      comparing(context)(order, Effect.provideContext(decide(order), context))
    )
  }

export const reviewMethods = (context: DoorContext): ReviewMethods => ({
  reviews: (query) => Effect.provideContext(reviews(query), context),
  reviewFile: (tenant, paymentId) => Effect.provideContext(reviewFile(tenant, paymentId), context),
  reviewOf: (paymentId) => Effect.provideContext(reviewOf(paymentId), context),
  resolveReview: (order) => {
    const stated = inSnakeCase(order.stated)
    const details = { ...ofTenant(order.tenant), by: order.by, stated, ...evidenceOf(order) }
    const { evidence, providerReference } = order
    return storing(context)(
      { evidence, provider_reference: providerReference },
      Effect.andThen(
        intents(context)("review.resolving", order.paymentId, details),
        comparing(context)(order, Effect.provideContext(resolveReview(order), context))
      )
    )
  },
  proposals: (tenant) => Effect.provideContext(proposals(tenant), context),
  approveCorrection: deciding(context)("correction.approving", (order: CorrectionOrder) =>
    approveCorrection(order, sendingOf(context)(order))
  ),
  rejectCorrection: (order) =>
    storing(context)({ reason: order.reason }, deciding(context)("correction.rejecting", rejectCorrection)(order)),
  withdrawCorrection: deciding(context)("correction.withdrawing", withdrawCorrection)
})

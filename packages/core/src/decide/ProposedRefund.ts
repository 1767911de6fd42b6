/** A refund that takes a second person: what it would give back, and who may have it sent. Pure. */
import { Result, Schema } from "effect"
import type { Attempt } from "../model/Attempt.ts"
import {
  type Correction,
  type CorrectionTarget,
  isExpired,
  openCorrection,
  type Person,
  type ProposedRefund,
  proposalUnder
} from "../model/Correction.ts"
import { type Payment, refundableMinor } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import { isAboveLimit, type RefundLimits } from "../model/Workspace.ts"
import { holdingAttempt } from "./Holding.ts"
import { reservedByHand } from "./interpret/RefundByHand.ts"
import { InvalidAmount, NotRefundable, type RefundOrder, RefundPending, TakenByAnother } from "./OperationOrder.ts"
import { targetMoved } from "./OperatorEvidence.ts"
import { isRefundable } from "./RefundFact.ts"
import { corrected } from "./WithReview.ts"

/** One operator alone may not give back so much. */
export class SecondPersonNeeded extends Schema.TaggedError<SecondPersonNeeded>()("pointsman/SecondPersonNeeded", {}) {}

/** The proposal cannot be sent any more. */
export class ProposalOvertaken extends Schema.TaggedError<ProposalOvertaken>()("pointsman/ProposalOvertaken", {
  reason: Schema.String
}) {}

/** Whether a refund may be sent, and what that changes of the payment beside the refund. */
export type Permission<E> = (
  book: PaymentBook,
  now: number
) => Result.Result<Partial<Pick<Payment, "corrections" | "review">>, E>

/** Of an API key, and of a program. */
export const unlimited: Permission<never> = () => Result.succeed({})

/** In minor units. */
const leftToRefund = (book: PaymentBook): number => Math.max(0, refundableMinor(book.payment) - reservedByHand(book))

export interface RefundSource {
  readonly attempt: Attempt
  readonly connectionId: string
  readonly providerRef: string
}

/** The charge that a refund is taken from, where its record allows one. */
export const refundSource = (
  book: PaymentBook
): Result.Result<RefundSource, NotRefundable | RefundPending | InvalidAmount> => {
  const { payment } = book
  const { connectionId, providerRef } = payment
  const attempt = holdingAttempt(book)
  if (!isRefundable(payment) || connectionId === null || providerRef === null || attempt === undefined) {
    return Result.fail(new NotRefundable())
  }
  if (leftToRefund(book) > 0) return Result.succeed({ attempt, connectionId, providerRef })
  return Result.fail(
    payment.refundPendingMinor > 0
      ? new RefundPending()
      : new InvalidAmount({ expected: "a payment that is not fully refunded" })
  )
}

/** What a refund gives back on the payment as it is. */
export const refundTarget = (book: PaymentBook, requestedMinor: number | null) => {
  const left = leftToRefund(book)
  const amountMinor = Math.min(requestedMinor ?? left, left)
  return { attemptId: holdingAttempt(book)?.id ?? null, operationId: null, amountMinor } satisfies CorrectionTarget
}

/** An operator alone. What was proposed under the same key is not sent beside the proposal. */
export const upTo =
  (limits: RefundLimits, { amountMinor, idempotencyKey }: RefundOrder): Permission<SecondPersonNeeded> =>
  (book) => {
    const { payment } = book
    const isProposed = idempotencyKey !== null && proposalUnder(payment, idempotencyKey) !== undefined
    return isProposed || isAboveLimit(limits, payment, refundTarget(book, amountMinor).amountMinor)
      ? Result.fail(new SecondPersonNeeded())
      : Result.succeed({})
  }

/** The approval is in the commit that writes the refund: of many approvals at once, one sends it. */
export const approvedBy =
  (by: Person, proposed: Correction<ProposedRefund>): Permission<ProposalOvertaken | TakenByAnother> =>
  (book, now) => {
    if (openCorrection(book.payment)?.id !== proposed.id) return Result.fail(new TakenByAnother())
    if (isExpired(proposed, now)) {
      return Result.fail(new ProposalOvertaken({ reason: "it was proposed more than 7 days ago" }))
    }
    const reason = targetMoved(proposed.target, refundTarget(book, proposed.stated.requestedMinor))
    if (reason !== undefined) return Result.fail(new ProposalOvertaken({ reason }))
    const correction: Correction = { ...proposed, state: "approved", decision: { by, at: now, reason: null } }
    const { corrections, review } = corrected(book.payment, correction)
    return Result.succeed({ corrections, review })
  }

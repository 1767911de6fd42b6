/** Payments that wait for operations, for programs and for people. Programs get amounts in minor units of their currency. */
import type { CheckIntervals, Payment, ReviewReason } from "@pointsman/core"
import { nextCheckAt } from "@pointsman/core/internal"
import { paymentView } from "./PaymentView.ts"
import { shortened, status, type Text, table } from "./Table.ts"
import { ageOf, moneyText, timeOf, timeOrNull } from "./Words.ts"

/** What the time of the next check follows from. */
export interface Now {
  /** Epoch milliseconds. */
  readonly now: number
  readonly checkIntervals: CheckIntervals
  readonly claimWindowMillis: number
}

/** Whether the checks of the background can bring an end to it. */
const endsByItself: Record<ReviewReason, boolean> = {
  unknown: true,
  refund_unknown: true,
  open_checkout: false,
  overdue: false,
  amount_mismatch: false,
  conflict: false,
  double_charge: false,
  reversal: false,
  capture_failed: false,
  refund_excess: false,
  reference_reused: false,
  correction: false
}

export const reviewView = (payment: Payment, { checkIntervals, claimWindowMillis, now }: Now) => {
  const { review } = payment
  const checkAt = nextCheckAt(payment, [], checkIntervals, claimWindowMillis, now)
  const reasons = review?.reasons ?? []
  return {
    ...paymentView(payment),
    review: review === null ? null : { since: timeOf(review.since), reasons },
    /** `true`: no check can end it, an operator has to review it. */
    needs_operator: reasons.some((reason) => !endsByItself[reason] || checkAt === null),
    next_check_at: timeOrNull(checkAt)
  }
}

export type ReviewView = ReturnType<typeof reviewView>

/** `null`: nothing is open. */
export const nextOf = ({ needs_operator, next_check_at }: ReviewView): string | null => {
  if (needs_operator) return "waits for an operator"
  return next_check_at === null ? null : `checked again ${next_check_at}`
}

export const reviewsText = (
  payments: ReadonlyArray<{ readonly payment: Payment; readonly view: ReviewView }>,
  now: number
): Text =>
  table(
    ["PAYMENT", "SINCE", "AGE", "STATUS", shortened("REASONS"), "AMOUNT", "CONNECTION", "WORKSPACE", "NEXT"],
    payments.map(({ payment, view }) => [
      view.payment_id,
      view.review?.since ?? null,
      payment.review === null ? null : ageOf(payment.review.since, now),
      status(view.status),
      view.review?.reasons.join(", ") ?? null,
      moneyText(view.amount, view.currency),
      view.connection_id,
      `${view.workspace_id} (${view.environment})`,
      nextOf(view)
    ])
  )

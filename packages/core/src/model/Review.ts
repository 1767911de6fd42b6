/** What operators have to review: unknown results, and what a provider said that contradicts us. */

/**
 * `unknown`: the result of a charge, a capture or a void. `refund_unknown`: of a refund. `open_checkout`: the provider
 * named no end of its page, so only a person can close it. `overdue`: it accepted something long ago, and is not done. `reversal`: a refund failed after it had succeeded. `capture_failed`: a capture failed that cannot be taken back here,
 * so that refunds are closed. `refund_excess`: the provider refunded more than is captured, so that refunds are closed. `reference_reused`: the provider stated one reference for two payments. `correction`: an operator proposed one, or a refund, and waits for a second person. All but the first four and `correction` stay until an operator has reviewed the payment.
 */
export const reviewReasons = [
  "unknown",
  "refund_unknown",
  "open_checkout",
  "overdue",
  "amount_mismatch",
  "conflict",
  "double_charge",
  "reversal",
  "capture_failed",
  "refund_excess",
  "reference_reused",
  "correction"
] as const
export type ReviewReason = (typeof reviewReasons)[number]

export interface Review {
  /** Epoch milliseconds: since when the payment waits for somebody. */
  readonly since: number
  /** Never empty. */
  readonly reasons: ReadonlyArray<ReviewReason>
}

/** The question of refunding, and the refusals that are a refund's own. */
import { Schema } from "effect"

export interface RefundOrder {
  readonly paymentId: string
  /** Minor units, clamped to what is left; `null` for all that is left, which is a value of its own. */
  readonly amountMinor: number | null
  /** At most 200 characters. */
  readonly reason: string | null
  /** 8 to 200 printable ASCII characters; it names the refund itself. `null`: every request is a new refund. */
  readonly idempotencyKey: string | null
}

/** It was never captured, is charged back, or its connection cannot refund. */
export class NotRefundable extends Schema.TaggedError<NotRefundable>()("pointsman/NotRefundable", {}) {}

/**
 * This refund, or one that holds the rest of the balance, is not confirmed yet; or one may be lost, and an operator decides.
 */
export class RefundPending extends Schema.TaggedError<RefundPending>()("pointsman/RefundPending", {
  /** In milliseconds: when the same request is worth sending again, where that is known. */
  retryAfterMillis: Schema.optionalKey(Schema.Finite)
}) {}

/** Every type of event that Pointsman writes (specification, Events; decisions, section 3). */
export const eventTypes = [
  "payment.created",
  "payment.requires_action",
  "payment.pending",
  "payment.authorized",
  "payment.captured",
  "payment.declined",
  "payment.failed",
  "payment.unknown",
  "payment.cancelled",
  "payment.capture_failed",
  "payment.void_failed",
  "payment.capture_unknown",
  "payment.void_unknown",
  "payment.refund_pending",
  "payment.refund_unknown",
  "payment.refunded",
  "payment.refund_failed",
  "payment.settled",
  "payment.chargeback",
  "payment.chargeback_reversed",
  "payment.conflict",
  "payment.amount_mismatch",
  "payment.reviewed"
] as const

export type EventType = (typeof eventTypes)[number]

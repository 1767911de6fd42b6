/** The statuses that the API shows. The inner states are finer: `PaymentState`. */
export const paymentStatuses = [
  "CREATED",
  "PENDING",
  "REQUIRES_ACTION",
  "AUTHORIZED",
  "CAPTURED",
  "DECLINED",
  "FAILED",
  "UNKNOWN",
  "CANCELLED",
  "REFUNDED",
  "PARTIALLY_REFUNDED",
  "CHARGEBACK",
  "SETTLED"
] as const

export type PaymentStatus = (typeof paymentStatuses)[number]

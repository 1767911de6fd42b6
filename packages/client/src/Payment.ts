/** A payment by its status, so that a program which switches on the status handles each of them. */
import type { Payment as Answer, Decline, DeclineCategory, PaymentStatus } from "./Contract.ts"

interface AnyPayment extends Omit<Answer, "status" | "payment_status"> {
  /** The status as the server wrote it. A newer server may have one that is not in `PaymentStatus`. */
  readonly payment_status: PaymentStatus | (string & {})
}

interface DeclinedPayment extends AnyPayment {
  readonly status: "DECLINED"
  readonly decline_category: DeclineCategory
  readonly decline: Decline
}

/** A payment with one of some statuses. */
export type PaymentOf<Status extends PaymentStatus> = {
  readonly [One in Status]: One extends "DECLINED" ? DeclinedPayment : AnyPayment & { readonly status: One }
}[Status]

/**
 * `status` says which fields mean something, and a `switch` over it is complete only with `UNKNOWN`: a provider may have
 * executed the payment, and the result is not known yet. Show it as pending, and never pay again for the same order. A
 * status that this version does not know is `UNKNOWN` here too; `payment_status` has it as the server wrote it.
 */
export type Payment = PaymentOf<PaymentStatus>

const known: Readonly<Record<PaymentStatus, true>> = {
  CREATED: true,
  PENDING: true,
  REQUIRES_ACTION: true,
  AUTHORIZED: true,
  CAPTURED: true,
  DECLINED: true,
  FAILED: true,
  UNKNOWN: true,
  CANCELLED: true,
  REFUNDED: true,
  PARTIALLY_REFUNDED: true,
  CHARGEBACK: true,
  SETTLED: true
}

/** `answer`: as the server wrote it. */
export const paymentOf = (answer: Answer): Payment =>
  ({ ...answer, status: Object.hasOwn(known, answer.status) ? answer.status : "UNKNOWN" }) as Payment

// Generated from the API's OpenAPI document by `npm run generate`. Change packages/http/src, not this file.
/** What the events say. The same event may reach you more than once. */
import type { Decline, DeclineCategory, DisputeReason, DisputeStatus, Json, PaymentStatus } from "./Contract.ts"

/** Fields common to most events. */
export interface PaymentEventData {
  /** The payment. */
  readonly payment_id: string
  /** Your identifier, as given in the request. */
  readonly reference: string | null
  /** The payment's status after this event. New values may be added. */
  readonly payment_status: PaymentStatus
  /** The payment's environment. */
  readonly environment: "sandbox" | "production"
  /** The payment's amount in minor units. */
  readonly amount: number
  /** ISO 4217. */
  readonly currency: string
  /** Your own data, as given in the request; absent without any. */
  readonly metadata?: { readonly [name: string]: string }
}

/** What `payment.captured` says. */
export interface CapturedEventData extends PaymentEventData {
  /** What is captured, in minor units. Absent where it is the payment's `amount`. */
  readonly captured_amount?: number
}

/** What `payment.declined` says. */
export interface DeclinedEventData extends PaymentEventData {
  /** Decline category, normalized across providers. */
  readonly decline_category: DeclineCategory | null
  /** The provider's code. */
  readonly decline_code: string | null
  readonly decline?: Decline
}

/** What `payment.cancelled` says. */
export interface CancelledEventData extends PaymentEventData {
  /** An authorization was cancelled or expired at the provider, without a void here. New values may be added. */
  readonly origin?: "provider"
}

/** What `payment.capture_failed` and `payment.void_failed` say. */
export interface OperationFailedEventData extends PaymentEventData {
  /** The capture or void that failed. */
  readonly operation_id: string
  /** The provider's reason. */
  readonly failure_reason: string | null
  /** What is left captured, in minor units. Of `payment.capture_failed`. */
  readonly captured_amount?: number
}

/** Fields of refund events. */
export interface RefundEventData extends PaymentEventData {
  /** The refund. */
  readonly refund_id: string
  /** Who asked for it. `provider`: somebody made it at the provider, in its dashboard for example. */
  readonly origin: "api" | "provider"
  /** The refund's amount in minor units. */
  readonly refund_amount: number
  /** Total refunded and confirmed so far, in minor units. */
  readonly refunded_total: number
  /** Total reserved by unconfirmed refunds, in minor units. */
  readonly refund_pending_amount: number
}

/** What `payment.refund_failed` says. */
export interface RefundFailedEventData extends RefundEventData {
  /** Why the refund failed. */
  readonly failure_reason: string | null
}

/** What `payment.conflict` says. */
export interface ConflictEventData extends PaymentEventData {
  /**
   * What the provider stated, such as `captured`, `canceled`, `void_refused`, `dispute_lost`, `settled` or
   * `other_account`; absent for an additional charge. For people; new values may be added.
   */
  readonly stated?: string
  /** The attempt that the statement is about, or the additional attempt that holds money. */
  readonly attempt_id?: string
  /** The capture or void that the statement is about. */
  readonly operation_id?: string
  /** The refund. */
  readonly refund_id?: string
  /** Who asked for it. `provider`: somebody made it at the provider, in its dashboard for example. */
  readonly origin?: "api" | "provider"
  /** The refund's amount in minor units. */
  readonly refund_amount?: number
  /** Total refunded and confirmed so far, in minor units. */
  readonly refunded_total?: number
  /** Total reserved by unconfirmed refunds, in minor units. */
  readonly refund_pending_amount?: number
  /** The provider's identifier of the dispute that the statement is about. */
  readonly dispute_id?: string | null
  /** The status of the dispute, as the provider stated it. */
  readonly dispute_status?: string
  /** The provider's identifier of the capture that the statement is about. */
  readonly capture_id?: string
  /** The connection of the statement. */
  readonly connection_id?: string
  /** The provider's reference for the charge, if known. Use it to find the charge at the provider. */
  readonly provider_reference?: string | null
  /** The provider's identifier of the refund, if known. */
  readonly provider_refund_id?: string | null
  /** The amount that the provider stated, in minor units of `stated_currency`. */
  readonly stated_amount?: number
  /** The currency of `stated_amount`. ISO 4217. */
  readonly stated_currency?: string
  /** The provider's reason for a failure. */
  readonly failure_reason?: string | null
  /** What changed, in the provider's words. Of `changed`. */
  readonly reason?: string
  /** The other payment for which the provider stated the same reference. */
  readonly other_payment_id?: string | null
  /** The other refund for which the provider stated the same identifier. */
  readonly other_refund_id?: string
  /** The provider account of the payment. Of `other_account`. */
  readonly account?: string
  /** The provider account that the connection's credentials open now. Of `other_account`. */
  readonly current_account?: string
}

/** What `payment.amount_mismatch` says. */
export interface AmountMismatchEventData extends PaymentEventData {
  /** The amount that the provider stated, in minor units of `stated_currency`. */
  readonly stated_amount?: number
  /** The currency that the provider stated. */
  readonly stated_currency?: string
  /**
   * What is recorded as captured after the event, in minor units. Of an authorized or captured payment for which the
   * provider stated a greater amount.
   */
  readonly captured_amount?: number
}

/** What `payment.reviewed` says. */
export interface ReviewedEventData extends PaymentEventData {
  /** Who read the provider's record. */
  readonly reviewed_by?: string
  /** The second person, if one was needed. */
  readonly approved_by?: string
  /** The evidence, as free text. */
  readonly evidence?: string
  /** SHA-256 of a file that shows it, if the operator named one. */
  readonly evidence_sha256?: string
  /** The provider's support case or other reference, if the operator named one. */
  readonly evidence_reference?: string
  /** What the operator stated that the provider's record says. Empty if nothing changed. */
  readonly finding?: { readonly [name: string]: Json }
}

/** Fields of dispute events. */
export interface DisputeEventData extends PaymentEventData {
  /** The dispute. */
  readonly dispute_id: string
  /** The dispute's status after this event. New values may be added. */
  readonly dispute_status: DisputeStatus
  /** The disputed amount in minor units of `dispute_currency`; null if the provider does not state it. */
  readonly dispute_amount: number | null
  /** ISO 4217. */
  readonly dispute_currency: string | null
  /** The customer's reason, normalized across providers. */
  readonly dispute_reason: DisputeReason | null
  /** Until when the provider takes evidence; null if it does not state it. */
  readonly evidence_due_by: string | null
}

/** What `dispute.evidence_due` says. */
export interface DisputeEvidenceDueEventData extends DisputeEventData {
  /** Days before the deadline that this reminds of. */
  readonly days: 7 | 3 | 1
}

/** What an event says, by its type. */
export interface EventDataOf {
  readonly "payment.created": PaymentEventData
  readonly "payment.requires_action": PaymentEventData
  readonly "payment.pending": PaymentEventData
  readonly "payment.authorized": PaymentEventData
  readonly "payment.captured": CapturedEventData
  readonly "payment.declined": DeclinedEventData
  readonly "payment.failed": PaymentEventData
  readonly "payment.unknown": PaymentEventData
  readonly "payment.cancelled": CancelledEventData
  readonly "payment.capture_failed": OperationFailedEventData
  readonly "payment.void_failed": OperationFailedEventData
  readonly "payment.capture_unknown": PaymentEventData
  readonly "payment.void_unknown": PaymentEventData
  readonly "payment.refund_pending": RefundEventData
  readonly "payment.refund_unknown": RefundEventData
  readonly "payment.refunded": RefundEventData
  readonly "payment.refund_failed": RefundFailedEventData
  readonly "payment.settled": PaymentEventData
  readonly "payment.chargeback": PaymentEventData
  readonly "payment.chargeback_reversed": PaymentEventData
  readonly "payment.conflict": ConflictEventData
  readonly "payment.amount_mismatch": AmountMismatchEventData
  readonly "payment.reviewed": ReviewedEventData
  readonly "dispute.opened": DisputeEventData
  readonly "dispute.updated": DisputeEventData
  readonly "dispute.evidence_due": DisputeEvidenceDueEventData
  readonly "dispute.submitted": DisputeEventData
  readonly "dispute.won": DisputeEventData
  readonly "dispute.lost": DisputeEventData
  readonly "dispute.accepted": DisputeEventData
}

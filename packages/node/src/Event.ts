/** Events and what they say. Amounts are in minor units of the payment's currency, times in RFC 3339. */
import type { DisputeReason, DisputeStatus } from "./Dispute.ts"
import type { Decline, DeclineCategory, Environment, Json, PaymentStatus } from "./Payment.ts"

/** What every event says of its payment. Fields may be added. */
export type PaymentEventData = {
  readonly payment_id: string
  readonly reference: string | null
  /** After the event. */
  readonly payment_status: PaymentStatus
  readonly environment: Environment
  readonly amount: number
  readonly currency: string
  /** As given in the create; absent without any. */
  readonly metadata?: Readonly<Record<string, string>>
}

export type DeclinedEventData = PaymentEventData & {
  readonly decline_category: DeclineCategory | null
  /** The provider's own code. */
  readonly decline_code: string | null
  readonly decline?: Decline
}

export type CapturedEventData = PaymentEventData & {
  /** In minor units; absent where it is the payment's `amount`. */
  readonly captured_amount?: number
}

export type CancelledEventData = PaymentEventData & {
  /** An authorization was cancelled or expired at the provider, without a void here. */
  readonly origin?: "provider"
}

export type OperationFailedEventData = PaymentEventData & {
  /** Of `payment.capture_failed`: what is left captured, in minor units. */
  readonly captured_amount?: number
  /** The capture or the void. */
  readonly operation_id: string
  readonly failure_reason: string | null
}

export type RefundEventData = PaymentEventData & {
  readonly refund_id: string
  /** `provider`: somebody made it at the provider, in its dashboard for example. */
  readonly origin: "api" | "provider"
  readonly refund_amount: number
  /** Confirmed so far. */
  readonly refunded_total: number
  /** Held by refunds that are not confirmed. */
  readonly refund_pending_amount: number
}

export type RefundFailedEventData = RefundEventData & { readonly failure_reason: string | null }

/** Each conflict has the fields that its statement has. */
export type ConflictEventData = PaymentEventData &
  Partial<RefundEventData> & {
    /** What the provider stated, such as `void_refused`, for people; absent for an additional charge. */
    readonly stated?: string
    /** The attempt of the statement, or a further attempt that holds money. */
    readonly attempt_id?: string
    /** The capture or the void. */
    readonly operation_id?: string
    /** The provider's identifier. */
    readonly dispute_id?: string | null
    readonly dispute_status?: DisputeStatus
    /** The provider's identifier. */
    readonly capture_id?: string
    readonly connection_id?: string
    /** The provider's reference for the charge. */
    readonly provider_reference?: string | null
    readonly provider_refund_id?: string | null
    /** Minor units of `stated_currency`. */
    readonly stated_amount?: number
    readonly stated_currency?: string
    readonly failure_reason?: string | null
    /** What changed, in the provider's words. */
    readonly reason?: string
    /** The payment for which the provider stated the same reference. */
    readonly other_payment_id?: string | null
    readonly other_refund_id?: string
    /** The provider account of the payment, and the one that the credentials open now. */
    readonly account?: string
    readonly current_account?: string
  }

export type AmountMismatchEventData = PaymentEventData & {
  /** Minor units of `stated_currency`. */
  readonly stated_amount?: number
  readonly stated_currency?: string
  /** Of an authorized or captured payment with a greater amount stated: what is recorded now, in minor units. */
  readonly captured_amount?: number
}

export type ReviewedEventData = PaymentEventData & {
  readonly reviewed_by?: string
  /** The second person, where one was needed. */
  readonly approved_by?: string
  readonly evidence?: string
  /** SHA-256 of a file that shows it. */
  readonly evidence_sha256?: string
  /** Where the provider answers for it. */
  readonly evidence_reference?: string
  /** What the operator stated that the provider's record says. Empty where nothing changed. */
  readonly finding?: { readonly [field: string]: Json }
}

export type DisputeEventData = PaymentEventData & {
  readonly dispute_id: string
  /** After the event. */
  readonly dispute_status: DisputeStatus
  /** Minor units of `dispute_currency`; `null` where the provider does not state them. */
  readonly dispute_amount: number | null
  readonly dispute_currency: string | null
  readonly dispute_reason: DisputeReason | null
  /** Until when the provider takes evidence. */
  readonly evidence_due_by: string | null
}

/** `days`: before the deadline. */
export type DisputeEvidenceDueEventData = DisputeEventData & { readonly days: number }

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

export type EventType = keyof EventDataOf

/** An event of one type. */
export type EventOf<Type extends EventType> = {
  readonly [One in Type]: {
    /** The same event may reach you more than once: skip an id that you have processed. */
    readonly id: string
    readonly type: One
    readonly created: string
    readonly data: EventDataOf[One]
  }
}[Type]

/**
 * An entry of a payment's timeline, as a webhook carries it too: `type` says what is in `data`. A server that is newer
 * than this package may write further types: ignore those that you do not know.
 */
export type Event = EventOf<EventType>

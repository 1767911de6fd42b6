/**
 * Payments and events in the words of the v1 API: the same objects that `GET /api/v1/payments/{id}` and a webhook carry,
 * so that there is one shape to know. Amounts are integers in the currency's minor unit (1999 is 19.99 EUR, 1999 JPY or
 * 1.999 KWD), times are RFC 3339 in UTC.
 */

import type { DisputeReason, DisputeStatus } from "./Dispute.ts"

export type Environment = "sandbox" | "production"

/**
 * `UNKNOWN`: a provider may have executed it, but the result is not known yet. Show it as pending, and never pay again
 * for the same order; it settles by itself. New values may be added.
 */
export type PaymentStatus =
  | "CREATED"
  | "PENDING"
  | "REQUIRES_ACTION"
  | "AUTHORIZED"
  | "CAPTURED"
  | "DECLINED"
  | "FAILED"
  | "UNKNOWN"
  | "CANCELLED"
  | "REFUNDED"
  | "PARTIALLY_REFUNDED"
  | "CHARGEBACK"
  | "SETTLED"

/** The kind of a payment method. */
export type PaymentMethod = "card" | "bank" | "wallet" | "crypto"

/** A payment method by name. */
export type PaymentMethodName =
  | "card"
  | "apple_pay"
  | "google_pay"
  | "paypal"
  | "mb_way"
  | "swish"
  | "twint"
  | "bancontact"
  | "blik"
  | "eps"
  | "ideal"
  | "przelewy24"
  | "sepa_debit"
  | "trustly"

/** `cit`: the customer is present. `mit`: the merchant starts it, for example a recurring payment. */
export type Initiator = "cit" | "mit"

/** `manual` authorizes alone; capture or void it later. */
export type CaptureMethod = "automatic" | "manual"

export type DeclineCategory =
  | "insufficient_funds"
  | "do_not_honor"
  | "expired_card"
  | "invalid_card"
  | "lost_or_stolen"
  | "suspected_fraud"
  | "limit_exceeded"
  | "authentication_failed"
  | "not_permitted"
  | "issuer_unavailable"
  | "invalid_request"
  | "cancelled_by_customer"
  | "other"

/** What to do about a decline: see `Decline`. */
export type DeclineAdvice = "retry_later" | "use_another_method" | "do_not_retry"

/** Why a provider declined, and what to do about it. */
export type Decline = {
  readonly category: DeclineCategory
  /** The reason within the category, normalized across providers; new codes may be added. */
  readonly code: string
  /** The provider's own code. */
  readonly provider_code: string | null
  /**
   * `retry_later`: the same method may succeed later. `use_another_method`: do not charge the same method again as it is;
   * the customer can correct or confirm it, or pay with another. `do_not_retry`: do not charge for this order again.
   */
  readonly advice: DeclineAdvice
}

export type SimulatedCharge =
  | "approve"
  | `decline:${DeclineCategory}`
  | `soft_decline:${DeclineCategory}`
  | "requires_authentication"
  | "technical_error"
  | "no_answer"
  | "pending"

/** What the simulated provider does with a sandbox payment. */
export interface Simulation {
  /** One outcome, or one for each attempt. Approved unless set. */
  readonly charge?: SimulatedCharge | readonly [SimulatedCharge, ...ReadonlyArray<SimulatedCharge>]
  readonly capture?: "confirm" | "refuse" | "no_answer"
  readonly void?: "confirm" | "refuse" | "no_answer"
  readonly refund?: "confirm" | "refuse" | "no_answer" | "pending"
  /** What a later check of the provider states. */
  readonly lookup?: "executed" | "not_executed" | "no_answer"
}

/** A line of what the customer pays for. */
export interface PurchaseLine {
  readonly name: string
  readonly quantity: number
  /** Of the whole line, in minor units; negative for a discount. */
  readonly amount: number
}

/** A payment to create, with the API's defaults for what is left out. */
export interface CreatePayment {
  /** Minor units of `currency`, from 1. */
  readonly amount: number
  /** ISO 4217. */
  readonly currency: string
  /** The customer's country, ISO 3166-1 alpha-2. */
  readonly country: string
  /** That of `payment_method` unless set, or else `card`. */
  readonly method?: PaymentMethod
  /**
   * By name: only connections that declare it are used, and the hosted page of the provider offers it alone. For a direct
   * charge, the token decides what is charged; the name is recorded and decides the route.
   */
  readonly payment_method?: PaymentMethodName
  readonly card_brand?: string
  /** Your own identifier, at most 64 characters. It comes back in results and webhooks. */
  readonly reference?: string
  /** Your own data: at most 20 texts of at most 500 characters, under names of at most 40. It comes back as `reference` does. */
  readonly metadata?: Readonly<Record<string, string>>
  /** What the customer pays for, as the hosted page shows it. At most 200 characters. */
  readonly description?: string
  /** The language of the hosted page, BCP 47; the browser's unless set. */
  readonly locale?: string
  /** What the customer pays for, line by line. The amounts add up to `amount`. */
  readonly lines?: ReadonlyArray<PurchaseLine>
  /** `cit` unless set. */
  readonly initiator?: Initiator
  /** `automatic` unless set. */
  readonly capture_method?: CaptureMethod
  /** Asks for the hosted page: `next_action.url` takes the customer's payment, and sends the customer back to this URL. */
  readonly return_url?: string
  /** Where the hosted page sends a customer who cancels; `return_url` unless set. */
  readonly cancel_url?: string
  /** Lists every connection that was left out, in `routing.excluded` or in the error `routing_failed`. */
  readonly debug?: boolean
  /** Sandbox alone. */
  readonly simulate?: Simulation
  /** One stored credential for each connection that may take the payment: what the provider issued, never card data. */
  readonly instruments?: ReadonlyArray<{ readonly connection: string; readonly token: string }>
}

export interface NextAction {
  /** `REDIRECT`: send the customer to `url`. */
  readonly type: "NONE" | "REDIRECT"
  readonly url?: string
  readonly expires_at?: string
}

/** A connection that could not take the payment. */
export interface RoutingExclusion {
  /** The connection's id. */
  readonly providerId: string
  readonly name: string
  /** Stable; new codes may be added. */
  readonly code: string
  /** For people. */
  readonly reason: string
}

export interface RoutingDecision {
  readonly path: "engine" | "rule" | "control"
  readonly strategy: string
  readonly mode: string
  readonly rule: string | null
  /** In the order of trial. Fields may be added and removed. */
  readonly candidates: ReadonlyArray<{ readonly [field: string]: Json }>
  /** Oldest first. Fields may be added and removed. */
  readonly attempts: ReadonlyArray<{ readonly [field: string]: Json }>
  /** With `debug`. */
  readonly excluded?: ReadonlyArray<RoutingExclusion>
  readonly eligibility_version?: string | null
  readonly degraded?: boolean
}

export interface Payment {
  readonly id: string
  /** The same as `id`. */
  readonly payment_id: string
  readonly reference: string | null
  /** As given, like the next three. */
  readonly metadata?: Readonly<Record<string, string>>
  readonly description?: string
  readonly locale?: string
  readonly lines?: ReadonlyArray<PurchaseLine>
  readonly payment_status: PaymentStatus
  /** The same as `payment_status`. */
  readonly status: PaymentStatus
  readonly environment: Environment
  /** Minor units, like all amounts here. */
  readonly amount: number
  readonly currency: string
  readonly country: string
  readonly method: PaymentMethod
  /** A name as given in the create (`PaymentMethodName`), or one of a later release; absent without one. */
  readonly payment_method?: string
  readonly card_brand: string | null
  readonly initiator: Initiator
  readonly capture_method: CaptureMethod
  readonly decline_category: DeclineCategory | null
  /** The provider's own code. */
  readonly decline_reason: string | null
  /** Of a `DECLINED` payment. */
  readonly decline?: Decline
  readonly captured_amount: number
  /** Confirmed by the provider. */
  readonly refunded_amount: number
  /** Held by refunds that are not confirmed: neither refunded nor refundable. */
  readonly refund_pending_amount: number
  readonly next_action: NextAction
  readonly created: string
  /** Records of the payment were lost with the database and recovered from the provider. Absent otherwise. */
  readonly recovered?: true
  /** What the provider's report says of a payment that is paid out. In `payment` and `payments`; absent without a report. */
  readonly settlement?: Settlement
  /** The same of each refund that a report has. */
  readonly refund_settlements?: ReadonlyArray<RefundSettlement>
  /** In `payment`: its refunds, newest first, at most 100. */
  readonly refunds?: ReadonlyArray<PaymentRefund>
  /** On the result of a create and its replay. */
  readonly routing?: RoutingDecision
}

export interface PaymentRefund {
  readonly refund_id: string
  /** Minor units. */
  readonly amount: number
  readonly status: "pending" | "unknown" | "succeeded" | "failed"
  /** `provider`: somebody made it at the provider, in its dashboard for example. */
  readonly origin: "api" | "provider"
  readonly created: string
}

/** Minor units of `currency`, which is that of the payout. */
export interface Settlement {
  /** The provider's. */
  readonly payout_id: string | null
  /** `null` where the report has none. */
  readonly fee: number | null
  readonly net: number | null
  readonly currency: string
  /** When the payout arrives, or the money is available. */
  readonly settled_at: string | null
}

export interface RefundSettlement extends Settlement {
  readonly refund_id: string
}

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

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

export type ConflictEventData = PaymentEventData & {
  /** A further attempt that holds money. */
  readonly attempt_id?: string
  readonly connection_id?: string
  /** The provider's reference for that charge. */
  readonly provider_reference?: string | null
  /** The payment for which the provider stated the same reference. */
  readonly other_payment_id?: string
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

/** One page of a list; `next_cursor` is `null` on the last one. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

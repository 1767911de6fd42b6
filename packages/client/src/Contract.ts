// Generated from the API's OpenAPI document by `npm run generate`. Change packages/http/src, not this file.
/** What the API takes and answers. Amounts are integers in minor units, times RFC 3339 in UTC. */
export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

/**
 * `UNKNOWN` means that the provider may have executed the operation, but the outcome is not known yet: show it as
 * `PENDING`, and do not pay again for the same order. New values may be added.
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

export type PaymentMethod = "card" | "bank" | "wallet" | "crypto"

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

export type Environment = "sandbox" | "production"

export type Initiator = "cit" | "mit"

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

export type DeclineAdvice = "retry_later" | "use_another_method" | "do_not_retry"

export type PayoutStatus = "open" | "paid" | "partly_returned" | "returned"

export type DisputeStatus = "needs_response" | "under_review" | "won" | "lost" | "accepted" | "warning"

export type DisputeReason =
  | "fraudulent"
  | "unrecognized"
  | "not_received"
  | "not_as_described"
  | "duplicate"
  | "credit_not_processed"
  | "subscription_canceled"
  | "authorization"
  | "processing_error"
  | "other"

/** A payment to create. */
export interface CreatePayment {
  /**
   * In the minor unit of `currency`: 1999 is 19.99 EUR, 1999 JPY or 1.999 KWD. An amount in the wrong scale is not
   * detected; it charges the wrong amount. 50 to 100000000.
   */
  readonly amount: number
  /** ISO 4217 currency code. */
  readonly currency: string
  /** Country of the customer, ISO 3166-1 alpha-2. */
  readonly country: string
  /** The kind of payment method. Default: that of `payment_method`, else `card`. */
  readonly method?: PaymentMethod
  /**
   * The payment method by name, of the kind `method`. Only connections that declare it are used, and the provider's
   * hosted page offers it alone. For a direct charge, the token decides what is charged; the name is recorded and
   * decides the route.
   */
  readonly payment_method?: PaymentMethodName
  /** The card brand, if known. Routing rules can match on it. At most 20 characters. */
  readonly card_brand?: string
  /** Your identifier for the payment. Responses and webhooks repeat it. At most 64 characters. */
  readonly reference?: string
  /** `cit`: the customer is present. `mit`: initiated by the merchant, for example recurring. Default: `"cit"`. */
  readonly initiator?: Initiator
  /** `manual` only authorizes; capture or void the payment later. Default: `"automatic"`. */
  readonly capture_method?: CaptureMethod
  /**
   * Requests the hosted payment flow: redirect the customer to `next_action.url` in the response; after payment, the
   * hosted page redirects the customer to this http or https URL.
   */
  readonly return_url?: string
  /** The http or https URL to which the hosted page redirects a customer who cancels. Default: `return_url`. */
  readonly cancel_url?: string
  /**
   * Your own data: at most 20 texts of at most 500 characters, under names of at most 40. Responses and events repeat
   * it, and lists filter by it.
   */
  readonly metadata?: { readonly [name: string]: string }
  /** What the customer pays for, as the hosted page shows it. Returned with the payment. 1 to 200 characters. */
  readonly description?: string
  /**
   * The language of the hosted page: a BCP 47 tag. Default: the browser's. Returned with the payment. At most 35
   * characters.
   */
  readonly locale?: string
  /**
   * What the customer pays for, line by line. The amounts add up to `amount`. Returned with the payment. 1 to 50
   * entries.
   */
  readonly lines?: ReadonlyArray<PurchaseLine>
  /**
   * Lists every connection that was excluded before routing, in `routing.excluded` or in the error `routing_failed`.
   * Ignored with `return_url`. Default: `false`.
   */
  readonly debug?: boolean
  readonly simulate?: Simulation
  /**
   * For direct charges at real providers: one stored credential for each connection that may be used. Other connections
   * are excluded. At most 10 entries.
   */
  readonly instruments?: ReadonlyArray<{
    /** The id of the connection that the token is for. */
    readonly connection: string
    /** The provider's token for a stored credential. Never card data. */
    readonly token: string
  }>
}

/** A line of what the customer pays for. */
export interface PurchaseLine {
  /** What it is, in the customer's language. 1 to 120 characters. */
  readonly name: string
  /** How many. 1 to 999. */
  readonly quantity: number
  /** Of the whole line, in the minor unit of `currency`. Negative for a discount. -100000000 to 100000000. */
  readonly amount: number
}

/** Controls how the simulated provider treats this payment. Only in the sandbox: over HTTP, with a `ps_test_` key. */
export interface Simulation {
  /** An outcome, or a list with one outcome per attempt. Default: approved. */
  readonly charge?: SimulatedCharge | readonly [SimulatedCharge, ...ReadonlyArray<SimulatedCharge>]
  /** Outcome of a capture. Default: `"confirm"`. */
  readonly capture?: "confirm" | "refuse" | "no_answer"
  /** Outcome of a void. Default: `"confirm"`. */
  readonly void?: "confirm" | "refuse" | "no_answer"
  /** Outcome of a refund. Default: `"confirm"`. */
  readonly refund?: "confirm" | "refuse" | "no_answer" | "pending"
  /** Outcome that a later check finds at the provider. Default: `"executed"`. */
  readonly lookup?: "executed" | "not_executed" | "no_answer"
}

/**
 * `no_answer` results in `UNKNOWN`; after `technical_error` and soft declines, the next connection is tried if the
 * routing mode allows it.
 */
export type SimulatedCharge =
  | "approve"
  | `decline:${DeclineCategory}`
  | `soft_decline:${DeclineCategory}`
  | "requires_authentication"
  | "technical_error"
  | "no_answer"
  | "pending"

/** A capture. */
export interface CapturePayment {
  /** Amount to capture, in minor units, up to the authorized amount. Default: the full authorized amount. 1 or more. */
  readonly amount?: number
}

/** A refund. */
export interface RefundPayment {
  /**
   * Amount to refund, in minor units. An amount above the refundable balance refunds that balance. Default: the full
   * refundable balance. 1 or more.
   */
  readonly amount?: number
  /** Reason for the refund, for your records and the provider's. At most 200 characters. */
  readonly reason?: string
}

/** A new sub-merchant. */
export interface CreateMerchant {
  /** The name of the merchant's workspace. 1 to 120 characters. */
  readonly name: string
  /** Email address of the owner, who receives an invitation. At most 254 characters. */
  readonly email: string
  /** Where the merchant is registered, ISO 3166-1 alpha-2. */
  readonly country: string
  /** The merchant category. Some providers exclude certain categories. At most 64 characters. */
  readonly category?: string
}

/** A payment. Amounts are integers in the currency's minor unit. */
export interface Payment {
  /** The same as `payment_id`. */
  readonly id: string
  /** The payment id used in paths: a UUIDv7, so ids sort by creation time. */
  readonly payment_id: string
  /** Your identifier, as given in the request. */
  readonly reference: string | null
  /** As given in the request; absent without one. */
  readonly metadata?: { readonly [name: string]: string }
  /** As given in the request; absent without one. */
  readonly description?: string
  /** As given in the request; absent without one. */
  readonly locale?: string
  /** As given in the request; absent without one. */
  readonly lines?: ReadonlyArray<PurchaseLine>
  /** The payment's status. */
  readonly payment_status: PaymentStatus
  /** Always the same as `payment_status`. */
  readonly status: PaymentStatus
  /** The environment in which the payment was created: over HTTP, that of the API key. */
  readonly environment: Environment
  /** In the minor unit of `currency`. */
  readonly amount: number
  /** ISO 4217. */
  readonly currency: string
  /** Country of the customer, ISO 3166-1 alpha-2. */
  readonly country: string
  /** The kind of payment method. */
  readonly method: PaymentMethod
  /**
   * The payment method by name, as given in the request; absent without one. Now one of `card`, `apple_pay`,
   * `google_pay`, `paypal`, `mb_way`, `swish`, `twint`, `bancontact`, `blik`, `eps`, `ideal`, `przelewy24`,
   * `sepa_debit`, `trustly`; new names may be added.
   */
  readonly payment_method?: string
  /** The card brand, as given in the request. */
  readonly card_brand: string | null
  /** `cit`: the customer is present. `mit`: initiated by the merchant. */
  readonly initiator: Initiator
  /** `automatic`: captured immediately. `manual`: authorized, and captured by a separate request. */
  readonly capture_method: CaptureMethod
  /** Decline category of a `DECLINED` payment, normalized across providers; otherwise null. */
  readonly decline_category: DeclineCategory | null
  /** The provider's code if `DECLINED`, `provider_error` if `FAILED`, otherwise null. */
  readonly decline_reason: string | null
  /** Why the payment was declined, and what to do about it. Present on a `DECLINED` payment. */
  readonly decline?: Decline
  /** Total captured, in minor units. */
  readonly captured_amount: number
  /** Total refunded and confirmed by the provider, in minor units. */
  readonly refunded_amount: number
  /**
   * Total reserved by refunds that were sent but are not confirmed, including unanswered ones, in minor units. The
   * amount is neither refunded nor refundable until each refund is resolved.
   */
  readonly refund_pending_amount: number
  readonly next_action: NextAction
  /** When the payment was created. RFC 3339, UTC, milliseconds. */
  readonly created: string
  /**
   * Present if records of the payment were lost with the database and recovered from the provider. What the provider
   * was not told is missing: an unknown `country` is `ZZ`.
   */
  readonly recovered?: true
  /**
   * Present in reads, once a report of the provider that pays the payment out was reconciled. Its `payout_status` says
   * whether the payout is `open`, `paid`, `partly_returned` or `returned`.
   */
  readonly settlement?: Settlement
  /** As `settlement`, of each refund that a report has. */
  readonly refund_settlements?: ReadonlyArray<RefundSettlement>
  /** Present in reads of one payment: its refunds, newest first, at most 100. */
  readonly refunds?: ReadonlyArray<Refund>
  /** How the payment was routed. Present in the response to a create and in its replay. */
  readonly routing?: RoutingDecision
}

/** Why a provider declined, and what to do about it. */
export type Decline = {
  /** The same as `decline_category`: normalized across providers. */
  readonly category: DeclineCategory
  /**
   * The reason within the category, normalized across providers. Now one of `insufficient_funds`, `do_not_honor`,
   * `call_issuer`, `do_not_try_again`, `expired_card`, `invalid_card`, `incorrect_number`, `incorrect_expiry`,
   * `incorrect_cvc`, `incorrect_address`, `incorrect_name`, `account_closed`, `lost_or_stolen`, `lost_card`,
   * `stolen_card`, `restricted_card`, `suspected_fraud`, `blocked_by_provider`, `limit_exceeded`,
   * `amount_limit_exceeded`, `count_limit_exceeded`, `authentication_failed`, `authentication_required`,
   * `incorrect_pin`, `pin_tries_exceeded`, `not_permitted`, `card_not_supported`, `currency_not_supported`,
   * `authorization_revoked`, `issuer_unavailable`, `processing_error`, `response_late`, `invalid_request`,
   * `duplicate_transaction`, `cancelled_by_customer`, `result_uncertain`, `other`; new codes may be added.
   */
  readonly code: string
  /** The provider's own code. */
  readonly provider_code: string | null
  /**
   * `retry_later`: the same method may succeed later. `use_another_method`: do not charge the same method again as it
   * is; the customer can correct or confirm it, or pay with another. `do_not_retry`: do not charge for this order
   * again.
   */
  readonly advice: DeclineAdvice
}

/** What the customer must do before the payment can proceed. */
export interface NextAction {
  /** `REDIRECT`: redirect the customer to `url`. `NONE`: no action is required. */
  readonly type: "NONE" | "REDIRECT"
  /**
   * The URL to redirect the customer to. Present if `type` is `REDIRECT` and the API key has the scope
   * `payments:write`: a person with the URL can act for the customer.
   */
  readonly url?: string
  /** When `url` expires. Present if `type` is `REDIRECT`. RFC 3339, UTC, milliseconds. */
  readonly expires_at?: string
}

/** What the provider's report says about the money of the payment. */
export interface Settlement {
  /** The provider's id of the payout; `null` until it is paid out. */
  readonly payout_id: string | null
  /**
   * What the provider's reports say of the payout: `open` while none has the payout itself, `paid` once it left,
   * `partly_returned` or `returned` if it came back. `null` until the payment is paid out.
   */
  readonly payout_status: PayoutStatus | null
  /** What the provider keeps, in minor units of `currency`; `null` where its report has no fees. */
  readonly fee: number | null
  /** What is paid out, in minor units of `currency`; negative where money leaves. `null` without fees. */
  readonly net: number | null
  /** The currency of the payout. */
  readonly currency: string
  /** When the payout arrives, or when the money is available; `null` where it is not known. */
  readonly settled_at: string | null
}

/** What the provider's report says about a refund. */
export interface RefundSettlement extends Settlement {
  /** The id of the refund, as in the events. */
  readonly refund_id: string
}

/** A refund of a payment. */
export interface Refund {
  /** Names it in its events. */
  readonly refund_id: string
  /** In minor units. */
  readonly amount: number
  /** `unknown`: the provider did not answer and may have refunded. */
  readonly status: "pending" | "unknown" | "succeeded" | "failed"
  /** `provider`: the merchant made it at the provider, in its dashboard for example. */
  readonly origin: "api" | "provider"
  /** When it was asked for. RFC 3339, UTC, milliseconds. */
  readonly created: string
}

/** How a payment was routed. */
export interface RoutingDecision {
  /** What decided the route: a matching rule, the control group, or the routing engine. */
  readonly path: "engine" | "rule" | "control"
  /** How the candidates were ordered. */
  readonly strategy: string
  /** What may follow a failed first attempt. */
  readonly mode: "fixed" | "priority" | "failover" | "auto"
  /** The name of the matched routing rule, if any. */
  readonly rule: string | null
  /** The eligible connections, in the order in which they are tried. */
  readonly candidates: ReadonlyArray<RoutingCandidate>
  /** The provider calls, oldest first. A declined one has `decline`. */
  readonly attempts: ReadonlyArray<RoutingAttempt>
  /**
   * Every connection that was excluded, before routing or because it could no longer be used when a further attempt was
   * due; may be empty. Present if the request set `debug`.
   */
  readonly excluded?: ReadonlyArray<RoutingExclusion>
  /** Version of the eligibility rules behind `excluded`. Present if the request set `debug`. */
  readonly eligibility_version?: string | null
  /**
   * Whether every eligible connection had an open circuit breaker and was tried anyway. Present if the request set
   * `debug`.
   */
  readonly degraded?: boolean
}

/** A connection that could take the payment. Fields may be added. */
export interface RoutingCandidate {
  /** The connection's id. */
  readonly connection_id: string
  /** The connection's name. */
  readonly name: string
  /** Its configured priority: the smaller is tried first. */
  readonly priority: number
  /** What it was ordered by, where the strategy gives scores: the greater is tried first. */
  readonly score?: number
}

/** A call to a provider. Fields may be added. */
export interface RoutingAttempt {
  /** The attempt's id, which the provider received. */
  readonly attempt_id: string
  /** The connection's id. */
  readonly connection_id: string
  /**
   * How the call ended; `null` while it is under way. Now one of `checkout_opened`, `authorized`, `captured`,
   * `pending`, `declined`, `needs_customer`, `canceled`, `rejected`, `not_sent`, `unanswered`, `mismatched`,
   * `abandoned`; new outcomes may be added.
   */
  readonly outcome: string | null
  /** The provider's own code, of a decline or a refusal. */
  readonly code: string | null
  /** Present if the provider declined. */
  readonly decline?: Decline
}

/** A connection that was not asked. */
export interface RoutingExclusion {
  /** The excluded connection's id. */
  readonly providerId: string
  /** The excluded connection's name. */
  readonly name: string
  /**
   * Why it was excluded; stable. Now one of `CURRENCY_NOT_SUPPORTED`, `PAYER_COUNTRY_NOT_SUPPORTED`,
   * `METHOD_NOT_SUPPORTED`, `MERCHANT_COUNTRY_NOT_SUPPORTED`, `VERTICAL_NOT_SUPPORTED`, `RECURRING_NOT_SUPPORTED`,
   * `AMOUNT_OUT_OF_RANGE`, `AUTHENTICATION_REQUIRED`, `RESTRICTION_VIOLATED`, `CIRCUIT_OPEN`,
   * `INSTRUMENT_NOT_AVAILABLE`, `ACCOUNT_CHANGED`, `CONNECTION_INACTIVE`; new codes may be added.
   */
  readonly code: string
  /** One human-readable sentence. It may change; do not parse it. */
  readonly reason: string
}

/** A dispute of a payment. */
export interface Dispute {
  /** `dp_` and a UUID. */
  readonly id: string
  /** The disputed payment. */
  readonly payment_id: string
  /**
   * `needs_response`: send evidence or accept. `warning`: an inquiry, by which no money has moved; it may be answered.
   * `accepted`: you gave the money up. New values may be added.
   */
  readonly status: DisputeStatus
  /** The disputed amount in minor units of `currency`; null if the provider does not state it. */
  readonly amount: number | null
  /** ISO 4217. */
  readonly currency: string | null
  /** The customer's reason, normalized across providers. */
  readonly reason: DisputeReason | null
  /** The provider's code of the reason. */
  readonly provider_reason: string | null
  /** Until when the provider takes evidence; null if it does not state it. */
  readonly evidence_due_by: string | null
  /** When the provider took the evidence; null while it waits for some. */
  readonly evidence_submitted_at: string | null
  /** What is kept until you submit it; null if nothing is. Its contents are never shown. */
  readonly evidence: {
    /** The names of the texts. */
    readonly texts: ReadonlyArray<string>
    /** The files, without their contents. */
    readonly files: ReadonlyArray<{
      /** The name that it was sent under. */
      readonly name: string
      /** Its media type, by its contents. */
      readonly type: "application/pdf" | "image/jpeg" | "image/png"
      /** The size in bytes. */
      readonly bytes: number
    }>
  } | null
  /** When the dispute was recorded. RFC 3339, UTC, milliseconds. */
  readonly created: string
}

/** A partner's sub-merchant. */
export interface Merchant {
  /** The id of the merchant's workspace. */
  readonly id: string
  /** The name of the merchant's workspace. */
  readonly name: string
  /** The owner's email address. */
  readonly email: string
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  /** The merchant's category, if any. */
  readonly category: string | null
  /** `active` if the merchant has a live key, otherwise `invited`. */
  readonly status: "invited" | "active" | "suspended"
  /** When the merchant was provisioned. RFC 3339, UTC, milliseconds. */
  readonly created: string
}

/** Fields common to most events. */
export type PaymentEventData = {
  /** The payment. */
  readonly payment_id: string
  /** Your identifier, as given in the request. */
  readonly reference: string | null
  /** The payment's status after this event. New values may be added. */
  readonly payment_status: PaymentStatus
  /** The payment's environment. */
  readonly environment: Environment
  /** The payment's amount in minor units. */
  readonly amount: number
  /** ISO 4217. */
  readonly currency: string
  /** Your own data, as given in the request; absent without any. */
  readonly metadata?: { readonly [name: string]: string }
}

/** What `payment.captured` says. */
export type CapturedEventData = PaymentEventData & {
  /** What is captured, in minor units. Absent where it is the payment's `amount`. */
  readonly captured_amount?: number
}

/** What `payment.declined` says. */
export type DeclinedEventData = PaymentEventData & {
  /** Decline category, normalized across providers. */
  readonly decline_category: DeclineCategory | null
  /** The provider's code. */
  readonly decline_code: string | null
  readonly decline?: Decline
}

/** What `payment.cancelled` says. */
export type CancelledEventData = PaymentEventData & {
  /** An authorization was cancelled or expired at the provider, without a void here. New values may be added. */
  readonly origin?: "provider"
}

/** What `payment.capture_failed` and `payment.void_failed` say. */
export type OperationFailedEventData = PaymentEventData & {
  /** The capture or void that failed. */
  readonly operation_id: string
  /** The provider's reason. */
  readonly failure_reason: string | null
  /** What is left captured, in minor units. Of `payment.capture_failed`. */
  readonly captured_amount?: number
}

/** Fields of refund events. */
export type RefundEventData = PaymentEventData & {
  /** The refund. */
  readonly refund_id: string
  /** Who asked for it. `provider`: the merchant made it at the provider, in its dashboard for example. */
  readonly origin: "api" | "provider"
  /** The refund's amount in minor units. */
  readonly refund_amount: number
  /** Total refunded and confirmed so far, in minor units. */
  readonly refunded_total: number
  /** Total reserved by unconfirmed refunds, in minor units. */
  readonly refund_pending_amount: number
}

/** What `payment.refund_failed` says. */
export type RefundFailedEventData = RefundEventData & {
  /** Why the refund failed. */
  readonly failure_reason: string | null
}

/** What `payment.conflict` says. */
export type ConflictEventData = PaymentEventData & {
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
  /** Who asked for it. `provider`: the merchant made it at the provider, in its dashboard for example. */
  readonly origin?: "api" | "provider"
  /** The refund's amount in minor units. */
  readonly refund_amount?: number
  /** Total refunded and confirmed so far, in minor units. */
  readonly refunded_total?: number
  /** Total reserved by unconfirmed refunds, in minor units. */
  readonly refund_pending_amount?: number
  /** The provider's identifier of the dispute that the statement is about. */
  readonly dispute_id?: string | null
  /** The status of the dispute, as the provider stated it. New values may be added. */
  readonly dispute_status?: DisputeStatus
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
export type AmountMismatchEventData = PaymentEventData & {
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
export type ReviewedEventData = PaymentEventData & {
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
export type DisputeEventData = PaymentEventData & {
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
export type DisputeEvidenceDueEventData = DisputeEventData & {
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

export type EventType = keyof EventDataOf

/** An event of one of some types. */
export type EventOf<Type extends EventType> = {
  readonly [One in Type]: {
    /** Unique: skip an id that you have processed. */
    readonly id: string
    /** What happened. */
    readonly type: One
    /** When the event occurred. */
    readonly created: string
    readonly data: EventDataOf[One]
  }
}[Type]

/** `type` says what is in `data`. A newer server may write further types: ignore those that you do not know. */
export type Event = EventOf<EventType>

/** A page of a list. */
export interface Page<Item> {
  /** The items of this page. */
  readonly data: ReadonlyArray<Item>
  /** Whether another page follows. */
  readonly has_more: boolean
  /** The cursor of the next page: the last id of this page, or null on the last page. */
  readonly next_cursor: string | null
  /**
   * True where the page ended before it was full: one request compares filters other than `status` with at most 10,000
   * payments. The next page continues from there.
   */
  readonly search_incomplete?: true
}

export interface PaymentsQuery {
  /** Only payments with this status. Case-insensitive. */
  readonly status?: PaymentStatus | undefined
  /** Only payments with exactly this `reference`. At most 64 characters. */
  readonly reference?: string | undefined
  /** Only payments of this amount, in the minor unit of their currency. 50 to 100000000. */
  readonly amount?: number | undefined
  /** Only payments in this currency, ISO 4217. */
  readonly currency?: string | undefined
  /** Only payments whose money the connection with this id holds or held. 1 to 200 characters. */
  readonly connection?: string | undefined
  /** Only payments with a charge or an attempt that has this reference at its provider. 1 to 255 characters. */
  readonly provider_reference?: string | undefined
  /** Only payments created at this time or later, RFC 3339. */
  readonly created_from?: string | undefined
  /** Only payments created earlier than this, RFC 3339. */
  readonly created_before?: string | undefined
  /** Cursor: the `next_cursor` of the previous page. Returns older items. */
  readonly before?: string | undefined
  /** Maximum number of items. 1 to 100. Default: `50`. */
  readonly limit?: number | undefined
  /** Only payments with exactly this text under this name of their metadata: `metadata[order]=1001`. */
  readonly metadata?: { readonly [name: string]: string } | undefined
}

export interface TimelineQuery {
  /** Cursor: an event id, such as `next_cursor`. Returns newer events, oldest first. */
  readonly after?: string | undefined
  /** Maximum number of items. 1 to 100. Default: `50`. */
  readonly limit?: number | undefined
}

export interface EventsQuery {
  /** An exact event type. An unknown type matches nothing. */
  readonly type?: string | undefined
  /** Cursor: the `next_cursor` of the previous page. Returns older items. */
  readonly before?: string | undefined
  /** Cursor: an event id, such as `next_cursor`. Returns newer events, oldest first. */
  readonly after?: string | undefined
  /** Maximum number of items. 1 to 100. Default: `50`. */
  readonly limit?: number | undefined
}

export interface DisputesQuery {
  /** Only disputes with this status. */
  readonly status?: DisputeStatus | undefined
  /** Only disputes of this payment. */
  readonly payment?: string | undefined
  /** Cursor: the `next_cursor` of the previous page. Returns older items. */
  readonly before?: string | undefined
  /** Maximum number of items. 1 to 100. Default: `50`. */
  readonly limit?: number | undefined
}

export interface MerchantsQuery {
  /** Cursor: the `next_cursor` of the previous page. Returns older items. */
  readonly before?: string | undefined
  /** Maximum number of items. 1 to 100. Default: `50`. */
  readonly limit?: number | undefined
}

export type ApiErrorCode =
  | "not_found"
  | "method_not_allowed"
  | "uri_too_long"
  | "invalid_request"
  | "unauthorized"
  | "workspace_suspended"
  | "live_key_required"
  | "insufficient_scope"
  | "not_a_partner"
  | "rate_limited"
  | "idempotency_key_required"
  | "invalid_idempotency_key"
  | "unsupported_media_type"
  | "payload_too_large"
  | "invalid_json"
  | "validation_error"
  | "invalid_amount"
  | "idempotency_key_reuse"
  | "idempotency_in_progress"
  | "routing_failed"
  | "not_capturable"
  | "not_voidable"
  | "capture_conflict"
  | "void_conflict"
  | "no_provider_ref"
  | "refund_pending"
  | "not_refundable"
  | "refund_conflict"
  | "dispute_pending"
  | "dispute_closed"
  | "dispute_conflict"
  | "already_invited"
  | "merchant_limit"
  | "internal_error"
  | "payment_result_unknown"
  | "state_unconfirmed"
  | "state_conflict"
  | "unsupported"
  | "psp_error"
  | "capture_result_unknown"
  | "void_result_unknown"
  | "refund_result_unknown"
  | "dispute_result_unknown"

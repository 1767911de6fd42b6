/**
 * Payments in the words of the v1 API: the same objects that `GET /api/v1/payments/{id}` carries. Amounts are integers in
 * the currency's minor unit (1999 is 19.99 EUR, 1999 JPY or 1.999 KWD), times are RFC 3339 in UTC.
 */

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

/** A connection that could take the payment. Fields may be added. */
export interface RoutingCandidate {
  readonly connection_id: string
  readonly name: string
  /** The smaller is tried first. */
  readonly priority: number
  /** What it was ordered by, where the strategy gives scores: the greater is tried first. */
  readonly score?: number
}

/** A call to a provider. Fields may be added. */
export interface RoutingAttempt {
  readonly attempt_id: string
  readonly connection_id: string
  /** How the call ended; `null` while it is under way. New outcomes may be added. */
  readonly outcome: string | null
  /** The provider's own code, of a decline or a refusal. */
  readonly code: string | null
  /** Where the provider declined. */
  readonly decline?: Decline
}

export interface RoutingDecision {
  readonly path: "engine" | "rule" | "control"
  readonly strategy: string
  readonly mode: string
  readonly rule: string | null
  /** In the order of trial. */
  readonly candidates: ReadonlyArray<RoutingCandidate>
  /** Oldest first. */
  readonly attempts: ReadonlyArray<RoutingAttempt>
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

/** `open`: no report has the payout itself. `partly_returned`, `returned`: it left, and a part or all of it came back. */
export type PayoutStatus = "open" | "paid" | "partly_returned" | "returned"

/** Minor units of `currency`, which is that of the payout. */
export interface Settlement {
  /** The provider's. */
  readonly payout_id: string | null
  /** `null` until it is paid out. */
  readonly payout_status: PayoutStatus | null
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

/** One page of a list; `next_cursor` is `null` on the last one. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly has_more: boolean
  readonly next_cursor: string | null
  /** True where a search compared its filters with 10,000 payments before the page was full: the next page continues. */
  readonly search_incomplete?: true
}

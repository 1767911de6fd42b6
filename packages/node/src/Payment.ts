/**
 * Payments and events in the words of the v1 API: the same objects that `GET /api/v1/payments/{id}` and a webhook carry,
 * so that there is one shape to know. Amounts are integers in the currency's minor unit (1999 is 19.99 EUR, 1999 JPY or
 * 1.999 KWD), times are RFC 3339 in UTC.
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

export type PaymentMethod = "card" | "bank" | "wallet" | "crypto"

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

/** A payment to create (specification, POST /api/v1/payments), with the API's defaults for what is left out. */
export interface CreatePayment {
  /** Minor units of `currency`, from 1. */
  readonly amount: number
  /** ISO 4217. */
  readonly currency: string
  /** The customer's country, ISO 3166-1 alpha-2. */
  readonly country: string
  /** `card` unless set. */
  readonly method?: PaymentMethod
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
  readonly card_brand: string | null
  readonly initiator: Initiator
  readonly capture_method: CaptureMethod
  readonly decline_category: DeclineCategory | null
  /** The provider's own code. */
  readonly decline_reason: string | null
  readonly captured_amount: number
  /** Confirmed by the provider. */
  readonly refunded_amount: number
  /** Held by refunds that are not confirmed: neither refunded nor refundable. */
  readonly refund_pending_amount: number
  readonly next_action: NextAction
  readonly created: string
  /** Records of the payment were lost with the database and recovered from the provider. Absent otherwise. */
  readonly recovered?: true
  /** On the result of a create and its replay. */
  readonly routing?: RoutingDecision
}

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [name: string]: Json }

export type EventType =
  | "payment.created"
  | "payment.requires_action"
  | "payment.pending"
  | "payment.authorized"
  | "payment.captured"
  | "payment.declined"
  | "payment.failed"
  | "payment.unknown"
  | "payment.cancelled"
  | "payment.capture_unknown"
  | "payment.void_unknown"
  | "payment.refund_pending"
  | "payment.refund_unknown"
  | "payment.refunded"
  | "payment.refund_failed"
  | "payment.settled"
  | "payment.chargeback"
  | "payment.chargeback_reversed"
  | "payment.conflict"
  | "payment.amount_mismatch"
  | "payment.reviewed"

/** An entry of a payment's timeline (specification, Event), as a webhook carries it too. */
export interface Event {
  /** The same event may reach you more than once: skip an id that you have processed. */
  readonly id: string
  /** An `EventType`; new ones may be added. */
  readonly type: EventType | (string & {})
  readonly created: string
  readonly data: { readonly [field: string]: Json }
}

/** One page of a list; `next_cursor` is `null` on the last one. */
export interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly has_more: boolean
  readonly next_cursor: string | null
}

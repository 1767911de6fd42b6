/**
 * What is recorded beside a payment, for operations: in the words of the command line's `--json`. Amounts are integers in
 * the currency's minor unit, times are RFC 3339 in UTC.
 */
import type { Dispute, Environment, Event, Payment } from "@pointsman/client/contract"

/** `unknown`, `refund_unknown`: the result is unknown. The others remain until an operator has reviewed them. */
export type ReviewReason =
  | "unknown"
  | "refund_unknown"
  | "open_checkout"
  | "overdue"
  | "amount_mismatch"
  | "conflict"
  | "double_charge"
  | "reversal"
  | "capture_failed"
  | "refund_excess"
  | "reference_reused"
  | "correction"

export interface Review {
  readonly since: string
  /** Never empty. */
  readonly reasons: ReadonlyArray<ReviewReason>
}

/** A payment with what operations have to look at. */
export interface ReviewedPayment extends Payment {
  readonly workspace_id: string
  /** `null`: it needs no operator. */
  readonly review: Review | null
  readonly connection_id: string | null
  readonly provider_reference: string | null
}

/** A call to a provider. */
interface Call {
  readonly id: string
  readonly connection_id: string
  readonly amount: number
  readonly currency: string
  readonly sent_at: string
  readonly provider_reference: string | null
  readonly code: string | null
  readonly reason: string | null
}

interface ChargeCall extends Call {
  readonly number: number
}

/** The call is in flight, or its process died. */
export interface AttemptInFlight extends ChargeCall {
  readonly outcome: null
  readonly answered_at: null
}

/** The provider may have charged. */
export interface AttemptUnanswered extends ChargeCall {
  readonly outcome: "unanswered"
  readonly answered_at: null
}

/** The request was never sent. */
export interface AttemptAbandoned extends ChargeCall {
  readonly outcome: "abandoned"
  readonly answered_at: null
}

/** It ended with what the provider said; `not_sent`: nothing left this machine. */
export interface AttemptAnswered extends ChargeCall {
  readonly outcome:
    | "authorized"
    | "captured"
    | "pending"
    | "declined"
    | "rejected"
    | "canceled"
    | "needs_customer"
    | "checkout_opened"
    | "mismatched"
    | "not_sent"
  readonly answered_at: string
}

/** One call to one provider to charge: `outcome` says how it ended. */
export type Attempt = AttemptInFlight | AttemptUnanswered | AttemptAbandoned | AttemptAnswered

/** A capture or a void. */
export interface Operation extends Call {
  readonly kind: "capture" | "void"
  readonly answered_at: string | null
  /** `null` while the call is in flight, or its process died. */
  readonly outcome:
    | "confirmed"
    | "accepted"
    | "refused"
    | "conflicted"
    | "unanswered"
    | "not_found"
    | "abandoned"
    | "failed"
    | null
}

export interface Refund extends Call {
  /** `provider`: the merchant made it at the provider, in its dashboard for example. */
  readonly origin: "api" | "provider"
  readonly state: string
  readonly answered_at: string | null
  readonly settled_at: string | null
  readonly provider_reference: string
  readonly provider_refund_id: string | null
}

/** All that is recorded of a payment. */
export interface PaymentFile extends Omit<ReviewedPayment, "refunds"> {
  readonly attempts: ReadonlyArray<Attempt>
  readonly operations: ReadonlyArray<Operation>
  readonly refunds: ReadonlyArray<Refund>
  /** Oldest first. */
  readonly events: ReadonlyArray<Event>
}

/** What an operator states that the provider's record says. It asks nothing of the provider. */
export type OperatorStatement =
  | {
      readonly about: "charge"
      readonly says:
        | "captured"
        | "authorized"
        | "declined"
        | "canceled"
        | "capture_failed"
        | "void_failed"
        | "never_received"
      /** The attempt that is open, or holds the money, unless set. */
      readonly attempt_id?: string
      /** Minor units that are captured, or authorized; what was asked for unless set. */
      readonly amount?: number
      /** The charge at the provider, where it is not known yet. */
      readonly provider_reference?: string
    }
  | {
      readonly about: "refund"
      readonly says: "succeeded" | "failed" | "never_received"
      readonly refund_id: string
      readonly provider_refund_id?: string
    }
  /** An operator read the record, and the payment is correct as recorded. */
  | { readonly about: "nothing" }

export interface Evidence {
  /** What was seen, and where: 1 to 2000 characters, on the payment's timeline and in the webhook. */
  readonly evidence: string
  /**
   * Who looked: 1 to 120 characters. Where the workspace's `fourEyes` ask for a second person, this program vouches for the
   * name; the login of an operator means that operator.
   */
  readonly by: string
  /** SHA-256 of a file that shows it, in 64 lower-case hexadecimal digits. */
  readonly file_sha256?: string
  /** The provider's support case or other reference: 1 to 255 characters. */
  readonly provider_reference?: string
}

/** What is kept for a dispute until it is submitted. */
export type KeptEvidence = NonNullable<Dispute["evidence"]>

/** Why a payment went where it went, in sentences for people. */
export interface RoutingExplanation {
  readonly payment: Payment
  readonly attempts: ReadonlyArray<Attempt>
  readonly chapters: ReadonlyArray<{ readonly title: string; readonly sentences: ReadonlyArray<string> }>
}

/** A webhook on its way to one endpoint. */
export interface Delivery {
  readonly id: string
  readonly environment: Environment
  readonly status: DeliveryStatus
  readonly event_id: string
  readonly endpoint_id: string
  /** How many were ever begun. */
  readonly attempts: number
  readonly next_attempt_at: string | null
  readonly created: string
}

/** `given_up`: the last attempt of the schedule failed. `refused`: the receiver answered 4xx. Both can be sent again. */
export type DeliveryStatus = "due" | "sending" | "delivered" | "refused" | "given_up"

interface DeliveryCall {
  readonly number: number
  readonly sent_at: string
  /** `null` where it is unknown: it is in flight, or its process is gone. */
  readonly ended_at: string | null
}

interface DeliveryInFlight extends DeliveryCall {
  readonly response_status: null
  readonly failure: null
}

interface DeliveryAnswered extends DeliveryCall {
  readonly response_status: number
  readonly failure: null
}

interface DeliveryFailed extends DeliveryCall {
  readonly response_status: null
  /** Why there was no answer. */
  readonly failure: string
}

export type DeliveryAttempt = DeliveryInFlight | DeliveryAnswered | DeliveryFailed

/** How a connection fared lately: weights that fade, each outcome 1 when it came. */
export interface SuccessRate {
  readonly connection_id: string
  /** Currency, country, method and card brand; empty for the connection as a whole. */
  readonly segment: string
  readonly succeeded: number
  readonly failed: number
  readonly at: string
}

/** A circuit of this process with failures since the last success. All others are closed. */
export interface Circuit {
  readonly connection_id: string
  readonly state: "closed" | "open" | "half-open"
  readonly failures: number
  readonly opened_at: string | null
  /** When the next payment may probe it. */
  readonly probe_at: string | null
}

export interface CreatedApiKey {
  /** The key itself. It is shown only once: the store has only its hash. */
  readonly secret: string
  /** Names the key where it is revoked. */
  readonly hash: string
  readonly environment: Environment
  /** `null`: every scope. */
  readonly scopes: ReadonlyArray<Scope> | null
  readonly name: string | null
  /** RFC 3339, UTC; `null`: the key does not expire. */
  readonly expires: string | null
  /** `null`: any. */
  readonly networks: ReadonlyArray<string> | null
}

export interface ApiKeyOrder {
  /** Every scope unless set. */
  readonly scopes?: ReadonlyArray<Scope> | undefined
  /** 1 to 120 characters. */
  readonly name?: string | undefined
  /** In the future; from then on the key is refused. */
  readonly expiresAt?: Date | undefined
  /**
   * IP addresses and CIDR ranges that requests may come from; any unless set. `listener` sees the address of the
   * connection, which is the proxy's behind a proxy; `handler` sees no address and refuses the key.
   */
  readonly networks?: ReadonlyArray<string> | undefined
}

export type Scope =
  | "payments:read"
  | "payments:write"
  | "refunds:write"
  | "disputes:read"
  | "disputes:write"
  | "events:read"
  | "merchants:read"
  | "merchants:write"

/** How many, and how much, in one currency. */
export interface RecoveredAmount {
  readonly currency: string
  readonly count: number
  /** Minor units. */
  readonly amount: number
}

/** What a recovery found at one connection, and did; of a dry run, would do. */
export interface ConnectionRecovery {
  readonly connection_id: string
  readonly workspace_id: string
  readonly environment: Environment
  /** `complete`: recovered. `no_list`: its provider lists nothing. `failed`: not all was answered; run it again. */
  readonly result: "complete" | "no_list" | "failed"
  /** Why it failed. */
  readonly reason: string | null
  /** What the provider does not list: it may have happened, and was not recovered. */
  readonly unasked: ReadonlyArray<"charges" | "refunds" | "disputes" | "payouts">
  /** Charges, refunds and disputes that the provider listed and that are ours. */
  readonly listed: number
  /** Those that were not stored. */
  readonly payments: ReadonlyArray<RecoveredAmount>
  readonly refunds: ReadonlyArray<RecoveredAmount>
  readonly disputes: ReadonlyArray<RecoveredAmount>
  /** Stored, and the provider stated something else. */
  readonly changed: ReadonlyArray<RecoveredAmount>
  /** Payments that operators review because of it. */
  readonly reviewed: ReadonlyArray<RecoveredAmount>
  /** Entries without a payment of ours, kept with the provider's messages. */
  readonly kept: number
}

/** Records that the database lost. While a loss has not ended, nothing is sent to connections that are not recovered. */
export interface RecordLoss {
  readonly since: string
  /** How it was noticed. */
  readonly reason: string
  readonly declared: string
  /** Ids of the recovered connections. */
  readonly recovered: ReadonlyArray<string>
  /** Of those, where refunds of payments from before the loss wait for `acceptLoss`: refunds or disputes are not listed. */
  readonly refunds_wait: ReadonlyArray<string>
  readonly ended: { readonly outcome: "recovered" | "accepted"; readonly at: string } | null
}

export interface Recovery {
  readonly since: string
  readonly dry_run: boolean
  readonly connections: ReadonlyArray<ConnectionRecovery>
  /** As it is afterwards; `null` where none was ever known. */
  readonly loss: RecordLoss | null
}

/** A key by its id: 16 hexadecimal digits, which do not lead back to the key. */
export interface SealedUnder {
  readonly key: string
  /** How many texts it sealed. */
  readonly texts: number
}

export interface EncryptionRotation {
  /** How many texts were sealed again. */
  readonly resealed: number
  /** What each key sealed of all that is stored, the current key first. A key without texts is no longer needed. */
  readonly left: ReadonlyArray<SealedUnder>
  /** Texts that no given key opens. */
  readonly unreadable: number
}

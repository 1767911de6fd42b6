/**
 * The objects of Stripe's API as far as they are read (https://docs.stripe.com/api). Fields that are not named here are
 * ignored. Messages come in the version of the account or endpoint, not in ours, so that only fields are read that have
 * been there, and meant the same, for years.
 */
import { wireOptional as optional, WireReference as Reference, WebAddress } from "@pointsman/core/connector"
import { Schema } from "effect"

/** The version that every request names, and that its answer is written in (https://docs.stripe.com/api/versioning). */
export const version = "2026-10-28.endive"

/** In Stripe's minor units. Not an integer, negative or beyond 2^53: nothing is believed. */
const Amount = Schema.Natural

/** What we put there; see `Requests.ts`. */
const Metadata = Schema.Struct({
  attempt_id: optional(Reference),
  checkout: optional(Schema.String)
})
export type Metadata = typeof Metadata.Type

/** As anybody may have written it: another program of the account's owner has names of its own. */
const AnyMetadata = Schema.Record(Schema.String, Schema.Unknown)
export type AnyMetadata = typeof AnyMetadata.Type

const PaymentError = Schema.Struct({
  code: optional(Schema.String),
  decline_code: optional(Schema.String),
  advice_code: optional(Schema.String)
})

/** All of https://docs.stripe.com/payments/paymentintents/lifecycle; another one makes the answer unreadable. */
const paymentIntentStatuses = [
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
  "processing",
  "requires_capture",
  "canceled",
  "succeeded"
] as const

/** https://docs.stripe.com/api/payment_intents/object */
export const PaymentIntent = Schema.Struct({
  id: Reference,
  status: Schema.Literals(paymentIntentStatuses),
  amount: Amount,
  amount_capturable: optional(Amount),
  amount_received: optional(Amount),
  currency: Schema.NonEmptyString,
  metadata: optional(Metadata),
  last_payment_error: optional(PaymentError),
  /** Expanded where a lookup asks for it. */
  latest_charge: optional(Schema.Unknown)
})
export type PaymentIntent = typeof PaymentIntent.Type

/**
 * https://docs.stripe.com/api/charges/object, in `charge.captured`. Its metadata is that of its payment, as it was when the
 * charge was made (https://docs.stripe.com/metadata).
 */
export const CapturedCharge = Schema.Struct({
  captured: Schema.Literal(true),
  amount_captured: Amount,
  currency: Schema.NonEmptyString,
  payment_intent: Reference,
  metadata: optional(Metadata)
})

/** The charge of a payment that is looked up (https://docs.stripe.com/api/charges/object). */
export const RefundedCharge = Schema.Struct({
  amount: Amount,
  amount_captured: Amount,
  amount_refunded: Amount
})

/** https://docs.stripe.com/api/refunds/object */
export const Refund = Schema.Struct({
  id: Reference,
  status: Schema.Literals(["pending", "requires_action", "succeeded", "failed", "canceled"]),
  amount: Amount,
  currency: Schema.NonEmptyString,
  metadata: optional(AnyMetadata),
  failure_reason: optional(Schema.String)
})
export type Refund = typeof Refund.Type

/** In a message. Without `payment_intent` it is of a charge that is not ours. */
export const ToldRefund = Schema.Struct({ ...Refund.fields, payment_intent: optional(Reference) })

/** By what an object may name its payment. */
export const Named = Schema.Struct({
  id: optional(Reference),
  payment_intent: optional(Reference),
  metadata: optional(Metadata)
})

/** Our id of a refund; `null` where a person or another program made it, which may have a `refund_id` of its own. */
export const refundIdIn = (metadata: AnyMetadata | null | undefined): string | null => {
  const id = metadata?.["refund_id"]
  return typeof id === "string" && /^rf_[\w-]{1,100}$/u.test(id) ? id : null
}

/** Unix time in seconds. */
const Seconds = Schema.Natural

/** https://docs.stripe.com/api/checkout/sessions/object, as it is opened. */
export const OpenedSession = Schema.Struct({ id: Reference, url: WebAddress, expires_at: Seconds })

/** The same, looked up with `expand[]=payment_intent`. */
export const Session = Schema.Struct({
  id: Reference,
  status: Schema.Literals(["open", "complete", "expired"]),
  payment_intent: Schema.NullOr(PaymentIntent)
})
export type Session = typeof Session.Type

/** The same, in a message, which expands nothing. */
export const ToldSession = Schema.Struct({
  payment_status: Schema.Literals(["paid", "unpaid", "no_payment_required"]),
  payment_intent: Schema.NullOr(Reference),
  amount_total: Amount,
  currency: Schema.NonEmptyString,
  metadata: optional(Metadata)
})

/** Of an ended session nothing else is needed, and there may be no payment. */
export const EndedSession = Schema.Struct({ metadata: optional(Metadata), payment_intent: optional(Reference) })

/** https://docs.stripe.com/api/pagination, and the same of a search. What is not ours is not read further. */
export const List = Schema.Struct({
  object: Schema.Literals(["list", "search_result"]),
  /** The path that was requested. */
  url: Schema.String,
  data: Schema.Array(Schema.Struct({ id: Reference, metadata: optional(AnyMetadata) })),
  has_more: Schema.Boolean
})

/** An entry of the list of payments, for recovery. The merchant may have changed its metadata by hand. */
export const ListedPaymentIntent = Schema.Struct({
  ...PaymentIntent.fields,
  metadata: optional(AnyMetadata),
  capture_method: Schema.String,
  created: Seconds
})

/** The same of the list of refunds. */
export const ListedRefund = Schema.Struct({ ...ToldRefund.fields, created: Seconds })

/** The same answer, for the whole of what was found in it. */
export const listOf = <S extends Schema.Constraint>(item: S) => Schema.Struct({ data: Schema.Array(item) })

/** https://docs.stripe.com/api/disputes/object */
export const Dispute = Schema.Struct({
  id: Reference,
  status: Schema.String,
  payment_intent: optional(Reference),
  amount: optional(Amount),
  currency: optional(Schema.NonEmptyString),
  reason: optional(Schema.String),
  /** `due_by` is 0 where the bank allows no response. */
  evidence_details: optional(Schema.Struct({ due_by: optional(Seconds) })),
  payment_method_details: optional(
    Schema.Struct({ card: optional(Schema.Struct({ case_type: optional(Schema.String) })) })
  ),
  metadata: optional(AnyMetadata)
})
export type Dispute = typeof Dispute.Type

/** In Stripe's minor units, negative where money leaves. */
const SignedAmount = Schema.Int

/** What a balance transaction is about, expanded: a charge, a refund, a dispute, a payout, or something else. */
const BalanceSource = Schema.Struct({
  id: Reference,
  payment_intent: optional(Schema.Unknown),
  amount: optional(SignedAmount),
  currency: optional(Schema.NonEmptyString),
  metadata: optional(AnyMetadata)
})

/** https://docs.stripe.com/api/balance_transactions/object, with `source` expanded. */
export const BalanceTransaction = Schema.Struct({
  object: Schema.Literal("balance_transaction"),
  id: Reference,
  amount: SignedAmount,
  available_on: Seconds,
  created: Seconds,
  currency: Schema.NonEmptyString,
  fee: SignedAmount,
  net: SignedAmount,
  reporting_category: Schema.NonEmptyString,
  source: optional(BalanceSource)
})
export type BalanceTransaction = typeof BalanceTransaction.Type

/** https://docs.stripe.com/api/payouts/object */
export const Payout = Schema.Struct({
  object: Schema.Literal("payout"),
  id: Reference,
  arrival_date: Seconds,
  automatic: Schema.Boolean,
  reconciliation_status: Schema.Literals(["not_applicable", "in_progress", "completed"])
})
export type Payout = typeof Payout.Type

/** https://docs.stripe.com/api/files/object */
export const File = Schema.Struct({ object: Schema.Literal("file"), id: Reference })

/** https://docs.stripe.com/api/accounts/object, without the mode: both modes of an account have its id. */
export const Account = Schema.Struct({
  object: Schema.Literal("account"),
  id: Schema.String.check(Schema.isMaxLength(255), Schema.isPattern(/^acct_[0-9A-Za-z]+$/))
})

/** https://docs.stripe.com/api/errors */
export const Failure = Schema.Struct({
  error: Schema.Struct({
    type: Schema.NonEmptyString,
    message: optional(Schema.String),
    ...PaymentError.fields,
    payment_intent: optional(
      Schema.Struct({
        id: Reference,
        status: Schema.String,
        amount_received: optional(Amount),
        currency: optional(Schema.NonEmptyString)
      })
    )
  })
})
export type StripeError = (typeof Failure.Type)["error"]

/** https://docs.stripe.com/api/events/object */
export const Event = Schema.Struct({
  id: Reference,
  type: Schema.NonEmptyString,
  created: Seconds,
  livemode: Schema.Boolean,
  /** In which the object is written. */
  api_version: optional(Schema.String),
  /** The connected account that it is of. */
  account: optional(Schema.String),
  data: Schema.Struct({ object: Schema.Unknown })
})

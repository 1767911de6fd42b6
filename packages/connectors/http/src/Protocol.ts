/**
 * The words of the provider protocol, as they are on the wire.
 *
 * Optional fields may be absent or null: many languages write null for what is absent. Unknown fields are ignored.
 */
import {
  disputeStatuses,
  initiators,
  wireOptional as optional,
  paymentMethods,
  reportRowKinds,
  WebAddress,
  WireTime
} from "@pointsman/core/connector"
import { Schema } from "effect"

/**
 * A reference must come back to us in a path and be kept as text: `.` and `..` would vanish from a URL, and control
 * characters and halves of surrogate pairs cannot be stored everywhere. An answer with such a reference is unreadable.
 */
const Reference = Schema.NonEmptyString.check(
  Schema.makeFilter((text: string) => text !== "." && text !== ".." && text.isWellFormed() && !/\p{Cc}/u.test(text), {
    expected: "a reference"
  })
)

/** Minor units. Not an integer, negative or beyond 2^53: the sender miscalculated, and nothing is believed. */
const Amount = Schema.Natural

export const Charge = Schema.Struct({
  provider_reference: Reference,
  status: Schema.Literals(["authorized", "captured", "pending", "requires_authentication", "declined", "canceled"]),
  captured_amount: optional(Amount),
  amount: optional(Amount),
  currency: optional(Schema.NonEmptyString),
  decline: optional(
    Schema.Struct({
      code: Schema.NonEmptyString,
      category: optional(Schema.String),
      soft: optional(Schema.Boolean)
    })
  )
})
export type Charge = typeof Charge.Type

export const Refund = Schema.Struct({
  provider_refund_id: Reference,
  status: Schema.Literals(["succeeded", "pending", "requires_action", "failed", "canceled"]),
  amount: optional(Amount),
  currency: optional(Schema.NonEmptyString),
  failure_reason: optional(Schema.String)
})
export type Refund = typeof Refund.Type

export const Checkout = Schema.Struct({
  checkout_reference: Reference,
  url: WebAddress,
  expires_at: optional(WireTime)
})
export type Checkout = typeof Checkout.Type

/** Our ids, and the provider's of a message or a dispute: kept as text, and part of an index. */
const Id = Schema.NonEmptyString.check(
  Schema.isMaxLength(255),
  Schema.makeFilter((text: string) => text.isWellFormed() && !/\p{Cc}/u.test(text), { expected: "an id" })
)

/** A refund as an answer has it. `refund_id`: ours, where the adapter says so. */
export const AnsweredRefund = Schema.Struct({ ...Refund.fields, refund_id: optional(Id) })

/**
 * A charge as an answer has it. `attempt_id`: whose charge it is, where the adapter says so. `refunds`: of the charge, also
 * those that were made at the provider, which have no `refund_id`.
 */
export const AnsweredCharge = Schema.Struct({
  ...Charge.fields,
  attempt_id: optional(Id),
  refunds: optional(Schema.Array(AnsweredRefund).check(Schema.isMaxLength(100)))
})

/**
 * One capture or void. `failed` is final: an adapter that will try again says `pending`. `updated` is when the operation
 * came into this state, by the provider's clock.
 */
export const Operation = Schema.Struct({
  operation_id: Id,
  kind: Schema.Literals(["capture", "void"]),
  status: Schema.Literals(["confirmed", "pending", "failed"]),
  updated: WireTime,
  amount: optional(Amount),
  currency: optional(Schema.NonEmptyString),
  failure_reason: optional(Schema.String)
})
export type Operation = typeof Operation.Type

/** Whose account the `apiKey` opens at the adapter. */
export const Account = Schema.Struct({ account: Id })

/**
 * A charge of a list, with what its request said. Its `amount` is required: without it nothing could be recovered. A page is
 * read entry by entry, so that one that cannot be read hides no other.
 */
export const ListedCharge = Schema.Struct({
  ...Charge.fields,
  attempt_id: Id,
  amount: Amount,
  currency: Schema.NonEmptyString,
  payment_id: optional(Id),
  idempotency_key: optional(Id),
  reference: optional(Schema.String),
  country: optional(Schema.String),
  method: optional(Schema.Literals(paymentMethods)),
  card_brand: optional(Schema.String),
  initiator: optional(Schema.Literals(initiators)),
  capture: optional(Schema.Boolean),
  created: WireTime
})

export const ListedRefund = Schema.Struct({
  ...Refund.fields,
  refund_id: optional(Id),
  provider_reference: Reference,
  amount: Amount,
  currency: Schema.NonEmptyString,
  created: WireTime
})

const NextCursor = optional(Schema.NonEmptyString.check(Schema.isMaxLength(1_000)))
export const ChargePage = Schema.Struct({ charges: Schema.Array(Schema.Unknown), next_cursor: NextCursor })
export const DisputePage = Schema.Struct({ disputes: Schema.Array(Schema.Unknown), next_cursor: NextCursor })
export const RefundPage = Schema.Struct({ refunds: Schema.Array(Schema.Unknown), next_cursor: NextCursor })

/** What every message has; what is in `data` depends on the type. */
export const Message = Schema.Struct({ id: Id, type: Schema.NonEmptyString, created: WireTime })

/** The charge that a message names, ours or the provider's name of it: either may be unreadable. */
export const Names = Schema.Struct({
  data: Schema.Struct({ attempt_id: optional(Schema.Unknown), provider_reference: optional(Schema.Unknown) })
})
export const isAttemptId = Schema.is(Id)
export const isReference = Schema.is(Reference)

const ofAttempt = { attempt_id: Id }

export const ChargeUpdated = Schema.Struct({ data: Schema.Struct({ ...ofAttempt, ...Charge.fields }) })
export const OperationUpdated = Schema.Struct({ data: Operation })
/** One that was made at the provider has no id of ours: it names its charge, and says how much it is. */
export const RefundUpdated = Schema.Struct({
  data: Schema.Union([
    Schema.Struct({ refund_id: Id, ...Refund.fields }),
    Schema.Struct({
      refund_id: Schema.optionalKey(Schema.Null),
      ...Refund.fields,
      provider_reference: Reference
    })
  ])
})
/** A settlement may leave the charge out; a part of one is unreadable. */
export const ChargeSettled = Schema.Struct({
  data: Schema.Union([
    Schema.Struct({ ...ofAttempt, ...Charge.fields }),
    Schema.Struct({ ...ofAttempt, status: Schema.optionalKey(Schema.Null) })
  ])
})
/** The amount of a dispute is not that of its charge, so that nothing else of the charge is read. */
export const Dispute = Schema.Struct({ data: Schema.Struct({ ...ofAttempt, dispute_id: optional(Id) }) })

/** What a dispute may say besides. Each is read by itself: one that is not as here is not stated. */
export const DisputeDetails = {
  status: Schema.Literals(disputeStatuses),
  amount: Amount,
  currency: Schema.NonEmptyString.check(Schema.isPattern(/^[A-Z]{3}$/)),
  reason: Schema.NonEmptyString.check(Schema.isMaxLength(255)),
  provider_reason: Schema.NonEmptyString.check(Schema.isMaxLength(255)),
  evidence_due_by: WireTime
} as const

/** As it is now, with one name of its charge; the rest as in `DisputeDetails`. */
export const ListedDispute = Schema.Struct({
  dispute_id: Id,
  attempt_id: optional(Id),
  provider_reference: optional(Reference),
  status: DisputeDetails.status,
  updated: WireTime
})

/** The answer to evidence and to an acceptance. */
export const AnsweredDispute = Schema.Struct({ dispute_id: Id, status: Schema.Literals(disputeStatuses) })

/** As `Operation`, of a submission or an acceptance. */
export const SubmittedOperation = Schema.Struct({
  operation_id: Id,
  kind: Schema.Literals(["dispute_submit", "dispute_accept"]),
  status: Schema.Literals(["confirmed", "pending", "failed"]),
  failure_reason: optional(Schema.String)
})

/** A refusal: the provider's word that it did nothing. */
export const Refusal = Schema.Struct({
  error: Schema.Struct({ code: Schema.NonEmptyString, message: Schema.String })
})

/** How the protocol names our id of what a lookup asks for. */
export type LookupField = "attempt_id" | "operation_id" | "refund_id"

/**
 * "Never received", the body of a lookup's 404. It names our id of what was asked for, which no gateway and no wrong path
 * does: `found` and the id together are the adapter's own word.
 */
export const NotFound = Schema.Struct({
  found: Schema.Literal(false),
  attempt_id: optional(Schema.String),
  operation_id: optional(Schema.String),
  refund_id: optional(Schema.String),
  conclusive: optional(Schema.Boolean)
})

/**
 * With a body in the shape of `Refusal`, these say that nothing was executed. Every other status of this class (409,
 * 408, …) says that the request may have met something, and is unknown.
 */
export const refusalStatuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 405, 413, 415, 422, 429])

/** One page of report rows. Rows are read one by one. */
export const ReportPage = Schema.Struct({ rows: Schema.Array(Schema.Unknown), next_cursor: NextCursor })

const RowText = Reference.check(Schema.isMaxLength(255))

/** Minor units with a sign. */
const SignedAmount = Schema.Int

/** One movement of money, in the words of the file `http`. */
export const ReportRow = Schema.Struct({
  row_id: RowText,
  kind: Schema.Literals(reportRowKinds),
  gross: SignedAmount,
  currency: Schema.NonEmptyString,
  occurred_at: WireTime,
  attempt_id: optional(RowText),
  operation_id: optional(RowText),
  refund_id: optional(RowText),
  provider_reference: optional(RowText),
  provider_refund_id: optional(RowText),
  dispute_id: optional(RowText),
  reference: optional(RowText),
  payout_currency: optional(Schema.NonEmptyString),
  converted: optional(SignedAmount),
  fee: optional(SignedAmount),
  net: optional(SignedAmount),
  payout_id: optional(RowText),
  settled_at: optional(WireTime),
  generated_at: optional(WireTime)
})

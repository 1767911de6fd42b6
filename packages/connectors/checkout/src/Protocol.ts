/**
 * The objects of Checkout.com's API as far as they are read (https://api-reference.checkout.com/). Fields that are not named
 * here are ignored. The shapes are those of the official SDKs, whose types follow the API's own description
 * (https://github.com/checkout/checkout-sdk-net, https://github.com/checkout/checkout-sdk-node).
 */
import { wireOptional as optional, WireReference as Reference, WebAddress, WireTime } from "@pointsman/core/connector"
import { Schema } from "effect"

/** In Checkout.com's minor units. Not an integer, negative or beyond 2^53: nothing is believed. */
const Amount = Schema.Natural

const Currency = Schema.String.check(Schema.isPattern(/^[A-Z]{3}$/))

/** What we put there; see `Requests.ts`. Another program of the account has names of its own. */
const Metadata = Schema.Struct({
  attempt_id: optional(Schema.Unknown),
  operation_id: optional(Schema.Unknown),
  refund_id: optional(Schema.Unknown),
  capture: optional(Schema.Unknown),
  page: optional(Schema.Unknown)
})

const Balances = Schema.Struct({
  total_authorized: optional(Amount),
  total_captured: optional(Amount),
  total_refunded: optional(Amount)
})

const Link = Schema.Struct({ href: Schema.String })

/** A response code, and what it is of. */
const ActionSummary = Schema.Struct({ type: optional(Schema.String), response_code: optional(Schema.String) })

/** The answer to `POST /payments` and `GET /payments/{id}`, and an entry of `GET /payments`. */
export const Payment = Schema.Struct({
  id: Reference,
  status: Schema.NonEmptyString,
  amount: Amount,
  currency: Currency,
  reference: optional(Schema.String),
  balances: optional(Balances),
  response_code: optional(Schema.String),
  actions: optional(Schema.Array(ActionSummary)),
  _links: optional(Schema.Struct({ redirect: optional(Link) }))
})
export type Payment = typeof Payment.Type

/**
 * The answer 202 to `POST /payments`: it has no amount (`PaymentAccepted.cs` of the .NET SDK). With a redirect, the customer has
 * to authenticate there (https://www.checkout.com/docs/payments/authenticate-payments).
 */
export const PaymentAccepted = Schema.Struct({
  id: Reference,
  status: Schema.Literal("Pending"),
  reference: optional(Schema.String),
  _links: optional(Schema.Struct({ redirect: optional(Link) }))
})

/** https://www.checkout.com/docs/payments/manage-payments/get-a-list-of-payments */
export const PaymentList = Schema.Struct({ total_count: Schema.Natural, data: Schema.Array(Schema.Unknown) })

/** The answer to a capture, a void or a refund: it was accepted, and nothing more. */
export const Accepted = Schema.Struct({ action_id: Reference, reference: optional(Schema.String) })

/** https://www.checkout.com/docs/payouts/get-payout-actions. Without `approved` it is under way. */
export const Actions = Schema.Array(
  Schema.Struct({
    id: Reference,
    type: Schema.NonEmptyString,
    amount: optional(Amount),
    approved: optional(Schema.Boolean),
    response_code: optional(Schema.String),
    response_summary: optional(Schema.String),
    reference: optional(Schema.String),
    metadata: optional(Metadata)
  })
)
export type Action = (typeof Actions.Type)[number]

/** The answer to `POST /payment-links`: a page without a payment yet. */
export const OpenedLink = Schema.Struct({
  id: Reference,
  expires_on: WireTime,
  reference: optional(Schema.String),
  _links: Schema.Struct({ redirect: Schema.Struct({ href: WebAddress }) })
})

/** The answer to `GET /payment-links/{id}`. Its statuses are all of the SDKs' (`PaymentLinkStatus.cs`). */
export const PaymentLink = Schema.Struct({
  id: Reference,
  status: Schema.Literals(["Active", "Payment Received", "Expired"]),
  reference: Schema.String,
  payment_id: optional(Reference)
})

/** https://www.checkout.com/docs/resources/codes/response-codes */
export const Failure = Schema.Struct({
  error_type: Schema.NonEmptyString,
  error_codes: optional(Schema.Array(Schema.String))
})

/**
 * The envelope of a message. Checkout.com's own examples call its time `created_on` with most events and `timestamp` with
 * others, `payment_captured` for one
 * (https://www.checkout.com/docs/developer-resources/event-notifications/event-types/payment_captured).
 */
export const Event = Schema.Struct({
  id: Reference,
  type: Schema.NonEmptyString,
  created_on: optional(WireTime),
  timestamp: optional(WireTime),
  data: Schema.Unknown,
  _links: optional(Schema.Struct({ self: optional(Link) }))
})

/** Whose a message is, where it says so. */
export const Owner = Schema.Struct({
  client_id: optional(Schema.String),
  processing_channel_id: optional(Schema.String)
})

/** By what the data of an event may name its payment. */
export const Names = Schema.Struct({
  id: optional(Reference),
  reference: optional(Schema.String),
  metadata: optional(Metadata),
  payment_id: optional(Reference),
  payment_reference: optional(Schema.String)
})

/** The data of an event about a payment, or about an action on it. */
export const PaymentData = Schema.Struct({
  id: Reference,
  action_id: optional(Reference),
  amount: optional(Amount),
  currency: optional(Currency),
  reference: optional(Schema.String),
  metadata: optional(Metadata),
  balances: optional(Balances),
  response_code: optional(Schema.String),
  response_summary: optional(Schema.String)
})
export type PaymentData = typeof PaymentData.Type

/**
 * https://www.checkout.com/docs/developer-resources/webhooks/webhook-event-types/dispute_lost; the deadline is in
 * https://www.checkout.com/docs/workflows/webhook-event-types/dispute_evidence_required.
 */
export const DisputeData = Schema.Struct({
  id: Reference,
  payment_id: Reference,
  amount: optional(Schema.Unknown),
  currency: optional(Schema.Unknown),
  evidence_required_by: optional(Schema.Unknown),
  payment_reference: optional(Schema.String),
  /** Of a resolved one: `rapid_dispute_resolution`, `negative_amount` or `already_refunded`. */
  resolved_reason: optional(Schema.String)
})

/**
 * `DisputeSummary.cs` of https://github.com/checkout/checkout-sdk-net; `last_update` is "the date and time at which the dispute
 * was last updated" (`Dispute.cs`).
 */
export const ListedDispute = Schema.Struct({
  ...DisputeData.fields,
  status: Schema.NonEmptyString,
  last_update: WireTime
})

/** `DisputesQueryResponse.cs` of the same: one part of what the filter finds. Entries are read one by one. */
export const DisputePage = Schema.Struct({ total_count: Schema.Natural, data: Schema.Array(Schema.Unknown) })

/** Checkout.com writes times of reports in UTC, with and without saying so. Epoch milliseconds; `NaN` of any other text. */
export const reportMillis = (text: string): number =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z?$/u.test(text) ? Date.parse(text.replace(/Z?$/u, "Z")) : Number.NaN

const ReportId = Schema.String.check(Schema.isPattern(/^[a-z]{2,8}_[0-9a-z]{1,64}$/u))

/** `ReportDetailsResponse.cs` of https://github.com/checkout/checkout-sdk-net */
export const Report = Schema.Struct({
  id: ReportId,
  created_on: Schema.String.check(
    Schema.makeFilter((text: string) => !Number.isNaN(reportMillis(text)), { expected: "a time in UTC" })
  ),
  type: Schema.NonEmptyString,
  files: Schema.Array(Schema.Struct({ id: ReportId, format: Schema.NonEmptyString }))
})
export type Report = typeof Report.Type

export const ReportList = Schema.Struct({
  data: Schema.Array(Report),
  _links: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        next: Schema.optionalKey(Schema.NullOr(Schema.Struct({ href: Schema.String })))
      })
    )
  )
})

/**
 * The objects of PayPal's API as far as they are read. Fields that are not named here are ignored. The shapes are those of
 * PayPal's own description of the API (https://github.com/paypal/paypal-rest-api-specifications, Apache 2.0).
 */
import { wireOptional as optional, WireReference as Reference, WireTime } from "@pointsman/core/connector"
import { Schema } from "effect"

export const Amount = Schema.Struct({ currency_code: Schema.NonEmptyString, value: Schema.NonEmptyString })

const Details = Schema.Struct({ reason: optional(Schema.String) })
const ProcessorResponse = Schema.Struct({ response_code: optional(Schema.String) })
const RelatedIds = Schema.Struct({ order_id: optional(Reference) })
const Supplement = Schema.Struct({ related_ids: optional(RelatedIds) })
const Link = Schema.Struct({ href: optional(Schema.String), rel: optional(Schema.String) })

/** What an authorization, a capture and a refund have alike. */
const payment = {
  id: Reference,
  status: Schema.NonEmptyString,
  status_details: optional(Details),
  amount: optional(Amount),
  custom_id: optional(Schema.String),
  invoice_id: optional(Schema.String),
  processor_response: optional(ProcessorResponse),
  supplementary_data: optional(Supplement),
  links: optional(Schema.Array(Link))
}

/** An authorization, a capture or a refund: in an order, as an answer, or in a message. */
export const Payment = Schema.Struct(payment)
export type Payment = typeof Payment.Type

const Payments = Schema.Struct({
  authorizations: optional(Schema.Array(Payment)),
  captures: optional(Schema.Array(Payment)),
  refunds: optional(Schema.Array(Payment))
})

const PurchaseUnit = Schema.Struct({ custom_id: optional(Schema.String), payments: optional(Payments) })

/** `orders.create`, `orders.get`, `orders.capture` and `orders.authorize`. */
export const Order = Schema.Struct({
  id: Reference,
  status: Schema.NonEmptyString,
  create_time: optional(WireTime),
  purchase_units: Schema.Array(PurchaseUnit),
  links: optional(Schema.Array(Link))
})
export type Order = typeof Order.Type

/** `error_default`: of every request but that for a token. */
export const Failure = Schema.Struct({
  name: Schema.NonEmptyString,
  message: optional(Schema.String),
  details: optional(
    Schema.Array(Schema.Struct({ issue: optional(Schema.String), description: optional(Schema.String) }))
  )
})
export type Failure = typeof Failure.Type

/** What PayPal's door answers to a token that has ended: OAuth's `invalid_token`. */
export const TokenRefusal = Schema.Struct({ error: Schema.Literal("invalid_token") })

/** https://developer.paypal.com/api/rest/authentication/. `expires_in`: seconds. */
export const Token = Schema.Struct({
  // It is sent in a header.
  access_token: Schema.String.check(Schema.isPattern(/^[\u0021-\u007e]{1,8192}$/)),
  token_type: Schema.String.check(Schema.isPattern(/^bearer$/i)),
  expires_in: Schema.Natural
})
export type Token = typeof Token.Type

/** https://developer.paypal.com/docs/api/identity/v1/: the account that the token is of. */
export const UserInfo = Schema.Struct({ payer_id: Schema.String.check(Schema.isPattern(/^[0-9A-Za-z]{1,255}$/)) })

/** The envelope of a message: `event` of `notifications_webhooks_v1`. */
export const Event = Schema.Struct({
  id: Reference,
  event_type: Schema.NonEmptyString,
  create_time: WireTime,
  resource: Schema.Unknown
})
export type Event = typeof Event.Type

const DisputedTransaction = Schema.Struct({
  seller_transaction_id: optional(Reference),
  custom: optional(Schema.String),
  invoice_number: optional(Schema.String)
})

/** `dispute` of `customer_disputes_v1` (https://developer.paypal.com/api/customer-disputes/v1/disputes-get). */
export const Dispute = Schema.Struct({
  dispute_id: Reference,
  disputed_transactions: Schema.Array(DisputedTransaction),
  status: optional(Schema.String),
  dispute_amount: optional(Schema.Unknown),
  seller_response_due_date: optional(Schema.Unknown),
  dispute_outcome: optional(
    Schema.Struct({ outcome_code: optional(Schema.String), amount_refunded: optional(Schema.Unknown) })
  )
})
export type Dispute = typeof Dispute.Type
export type DisputedTransaction = typeof DisputedTransaction.Type

/** The same, of the list and of one dispute. `update_time`: "when the dispute was last updated". */
export const ListedDispute = Schema.Struct({ ...Dispute.fields, update_time: WireTime })

/** `dispute_search` of the same: summaries without the disputed transactions. */
export const DisputePage = Schema.Struct({
  items: optional(Schema.Array(Schema.Struct({ dispute_id: Reference }))),
  links: optional(Schema.Array(Schema.Struct({ rel: Schema.String, href: Schema.String })))
})

/** By what a resource may name its charge. */
export const Names = Schema.Struct({
  id: optional(Reference),
  order_id: optional(Reference),
  custom_id: optional(Schema.String),
  invoice_id: optional(Schema.String),
  supplementary_data: optional(Supplement),
  links: optional(Schema.Array(Link)),
  purchase_units: optional(Schema.Array(Schema.Struct({ custom_id: optional(Schema.String) }))),
  disputed_transactions: optional(Schema.Array(DisputedTransaction))
})

/**
 * A time of the transaction search. Its description has an offset with a colon, and its examples one without ("+0000",
 * https://developer.paypal.com/docs/transaction-search/).
 */
const ReportTime = Schema.String.check(
  Schema.makeFilter((text: string) => !Number.isNaN(reportMillis(text)), { expected: "an RFC 3339 time" })
)

/** Epoch milliseconds of a time of the transaction search; `NaN` of any other text. */
export const reportMillis = (text: string): number =>
  /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})$/iu.test(text)
    ? Date.parse(text.replace(/([+-]\d{2})(\d{2})$/u, "$1:$2"))
    : Number.NaN

/** `search_response` of `reporting_transactions_v1`. Entries are read one by one. */
export const TransactionPage = Schema.Struct({
  transaction_details: optional(Schema.Array(Schema.Unknown)),
  last_refreshed_datetime: optional(ReportTime),
  total_pages: Schema.Natural
})

/** `transaction_detail` of the same, with its `transaction_info` alone. */
export const TransactionDetail = Schema.Struct({
  transaction_info: Schema.Struct({
    transaction_id: Reference,
    paypal_reference_id: optional(Reference),
    paypal_reference_id_type: optional(Schema.String),
    transaction_event_code: Schema.NonEmptyString,
    transaction_initiation_date: ReportTime,
    transaction_amount: Amount,
    fee_amount: optional(Amount),
    transaction_status: optional(Schema.String),
    invoice_id: optional(Schema.String),
    custom_field: optional(Schema.String)
  })
})

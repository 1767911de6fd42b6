import { keptFields } from "@pointsman/core/connector"

/** Keeps the fields of a message that `Protocol.ts` reads: no names, addresses, e-mail, notes or card details. */
export const keptOfMessage = keptFields(
  new Set([
    "id",
    "event_type",
    "create_time",
    "resource",
    "status",
    "status_details",
    "reason",
    "amount",
    "currency_code",
    "value",
    "custom_id",
    "invoice_id",
    "processor_response",
    "response_code",
    "supplementary_data",
    "related_ids",
    "order_id",
    "links",
    "href",
    "rel",
    "purchase_units",
    "payments",
    "authorizations",
    "captures",
    "refunds",
    "dispute_id",
    "dispute_amount",
    "seller_response_due_date",
    "disputed_transactions",
    "seller_transaction_id",
    "custom",
    "invoice_number",
    "dispute_outcome",
    "outcome_code",
    "amount_refunded"
  ])
)

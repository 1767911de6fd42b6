import { keptFields } from "@pointsman/core/connector"

/** Keeps the fields of a message that `Protocol.ts` reads: no names, addresses, e-mail, card details or client secrets. */
export const keptOfMessage = keptFields(
  new Set([
    "id",
    "type",
    "created_on",
    "timestamp",
    "data",
    "amount",
    "currency",
    "reference",
    "metadata",
    "attempt_id",
    "operation_id",
    "refund_id",
    "capture",
    "page",
    "action_id",
    "response_code",
    "response_summary",
    "balances",
    "total_authorized",
    "total_captured",
    "payment_id",
    "payment_reference",
    "resolved_reason",
    "evidence_required_by",
    "client_id",
    "processing_channel_id",
    "_links",
    "self",
    "href"
  ])
)

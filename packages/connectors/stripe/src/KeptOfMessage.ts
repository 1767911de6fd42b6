import { keptFields } from "@pointsman/core/connector"

/** Keeps the fields of a message that `Protocol.ts` reads: no names, addresses, e-mail, card details or client secrets. */
export const keptOfMessage = keptFields(
  new Set([
    "id",
    "type",
    "created",
    "api_version",
    "livemode",
    "account",
    "data",
    "object",
    "status",
    "amount",
    "amount_capturable",
    "amount_received",
    "amount_captured",
    "amount_total",
    "captured",
    "currency",
    "metadata",
    "attempt_id",
    "refund_id",
    "checkout",
    "last_payment_error",
    "code",
    "decline_code",
    "advice_code",
    "payment_intent",
    "payment_status",
    "failure_reason",
    "reason",
    "evidence_details",
    "due_by",
    "payment_method_details",
    "card",
    "case_type"
  ])
)

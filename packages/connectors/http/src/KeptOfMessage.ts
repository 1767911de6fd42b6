import { keptFields } from "@pointsman/core/connector"

/** Keeps the fields of a message that `Protocol.ts` reads: no names, addresses, e-mail, card details or client secrets. */
export const keptOfMessage = keptFields(
  new Set([
    "id",
    "type",
    "created",
    "data",
    "attempt_id",
    "provider_reference",
    "status",
    "captured_amount",
    "amount",
    "currency",
    "decline",
    "code",
    "category",
    "soft",
    "refund_id",
    "provider_refund_id",
    "operation_id",
    "kind",
    "updated",
    "failure_reason",
    "dispute_id",
    "reason",
    "provider_reason",
    "evidence_due_by"
  ])
)

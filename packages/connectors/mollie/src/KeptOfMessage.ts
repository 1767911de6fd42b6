import { keptFields } from "@pointsman/core/connector"

/** Keeps the fields of a message that `Protocol.ts` reads: no names, card details, bank accounts or addresses. */
export const keptOfMessage = keptFields(
  new Set([
    ...[
      "resource",
      "id",
      "type",
      "entityId",
      "createdAt",
      "_embedded",
      "entity",
      "mode",
      "status",
      "amount",
      "currency"
    ],
    ...["value", "amountCaptured", "metadata", "attempt_id", "operation_id", "refund_id", "checkout", "details"],
    ...["failureReason", "bankReasonCode", "paymentId", "reversedAt"]
  ])
)

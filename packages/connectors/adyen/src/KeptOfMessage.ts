import { keptFields } from "@pointsman/core/connector"

/** Keeps the fields of a message that `Protocol.ts` reads: no names, addresses, e-mail, card details or client secrets. */
export const keptOfMessage = keptFields(
  new Set([
    "notificationItems",
    "NotificationRequestItem",
    "pspReference",
    "originalReference",
    "merchantAccountCode",
    "merchantReference",
    "amount",
    "value",
    "currency",
    "eventCode",
    "success",
    "eventDate",
    "reason",
    "additionalData",
    "refusalReasonCode",
    "modification.action",
    "chargebackReasonCode",
    "defensePeriodEndsAt"
  ])
)

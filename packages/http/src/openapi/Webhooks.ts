/** What the service sends to a merchant's webhook endpoints: one entry for each type of event. */
import {
  declineCategories,
  disputeReasons,
  disputeStatuses,
  type EventType,
  environments,
  eventTypes,
  paymentStatuses,
  reminderDays
} from "@pointsman/core"
import { eventExample, exampleIds } from "./Examples.ts"
import type { JsonSchema, Operation, Parameter, PathItem } from "./Model.ts"

export const webhooksTag = {
  name: "Webhooks",
  description:
    "Events that this service posts to your webhook endpoints. Verify `X-Service-Signature` over the raw " +
    "body before you parse it, and reject a timestamp that is more than 300 seconds off. The same event " +
    "may arrive more than once: skip an `id` that you have processed.\n\nA delivery is retried after a " +
    "network error, a timeout (15 seconds), a redirect or a 5xx response. A 4xx response is final and " +
    "ends the delivery."
}

/** What each type means, for people. */
const meanings: Readonly<Record<EventType, string>> = {
  "payment.created": "A payment was created and is about to be sent to a provider.",
  "payment.requires_action": "The customer must act on the hosted page.",
  "payment.pending": "The provider accepted the payment and is still processing it.",
  "payment.authorized": "The amount is authorized.",
  "payment.captured": "The payment is captured.",
  "payment.declined": "The payment was declined.",
  "payment.failed": "The payment failed: no attempt was executed.",
  "payment.unknown": "The provider gave no usable response and may have charged.",
  "payment.cancelled": "The payment was voided or cancelled, or it expired.",
  "payment.capture_failed":
    "A capture failed after the provider had accepted or confirmed it; `captured_amount` is what is left.",
  "payment.void_failed": "A void failed after the provider had accepted it: the authorization is open again.",
  "payment.capture_unknown": "The provider gave no usable response to a capture and may have captured.",
  "payment.void_unknown": "The provider gave no usable response to a void and may have voided.",
  "payment.refund_pending": "The provider accepted a refund and is still processing it.",
  "payment.refund_unknown": "The provider gave no usable response to a refund and may have refunded.",
  "payment.refunded": "The provider confirmed a refund.",
  "payment.refund_failed": "A pending refund failed; its amount is refundable again.",
  "payment.settled": "The provider reports that the payment was settled.",
  "payment.chargeback": "The payment is disputed, or a dispute was lost.",
  "payment.chargeback_reversed": "A dispute was won.",
  "payment.conflict": "The provider's statement contradicts the payment; an operator reviews it.",
  "payment.amount_mismatch": "The provider states another amount or currency; an operator reviews it.",
  "payment.reviewed": "An operator stated what the provider's record says; any resulting change has its own event.",
  "dispute.opened": "The provider states a dispute, or an inquiry that may become one.",
  "dispute.updated": "The provider states another status, amount, reason or deadline.",
  "dispute.evidence_due":
    "The deadline for evidence is 7, 3 or 1 days away, as `days` says. After a time without a server, the last of these alone is sent.",
  "dispute.submitted": "The provider took the evidence.",
  "dispute.won": "The dispute was decided for you.",
  "dispute.lost": "The dispute was decided for the customer.",
  "dispute.accepted": "You accepted the dispute: the money stays with the customer."
}

type Fields = Readonly<Record<string, JsonSchema>>

const text = (description: string): JsonSchema => ({ type: "string", description })
const textOrNull = (description: string): JsonSchema => ({ type: ["string", "null"], description })
const minorUnits = (description: string): JsonSchema => ({ type: "integer", minimum: 0, description })

/** The fields of every event's `data`. */
const paymentFields: Fields = {
  payment_id: { type: "string", format: "uuid", description: "The payment." },
  reference: textOrNull("Your identifier, as given in the request."),
  payment_status: {
    type: "string",
    enum: paymentStatuses,
    description: "The payment's status after this event. New values may be added."
  },
  environment: { type: "string", enum: environments, description: "The payment's environment." },
  amount: minorUnits("The payment's amount in minor units."),
  currency: { type: "string", pattern: "^[A-Z]{3}$", description: "ISO 4217." }
}

const refundFields: Fields = {
  refund_id: { type: "string", pattern: "^rf_[0-9a-f-]{36}$", description: "The refund." },
  origin: {
    type: "string",
    enum: ["api", "provider"],
    description: "Who asked for it. `provider`: the merchant made it at the provider, in its dashboard for example."
  },
  refund_amount: minorUnits("The refund's amount in minor units."),
  refunded_total: minorUnits("Total refunded and confirmed so far, in minor units."),
  refund_pending_amount: minorUnits("Total reserved by unconfirmed refunds, in minor units.")
}

const disputeFields: Fields = {
  dispute_id: { type: "string", pattern: "^dp_[0-9a-f-]{36}$", description: "The dispute." },
  dispute_status: {
    type: "string",
    enum: disputeStatuses,
    description: "The dispute's status after this event. New values may be added."
  },
  dispute_amount: {
    type: ["integer", "null"],
    minimum: 0,
    description: "The disputed amount in minor units of `dispute_currency`; null if the provider does not state it."
  },
  dispute_currency: { type: ["string", "null"], pattern: "^[A-Z]{3}$", description: "ISO 4217." },
  dispute_reason: {
    type: ["string", "null"],
    enum: [...disputeReasons, null],
    description: "The customer's reason, normalized across providers."
  },
  evidence_due_by: {
    type: ["string", "null"],
    format: "date-time",
    description: "Until when the provider takes evidence; null if it does not state it."
  }
}

/** Each conflict has those that its statement has. */
const conflictFields: Fields = {
  stated: text(
    "What the provider stated, such as `captured`, `canceled`, `void_refused`, `dispute_lost`, `settled` or `other_account`; absent for an additional charge. For people; new values may be added."
  ),
  attempt_id: text("The attempt that the statement is about, or the additional attempt that holds money."),
  operation_id: text("The capture or void that the statement is about."),
  ...refundFields,
  dispute_id: textOrNull("The provider's identifier of the dispute that the statement is about."),
  dispute_status: {
    type: "string",
    enum: disputeStatuses,
    description: "The status of the dispute, as the provider stated it. New values may be added."
  },
  capture_id: text("The provider's identifier of the capture that the statement is about."),
  connection_id: text("The connection of the statement."),
  provider_reference: textOrNull(
    "The provider's reference for the charge, if known. Use it to find the charge at the provider."
  ),
  provider_refund_id: textOrNull("The provider's identifier of the refund, if known."),
  stated_amount: minorUnits("The amount that the provider stated, in minor units of `stated_currency`."),
  stated_currency: text("The currency of `stated_amount`. ISO 4217."),
  failure_reason: textOrNull("The provider's reason for a failure."),
  reason: text("What changed, in the provider's words. Of `changed`."),
  other_payment_id: textOrNull("The other payment for which the provider stated the same reference."),
  other_refund_id: text("The other refund for which the provider stated the same identifier."),
  account: text("The provider account of the payment. Of `other_account`."),
  current_account: text("The provider account that the connection's credentials open now. Of `other_account`.")
}

const metadata: JsonSchema = {
  type: "object",
  description: "Your own data, as given in the request; absent without any.",
  additionalProperties: { type: "string" }
}

/** `required`: all but the `optional` ones and the metadata. */
const dataSchema = (description: string, required: Fields, optional: Fields = {}): JsonSchema => ({
  type: "object",
  description,
  required: Object.keys(required),
  properties: { ...required, metadata, ...optional }
})

/** The schemas of `data`, as components. */
export const dataSchemas = {
  PaymentEventData: dataSchema("Fields common to most events.", paymentFields),
  DeclinedEventData: dataSchema(
    "What `payment.declined` says.",
    {
      ...paymentFields,
      decline_category: {
        type: ["string", "null"],
        enum: [...declineCategories, null],
        description: "Decline category, normalized across providers."
      },
      decline_code: textOrNull("The provider's code.")
    },
    { decline: { $ref: "#/components/schemas/Decline" } }
  ),
  RefundEventData: dataSchema("Fields of refund events.", { ...paymentFields, ...refundFields }),
  RefundFailedEventData: dataSchema("What `payment.refund_failed` says.", {
    ...paymentFields,
    ...refundFields,
    failure_reason: textOrNull("Why the refund failed.")
  }),
  CapturedEventData: dataSchema("What `payment.captured` says.", paymentFields, {
    captured_amount: minorUnits("What is captured, in minor units. Absent where it is the payment's `amount`.")
  }),
  CancelledEventData: dataSchema("What `payment.cancelled` says.", paymentFields, {
    origin: {
      type: "string",
      enum: ["provider"],
      description:
        "An authorization was cancelled or expired at the provider, without a void here. New values may be added."
    }
  }),
  OperationFailedEventData: dataSchema(
    "What `payment.capture_failed` and `payment.void_failed` say.",
    {
      ...paymentFields,
      operation_id: text("The capture or void that failed."),
      failure_reason: textOrNull("The provider's reason.")
    },
    { captured_amount: minorUnits("What is left captured, in minor units. Of `payment.capture_failed`.") }
  ),
  ConflictEventData: dataSchema("What `payment.conflict` says.", paymentFields, conflictFields),
  AmountMismatchEventData: dataSchema("What `payment.amount_mismatch` says.", paymentFields, {
    stated_amount: minorUnits("The amount that the provider stated, in minor units of `stated_currency`."),
    stated_currency: text("The currency that the provider stated."),
    captured_amount: minorUnits(
      "What is recorded as captured after the event, in minor units. Of an authorized or captured payment for which the provider stated a greater amount."
    )
  }),
  DisputeEventData: dataSchema("Fields of dispute events.", { ...paymentFields, ...disputeFields }),
  DisputeEvidenceDueEventData: dataSchema("What `dispute.evidence_due` says.", {
    ...paymentFields,
    ...disputeFields,
    days: { type: "integer", enum: reminderDays, description: "Days before the deadline that this reminds of." }
  }),
  ReviewedEventData: dataSchema("What `payment.reviewed` says.", paymentFields, {
    reviewed_by: text("Who read the provider's record."),
    approved_by: text("The second person, if one was needed."),
    evidence: text("The evidence, as free text."),
    evidence_sha256: text("SHA-256 of a file that shows it, if the operator named one."),
    evidence_reference: text("The provider's support case or other reference, if the operator named one."),
    finding: {
      type: "object",
      description: "What the operator stated that the provider's record says. Empty if nothing changed.",
      additionalProperties: true
    }
  })
} as const satisfies Record<string, JsonSchema>

const dataOf = (type: EventType): keyof typeof dataSchemas => {
  switch (type) {
    case "payment.declined":
      return "DeclinedEventData"
    case "payment.captured":
      return "CapturedEventData"
    case "payment.cancelled":
      return "CancelledEventData"
    case "payment.capture_failed":
    case "payment.void_failed":
      return "OperationFailedEventData"
    case "payment.refund_pending":
    case "payment.refund_unknown":
    case "payment.refunded":
      return "RefundEventData"
    case "payment.refund_failed":
      return "RefundFailedEventData"
    case "payment.conflict":
      return "ConflictEventData"
    case "payment.amount_mismatch":
      return "AmountMismatchEventData"
    case "payment.reviewed":
      return "ReviewedEventData"
    case "dispute.evidence_due":
      return "DisputeEvidenceDueEventData"
    case "dispute.opened":
    case "dispute.updated":
    case "dispute.submitted":
    case "dispute.won":
    case "dispute.lost":
    case "dispute.accepted":
      return "DisputeEventData"
    default:
      return "PaymentEventData"
  }
}

const parameters: ReadonlyArray<Parameter> = [
  {
    name: "X-Service-Signature",
    in: "header",
    required: true,
    description:
      "`t=<unix seconds>,v1=<hex>`: the HMAC-SHA-256 of `<t>.<raw body>`, keyed with the endpoint's " +
      "secret. During a secret rotation there is one `v1` per secret.",
    schema: {
      type: "string",
      examples: ["t=1795263338,v1=5257a869e7ecebeda32affa62cdca3fa51cad7e77a0e56ff536d0ce8e108d8bd"]
    }
  },
  {
    name: "X-Service-Event-Id",
    in: "header",
    required: true,
    description: "The event's `id`.",
    schema: { type: "string", examples: [exampleIds.event] }
  },
  {
    name: "X-Service-Delivery-Id",
    in: "header",
    required: true,
    description: "The delivery id: the same for every attempt.",
    schema: { type: "string", examples: [exampleIds.delivery] }
  }
]

/** `payment.refund_failed` is `onPaymentRefundFailed`. */
const operationIdOf = (type: EventType): string =>
  `on${type.replace(/(?:^|[._])([a-z])/gu, (_, letter: string) => letter.toUpperCase())}`

const webhookOf = (type: EventType): Operation => ({
  operationId: operationIdOf(type),
  tags: [webhooksTag.name],
  summary: type,
  description: meanings[type],
  security: [],
  parameters,
  requestBody: {
    required: true,
    content: {
      "application/json": {
        schema: {
          type: "object",
          required: ["id", "type", "created", "data"],
          properties: {
            id: { type: "string", description: "Unique: skip an id that you have processed." },
            type: { type: "string", enum: [type], description: "What happened." },
            created: { type: "string", format: "date-time", description: "When the event occurred." },
            data: { $ref: `#/components/schemas/${dataOf(type)}` }
          }
        },
        examples: { event: { summary: type, value: eventExample(type) } }
      }
    }
  },
  responses: {
    "2XX": { description: "Accepted. The delivery is complete." },
    "4XX": { description: "Rejected. The delivery ends and is not retried." },
    "5XX": { description: "The delivery is retried later." }
  }
})

export const webhooks: Readonly<Record<string, PathItem>> = Object.fromEntries(
  eventTypes.map((type) => [type, { post: webhookOf(type) }])
)

/** The payment as the API shows it (specification, Payment; decisions, section 2). Amounts are in minor units. */
import {
  captureMethods,
  declineCategories,
  environments,
  initiators,
  paymentMethods,
  paymentStatuses
} from "@pointsman/core"
import { Schema } from "effect"

export const PaymentStatus = Schema.Literals(paymentStatuses).annotate({ identifier: "PaymentStatus" })
export type PaymentStatus = typeof PaymentStatus.Type

export const Environment = Schema.Literals(environments)

export const DateTime = Schema.String.annotate({ format: "date-time", description: "RFC 3339, UTC, milliseconds." })

export const NextAction = Schema.Struct({
  type: Schema.Literals(["NONE", "REDIRECT"]),
  /** Where to send the customer; there when `type` is `REDIRECT`. */
  url: Schema.optionalKey(Schema.String.annotate({ format: "uri" })),
  expires_at: Schema.optionalKey(DateTime)
}).annotate({ identifier: "NextAction" })

export const RoutingExclusion = Schema.Struct({
  /** The excluded connection's id. */
  providerId: Schema.String,
  name: Schema.String,
  /** Stable; new codes may be added. */
  code: Schema.String,
  /** One sentence for people; not part of the contract. */
  reason: Schema.String
}).annotate({ identifier: "RoutingExclusion" })
export type RoutingExclusion = typeof RoutingExclusion.Type

/** The specification promises objects, and not which fields they have. */
const FreeFormObject = Schema.Record(Schema.String, Schema.Json)

export const RoutingDecision = Schema.Struct({
  path: Schema.Literals(["engine", "rule", "control"]),
  strategy: Schema.String,
  mode: Schema.String,
  rule: Schema.NullOr(Schema.String),
  candidates: Schema.Array(FreeFormObject),
  attempts: Schema.Array(FreeFormObject),
  /** This one and the two after it are there when the request set `debug`. */
  excluded: Schema.optionalKey(Schema.Array(RoutingExclusion)),
  eligibility_version: Schema.optionalKey(Schema.NullOr(Schema.String)),
  degraded: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "RoutingDecision" })
export type RoutingDecision = typeof RoutingDecision.Type

export const Payment = Schema.Struct({
  id: Schema.String,
  payment_id: Schema.String.annotate({ format: "uuid" }),
  reference: Schema.NullOr(Schema.String),
  payment_status: PaymentStatus,
  /** Always the same as `payment_status`. */
  status: PaymentStatus,
  environment: Environment,
  amount: Schema.Int,
  currency: Schema.String,
  country: Schema.String,
  method: Schema.Literals(paymentMethods),
  card_brand: Schema.NullOr(Schema.String),
  initiator: Schema.Literals(initiators),
  capture_method: Schema.Literals(captureMethods),
  decline_category: Schema.NullOr(Schema.Literals(declineCategories)),
  decline_reason: Schema.NullOr(Schema.String),
  captured_amount: Schema.Int,
  /** Refunded and confirmed by the provider. */
  refunded_amount: Schema.Int,
  /** Reserved by refunds that are not confirmed. */
  refund_pending_amount: Schema.Int,
  next_action: NextAction,
  created: DateTime,
  /** On the outcome of a create, and its replay, alone. */
  routing: Schema.optionalKey(RoutingDecision)
}).annotate({ identifier: "Payment" })
export type Payment = typeof Payment.Type

export const PaymentEnvelope = Schema.Struct({ data: Payment }).annotate({ identifier: "PaymentEnvelope" })

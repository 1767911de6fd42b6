/** The payment as the API shows it (specification, Payment; decisions, section 2). Amounts are in minor units. */
import {
  amountLimits,
  captureMethods,
  declineCategories,
  environments,
  exclusionCodes,
  initiators,
  paymentMethods,
  paymentStatuses
} from "@pointsman/core"
import { Schema } from "effect"
import { createLimits } from "./CreatePayment.ts"
import { documented } from "./Documented.ts"

export const PaymentStatus = Schema.Literals(paymentStatuses).annotate({
  identifier: "PaymentStatus",
  description:
    "`UNKNOWN` means that the provider may have executed the operation and nobody knows the outcome yet: show it as " +
    "`PENDING`, and never pay again for the same order. New values may be added."
})
export type PaymentStatus = typeof PaymentStatus.Type

export const Environment = Schema.Literals(environments)

export const DateTime = Schema.String.annotate({ format: "date-time", description: "RFC 3339, UTC, milliseconds." })

export const NextAction = Schema.Struct({
  type: Schema.Literals(["NONE", "REDIRECT"]).annotateKey(
    documented("`REDIRECT`: send the customer to `url`. `NONE`: nothing is left to do.")
  ),
  url: Schema.optionalKey(Schema.String.annotate({ format: "uri" })).annotateKey(
    documented("Where to send the customer. Present when `type` is `REDIRECT`.")
  ),
  expires_at: Schema.optionalKey(DateTime).annotateKey(
    documented("When `url` stops working. Present when `type` is `REDIRECT`.")
  )
}).annotate({ identifier: "NextAction", description: "What the customer must do before the payment can go on." })

export const RoutingExclusion = Schema.Struct({
  providerId: Schema.String.annotateKey(documented("The excluded connection's id.")),
  name: Schema.String.annotateKey(documented("The excluded connection's name.")),
  code: Schema.String.annotateKey(
    documented(
      `Why it was excluded; stable. Now one of ${exclusionCodes.map((code) => `\`${code}\``).join(", ")}; new codes may be added.`,
      { examples: ["CURRENCY_NOT_SUPPORTED"] }
    )
  ),
  reason: Schema.String.annotateKey(documented("One sentence for people. It may change; do not read it in code."))
}).annotate({
  identifier: "RoutingExclusion",
  description: "A connection that was removed before routing."
})
export type RoutingExclusion = typeof RoutingExclusion.Type

/** The specification promises objects, and not which fields they have. */
const FreeFormObject = Schema.Record(Schema.String, Schema.Json).annotate({
  description: "Free-form: fields may be added and removed."
})

const withDebug = "Present when the request set `debug`."

export const RoutingDecision = Schema.Struct({
  path: Schema.Literals(["engine", "rule", "control"]).annotateKey(
    documented("What decided: a rule that matched, the control group, or the routing engine.")
  ),
  strategy: Schema.String.annotateKey(documented("How the candidates were put in order.", { examples: ["order"] })),
  mode: Schema.String.annotateKey(
    documented("What may follow a first attempt that failed.", { enum: ["fixed", "priority", "failover", "auto"] })
  ),
  rule: Schema.NullOr(Schema.String).annotateKey(documented("The name of the matched routing rule, if any.")),
  candidates: Schema.Array(FreeFormObject).annotateKey(
    documented("The connections that could take the payment, in the order of trial.")
  ),
  attempts: Schema.Array(FreeFormObject).annotateKey(documented("The calls to providers, oldest first.")),
  excluded: Schema.optionalKey(Schema.Array(RoutingExclusion)).annotateKey(
    documented(`Every connection that was removed before routing; empty when none was. ${withDebug}`)
  ),
  eligibility_version: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey(
    documented(`The eligibility rules that made \`excluded\`. ${withDebug}`)
  ),
  degraded: Schema.optionalKey(Schema.Boolean).annotateKey(
    documented(`Whether every eligible connection had an open circuit breaker and was tried anyway. ${withDebug}`)
  )
}).annotate({ identifier: "RoutingDecision", description: "How a payment was routed." })
export type RoutingDecision = typeof RoutingDecision.Type

const partOfAmount = { minimum: 0, maximum: amountLimits.maximum } as const

export const Payment = Schema.Struct({
  id: Schema.String.annotateKey(documented("The same as `payment_id`.", { format: "uuid" })),
  payment_id: Schema.String.annotateKey(
    documented("The identifier in paths: a UUIDv7, so that ids sort by creation.", { format: "uuid" })
  ),
  reference: Schema.NullOr(Schema.String).annotateKey(
    documented("Your own identifier, as the request gave it.", { maxLength: createLimits.reference })
  ),
  payment_status: PaymentStatus.annotateKey(documented("Where the payment stands.")),
  status: PaymentStatus.annotateKey(documented("Always the same as `payment_status`.")),
  environment: Environment.annotateKey(documented("The environment of the API key that made the payment.")),
  amount: Schema.Int.annotateKey(documented("In the minor unit of `currency`.", amountLimits)),
  currency: Schema.String.annotateKey(documented("ISO 4217.", { pattern: "^[A-Z]{3}$", examples: ["EUR"] })),
  country: Schema.String.annotateKey(
    documented("The customer's country, ISO 3166-1 alpha-2.", { pattern: "^[A-Z]{2}$", examples: ["NL"] })
  ),
  method: Schema.Literals(paymentMethods).annotateKey(documented("What the customer pays with.")),
  card_brand: Schema.NullOr(Schema.String).annotateKey(
    documented("The brand of the card, as the request gave it.", { maxLength: createLimits.cardBrand })
  ),
  initiator: Schema.Literals(initiators).annotateKey(
    documented("`cit`: the customer is present. `mit`: initiated by the merchant.")
  ),
  capture_method: Schema.Literals(captureMethods).annotateKey(
    documented("`automatic`: captured at once. `manual`: authorized, and captured by a request of its own.")
  ),
  decline_category: Schema.NullOr(Schema.Literals(declineCategories)).annotateKey(
    documented("Why a `DECLINED` payment was declined, the same for all providers; else null.")
  ),
  decline_reason: Schema.NullOr(Schema.String).annotateKey(
    documented("The provider's own code on `DECLINED`, `provider_error` on `FAILED`, else null.")
  ),
  captured_amount: Schema.Int.annotateKey(documented("Captured so far, in minor units.", partOfAmount)),
  refunded_amount: Schema.Int.annotateKey(
    documented("Refunded and confirmed by the provider, in minor units.", partOfAmount)
  ),
  refund_pending_amount: Schema.Int.annotateKey(
    documented(
      "Held by refunds that were sent and are not confirmed, those without an answer too, in minor units. Neither " +
        "refunded nor refundable until each is resolved.",
      partOfAmount
    )
  ),
  next_action: NextAction,
  created: DateTime.annotateKey(documented("When the payment was created.")),
  routing: Schema.optionalKey(RoutingDecision).annotateKey(
    documented("How the payment was routed. Present on the outcome of a create, and on its replay.")
  )
}).annotate({ identifier: "Payment", description: "A payment. Amounts are integers in the currency's minor unit." })
export type Payment = typeof Payment.Type

export const PaymentEnvelope = Schema.Struct({ data: Payment }).annotate({
  identifier: "PaymentEnvelope",
  description: "The payment as it stands."
})

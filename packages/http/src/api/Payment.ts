/** The payment as the API shows it. Amounts are in minor units. */
import {
  amountLimits,
  attemptOutcomes,
  captureMethods,
  declineAdvices,
  declineCategories,
  declineCodes,
  environments,
  exclusionCodes,
  initiators,
  paymentMethodNames,
  paymentMethods,
  paymentStatuses,
  payoutStatuses,
  routingModes
} from "@pointsman/core"
import { Schema } from "effect"
import { createLimits } from "./CreatePayment.ts"
import { documented } from "./Documented.ts"
import { givenPurchase } from "./Purchase.ts"

export const PaymentStatus = Schema.Literals(paymentStatuses).annotate({
  identifier: "PaymentStatus",
  description:
    "`UNKNOWN` means that the provider may have executed the operation, but the outcome is not known " +
    "yet: show it as `PENDING`, and do not pay again for the same order. New values may be added."
})
export type PaymentStatus = typeof PaymentStatus.Type

export const Environment = Schema.Literals(environments)

export const DateTime = Schema.String.annotate({ format: "date-time", description: "RFC 3339, UTC, milliseconds." })

export const NextAction = Schema.Struct({
  type: Schema.Literals(["NONE", "REDIRECT"]).annotateKey(
    documented("`REDIRECT`: redirect the customer to `url`. `NONE`: no action is required.")
  ),
  url: Schema.optionalKey(Schema.String.annotate({ format: "uri" })).annotateKey(
    documented(
      "The URL to redirect the customer to. Present if `type` is `REDIRECT` and the API key has the scope " +
        "`payments:write`: a person with the URL can act for the customer."
    )
  ),
  expires_at: Schema.optionalKey(DateTime).annotateKey(
    documented("When `url` expires. Present if `type` is `REDIRECT`.")
  )
}).annotate({ identifier: "NextAction", description: "What the customer must do before the payment can proceed." })

export const RoutingExclusion = Schema.Struct({
  providerId: Schema.String.annotateKey(documented("The excluded connection's id.")),
  name: Schema.String.annotateKey(documented("The excluded connection's name.")),
  code: Schema.String.annotateKey(
    documented(
      `Why it was excluded; stable. Now one of ${exclusionCodes.map((code) => `\`${code}\``).join(", ")}; new codes may be added.`,
      { examples: ["CURRENCY_NOT_SUPPORTED"] }
    )
  ),
  reason: Schema.String.annotateKey(documented("One human-readable sentence. It may change; do not parse it."))
}).annotate({
  identifier: "RoutingExclusion",
  description: "A connection that was not asked."
})
export type RoutingExclusion = typeof RoutingExclusion.Type

const withDebug = "Present if the request set `debug`."

export const Decline = Schema.Struct({
  category: Schema.Literals(declineCategories).annotateKey(
    documented("The same as `decline_category`: normalized across providers.")
  ),
  code: Schema.String.annotateKey(
    documented(
      `The reason within the category, normalized across providers. Now one of ${declineCodes.map((code) => `\`${code}\``).join(", ")}; ` +
        "new codes may be added.",
      { examples: ["lost_card"] }
    )
  ),
  provider_code: Schema.NullOr(Schema.String).annotateKey(documented("The provider's own code.")),
  advice: Schema.Literals(declineAdvices).annotateKey(
    documented(
      "`retry_later`: the same method may succeed later. `use_another_method`: do not charge the same method " +
        "again as it is; the customer can correct or confirm it, or pay with another. `do_not_retry`: do not charge for this order again."
    )
  )
}).annotate({ identifier: "Decline", description: "Why a provider declined, and what to do about it." })

/** `NeedsCustomer` is `needs_customer` on the wire. */
export const outcomeNames = Object.fromEntries(
  attemptOutcomes.map((name) => [
    name,
    name.replace(/[A-Z]/gu, (letter, at: number) => `${at === 0 ? "" : "_"}${letter.toLowerCase()}`)
  ])
) as Readonly<Record<(typeof attemptOutcomes)[number], string>>

/** Version 1 promises objects; their fields were added to it. */
export const RoutingCandidate = Schema.Struct({
  connection_id: Schema.String.annotateKey(documented("The connection's id.")),
  name: Schema.String.annotateKey(documented("The connection's name.")),
  priority: Schema.Int.annotateKey(documented("Its configured priority: the smaller is tried first.")),
  score: Schema.optionalKey(Schema.Finite).annotateKey(
    documented("What it was ordered by, where the strategy gives scores: the greater is tried first.")
  )
}).annotate({
  identifier: "RoutingCandidate",
  description: "A connection that could take the payment. Fields may be added."
})

export const RoutingAttempt = Schema.Struct({
  attempt_id: Schema.String.annotateKey(documented("The attempt's id, which the provider received.")),
  connection_id: Schema.String.annotateKey(documented("The connection's id.")),
  outcome: Schema.NullOr(Schema.String).annotateKey(
    documented(
      `How the call ended; \`null\` while it is under way. Now one of ${Object.values(outcomeNames)
        .map((name) => `\`${name}\``)
        .join(", ")}; new outcomes may be added.`,
      { examples: ["captured"] }
    )
  ),
  code: Schema.NullOr(Schema.String).annotateKey(documented("The provider's own code, of a decline or a refusal.")),
  decline: Schema.optionalKey(Decline).annotateKey(documented("Present if the provider declined."))
}).annotate({ identifier: "RoutingAttempt", description: "A call to a provider. Fields may be added." })

export const RoutingDecision = Schema.Struct({
  path: Schema.Literals(["engine", "rule", "control"]).annotateKey(
    documented("What decided the route: a matching rule, the control group, or the routing engine.")
  ),
  strategy: Schema.String.annotateKey(documented("How the candidates were ordered.", { examples: ["order"] })),
  mode: Schema.Literals(routingModes).annotateKey(documented("What may follow a failed first attempt.")),
  rule: Schema.NullOr(Schema.String).annotateKey(documented("The name of the matched routing rule, if any.")),
  candidates: Schema.Array(RoutingCandidate).annotateKey(
    documented("The eligible connections, in the order in which they are tried.")
  ),
  attempts: Schema.Array(RoutingAttempt).annotateKey(
    documented("The provider calls, oldest first. A declined one has `decline`.")
  ),
  excluded: Schema.optionalKey(Schema.Array(RoutingExclusion)).annotateKey(
    documented(
      "Every connection that was excluded, before routing or because it could no longer be used when a further attempt " +
        `was due; may be empty. ${withDebug}`
    )
  ),
  eligibility_version: Schema.optionalKey(Schema.NullOr(Schema.String)).annotateKey(
    documented(`Version of the eligibility rules behind \`excluded\`. ${withDebug}`)
  ),
  degraded: Schema.optionalKey(Schema.Boolean).annotateKey(
    documented(`Whether every eligible connection had an open circuit breaker and was tried anyway. ${withDebug}`)
  )
}).annotate({ identifier: "RoutingDecision", description: "How a payment was routed." })
export type RoutingDecision = typeof RoutingDecision.Type

const partOfAmount = { minimum: 0, maximum: amountLimits.maximum } as const

const settlementFields = {
  payout_id: Schema.NullOr(Schema.String).annotateKey(
    documented("The provider's id of the payout; `null` until it is paid out.")
  ),
  payout_status: Schema.NullOr(Schema.Literals(payoutStatuses)).annotateKey(
    documented(
      "What the provider's reports say of the payout: `open` while none has the payout itself, `paid` once it left, " +
        "`partly_returned` or `returned` if it came back. `null` until the payment is paid out."
    )
  ),
  fee: Schema.NullOr(Schema.Int).annotateKey(
    documented("What the provider keeps, in minor units of `currency`; `null` where its report has no fees.")
  ),
  net: Schema.NullOr(Schema.Int).annotateKey(
    documented("What is paid out, in minor units of `currency`; negative where money leaves. `null` without fees.")
  ),
  currency: Schema.String.annotateKey(documented("The currency of the payout.")),
  settled_at: Schema.NullOr(DateTime).annotateKey(
    documented("When the payout arrives, or when the money is available; `null` where it is not known.")
  )
}

export const Settlement = Schema.Struct(settlementFields).annotate({
  identifier: "Settlement",
  description: "What the provider's report says about the money of the payment."
})

export const RefundSettlement = Schema.Struct({
  refund_id: Schema.String.annotateKey(documented("The id of the refund, as in the events.")),
  ...settlementFields
}).annotate({ identifier: "RefundSettlement", description: "What the provider's report says about a refund." })

export const Refund = Schema.Struct({
  refund_id: Schema.String.annotateKey(documented("Names it in its events.")),
  amount: Schema.Int.annotateKey(documented("In minor units.")),
  status: Schema.Literals(["pending", "unknown", "succeeded", "failed"]).annotateKey(
    documented("`unknown`: the provider did not answer and may have refunded.")
  ),
  origin: Schema.Literals(["api", "provider"]).annotateKey(
    documented("`provider`: the merchant made it at the provider, in its dashboard for example.")
  ),
  created: DateTime.annotateKey(documented("When it was asked for."))
}).annotate({ identifier: "Refund", description: "A refund of a payment." })

export const Payment = Schema.Struct({
  id: Schema.String.annotateKey(documented("The same as `payment_id`.", { format: "uuid" })),
  payment_id: Schema.String.annotateKey(
    documented("The payment id used in paths: a UUIDv7, so ids sort by creation time.", { format: "uuid" })
  ),
  reference: Schema.NullOr(Schema.String).annotateKey(
    documented("Your identifier, as given in the request.", { maxLength: createLimits.reference })
  ),
  ...givenPurchase,
  payment_status: PaymentStatus.annotateKey(documented("The payment's status.")),
  status: PaymentStatus.annotateKey(documented("Always the same as `payment_status`.")),
  environment: Environment.annotateKey(
    documented("The environment in which the payment was created: over HTTP, that of the API key.")
  ),
  amount: Schema.Int.annotateKey(documented("In the minor unit of `currency`.", amountLimits)),
  currency: Schema.String.annotateKey(documented("ISO 4217.", { pattern: "^[A-Z]{3}$", examples: ["EUR"] })),
  country: Schema.String.annotateKey(
    documented("Country of the customer, ISO 3166-1 alpha-2.", { pattern: "^[A-Z]{2}$", examples: ["NL"] })
  ),
  method: Schema.Literals(paymentMethods).annotateKey(documented("The kind of payment method.")),
  payment_method: Schema.optionalKey(Schema.String).annotateKey(
    documented(
      "The payment method by name, as given in the request; absent without one. Now one of " +
        `${paymentMethodNames.map((name) => `\`${name}\``).join(", ")}; new names may be added.`,
      { examples: ["ideal"] }
    )
  ),
  card_brand: Schema.NullOr(Schema.String).annotateKey(
    documented("The card brand, as given in the request.", { maxLength: createLimits.cardBrand })
  ),
  initiator: Schema.Literals(initiators).annotateKey(
    documented("`cit`: the customer is present. `mit`: initiated by the merchant.")
  ),
  capture_method: Schema.Literals(captureMethods).annotateKey(
    documented("`automatic`: captured immediately. `manual`: authorized, and captured by a separate request.")
  ),
  decline_category: Schema.NullOr(Schema.Literals(declineCategories)).annotateKey(
    documented("Decline category of a `DECLINED` payment, normalized across providers; otherwise null.")
  ),
  decline_reason: Schema.NullOr(Schema.String).annotateKey(
    documented("The provider's code if `DECLINED`, `provider_error` if `FAILED`, otherwise null.")
  ),
  decline: Schema.optionalKey(Decline).annotateKey(
    documented("Why the payment was declined, and what to do about it. Present on a `DECLINED` payment.")
  ),
  captured_amount: Schema.Int.annotateKey(documented("Total captured, in minor units.", partOfAmount)),
  refunded_amount: Schema.Int.annotateKey(
    documented("Total refunded and confirmed by the provider, in minor units.", partOfAmount)
  ),
  refund_pending_amount: Schema.Int.annotateKey(
    documented(
      "Total reserved by refunds that were sent but are not confirmed, including unanswered ones, in minor " +
        "units. The amount is neither refunded nor refundable until each refund is resolved.",
      partOfAmount
    )
  ),
  next_action: NextAction,
  created: DateTime.annotateKey(documented("When the payment was created.")),
  recovered: Schema.optionalKey(Schema.Literal(true)).annotateKey(
    documented(
      "Present if records of the payment were lost with the database and recovered from the provider. What the " +
        "provider was not told is missing: an unknown `country` is `ZZ`."
    )
  ),
  settlement: Schema.optionalKey(Settlement).annotateKey(
    documented(
      "Present in reads, once a report of the provider that pays the payment out was reconciled. Its `payout_status` says " +
        "whether the payout is `open`, `paid`, `partly_returned` or `returned`."
    )
  ),
  refund_settlements: Schema.optionalKey(Schema.Array(RefundSettlement)).annotateKey(
    documented("As `settlement`, of each refund that a report has.")
  ),
  refunds: Schema.optionalKey(Schema.Array(Refund)).annotateKey(
    documented("Present in reads of one payment: its refunds, newest first, at most 100.")
  ),
  routing: Schema.optionalKey(RoutingDecision).annotateKey(
    documented("How the payment was routed. Present in the response to a create and in its replay.")
  )
}).annotate({ identifier: "Payment", description: "A payment. Amounts are integers in the currency's minor unit." })
export type Payment = typeof Payment.Type

export const PaymentEnvelope = Schema.Struct({ data: Payment }).annotate({
  identifier: "PaymentEnvelope",
  description: "The current payment."
})

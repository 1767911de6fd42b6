/** What a capture, a refund and a new sub-merchant take. */
import { isCountry } from "@pointsman/core/internal"
import { Schema } from "effect"
import { documented, isStorableText } from "./Documented.ts"

export const operationLimits = { bodyBytes: 16_384, reason: 200 } as const

/** Minor units; absent is a value of its own: all of it. */
export const OperationAmount = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1))

export const CapturePayment = Schema.Struct({
  amount: Schema.optionalKey(OperationAmount).annotateKey(
    documented("Amount to capture, in minor units, up to the authorized amount. Default: the full authorized amount.")
  )
}).annotate({ identifier: "CapturePayment", description: "A capture." })

export const RefundPayment = Schema.Struct({
  amount: Schema.optionalKey(OperationAmount).annotateKey(
    documented(
      "Amount to refund, in minor units. An amount above the refundable balance refunds that balance. " +
        "Default: the full refundable balance."
    )
  ),
  reason: Schema.optionalKey(
    Schema.String.check(Schema.isMaxCodePoints(operationLimits.reason), isStorableText)
  ).annotateKey(documented("Reason for the refund, for your records and the provider's."))
}).annotate({ identifier: "RefundPayment", description: "A refund." })

export const merchantLimits = { bodyBytes: 16_384, name: 120, email: 254, category: 64 } as const

export const CreateMerchant = Schema.Struct({
  name: Schema.String.check(
    Schema.isMinCodePoints(1),
    Schema.isMaxCodePoints(merchantLimits.name),
    isStorableText
  ).annotateKey(documented("The name of the merchant's workspace.", { examples: ["Corner Bakery"] })),
  email: Schema.String.annotate({ format: "email" })
    .check(Schema.isMaxCodePoints(merchantLimits.email), Schema.isPattern(/^[^\s@]+@[^\s@]+$/u), isStorableText)
    .annotateKey(
      documented("Email address of the owner, who receives an invitation.", { examples: ["owner@bakery.test"] })
    ),
  country: Schema.String.check(
    Schema.isPattern(/^[A-Z]{2}$/u),
    Schema.makeFilter(isCountry, { expected: "an ISO 3166-1 country" })
  ).annotateKey(documented("Where the merchant is registered, ISO 3166-1 alpha-2.", { examples: ["NL"] })),
  category: Schema.optionalKey(
    Schema.String.check(Schema.isMaxCodePoints(merchantLimits.category), isStorableText)
  ).annotateKey(documented("The merchant category. Some providers exclude certain categories.", { examples: ["food"] }))
}).annotate({ identifier: "CreateMerchant", description: "A new sub-merchant." })
export type CreateMerchant = typeof CreateMerchant.Type

/** What a capture and a refund take. */
import { Schema } from "effect"
import { documented } from "./Documented.ts"
import { isStorableText } from "./StorableText.ts"

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

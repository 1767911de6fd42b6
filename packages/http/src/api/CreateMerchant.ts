/** What provisioning a sub-merchant takes. */
import { isCountry } from "@pointsman/core/internal"
import { Schema } from "effect"
import { documented } from "./Documented.ts"
import { isStorableText } from "./StorableText.ts"

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

/** Metadata, and what the customer pays for. */
import { amountLimits } from "@pointsman/core"
import { Schema } from "effect"
import { documented, isStorableText } from "./Documented.ts"

export const purchaseLimits = {
  names: 20,
  name: 40,
  text: 500,
  description: 200,
  /** RFC 5646, section 4.4.1. */
  locale: 35,
  lines: 50,
  lineName: 120,
  quantity: 999
} as const

const text = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isMinCodePoints(minimum), Schema.isMaxCodePoints(maximum), isStorableText)

const isName = Schema.is(text(1, purchaseLimits.name))

/** Assigned to an object, `__proto__` is no field. */
const hasNames = (metadata: Readonly<Record<string, string>>): boolean => {
  const names = Object.keys(metadata)
  return names.length <= purchaseLimits.names && names.every((name) => isName(name) && name !== "__proto__")
}

export const Metadata = Schema.Record(Schema.String, text(0, purchaseLimits.text)).check(
  Schema.makeFilter(hasNames, { expected: "few short names" })
)

const isLocale = (tag: string): boolean => {
  try {
    return Intl.getCanonicalLocales(tag).length === 1
  } catch {
    return false
  }
}

export const Locale = Schema.String.check(
  Schema.isMaxLength(purchaseLimits.locale),
  Schema.makeFilter(isLocale, { expected: "a BCP 47 language tag" })
)

export const Description = text(1, purchaseLimits.description)

export const Line = Schema.Struct({
  name: text(1, purchaseLimits.lineName).annotateKey(documented("What it is, in the customer's language.")),
  quantity: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: purchaseLimits.quantity })).annotateKey(
    documented("How many.")
  ),
  amount: Schema.Int.check(
    Schema.isBetween({ minimum: -amountLimits.maximum, maximum: amountLimits.maximum })
  ).annotateKey(documented("Of the whole line, in the minor unit of `currency`. Negative for a discount."))
}).annotate({ identifier: "PurchaseLine", description: "A line of what the customer pays for." })

export const Lines = Schema.Array(Line).check(Schema.isMinLength(1), Schema.isMaxLength(purchaseLimits.lines))

const isIn = "Returned with the payment."

/** In the body of a create. */
export const purchaseFields = {
  metadata: Schema.optionalKey(Metadata).annotateKey(
    documented(
      `Your own data: at most ${purchaseLimits.names} texts of at most ${purchaseLimits.text} characters, under names of at most ` +
        `${purchaseLimits.name}. Responses and events repeat it, and lists filter by it.`,
      { examples: [{ order: "1001", channel: "web" }] }
    )
  ),
  description: Schema.optionalKey(Description).annotateKey(
    documented(`What the customer pays for, as the hosted page shows it. ${isIn}`, { examples: ["Two tickets"] })
  ),
  locale: Schema.optionalKey(Locale).annotateKey(
    documented(`The language of the hosted page: a BCP 47 tag. Default: the browser's. ${isIn}`, {
      examples: ["de-AT"]
    })
  ),
  lines: Schema.optionalKey(Lines).annotateKey(
    documented(`What the customer pays for, line by line. The amounts add up to \`amount\`. ${isIn}`)
  )
}

const asGiven = "As given in the request; absent without one."

/** In a payment. */
export const givenPurchase = {
  metadata: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)).annotateKey(documented(asGiven)),
  description: Schema.optionalKey(Schema.String).annotateKey(
    documented(asGiven, { maxLength: purchaseLimits.description })
  ),
  locale: Schema.optionalKey(Schema.String).annotateKey(documented(asGiven, { maxLength: purchaseLimits.locale })),
  lines: Schema.optionalKey(Schema.Array(Line)).annotateKey(documented(asGiven))
}

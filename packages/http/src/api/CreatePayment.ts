/** What creating a payment takes (specification, POST /api/v1/payments; decisions, sections 4, 5 and 8). */
import {
  amountLimits,
  captureMethods,
  chargeSimulations,
  initiators,
  isCountry,
  isCurrency,
  lookupSimulations,
  operationSimulations,
  paymentMethods,
  refundSimulations
} from "@pointsman/core"
import { Schema } from "effect"
import { looksLikeCardNumber } from "./CardNumber.ts"

export const createLimits = {
  bodyBytes: 16_384,
  cardBrand: 20,
  reference: 64,
  instruments: 10,
  connection: 200,
  token: 255
} as const

/** Lone surrogates have no UTF-8, and NUL is refused by Postgres: neither can be stored and given back as it came. */
const isStorableText = Schema.makeFilter((text: string) => text.isWellFormed() && !text.includes("\0"), {
  expected: "text without NUL and without lone surrogates"
})

const text = (options: { readonly minimum?: number; readonly maximum: number }) =>
  Schema.String.check(
    Schema.isMinCodePoints(options.minimum ?? 0),
    Schema.isMaxCodePoints(options.maximum),
    isStorableText
  )

const WebAddress = Schema.String.annotate({ format: "uri" }).check(
  Schema.makeFilter((address: string) => /^https?:\/\//iu.test(address) && URL.canParse(address), {
    expected: "an http or https URL"
  }),
  isStorableText
)

const Instrument = Schema.Struct({
  connection: text({ minimum: 1, maximum: createLimits.connection }),
  token: Schema.RedactedFromValue(
    text({ minimum: 1, maximum: createLimits.token }).check(
      Schema.makeFilter((token: string) => !looksLikeCardNumber(token), { expected: "no card number" })
    )
  )
})

const Simulation = Schema.Struct({
  charge: Schema.optionalKey(
    Schema.Union([Schema.Literals(chargeSimulations), Schema.NonEmptyArray(Schema.Literals(chargeSimulations))])
  ),
  capture: Schema.optionalKey(Schema.Literals(operationSimulations)),
  void: Schema.optionalKey(Schema.Literals(operationSimulations)),
  refund: Schema.optionalKey(Schema.Literals(refundSimulations)),
  lookup: Schema.optionalKey(Schema.Literals(lookupSimulations))
})

export const CreatePayment = Schema.Struct({
  amount: Schema.Number.check(
    Schema.isInt(),
    Schema.isBetween({ minimum: amountLimits.minimum, maximum: amountLimits.maximum })
  ),
  currency: Schema.String.check(
    Schema.isPattern(/^[A-Z]{3}$/u),
    Schema.makeFilter(isCurrency, { expected: "an ISO 4217 currency" })
  ),
  country: Schema.String.check(
    Schema.isPattern(/^[A-Z]{2}$/u),
    Schema.makeFilter(isCountry, { expected: "an ISO 3166-1 country" })
  ),
  method: Schema.optionalKey(Schema.Literals(paymentMethods).annotate({ default: "card" })),
  card_brand: Schema.optionalKey(text({ maximum: createLimits.cardBrand })),
  reference: Schema.optionalKey(text({ maximum: createLimits.reference })),
  initiator: Schema.optionalKey(Schema.Literals(initiators).annotate({ default: "cit" })),
  capture_method: Schema.optionalKey(Schema.Literals(captureMethods).annotate({ default: "automatic" })),
  return_url: Schema.optionalKey(WebAddress),
  cancel_url: Schema.optionalKey(WebAddress),
  debug: Schema.optionalKey(Schema.Boolean.annotate({ default: false })),
  /** With a sandbox key alone. */
  simulate: Schema.optionalKey(Simulation),
  instruments: Schema.optionalKey(
    Schema.Array(Instrument).check(
      Schema.isMaxLength(createLimits.instruments),
      Schema.makeFilter(
        (instruments: ReadonlyArray<{ readonly connection: string }>) =>
          new Set(instruments.map((instrument) => instrument.connection)).size === instruments.length,
        { expected: "at most one token for each connection" }
      )
    )
  )
}).annotate({ identifier: "CreatePayment" })
export type CreatePayment = typeof CreatePayment.Type

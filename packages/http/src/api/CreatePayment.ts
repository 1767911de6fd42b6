/** What creating a payment takes. */
import {
  amountLimits,
  captureMethods,
  initiators,
  isCurrency,
  lookupSimulations,
  operationSimulations,
  paymentMethodNames,
  paymentMethods,
  refundSimulations
} from "@pointsman/core"
import { chargeSimulations, isCountry, looksLikeCardNumber } from "@pointsman/core/internal"
import { Schema } from "effect"
import { documented, isStorableText } from "./Documented.ts"
import { purchaseFields } from "./Purchase.ts"

export const createLimits = {
  bodyBytes: 16_384,
  cardBrand: 20,
  reference: 64,
  instruments: 10,
  connection: 200,
  token: 255
} as const

const text = (options: { readonly minimum?: number; readonly maximum: number; readonly description?: string }) =>
  Schema.String.annotate(options.description === undefined ? {} : { description: options.description }).check(
    Schema.isMinCodePoints(options.minimum ?? 0),
    Schema.isMaxCodePoints(options.maximum),
    isStorableText
  )

/** A user in front of the host is how a link hides where it leads to. */
const isWebAddress = (address: string): boolean => {
  const url = /^https?:\/\//iu.test(address) ? URL.parse(address) : null
  return url !== null && url.username === "" && url.password === ""
}

const WebAddress = Schema.String.annotate({ format: "uri" }).check(
  Schema.makeFilter(isWebAddress, { expected: "an http or https URL without user and password" }),
  isStorableText
)

const Instrument = Schema.Struct({
  connection: text({ minimum: 1, maximum: createLimits.connection }).annotateKey(
    documented("The id of the connection that the token is for.")
  ),
  token: Schema.RedactedFromValue(
    text({
      minimum: 1,
      maximum: createLimits.token,
      description: "The provider's token for a stored credential. Never card data."
    }).check(
      Schema.makeFilter((token: string) => !looksLikeCardNumber(token), {
        expected: "a value that is not a card number"
      })
    )
  )
}).annotate({ description: "A stored credential at the provider of one connection." })

const ChargeOutcome = Schema.Literals(chargeSimulations).annotate({
  identifier: "SimulatedCharge",
  description:
    "`no_answer` results in `UNKNOWN`; after `technical_error` and soft declines, the next connection is " +
    "tried if the routing mode allows it."
})

export const Simulation = Schema.Struct({
  charge: Schema.optionalKey(Schema.Union([ChargeOutcome, Schema.NonEmptyArray(ChargeOutcome)])).annotateKey(
    documented("An outcome, or a list with one outcome per attempt. Default: approved.")
  ),
  capture: Schema.optionalKey(Schema.Literals(operationSimulations)).annotateKey(
    documented("Outcome of a capture.", { default: "confirm" })
  ),
  void: Schema.optionalKey(Schema.Literals(operationSimulations)).annotateKey(
    documented("Outcome of a void.", { default: "confirm" })
  ),
  refund: Schema.optionalKey(Schema.Literals(refundSimulations)).annotateKey(
    documented("Outcome of a refund.", { default: "confirm" })
  ),
  lookup: Schema.optionalKey(Schema.Literals(lookupSimulations)).annotateKey(
    documented("Outcome that a later check finds at the provider.", { default: "executed" })
  )
}).annotate({
  identifier: "Simulation",
  description:
    "Controls how the simulated provider treats this payment. Only in the sandbox: over HTTP, with a `ps_test_` key."
})

export const CreatePayment = Schema.Struct({
  amount: Schema.Number.check(
    Schema.isInt(),
    Schema.isBetween({ minimum: amountLimits.minimum, maximum: amountLimits.maximum })
  ).annotateKey(
    documented(
      "In the minor unit of `currency`: 1999 is 19.99 EUR, 1999 JPY or 1.999 KWD. An amount in the wrong " +
        "scale is not detected; it charges the wrong amount.",
      { examples: [1999] }
    )
  ),
  currency: Schema.String.check(
    Schema.isPattern(/^[A-Z]{3}$/u),
    Schema.makeFilter(isCurrency, { expected: "an ISO 4217 currency" })
  ).annotateKey(documented("ISO 4217 currency code.", { examples: ["EUR"] })),
  country: Schema.String.check(
    Schema.isPattern(/^[A-Z]{2}$/u),
    Schema.makeFilter(isCountry, { expected: "an ISO 3166-1 country" })
  ).annotateKey(documented("Country of the customer, ISO 3166-1 alpha-2.", { examples: ["NL"] })),
  method: Schema.optionalKey(Schema.Literals(paymentMethods).annotate({ default: "card" })).annotateKey(
    documented("The kind of payment method. Default: that of `payment_method`, else `card`.")
  ),
  payment_method: Schema.optionalKey(Schema.Literals(paymentMethodNames)).annotateKey(
    documented(
      "The payment method by name, of the kind `method`. Only connections that declare it are used, and the provider's " +
        "hosted page offers it alone. For a direct charge, the token decides what is charged; the name is recorded and " +
        "decides the route."
    )
  ),
  card_brand: Schema.optionalKey(text({ maximum: createLimits.cardBrand })).annotateKey(
    documented("The card brand, if known. Routing rules can match on it.", { examples: ["visa"] })
  ),
  reference: Schema.optionalKey(text({ maximum: createLimits.reference })).annotateKey(
    documented("Your identifier for the payment. Responses and webhooks repeat it.", { examples: ["order-1001"] })
  ),
  initiator: Schema.optionalKey(Schema.Literals(initiators).annotate({ default: "cit" })).annotateKey(
    documented("`cit`: the customer is present. `mit`: initiated by the merchant, for example recurring.")
  ),
  capture_method: Schema.optionalKey(Schema.Literals(captureMethods).annotate({ default: "automatic" })).annotateKey(
    documented("`manual` only authorizes; capture or void the payment later.")
  ),
  return_url: Schema.optionalKey(WebAddress).annotateKey(
    documented(
      "Requests the hosted payment flow: redirect the customer to `next_action.url` in the response; after " +
        "payment, the hosted page redirects the customer to this http or https URL."
    )
  ),
  cancel_url: Schema.optionalKey(WebAddress).annotateKey(
    documented(
      "The http or https URL to which the hosted page redirects a customer who cancels. Default: `return_url`."
    )
  ),
  ...purchaseFields,
  debug: Schema.optionalKey(Schema.Boolean.annotate({ default: false })).annotateKey(
    documented(
      "Lists every connection that was excluded before routing, in `routing.excluded` or in the error " +
        "`routing_failed`. Ignored with `return_url`."
    )
  ),
  simulate: Schema.optionalKey(Simulation),
  instruments: Schema.optionalKey(
    Schema.Array(Instrument).check(
      Schema.isMaxLength(createLimits.instruments),
      Schema.makeFilter(
        (instruments: ReadonlyArray<{ readonly connection: string }>) =>
          new Set(instruments.map((instrument) => instrument.connection)).size === instruments.length,
        { expected: "at most one token per connection" }
      )
    )
  ).annotateKey(
    documented(
      "For direct charges at real providers: one stored credential for each connection that may be used. " +
        "Other connections are excluded."
    )
  )
}).annotate({ identifier: "CreatePayment", description: "A payment to create." })
export type CreatePayment = typeof CreatePayment.Type

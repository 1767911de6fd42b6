/**
 * The words of Adyen's Checkout API and of its standard webhooks, as far as they are read here
 * (https://docs.adyen.com/api-explorer/Checkout/72/overview, https://docs.adyen.com/api-explorer/Webhooks/1/overview).
 * Unknown fields are ignored.
 */
import { wireOptional as orNothing, WireReference as Reference, WebAddress, WireTime } from "@pointsman/core/connector"
import { Schema } from "effect"

/** Not an integer, negative or beyond 2^53: the sender miscalculated, and nothing is believed. */
const Amount = Schema.Struct({ value: Schema.Natural, currency: Schema.String.check(Schema.isPattern(/^[A-Z]{3}$/)) })

/** The answer to `POST /payments`. Only the last group may come without a reference. */
export const Payment = Schema.Union([
  Schema.Struct({
    resultCode: Schema.Literals(["Authorised", "PartiallyAuthorised", "Received", "Pending", "PresentToShopper"]),
    pspReference: Reference,
    merchantReference: Schema.optionalKey(Schema.String),
    amount: Schema.optionalKey(Amount)
  }),
  Schema.Struct({
    resultCode: Schema.Literals([
      "Refused",
      "Error",
      "Cancelled",
      "RedirectShopper",
      "ChallengeShopper",
      "IdentifyShopper"
    ]),
    pspReference: Schema.optionalKey(Reference),
    merchantReference: Schema.optionalKey(Schema.String),
    refusalReason: Schema.optionalKey(Schema.String),
    refusalReasonCode: Schema.optionalKey(Schema.String)
  })
])
export type Payment = typeof Payment.Type

/** The answer to a capture, a cancel or a refund: it was received, and nothing more. */
export const Modification = Schema.Struct({
  pspReference: Reference,
  paymentPspReference: Reference,
  status: Schema.Literal("received"),
  amount: Schema.optionalKey(Amount)
})

/** The answer to `POST /paymentLinks`: a page without a payment yet. */
export const OpenedLink = Schema.Struct({
  id: Reference,
  url: WebAddress,
  status: Schema.Literal("active"),
  reference: Schema.optionalKey(Schema.String),
  expiresAt: Schema.optionalKey(WireTime)
})

/** The answer to `GET /paymentLinks/{linkId}`. All of these are required in Adyen's description. */
export const Link = Schema.Struct({
  id: Reference,
  reference: Schema.String,
  merchantAccount: Schema.String,
  status: Schema.Literals(["active", "expired", "completed", "paid", "paymentPending"])
})

/**
 * An error, and whose fault it was (https://docs.adyen.com/development-resources/serviceexception lists the types;
 * `internal` is Adyen's own trouble, and says nothing about what was done).
 */
export const ServiceError = Schema.Struct({
  errorCode: Schema.NonEmptyString,
  errorType: Schema.Literals(["validation", "security", "configuration"]),
  message: Schema.String
})

/** The eight fields that are signed, whatever is in them, and the signature. */
export const SignedItem = Schema.Struct({
  pspReference: orNothing(Schema.String),
  originalReference: orNothing(Schema.String),
  merchantAccountCode: orNothing(Schema.String),
  merchantReference: orNothing(Schema.String),
  amount: orNothing(Schema.Struct({ value: orNothing(Schema.Finite), currency: orNothing(Schema.String) })),
  eventCode: orNothing(Schema.String),
  success: orNothing(Schema.Union([Schema.String, Schema.Boolean])),
  additionalData: Schema.Struct({ hmacSignature: Schema.NonEmptyString })
})
export type SignedItem = typeof SignedItem.Type

/**
 * Fit to be kept, and without the colon that separates signed fields: with one inside, other fields would have the
 * same signature.
 */
const Text = Schema.String.check(
  Schema.isMaxLength(255),
  Schema.makeFilter((text: string) => text.isWellFormed() && !/[\p{Cc}:]/u.test(text), {
    expected: "a text without colons and control characters"
  })
)

/** One item of a webhook, as far as it is read. */
export const Item = Schema.Struct({
  pspReference: Text.check(Schema.isNonEmpty()),
  originalReference: orNothing(Text),
  merchantAccountCode: Text,
  merchantReference: orNothing(Text),
  amount: Amount,
  eventCode: Schema.String.check(Schema.isPattern(/^[A-Z0-9_]{1,100}$/)),
  success: Schema.Union([Schema.Literals(["true", "false"]), Schema.Boolean]),
  eventDate: WireTime,
  reason: orNothing(Schema.String),
  additionalData: Schema.Struct({
    refusalReasonCode: orNothing(Schema.String),
    "modification.action": orNothing(Schema.String),
    // Of a dispute. What is not as Adyen describes it is not stated.
    chargebackReasonCode: Schema.optionalKey(Schema.Unknown),
    defensePeriodEndsAt: Schema.optionalKey(Schema.Unknown)
  })
})
export type Item = typeof Item.Type

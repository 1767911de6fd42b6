/** The filters of `GET /payments`. Those that are given must all match. */
import { amountLimits, isCurrency, paymentStatuses } from "@pointsman/core"
import { Schema, SchemaGetter } from "effect"
import { createLimits } from "./CreatePayment.ts"
import { documented } from "./Documented.ts"

/** Any case; ASCII letters alone, because some other letters have ASCII ones as their upper case. */
export const StatusFilter = Schema.String.check(Schema.isPattern(/^[A-Za-z_]+$/u)).pipe(
  Schema.decodeTo(Schema.Literals(paymentStatuses), {
    decode: SchemaGetter.transform((text: string) => text.toUpperCase() as (typeof paymentStatuses)[number]),
    encode: SchemaGetter.transform((status): string => status)
  })
)

/** A pattern of the names in any case. JSON Schema has no flag for it (ECMA-262 without flags). */
const anyCase = (names: ReadonlyArray<string>): string =>
  `^(?:${names.map((name) => name.replaceAll(/[A-Z]/gu, (letter) => `[${letter}${letter.toLowerCase()}]`)).join("|")})$`

const AmountFilter = Schema.String.check(Schema.isPattern(/^[0-9]{1,15}$/u)).pipe(
  Schema.decodeTo(Schema.Int.check(Schema.isBetween(amountLimits)), {
    decode: SchemaGetter.transform(Number),
    encode: SchemaGetter.transform(String)
  })
)

/** RFC 3339, section 5.6. */
const dateTime = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:[Zz]|[+-]\d{2}:\d{2})$/u

/** `Date` takes 30 February for 1 March. */
const isDateTime = (text: string): boolean => {
  const millis = Date.parse(text.toUpperCase())
  if (!dateTime.test(text) || Number.isNaN(millis)) return false
  const local = Date.parse(`${text.slice(0, 10)}T00:00:00Z`)
  return new Date(local).toISOString().startsWith(text.slice(0, 10))
}

/** Epoch milliseconds; what is finer is cut off. */
const TimeFilter = Schema.String.check(Schema.makeFilter(isDateTime, { expected: "an RFC 3339 date-time" })).pipe(
  Schema.decodeTo(Schema.Int, {
    decode: SchemaGetter.transform((text: string) => Date.parse(text.toUpperCase())),
    encode: SchemaGetter.transform((millis: number) => new Date(millis).toISOString())
  })
)

const text = (minimum: number, maximum: number) =>
  Schema.String.check(Schema.isMinCodePoints(minimum), Schema.isMaxCodePoints(maximum))

const providerReferenceCharacters = 255

export const paymentFilter = {
  status: Schema.optionalKey(StatusFilter).annotateKey(
    documented("Only payments with this status. Case-insensitive.", {
      // The names, for generated clients; what a validator accepts is what the server accepts.
      anyOf: [
        { type: "string", enum: paymentStatuses },
        { type: "string", pattern: anyCase(paymentStatuses) }
      ]
    })
  ),
  reference: Schema.optionalKey(text(0, createLimits.reference)).annotateKey(
    documented("Only payments with exactly this `reference`.", { examples: ["order-1001"] })
  ),
  amount: Schema.optionalKey(AmountFilter).annotateKey(
    documented("Only payments of this amount, in the minor unit of their currency.", {
      type: "integer",
      ...amountLimits,
      examples: [1999]
    })
  ),
  currency: Schema.optionalKey(
    Schema.String.check(Schema.makeFilter(isCurrency, { expected: "an ISO 4217 currency" }))
  ).annotateKey(documented("Only payments in this currency, ISO 4217.", { examples: ["EUR"] })),
  connection: Schema.optionalKey(text(1, createLimits.connection)).annotateKey(
    documented("Only payments whose money the connection with this id holds or held.")
  ),
  provider_reference: Schema.optionalKey(text(1, providerReferenceCharacters)).annotateKey(
    documented("Only payments with a charge or an attempt that has this reference at its provider.", {
      maxLength: providerReferenceCharacters
    })
  ),
  created_from: Schema.optionalKey(TimeFilter).annotateKey(
    documented("Only payments created at this time or later, RFC 3339.", {
      type: "string",
      format: "date-time",
      examples: ["2026-11-01T00:00:00Z"]
    })
  ),
  created_before: Schema.optionalKey(TimeFilter).annotateKey(
    documented("Only payments created earlier than this, RFC 3339.", {
      type: "string",
      format: "date-time",
      examples: ["2026-12-01T00:00:00Z"]
    })
  )
}

/** `metadata[name]=text`: how OpenAPI's style `deepObject` writes an object (OpenAPI 3.1, "Style Values"). */
export const metadataParameter = /^metadata\[(?<name>.+)\]$/su

export const PaymentFilter = Schema.Struct(paymentFilter)
export type PaymentFilter = typeof PaymentFilter.Type
export const filterExpectations = {
  status: `one of ${paymentStatuses.join(", ")}, case-insensitive`,
  reference: `text of at most ${createLimits.reference} characters`,
  amount: `an integer from ${amountLimits.minimum} to ${amountLimits.maximum}, in the minor unit of the currency`,
  currency: "an ISO 4217 currency code: three uppercase letters",
  connection: `the id of a connection: 1 to ${createLimits.connection} characters`,
  provider_reference: `text of 1 to ${providerReferenceCharacters} characters`,
  created_from: "an RFC 3339 date-time, such as 2026-11-01T00:00:00Z",
  created_before: "an RFC 3339 date-time, such as 2026-11-01T00:00:00Z"
} as const satisfies Record<keyof PaymentFilter, string>

/** What is expected of each field and parameter, in words: the text of every `validation_error`. */
import {
  amountLimits,
  type CardNumberFound,
  captureMethods,
  initiators,
  lookupSimulations,
  operationSimulations,
  paymentMethodNames,
  paymentMethods,
  refundSimulations
} from "@pointsman/core"
import { SchemaIssue } from "effect"
import { type CreatePayment, createLimits } from "./api/CreatePayment.ts"
import type { ErrorBody } from "./api/Errors.ts"
import { pageLimits } from "./api/Pages.ts"
import { filterExpectations } from "./api/PaymentFilter.ts"
import { purchaseLimits } from "./api/Purchase.ts"
import { type CreateMerchant, merchantLimits, operationLimits } from "./api/RequestBodies.ts"

/** By path; `[]` means any place in a list. */
export type Expectations = Readonly<Record<string, string>>

const oneOf = (values: ReadonlyArray<string>) => `one of ${values.join(", ")}`
const text = (maximum: number) => `text of at most ${maximum} characters, without NUL or lone surrogates`
const webAddress = "an absolute http or https URL without user and password"

export const createExpectations = {
  amount: `an integer from ${amountLimits.minimum} to ${amountLimits.maximum}, in the minor unit of the currency`,
  currency: "an ISO 4217 currency code: three uppercase letters",
  country: "an ISO 3166-1 alpha-2 country code: two uppercase letters",
  method: oneOf(paymentMethods),
  payment_method: oneOf(paymentMethodNames),
  card_brand: text(createLimits.cardBrand),
  reference: text(createLimits.reference),
  initiator: oneOf(initiators),
  capture_method: oneOf(captureMethods),
  return_url: webAddress,
  cancel_url: webAddress,
  metadata:
    `an object of at most ${purchaseLimits.names} texts of at most ${purchaseLimits.text} characters, under names of 1 to ` +
    `${purchaseLimits.name} characters, without NUL or lone surrogates`,
  description: `text of 1 to ${purchaseLimits.description} characters, without NUL or lone surrogates`,
  locale: "a BCP 47 language tag, such as de-AT",
  lines: `a list of 1 to ${purchaseLimits.lines} objects {name, quantity, amount}`,
  "lines[].name": `text of 1 to ${purchaseLimits.lineName} characters, without NUL or lone surrogates`,
  "lines[].quantity": `an integer from 1 to ${purchaseLimits.quantity}`,
  "lines[].amount": "an integer in the minor unit of the currency: the whole line's, negative for a discount",
  debug: "true or false",
  simulate: "an object of outcomes for the simulator",
  "simulate.charge":
    "an outcome or a non-empty list of outcomes: approve, decline:<category>, soft_decline:<category>, " +
    "requires_authentication, technical_error, no_answer or pending",
  "simulate.capture": oneOf(operationSimulations),
  "simulate.void": oneOf(operationSimulations),
  "simulate.refund": oneOf(refundSimulations),
  "simulate.lookup": oneOf(lookupSimulations),
  instruments: `a list of at most ${createLimits.instruments} objects {connection, token}, one per connection`,
  "instruments[].connection": `the id of a connection: 1 to ${createLimits.connection} characters`,
  "instruments[].token":
    `a token issued by the provider: 1 to ${createLimits.token} characters, without NUL or lone ` +
    "surrogates, and not a card number"
} as const satisfies Record<keyof CreatePayment, string> & Expectations

export const merchantExpectations = {
  name: `text of 1 to ${merchantLimits.name} characters, without NUL or lone surrogates`,
  email: `an email address of at most ${merchantLimits.email} characters`,
  country: "an ISO 3166-1 alpha-2 country code: two uppercase letters",
  category: text(merchantLimits.category)
} as const satisfies Record<keyof CreateMerchant, string> & Expectations

export const operationExpectations = {
  amount: "an integer of at least 1, in the minor unit of the payment's currency",
  reason: text(operationLimits.reason)
} as const satisfies Expectations

const lastId = "the `next_cursor` of the previous page"

export const queryExpectations = {
  limit: `an integer from ${pageLimits.minimum} to ${pageLimits.maximum}`,
  ...filterExpectations,
  metadata: createExpectations.metadata,
  payment: "the id of a payment",
  type: "an event type, for example payment.captured",
  before: lastId,
  after: lastId,
  "idempotency-key": "8 to 200 printable ASCII characters, in one header"
} as const satisfies Expectations

/**
 * One clause for each wrong field. It says what was expected and never what came: a value may be a token, and the
 * schema library's own messages are not made for people.
 */
export const validationError = (
  issue: SchemaIssue.Issue,
  expectations: Expectations
): ErrorBody<"validation_error"> => {
  const clauses = new Set(
    issuesOf(issue).issues.map(({ path }) => {
      const expected = nearest(path ?? [], expectations)
      return expected === undefined ? "the request does not match the API schema" : clause(...expected)
    })
  )
  return validationErrorOf(...[...clauses].slice(0, clausesAtMost))
}

/** A body of 16 KB can be wrong in thousands of places; a reader needs only a few. */
const clausesAtMost = 15

/** By the names that the caller knows the texts by, where they are not those of documents. */
export const cardNumberBody = (
  { fields }: CardNumberFound,
  names: Readonly<Record<string, string>> = {}
): ErrorBody<"validation_error"> =>
  validationErrorOf(...fields.map((field) => `\`${names[field] ?? field}\` must not contain a card number`))

/** A clause begins with the field that it is about, in backticks; one about the whole request names none. */
export const validationErrorOf = (...clauses: ReadonlyArray<string>): ErrorBody<"validation_error"> => {
  const param = /^`([^`]+)`/u.exec(clauses[0] ?? "")?.[1]
  return {
    error: {
      code: "validation_error",
      message: `${clauses.join("; ")}.`,
      ...(param === undefined ? {} : { param })
    }
  }
}

const clause = (field: string, expected: string): string => `\`${field}\` must be ${expected}`

const issuesOf = SchemaIssue.makeFormatterStandardSchemaV1()

type Path = ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>

/** The field itself, or the innermost one around it of which something is known. */
const nearest = (path: Path, expectations: Expectations): readonly [field: string, expected: string] | undefined => {
  const keys = path.map((segment) => (typeof segment === "object" ? segment.key : segment))
  for (let length = keys.length; length > 0; length--) {
    const known = keys.slice(0, length)
    const expected = expectations[render(known, () => "[]")]
    if (expected !== undefined) return [render(known, (place) => `[${place}]`), expected]
  }
  return undefined
}

const render = (keys: ReadonlyArray<PropertyKey>, place: (at: number) => string): string =>
  keys.map((key, at) => (typeof key === "number" ? place(key) : `${at === 0 ? "" : "."}${String(key)}`)).join("")

/**
 * What is sent to Mollie. Every object carries our id as metadata, by which it is found again and its messages are
 * understood: `attempt_id`, of a capture `operation_id`, of a refund `refund_id`. What else the metadata says of a payment is
 * for recovery, which reads it from Mollie's lists.
 *
 * For one hour, Mollie answers a key that it had before with the first
 * answer, and refuses it with 400 where the parameters differ (https://docs.mollie.com/reference/api-idempotency). The
 * keys are derived and the same after a loss of records (decision 30), so that nothing that is drawn goes here, the
 * payment's id included. A page's `redirectUrl` is the exception, as it names the payment.
 */
import {
  type CaptureRequest,
  type ChargeRequest,
  type CheckoutRequest,
  type PaymentMethod,
  type ProviderMethods,
  providerNameOf,
  type RefundRequest
} from "@pointsman/core/connector"
import { Redacted } from "effect"
import type { Amount } from "./Amounts.ts"
import type { Credentials } from "./Credentials.ts"

/** A customer at Mollie, and the mandate by which it may be charged. */
export interface Instrument {
  readonly customerId: string
  readonly mandateId: string
}

/**
 * `cst_…/mdt_…`: a mandate is one customer's, and both must be sent (`customerId` is required for recurring payments,
 * https://docs.mollie.com/reference/create-payment). `undefined` for anything else.
 */
export const instrumentOf = (token: Redacted.Redacted<string>): Instrument | undefined => {
  const [, customerId, mandateId] = /^(cst_[0-9A-Za-z]+)\/(mdt_[0-9A-Za-z]+)$/u.exec(Redacted.value(token)) ?? []
  return customerId === undefined || mandateId === undefined ? undefined : { customerId, mandateId }
}

/** The texts of a token that must not be shown: the whole, and its parts. */
export const secretsOf = (
  token: Redacted.Redacted<string>,
  { customerId, mandateId }: Instrument
): ReadonlyArray<Redacted.Redacted<string>> => [token, Redacted.make(customerId), Redacted.make(mandateId)]

/** The metadata takes "up to approximately 1kB" (https://docs.mollie.com/reference/create-payment). */
const metadataBytesAtMost = 1_000

const utf8 = new TextEncoder()

/** Texts of the merchant that leave too little room are left out, the longest first. */
const marksOf = (request: Omit<CheckoutRequest, "returnUrl">, isOnPage: boolean): Readonly<Record<string, string>> => {
  const { attemptId, cardBrand, country, initiator, method, reference } = request
  const own = { attempt_id: attemptId, country, method, initiator, ...(isOnPage ? { checkout: "true" } : {}) }
  const withTexts = (texts: ReadonlyArray<readonly [string, string | null]>) => ({
    ...own,
    ...Object.fromEntries(texts.filter(([, text]) => text !== null))
  })
  const choices = [
    withTexts([
      ["reference", reference],
      ["card_brand", cardBrand]
    ]),
    withTexts([["card_brand", cardBrand]]),
    own
  ]
  return choices.find((marks) => utf8.encode(JSON.stringify(marks)).length <= metadataBytesAtMost) ?? own
}

/** Customers read it, on their statements too. Longer ones are cut by Mollie, in its own place. */
const descriptionOf = (reference: string | null): string => [...(reference?.trim() || "Payment")].slice(0, 255).join("")

const common = (
  request: Omit<CheckoutRequest, "returnUrl">,
  amount: Amount,
  isOnPage: boolean,
  { webhookUrl }: Credentials
) => ({
  amount,
  description: descriptionOf(request.reference),
  ...(webhookUrl === null ? {} : { webhookUrl }),
  ...(request.capture ? {} : { captureMode: "manual" }),
  metadata: marksOf(request, isOnPage)
})

/** What a mandate of each kind is charged by: the methods of mandates (https://docs.mollie.com/reference/get-mandate). */
const methodOfMandate: Readonly<Record<PaymentMethod, string | undefined>> = {
  card: "creditcard",
  bank: "directdebit",
  wallet: "paypal",
  crypto: undefined
}

/**
 * "A recurring payment happens in the background without a browser session"
 * (https://docs.mollie.com/docs/recurring-payments). Mollie has no other charge without a browser, and no field for who began
 * it: one that the customer began is sent alike.
 */
export const payment = (request: ChargeRequest, amount: Amount, instrument: Instrument, credentials: Credentials) => ({
  ...common(request, amount, false, credentials),
  sequenceType: "recurring",
  // No customer returns: "can be omitted for recurring payments" (https://docs.mollie.com/reference/create-payment).
  redirectUrl: null,
  method: methodOfMandate[request.method],
  ...instrument
})

/**
 * The page takes the method that is named, and for a card payment cards alone. For the others it offers what is active on the profile
 * (https://docs.mollie.com/docs/hosted-checkout), because Mollie has dozens of banks' and wallets' methods, by country.
 */
export const checkout = (request: CheckoutRequest, amount: Amount, credentials: Credentials) => {
  const method =
    providerNameOf(namedMethods, request.paymentMethod) ?? (request.method === "card" ? "creditcard" : undefined)
  return {
    ...common(request, amount, true, credentials),
    ...(method === undefined ? {} : { method }),
    redirectUrl: request.returnUrl
  }
}

/** https://docs.mollie.com/reference/create-capture */
export const capture = ({ attemptId, operationId }: CaptureRequest, amount: Amount) => ({
  amount,
  metadata: { operation_id: operationId, attempt_id: attemptId }
})

/** https://docs.mollie.com/reference/create-refund */
export const refund = ({ attemptId, reason, refundId }: RefundRequest, amount: Amount) => ({
  amount,
  description: descriptionOf(reason ?? "Refund"),
  metadata: { refund_id: refundId, attempt_id: attemptId }
})

const atOnce = { manualCapture: false } as const

/**
 * Payment methods as `method` of a payment names them (https://docs.mollie.com/reference/create-payment), with the currencies
 * of https://docs.mollie.com/docs/multicurrency. Of these only cards are captured later
 * (https://docs.mollie.com/docs/place-a-hold-for-a-payment). A direct debit needs a mandate, which no page of a single payment
 * makes.
 */
export const namedMethods: ProviderMethods = {
  card: { providerName: "creditcard" },
  apple_pay: { providerName: "applepay", ...atOnce },
  paypal: { providerName: "paypal", ...atOnce },
  mb_way: { providerName: "mbway", currencies: ["EUR"], ...atOnce },
  swish: { providerName: "swish", currencies: ["SEK"], ...atOnce },
  twint: { providerName: "twint", currencies: ["CHF"], ...atOnce },
  bancontact: { providerName: "bancontact", currencies: ["EUR"], ...atOnce },
  blik: { providerName: "blik", currencies: ["PLN"], ...atOnce },
  eps: { providerName: "eps", currencies: ["EUR"], ...atOnce },
  ideal: { providerName: "ideal", currencies: ["EUR"], ...atOnce },
  przelewy24: { providerName: "przelewy24", currencies: ["EUR", "PLN"], ...atOnce },
  trustly: { providerName: "trustly", currencies: ["EUR", "GBP", "DKK", "NOK", "SEK"], ...atOnce }
}

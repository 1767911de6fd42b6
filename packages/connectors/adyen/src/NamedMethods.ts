/**
 * Payment methods as `allowedPaymentMethods` of a page names them
 * (https://docs.adyen.com/payment-methods/payment-method-types); the page offers them by its `countryCode` and currency
 * (https://docs.adyen.com/api-explorer/Checkout/72/post/paymentLinks). Only methods whose payment ends while the customer is on
 * the page are here: a payment that is confirmed days later is not read by this connector.
 */
import type { ProviderMethods } from "@pointsman/core/connector"

const atOnce = { manualCapture: false } as const

export const namedMethods: ProviderMethods = {
  card: { providerName: "scheme" },
  apple_pay: { providerName: "applepay" },
  google_pay: { providerName: "googlepay" },
  mb_way: { providerName: "mbway", currencies: ["EUR"], ...atOnce },
  swish: { providerName: "swish", currencies: ["SEK"], ...atOnce },
  twint: { providerName: "twint", currencies: ["CHF"], ...atOnce },
  bancontact: { providerName: "bcmc", currencies: ["EUR"], ...atOnce },
  blik: { providerName: "blik", currencies: ["PLN"], ...atOnce },
  eps: { providerName: "eps", currencies: ["EUR"], ...atOnce },
  ideal: { providerName: "ideal", currencies: ["EUR"], ...atOnce }
}

/**
 * Payment methods as `method` of a payment names them (https://docs.mollie.com/reference/create-payment), with the currencies
 * of https://docs.mollie.com/docs/multicurrency. Of these only cards are captured later
 * (https://docs.mollie.com/docs/place-a-hold-for-a-payment). A direct debit needs a mandate, which no page of a single payment
 * makes.
 */
import type { ProviderMethods } from "@pointsman/core/connector"

const atOnce = { manualCapture: false } as const

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

/**
 * Payment methods as `allowed_payment_method_types` of a page names them, which took the place of `payment_method_types`
 * (https://docs.stripe.com/changelog/endive/2026-09-30/remove-payment-method-types-checkout-sessions), with the currencies of https://docs.stripe.com/payments/payment-methods/payment-method-support. Apple Pay and Google Pay belong to
 * `card`, so that no page offers them alone. A bank's payment cannot be captured later
 * (https://docs.stripe.com/payments/place-a-hold-on-a-payment-method).
 */
import type { ProviderMethods } from "@pointsman/core/connector"

const atOnce = { manualCapture: false } as const

export const namedMethods: ProviderMethods = {
  card: { providerName: "card" },
  paypal: { providerName: "paypal" },
  bancontact: { providerName: "bancontact", currencies: ["EUR"], ...atOnce },
  blik: { providerName: "blik", currencies: ["PLN"], ...atOnce },
  eps: { providerName: "eps", currencies: ["EUR"], ...atOnce },
  ideal: { providerName: "ideal", currencies: ["EUR"], ...atOnce },
  przelewy24: { providerName: "p24", currencies: ["EUR", "PLN"], ...atOnce },
  sepa_debit: { providerName: "sepa_debit", currencies: ["EUR"], ...atOnce }
}

/**
 * Payment methods as `payment_source` of an order names them, of those that can be vaulted and charged directly: cards and
 * PayPal accounts (https://developer.paypal.com/docs/api/orders/v2/#orders_create). The name follows from the payment's kind.
 * Both are captured at once or later, by the order's `intent`.
 */
import type { ProviderMethods } from "@pointsman/core/connector"

export const namedMethods: ProviderMethods = {
  card: { providerName: "card" },
  paypal: { providerName: "paypal" }
}

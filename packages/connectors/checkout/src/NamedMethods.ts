/**
 * Payment methods as `allow_payment_methods` of a page names them (https://api-reference.checkout.com/tag/Payment-Links, and
 * `PaymentSourceType.cs` of the SDK): cards, and the wallets that are cards. iDEAL takes a reference of at most 35
 * letters and digits, which cannot hold the id of an attempt, by which a payment is found.
 */
import type { ProviderMethods } from "@pointsman/core/connector"

export const namedMethods: ProviderMethods = {
  card: { providerName: "card" },
  apple_pay: { providerName: "applepay" },
  google_pay: { providerName: "googlepay" }
}

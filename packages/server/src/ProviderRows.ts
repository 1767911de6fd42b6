/** What a new shop has to know of each provider. */

interface Variable {
  /** Of the environment. */
  readonly name: string
  /** Of the connection's credentials. */
  readonly field: string
  /** What is written there. */
  readonly hint: string
}

export interface ProviderRow {
  readonly title: string
  /** The first one decides whether the provider is used. */
  readonly variables: readonly [Variable, ...ReadonlyArray<Variable>]
  readonly webhookSecret: { readonly name: string; readonly hint: string }
  /** By name, where a payment has to name its method. */
  readonly method?: string
  /** Where the test credentials are. */
  readonly keys: string
  /** What a customer enters on the test page. */
  readonly card: string
}

export const providers = ["stripe", "adyen", "mollie", "paypal", "checkout"] as const
export type Provider = (typeof providers)[number]

export const providerRows: Readonly<Record<Provider, ProviderRow>> = {
  stripe: {
    title: "Stripe",
    variables: [{ name: "STRIPE_SECRET_KEY", field: "secretKey", hint: "sk_test_…" }],
    webhookSecret: { name: "STRIPE_WEBHOOK_SECRET", hint: "whsec_… of the webhook endpoint" },
    keys: "https://dashboard.stripe.com/test/apikeys",
    card: "The card 4242 4242 4242 4242 pays, and 4000 0000 0000 0002 is declined."
  },
  adyen: {
    title: "Adyen",
    variables: [
      { name: "ADYEN_API_KEY", field: "apiKey", hint: "of an API credential of the test environment" },
      { name: "ADYEN_MERCHANT_ACCOUNT", field: "merchantAccount", hint: "the merchant account's name" }
    ],
    webhookSecret: { name: "ADYEN_HMAC_KEY", hint: "the HMAC key of the standard webhook" },
    keys: "https://ca-test.adyen.com",
    card: "The result comes only by Adyen's webhook."
  },
  mollie: {
    title: "Mollie",
    variables: [{ name: "MOLLIE_API_KEY", field: "apiKey", hint: "test_…" }],
    webhookSecret: { name: "MOLLIE_WEBHOOK_SECRET", hint: "the secret of the webhook" },
    keys: "https://my.mollie.com/dashboard/developers/api-keys",
    card: "The last page asks for the status of the payment."
  },
  paypal: {
    title: "PayPal",
    variables: [
      { name: "PAYPAL_CLIENT_ID", field: "clientId", hint: "of a sandbox app" },
      { name: "PAYPAL_CLIENT_SECRET", field: "clientSecret", hint: "of the same app" }
    ],
    webhookSecret: { name: "PAYPAL_WEBHOOK_ID", hint: "the id of the app's webhook" },
    method: "paypal",
    keys: "https://developer.paypal.com/dashboard/applications/sandbox",
    card: "Log in as a personal sandbox account."
  },
  checkout: {
    title: "Checkout.com",
    variables: [
      { name: "CHECKOUT_SECRET_KEY", field: "secretKey", hint: "sk_sbox_…" },
      { name: "CHECKOUT_PREFIX", field: "prefix", hint: "the first eight characters of the client id after cli_" }
    ],
    webhookSecret: { name: "CHECKOUT_WEBHOOK_KEY", hint: "the signature key of the webhook" },
    keys: "https://dashboard.sandbox.checkout.com/developers/keys",
    card: "The card 4242 4242 4242 4242 pays."
  }
}

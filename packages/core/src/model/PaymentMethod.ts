/** Payment methods: their kinds, and their names in one spelling; each provider has its own. */

/** `method` of the API. */
export const paymentMethods = ["card", "bank", "wallet", "crypto"] as const
export type PaymentMethod = (typeof paymentMethods)[number]

/** The kind of each. Only added to: names are stored. */
const kinds = {
  card: "card",
  apple_pay: "wallet",
  google_pay: "wallet",
  paypal: "wallet",
  mb_way: "wallet",
  swish: "wallet",
  twint: "wallet",
  bancontact: "bank",
  blik: "bank",
  eps: "bank",
  ideal: "bank",
  przelewy24: "bank",
  sepa_debit: "bank",
  trustly: "bank"
} as const satisfies Readonly<Record<string, PaymentMethod>>

export type PaymentMethodName = keyof typeof kinds

export const paymentMethodNames = Object.keys(kinds) as ReadonlyArray<PaymentMethodName>

export const kindOfMethod = (name: PaymentMethodName): PaymentMethod => kinds[name]

/** How a connection or a provider takes one method. */
export interface NamedMethodLimits {
  /** ISO 4217; any where it is left out. */
  readonly currencies?: ReadonlyArray<string>
  /** `false`: it is always captured at once. */
  readonly manualCapture?: boolean
}

/** The methods that a connection or a provider takes by name. */
export type NamedMethods = { readonly [Name in PaymentMethodName]?: NamedMethodLimits }

/** The same in a connector, with its provider's own name for each. */
export type ProviderMethods = {
  readonly [Name in PaymentMethodName]?: NamedMethodLimits & { readonly providerName: string }
}

/** The provider's name; `undefined` where the merchant named no method, or one that the connector does not declare. */
export const providerNameOf = (methods: ProviderMethods, name: PaymentMethodName | undefined): string | undefined =>
  name === undefined ? undefined : methods[name]?.providerName

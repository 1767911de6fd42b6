/**
 * What is sent to Adyen for a direct charge and for a page. Nothing that is drawn goes here but a page's `returnUrl`:
 * `AdyenConnector.ts` says why.
 */
import {
  type ChargeRequest,
  type CheckoutRequest,
  type ProviderMethods,
  providerNameOf
} from "@pointsman/core/connector"
import { Redacted } from "effect"
import type { Amount } from "./Amounts.ts"
import type { Credentials } from "./Credentials.ts"
import type { Purpose } from "./Reference.ts"

/** A payment method that Adyen keeps, and the shopper whose it is. */
export interface StoredDetails {
  readonly shopperReference: string
  readonly storedPaymentMethodId: string
}

/**
 * `<shopperReference>/<storedPaymentMethodId>`: Adyen's token is of one shopper, and both must be sent. Adyen's own part
 * is the one behind the last slash. `undefined` for anything else; lengths are those of
 * https://docs.adyen.com/api-explorer/Checkout/72/post/payments.
 */
export const storedDetails = (instrument: Redacted.Redacted<string>): StoredDetails | undefined => {
  const token = Redacted.value(instrument)
  const slash = token.lastIndexOf("/")
  const shopperReference = token.slice(0, Math.max(slash, 0))
  const storedPaymentMethodId = token.slice(slash + 1)
  return shopperReference.length >= 3 &&
    shopperReference.length <= 256 &&
    /^[A-Za-z0-9]{1,64}$/.test(storedPaymentMethodId)
    ? { shopperReference, storedPaymentMethodId }
    : undefined
}

/** What a charge and a page are sent with alike. */
export interface Terms {
  readonly amount: Amount
  readonly purpose: Purpose
  readonly reference: string
}

/** A direct charge of stored details. */
export const payment = (
  request: ChargeRequest,
  { amount, purpose, reference }: Terms,
  stored: StoredDetails,
  { merchantAccount, returnUrl }: Credentials
) => ({
  merchantAccount,
  amount,
  reference,
  countryCode: request.country,
  shopperReference: stored.shopperReference,
  paymentMethod: { type: "scheme", storedPaymentMethodId: stored.storedPaymentMethodId },
  ...initiation[request.initiator],
  // Either is said with every payment, whatever the account's own setting is.
  ...(purpose === "taken" ? takenAtOnce : { additionalData: { manualCapture: "true" } }),
  returnUrl
})

/** A page on which the customer pays. */
export const paymentLink = (
  request: CheckoutRequest,
  { amount, purpose, reference }: Terms,
  { merchantAccount }: Credentials
) => ({
  merchantAccount,
  amount,
  reference,
  countryCode: request.country,
  allowedPaymentMethods: [providerNameOf(namedMethods, request.paymentMethod) ?? "scheme"],
  // One successful payment, and no second one.
  reusable: false,
  ...(purpose === "taken" ? takenAtOnce : { manualCapture: true }),
  returnUrl: request.returnUrl
})

/** https://docs.adyen.com/online-payments/capture: no hours between the authorization and the capture. */
const takenAtOnce = { captureDelayHours: 0 } as const

/**
 * Who starts a payment with stored details (https://docs.adyen.com/online-payments/tokenization/make-token-payments).
 * Of the merchant's own payments only those on a fixed schedule are a subscription, and a request does not say which
 * are.
 */
const initiation = {
  cit: { shopperInteraction: "ContAuth", recurringProcessingModel: "CardOnFile" },
  mit: { shopperInteraction: "ContAuth", recurringProcessingModel: "UnscheduledCardOnFile" }
} as const satisfies Record<ChargeRequest["initiator"], object>

const atOnce = { manualCapture: false } as const

/**
 * Payment methods as `allowedPaymentMethods` of a page names them
 * (https://docs.adyen.com/payment-methods/payment-method-types); the page offers them by its `countryCode` and currency
 * (https://docs.adyen.com/api-explorer/Checkout/72/post/paymentLinks). Only methods whose payment ends while the customer is on
 * the page are here: a payment that is confirmed days later is not read by this connector.
 */
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

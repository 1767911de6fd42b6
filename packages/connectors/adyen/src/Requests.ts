/**
 * What is sent to Adyen for a direct charge and for a page. Nothing that is drawn goes here but a page's `returnUrl`:
 * `AdyenConnector.ts` says why.
 */
import { type ChargeRequest, type CheckoutRequest, providerNameOf } from "@pointsman/core/connector"
import { Redacted } from "effect"
import type { Amount } from "./Amounts.ts"
import type { Credentials } from "./Credentials.ts"
import { namedMethods } from "./NamedMethods.ts"
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
 * Of the merchant's own payments only those on a fixed schedule are a subscription, and nobody says here which are.
 */
const initiation = {
  cit: { shopperInteraction: "ContAuth", recurringProcessingModel: "CardOnFile" },
  mit: { shopperInteraction: "ContAuth", recurringProcessingModel: "UnscheduledCardOnFile" }
} as const satisfies Record<ChargeRequest["initiator"], object>

/**
 * What the page tells a customer about a payment's state, which promises nothing that the state does not hold, and the
 * way back.
 */
import { type DeclineCategory, type HostedPage, type Payment, type PaymentState, statusOf } from "@pointsman/core"
import type { DeclineReason, Outcome } from "./texts/Texts.ts"

/** The state, for the picture beside the text. */
export type Tone = "good" | "bad" | "wait" | "still"

export const outcomeOf: Readonly<Record<PaymentState, Outcome>> = {
  AwaitingCustomer: "waiting",
  CheckoutOpen: "unconfirmed",
  Charging: "processing",
  ChargePending: "processing",
  ChargeUnknown: "checking",
  ChargeMismatched: "checking",
  Authorized: "approved",
  Capturing: "approved",
  CapturePending: "approved",
  CaptureUnknown: "captureUnknown",
  Voiding: "releasing",
  VoidPending: "releasing",
  VoidUnknown: "releaseUnknown",
  Captured: "complete",
  Settled: "complete",
  PartiallyRefunded: "partlyRefunded",
  Refunded: "refunded",
  ChargedBack: "disputed",
  Declined: "declined",
  Failed: "failed",
  Cancelled: "cancelled",
  Voided: "released"
}

export const toneOf: Readonly<Record<Outcome, Tone>> = {
  waiting: "wait",
  unconfirmed: "wait",
  /** In production a charge of a hosted page begins with opening the provider's own page. */
  opening: "wait",
  /** The provider's page has closed, and it is not known yet whether the customer paid on it. */
  closed: "wait",
  processing: "wait",
  /** Also after a failure after which it is unknown whether a provider was called. */
  checking: "wait",
  approved: "good",
  captureUnknown: "good",
  releasing: "wait",
  releaseUnknown: "wait",
  complete: "good",
  partlyRefunded: "good",
  refunded: "still",
  disputed: "still",
  declined: "bad",
  failed: "bad",
  cancelled: "still",
  released: "still",
  expired: "still",
  notFound: "still",
  tooMany: "still",
  wrongMethod: "bad",
  unknownAction: "bad",
  tooLarge: "bad",
  /** The store did not answer. Another tab may have paid meanwhile, so nothing is said of the money. */
  unavailable: "bad",
  suspended: "still",
  /** A server failure at any moment: it promises nothing. */
  broken: "bad"
}

/** Suspicion is never shown: only the bank may say that a card is reported lost. */
export const declineReasonOf: Readonly<Record<DeclineCategory, DeclineReason>> = {
  insufficient_funds: "insufficientFunds",
  do_not_honor: "noApproval",
  expired_card: "expiredCard",
  invalid_card: "invalidCard",
  lost_or_stolen: "noApproval",
  suspected_fraud: "noApproval",
  limit_exceeded: "limitExceeded",
  authentication_failed: "authenticationFailed",
  not_permitted: "notPermitted",
  issuer_unavailable: "issuerUnavailable",
  invalid_request: "noApproval",
  cancelled_by_customer: "cancelledByCustomer",
  other: "noApproval"
}

/**
 * The merchant's own address with `payment_id` and `status` appended. Its query and fragment stay as they are, also
 * where the query has fields of the same names: those come first. `undefined` where the address was erased.
 */
export const returnAddress = (payment: Payment, page: HostedPage): string | undefined => {
  const status = statusOf[payment.state]
  const address = status === "CANCELLED" ? (page.cancelUrl ?? page.returnUrl) : page.returnUrl
  if (address === null) return undefined
  const url = new URL(address)
  // Checked when the payment was created; a link of another kind could run a script.
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new Error(`invalid protocol of a return URL: ${url.protocol}`)
  const appended = new URLSearchParams({ payment_id: payment.id, status })
  // Not by `searchParams`, which would write the merchant's own query anew.
  url.search = url.search === "" ? appended.toString() : `${url.search}&${appended}`
  return url.href
}

/** The text that a customer sees for a payment's state. It promises nothing that the state does not hold. */
import type { DeclineCategory, PaymentState } from "@pointsman/core"

/** The state, for the picture beside the text. */
export type Tone = "good" | "bad" | "wait" | "still"

export interface Words {
  readonly tone: Tone
  readonly heading: string
  readonly text: string
}

const doNotPayAgain =
  "Please do not pay again: you could be charged twice. You can close this page; the shop will be notified."

const processing: Words = {
  tone: "wait",
  heading: "Your payment is being processed",
  text: `It is not confirmed yet. ${doNotPayAgain}`
}

const checking: Words = {
  tone: "wait",
  heading: "Your payment is being checked",
  text: `We are checking whether your payment went through. ${doNotPayAgain}`
}

const approved: Words = {
  tone: "good",
  heading: "Payment approved",
  text: "The amount is reserved. You do not need to do anything else."
}

const releasing: Words = {
  tone: "wait",
  heading: "Your payment is being cancelled",
  text: "The reserved amount is being released."
}

const complete: Words = {
  tone: "good",
  heading: "Payment complete",
  text: "Your payment went through. You do not need to do anything else."
}

export const stateWords: Readonly<Record<PaymentState, Words>> = {
  AwaitingCustomer: {
    tone: "wait",
    heading: "You have not paid yet",
    text: "Nothing has been charged."
  },
  CheckoutOpen: {
    tone: "wait",
    heading: "Your payment is not confirmed yet",
    text:
      "If you have paid, the confirmation will follow soon: please do not pay again. If you have not paid, " +
      "you can continue."
  },
  Charging: processing,
  ChargePending: processing,
  ChargeUnknown: checking,
  ChargeMismatched: checking,
  Authorized: approved,
  Capturing: approved,
  CapturePending: approved,
  CaptureUnknown: {
    ...approved,
    text: "Whether the amount was collected is still being checked. Please do not pay again."
  },
  Voiding: releasing,
  VoidPending: releasing,
  VoidUnknown: { ...releasing, text: "Whether the reserved amount was released is still being checked." },
  Captured: complete,
  Settled: complete,
  PartiallyRefunded: { tone: "good", heading: "Payment partly refunded", text: "Part of the amount was refunded." },
  Refunded: { tone: "still", heading: "Payment refunded", text: "The amount was refunded." },
  ChargedBack: { tone: "still", heading: "Payment disputed", text: "The payment went through and was disputed." },
  Declined: { tone: "bad", heading: "Payment declined", text: "Nothing was charged." },
  Failed: { tone: "bad", heading: "Payment not possible", text: "The payment could not be made. Nothing was charged." },
  Cancelled: { tone: "still", heading: "Payment cancelled", text: "Nothing was charged." },
  Voided: { tone: "still", heading: "Payment cancelled", text: "The reserved amount was released." }
}

export const expiredWords: Words = {
  tone: "still",
  heading: "This payment page has expired",
  text: "Nothing was charged. To pay, please start again at the shop."
}

const noApproval = "Your bank declined the payment."

/** Suspicion is never shown: only the bank may say that a card is reported lost. */
export const declineWords: Readonly<Record<DeclineCategory, string>> = {
  insufficient_funds: "The account has insufficient funds.",
  do_not_honor: noApproval,
  expired_card: "The card has expired.",
  invalid_card: "The card is not valid.",
  lost_or_stolen: noApproval,
  suspected_fraud: noApproval,
  limit_exceeded: "A limit on the account or card was exceeded.",
  authentication_failed: "Authentication failed.",
  not_permitted: "This type of payment is not allowed for this card or account.",
  issuer_unavailable: "Your bank could not be reached.",
  invalid_request: noApproval,
  cancelled_by_customer: "You cancelled the payment.",
  other: noApproval
}

/** In production a charge of a hosted page begins with opening the provider's own page. */
export const openingWords: Words = {
  tone: "wait",
  heading: "Opening the payment page",
  text: "The page may be opening in another tab. Please try again in a moment."
}

/** The provider's page has closed, and it is not known yet whether the customer paid on it. */
export const closedWords: Words = {
  tone: "wait",
  heading: "The payment page has closed",
  text:
    "If you have paid, the confirmation will follow soon: please do not pay again. If you have not paid, " +
    "nothing was charged."
}

/** Pages that are about no payment, or about a request that did not complete. */
export const troubleWords = {
  notFound: {
    tone: "still",
    heading: "Payment page not found",
    text: "The link may be incomplete. To pay, please start again at the shop."
  },
  tooMany: { tone: "still", heading: "Too many requests", text: "Please try again in a moment." },
  wrongMethod: { tone: "bad", heading: "Method not allowed", text: "Nothing was changed." },
  unknownAction: { tone: "bad", heading: "Invalid choice", text: "Nothing was changed." },
  tooLarge: { tone: "bad", heading: "Request too large", text: "Nothing was changed." },
  /** The store did not answer. Another tab may have paid meanwhile, so nothing is said of the money. */
  unavailable: {
    tone: "bad",
    heading: "Temporarily unavailable",
    text: "Please try again in a moment. The payment page then shows the status of your payment."
  },
  suspended: {
    tone: "still",
    heading: "This shop is not accepting payments at the moment",
    text: "Nothing was charged."
  },
  /** After it, it is unknown whether a provider was called. */
  unknown: checking,
  /** A server failure at any moment: it promises nothing. */
  broken: {
    tone: "bad",
    heading: "Something went wrong",
    text: "Before you pay again, please check with the shop whether your payment went through."
  }
} as const satisfies Record<string, Words>

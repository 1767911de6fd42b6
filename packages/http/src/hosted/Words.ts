/** What a customer is told of a payment's state. It promises nothing that the state does not hold. */
import type { DeclineCategory, PaymentState } from "@pointsman/core"

/** How it stands, for the picture beside the words. */
export type Tone = "good" | "bad" | "wait" | "still"

export interface Words {
  readonly tone: Tone
  readonly heading: string
  readonly text: string
}

const doNotPayAgain =
  "Please do not pay again: you could be charged twice. You may leave this page, the shop will be told."

const processing: Words = {
  tone: "wait",
  heading: "Your payment is being processed",
  text: `It is not confirmed yet. ${doNotPayAgain}`
}

const checking: Words = {
  tone: "wait",
  heading: "Your payment is being checked",
  text: `We do not know yet whether it went through, and are finding out. ${doNotPayAgain}`
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
    text: "If you have paid, it will be confirmed soon: please do not pay again. If you have not, you can go on."
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
  PartiallyRefunded: { tone: "good", heading: "Payment partly refunded", text: "Part of the amount was given back." },
  Refunded: { tone: "still", heading: "Payment refunded", text: "The amount was given back." },
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

const noApproval = "Your bank did not approve it."

/** Suspicion is told nobody: that a card is reported lost is for the bank to say. */
export const declineWords: Readonly<Record<DeclineCategory, string>> = {
  insufficient_funds: "There is not enough money on the account.",
  do_not_honor: noApproval,
  expired_card: "The card has expired.",
  invalid_card: "The card is not valid.",
  lost_or_stolen: noApproval,
  suspected_fraud: noApproval,
  limit_exceeded: "A limit of the account or the card was exceeded.",
  authentication_failed: "It could not be confirmed that the payment is yours.",
  not_permitted: "This kind of payment is not allowed with it.",
  issuer_unavailable: "Your bank could not be reached.",
  invalid_request: noApproval,
  cancelled_by_customer: "You cancelled it.",
  other: noApproval
}

/** In production a charge of a hosted page begins with opening the provider's own page. */
export const openingWords: Words = {
  tone: "wait",
  heading: "The payment page is being opened",
  text: "This may be going on in another tab. Please look again in a moment."
}

/** The provider's page has closed, and nobody knows yet whether it was paid on. */
export const closedWords: Words = {
  tone: "wait",
  heading: "The payment page has closed",
  text: "If you have paid, it will be confirmed soon: please do not pay again. If you have not, nothing was charged."
}

/** Pages that are about no payment, or about a request that did not come to its end. */
export const troubleWords = {
  notFound: {
    tone: "still",
    heading: "There is no such payment page",
    text: "The address may be incomplete. To pay, please start again at the shop."
  },
  wrongMethod: { tone: "bad", heading: "This page is not used like that", text: "Nothing was changed." },
  unknownAction: { tone: "bad", heading: "That is none of the choices", text: "Nothing was changed." },
  tooLarge: { tone: "bad", heading: "Too much was sent", text: "Nothing was changed." },
  /** The store did not answer. Another tab may have paid meanwhile, so nothing is said of the money. */
  unavailable: {
    tone: "bad",
    heading: "This does not work right now",
    text: "Please try again in a moment. The payment page then shows how your payment stands."
  },
  suspended: {
    tone: "still",
    heading: "This shop takes no payments at the moment",
    text: "Nothing was charged."
  },
  /** After it nobody knows whether a provider was asked. */
  unknown: checking,
  /** A fault of ours, at whatever moment: it promises nothing. */
  broken: {
    tone: "bad",
    heading: "Something went wrong",
    text: "Please look at the shop whether your payment went through before you pay again."
  }
} as const satisfies Record<string, Words>

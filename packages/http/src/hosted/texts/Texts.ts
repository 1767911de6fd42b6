/**
 * Every text of the hosted pages, in one language. A language that lacks one does not compile, nor does one whose text
 * lacks the place of a name.
 */
import type { DeclineCategory } from "@pointsman/core"

/** What a page tells of a payment, or of a request that did not complete. */
export type Outcome =
  | "waiting"
  | "unconfirmed"
  | "opening"
  | "closed"
  | "processing"
  | "checking"
  | "approved"
  | "captureUnknown"
  | "releasing"
  | "releaseUnknown"
  | "complete"
  | "partlyRefunded"
  | "refunded"
  | "disputed"
  | "declined"
  | "failed"
  | "cancelled"
  | "released"
  | "expired"
  | "notFound"
  | "tooMany"
  | "wrongMethod"
  | "unknownAction"
  | "tooLarge"
  | "unavailable"
  | "suspended"
  | "broken"

/** Why a payment was declined, as far as the page tells the customer. */
export type DeclineReason =
  | "noApproval"
  | "insufficientFunds"
  | "expiredCard"
  | "invalidCard"
  | "limitExceeded"
  | "authenticationFailed"
  | "notPermitted"
  | "issuerUnavailable"
  | "cancelledByCustomer"

export interface Said {
  readonly heading: string
  readonly text: string
}

/** A text with one place for what differs from page to page. */
export type TextWith<Place extends string> = `${string}{${Place}}${string}`

export interface Texts {
  readonly pay: TextWith<"merchant">
  readonly approve: string
  readonly approveAfterChallenge: string
  readonly declineWithReason: string
  readonly decline: string
  readonly cancel: string
  readonly challenge: string
  readonly challengeText: TextWith<"merchant">
  readonly passChallenge: string
  readonly failChallenge: string
  readonly back: string
  readonly checkoutText: string
  readonly continueToPayment: string
  readonly notPaidContinue: string
  readonly checkAgain: string
  readonly backToMerchant: TextWith<"merchant">
  readonly backToPage: string
  readonly amount: string
  readonly merchant: string
  readonly reference: string
  readonly status: string
  readonly category: string
  readonly sandboxTitle: TextWith<"title">
  readonly sandboxName: string
  readonly sandboxText: string
  /** With the id of a request that failed. */
  readonly forSupport: TextWith<"id">
  /** Links of the merchant's brand. */
  readonly support: string
  readonly terms: string
  readonly outcomes: Readonly<Record<Outcome, Said>>
  readonly declineReasons: Readonly<Record<DeclineReason, string>>
  /** In the sandbox's list of reasons to decline for. */
  readonly declineCategories: Readonly<Record<DeclineCategory, string>>
}

/** What is before the place, and what is after it. */
export const around = <Place extends string>(text: TextWith<Place>, place: Place): readonly [string, string] => {
  const at = text.indexOf(`{${place}}`)
  return [text.slice(0, at), text.slice(at + place.length + 2)]
}

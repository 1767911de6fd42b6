import type { Money } from "../money/Money.ts"
import { type DeclineCategory, type DeclineDetail, declineDetail } from "./Decline.ts"
import type { ProviderAccount } from "./ProviderAccount.ts"
import { type ChargeEnd, type CheckoutOpened, unansweredCode } from "./ProviderStatement.ts"

/** How an attempt ended. `CheckoutOpened`: the customer pays at the provider. `Abandoned`: written and never sent. */
export const attemptOutcomes = [
  "CheckoutOpened",
  "Authorized",
  "Captured",
  "Pending",
  "Declined",
  "NeedsCustomer",
  "Canceled",
  "Rejected",
  "NotSent",
  "Unanswered",
  "Mismatched",
  "Abandoned"
] as const
export type AttemptOutcome = (typeof attemptOutcomes)[number]

/** One call to one provider to charge one payment. Its id is the provider's idempotency key. */
export interface Attempt {
  /** `att_` and a UUID; see `call/CallIds.ts`. */
  readonly id: string
  /** Drawn by the request that wrote it, where it opens a checkout: requests on one page derive the same id. */
  readonly claimedBy: string | null
  readonly paymentId: string
  /** Counted from 1. */
  readonly number: number
  readonly connectionId: string
  /** The connection's, as it was known when the attempt was sent; `null` where it was not known. */
  readonly account: ProviderAccount | null
  readonly money: Money
  /** The time-out of its call: a lookup may say "never received" only when twice this has passed. */
  readonly timeoutMillis: number
  /** Epoch milliseconds; written before the request goes out. */
  readonly sentAt: number
  readonly answeredAt: number | null
  /** `null` while the call is in flight, or its process died. */
  readonly outcome: AttemptOutcome | null
  readonly providerRef: string | null
  readonly declineCategory: DeclineCategory | null
  /** Until it is written: the routing decision of the payment stores it. Absent from an attempt that was read. */
  readonly decline?: DeclineDetail | undefined
  /** The provider's raw code; `keyUsedCode` where it had the idempotency key before. */
  readonly code: string | null
  /** What the provider said when it rejected, or why there is no answer; for people, and free of secrets. */
  readonly reason: string | null
  /** The provider's page that was opened for it; `null` for a charge. */
  readonly checkout: Checkout | null
}

/** What an attempt has before its call ends. */
export const openAttempt = {
  answeredAt: null,
  outcome: null,
  providerRef: null,
  declineCategory: null,
  code: null,
  reason: null,
  checkout: null
} as const

/** How the call of an attempt ended, whether it was a charge or opened a checkout. */
export type AttemptEnd = ChargeEnd | CheckoutOpened

export const outcomeOf = (end: AttemptEnd): AttemptOutcome =>
  end._tag === "pointsman/NotSent" ? "NotSent" : end._tag === "pointsman/Unanswered" ? "Unanswered" : end._tag

/** The attempt as its call ended. An unanswered one has no time of an answer. */
export const endAttempt = (attempt: Attempt, end: AttemptEnd, now: number): Attempt => {
  const outcome = outcomeOf(end)
  return {
    ...attempt,
    outcome,
    code: "code" in end ? end.code : end._tag === "pointsman/Unanswered" ? unansweredCode(end) : null,
    reason: end._tag === "Rejected" ? end.message : "reason" in end ? end.reason : null,
    answeredAt: outcome === "Unanswered" ? null : now,
    providerRef: "providerRef" in end ? end.providerRef : null,
    declineCategory: end._tag === "Declined" ? end.category : null,
    ...(end._tag === "Declined" ? { decline: declineDetail(end) } : {})
  }
}

/** The attempt of which it is certain that it was never sent. */
export const abandonAttempt = (attempt: Attempt): Attempt => ({ ...attempt, outcome: "Abandoned" })

/** The attempt as the step that takes the money of its checkout is about to be sent. */
export const completingAttempt = (attempt: Attempt, checkout: Checkout, now: number): Attempt => ({
  ...attempt,
  ...{ sentAt: now, answeredAt: null, outcome: null, code: null, reason: null },
  checkout: { ...checkout, openedAt: checkout.openedAt ?? attempt.sentAt }
})

/** The attempt whose checkout is approved and of which nothing was taken. */
export const untakenAttempt = (attempt: Attempt, now: number): Attempt => ({
  ...attempt,
  ...{ answeredAt: now, outcome: "CheckoutOpened", code: null, reason: null }
})

/** Whether its request certainly never reached a provider. */
export const wasNeverSent = ({ outcome }: Attempt): boolean => outcome === "Abandoned" || outcome === "NotSent"

export const isInFlight = (attempt: Attempt): boolean => attempt.outcome === null

/** The attempt whose process died: that looks exactly like a provider that did not answer. */
export const unansweredAttempt = (attempt: Attempt): Attempt => ({
  ...attempt,
  outcome: "Unanswered",
  reason: "the process that sent it did not come back"
})

/** A request goes out only this soon after the commit of its attempt, in milliseconds, unless configured otherwise. */
export const defaultSendWithinMillis = 5_000

/** A call to a provider, as it is recorded. */
export interface SentCall {
  /** Epoch milliseconds. */
  readonly sentAt: number
  readonly timeoutMillis: number
}

/** When a lookup was made, or when an operator's evidence came. */
export interface AskedAt {
  /** Epoch milliseconds, before the lookup began. */
  readonly askedAt: number
  /** From when on ages count: the clock changed then. Epoch milliseconds; `null` where it did not. */
  readonly agesFrom?: number | null | undefined
}

/**
 * Epoch milliseconds from which on "never executed" may be believed. The call is written before it is sent, and may go
 * out as late as the send window allows: from there on it is as old as its time-outs say. A time that another clock wrote
 * may be too early: then the call is as old as the change of clocks.
 */
export const oldFrom = ({ sentAt, timeoutMillis }: SentCall, agesFrom: number | null | undefined = undefined): number =>
  Math.max(sentAt, agesFrom ?? sentAt) + defaultSendWithinMillis + 2 * timeoutMillis

export const isOldEnough = (call: SentCall, { agesFrom, askedAt }: AskedAt): boolean =>
  askedAt >= oldFrom(call, agesFrom)

/** A provider's own page, opened for one attempt. */
export interface Checkout {
  /** The provider's name for it. */
  readonly reference: string
  /** Where the customer is sent; sealed, because who has it can pay on it. */
  readonly sealedUrl: string
  /** Epoch milliseconds; `null` where the provider names no end. */
  readonly expiresAt: number | null
  /** When its opening was sent, in epoch milliseconds; set once `sentAt` is of the step that takes the money. */
  readonly openedAt?: number
}

/** Binds a sealed checkout address to its attempt: moved to another record, it does not open. */
export const checkoutUrlContext = (attemptId: string): string => `attempt:${attemptId}:checkout-url`

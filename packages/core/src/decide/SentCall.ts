/** A call to a provider, and when it is old enough for "never received" (decisions, section 3). Pure. */
import { defaultSendWithinMillis } from "../model/Attempt.ts"

/** A call to a provider, as it is recorded. */
export interface SentCall {
  /** Epoch milliseconds. */
  readonly sentAt: number
  readonly timeoutMillis: number
}

/**
 * Epoch milliseconds from which on "never executed" may be believed. The call is written before it is sent, and may go
 * out as late as the send window allows: from there on it is as old as its time-outs say.
 */
export const oldFrom = ({ sentAt, timeoutMillis }: SentCall): number =>
  sentAt + defaultSendWithinMillis + 2 * timeoutMillis

/** `askedAt`: epoch milliseconds, before the lookup began. */
export const isOldEnough = (call: SentCall, askedAt: number): boolean => askedAt >= oldFrom(call)

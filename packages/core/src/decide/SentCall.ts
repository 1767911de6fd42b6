/** A call to a provider, and when it is old enough for "never received". Pure. */
import { defaultSendWithinMillis } from "../model/Attempt.ts"

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

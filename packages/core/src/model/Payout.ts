/** What one payout of a provider consists of, as its reports say. */

/** What a payout has in one currency: that of the payout, where the report names it. In minor units. */
export interface PayoutSums {
  readonly currency: string
  readonly rows: number
  readonly chargesMinor: number
  readonly refundsMinor: number
  readonly disputesMinor: number
  /** Positive for a cost. */
  readonly feesMinor: number
  /** Of the rows of the payout itself: negative, because the money leaves the balance at the provider. */
  readonly payoutsMinor: number
  /** Fees of their own rows, reserves and corrections. */
  readonly othersMinor: number
}

export interface Payout {
  readonly connectionId: string
  /** The provider's name. */
  readonly payoutId: string
  /** When the first and the last of its money moved, in epoch milliseconds. */
  readonly period: { readonly from: number; readonly until: number }
  /** When it arrives, in epoch milliseconds; `null` where the reports do not say. */
  readonly settledAt: number | null
  /** By currency. */
  readonly sums: ReadonlyArray<PayoutSums>
}

/**
 * What its rows add up to, less what is paid out: 0 where every part of the payout was read. Where the payout itself was not
 * read, it is what will be paid out.
 */
export const payoutRest = (sums: Omit<PayoutSums, "currency" | "rows">): number =>
  sums.chargesMinor + sums.refundsMinor + sums.disputesMinor + sums.othersMinor - sums.feesMinor + sums.payoutsMinor

/** What one payout of a provider consists of, as its reports say. */

import type { ReportRowKind } from "./ReportRow.ts"

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

/** What the rows of each kind are added up to. */
export const payoutSumOf = {
  charge: "chargesMinor",
  charge_failed: "chargesMinor",
  refund: "refundsMinor",
  refund_failed: "refundsMinor",
  dispute: "disputesMinor",
  dispute_reversed: "disputesMinor",
  payout: "payoutsMinor",
  payout_failed: "payoutsMinor",
  fee: "othersMinor",
  adjustment: "othersMinor"
} as const satisfies Record<ReportRowKind, keyof PayoutSums>

/** A payout by the provider's name, at one connection. */
export interface PayoutName {
  readonly connectionId: string
  readonly payoutId: string
}

/** What the rows of a payout itself moved in one currency, in minor units: negative where it left the balance. */
export interface PayoutMoves extends PayoutName {
  readonly leftMinor: number
  readonly returnedMinor: number
}

/**
 * - `open`: no report has the payout itself
 * - `paid`: it left the balance at the provider
 * - `partly_returned`, `returned`: a part of it came back, or all of it
 */
export const payoutStatuses = ["open", "paid", "partly_returned", "returned"] as const
export type PayoutStatus = (typeof payoutStatuses)[number]

/** `moves`: of one payout. */
export const payoutStatusOf = (moves: ReadonlyArray<PayoutMoves>): PayoutStatus => {
  if (moves.length === 0) return "open"
  if (moves.every(({ returnedMinor }) => returnedMinor === 0)) return "paid"
  const isBack = moves.every(({ leftMinor, returnedMinor }) => Math.abs(returnedMinor) >= Math.abs(leftMinor))
  return isBack ? "returned" : "partly_returned"
}

export interface Payout extends PayoutName {
  readonly status: PayoutStatus
  /** When the first and the last of its money moved, in epoch milliseconds. */
  readonly period: { readonly from: number; readonly until: number }
  /** When it arrives, in epoch milliseconds; `null` where the reports do not say. */
  readonly settledAt: number | null
  /** By currency. */
  readonly sums: ReadonlyArray<PayoutSums>
}

/** What its rows add up to, less what is paid out: 0 where all is read; before the payout, what it will be. */
export const payoutRest = (sums: Omit<PayoutSums, "currency" | "rows">): number =>
  sums.chargesMinor + sums.refundsMinor + sums.disputesMinor + sums.othersMinor - sums.feesMinor + sums.payoutsMinor

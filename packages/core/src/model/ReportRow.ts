/**
 * One row of a provider's report about money: a settlement file, a list of balance transactions. A reader of a format
 * makes it; `decide` says what it means for a payment, as of every other statement of the provider.
 */

/** What moved the merchant's balance at the provider. */
export const reportRowKinds = [
  "charge",
  /** A capture that the provider took back. */
  "charge_failed",
  "refund",
  "refund_failed",
  /** Money that a dispute takes. */
  "dispute",
  /** Money of a dispute that comes back. */
  "dispute_reversed",
  /** A fee of the provider's that belongs to no other row. */
  "fee",
  "payout",
  "payout_failed",
  /** Every other movement: reserves, corrections, top-ups. */
  "adjustment"
] as const
export type ReportRowKind = (typeof reportRowKinds)[number]

/** An amount with a sign, in minor units: positive comes to the merchant's balance, negative leaves it. */
export interface SignedMoney {
  readonly minorUnits: number
  readonly currency: string
}

/** What a row names. A provider names what it knows; `null` where it does not. */
export interface ReportNames {
  /** Of ours, where the provider gives it back. */
  readonly attemptId: string | null
  /** A capture or a void, of ours. */
  readonly operationId: string | null
  /** Of ours. */
  readonly refundId: string | null
  /** The provider's name for the charge, as in `ChargeState`. */
  readonly providerRef: string | null
  readonly providerRefundId: string | null
  /** The provider's. */
  readonly disputeId: string | null
  /** The merchant's reference of the payment. */
  readonly reference: string | null
}

/** Kinds whose money always comes (1), or always leaves (-1). */
const signs: Partial<Record<ReportRowKind, 1 | -1>> = {
  charge: 1,
  charge_failed: -1,
  refund: -1,
  refund_failed: 1,
  dispute: -1,
  dispute_reversed: 1
}

/** Whether the amount has the sign that its kind requires, and is not 0. Any amount fits a kind that requires none. */
export const isOfItsSign = ({ gross, kind }: Pick<ReportRow, "gross" | "kind">): boolean => {
  const sign = signs[kind]
  return sign === undefined || gross.minorUnits * sign > 0
}

export interface ReportRow {
  /**
   * The provider's id of the movement, the same in every report that has it; 1 to 255 characters. Where a provider gives
   * none, the reader makes it from what the row says and from how often the same row came before it in the report.
   */
  readonly id: string
  readonly kind: ReportRowKind
  readonly names: ReportNames
  /** In the currency of the payment, before fees. */
  readonly gross: SignedMoney
  /** `gross` in the currency of the payout, where that is another one; else `null`. */
  readonly converted: SignedMoney | null
  /** What the provider keeps, in the currency of the payout: positive is a cost. `null` where the row has none. */
  readonly fee: SignedMoney | null
  /** `converted`, or else `gross`, without `fee`; `null` where the row has none. */
  readonly net: SignedMoney | null
  /** The provider's name of the payout that pays it; `null` where it is not paid out yet. */
  readonly payoutId: string | null
  /** When the money moved, in epoch milliseconds. */
  readonly occurredAt: number
  /** When the payout arrives, or when the money is available; epoch milliseconds, `null` where it is not known. */
  readonly settledAt: number | null
  /** When the provider generated the report, in epoch milliseconds; absent where it does not say, and the run's start counts. */
  readonly generatedAt?: number
}

/** A row that could not be read: its place in the report counted from 1, which field, and never its value. */
export interface UnreadableRow {
  readonly row: number
  readonly field: string
  /** What was expected. */
  readonly reason: string
}

export type ReportEntry =
  | { readonly _tag: "Row"; readonly row: ReportRow }
  | { readonly _tag: "Unreadable"; readonly unreadable: UnreadableRow }

/** `at`: its place on the page, from 0. */
export const unreadableRow = (at: number, field: string, reason: string): ReportEntry => ({
  _tag: "Unreadable",
  unreadable: { row: at + 1, field, reason }
})

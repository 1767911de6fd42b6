/**
 * The double-entry view of the books: what is recorded of payments, and what providers' reports add, as transactions of a
 * journal. Every transaction adds up to zero in each of its currencies.
 */
import type { ReportRow } from "./ReportRow.ts"

/** The chart of accounts, for each connection and currency. A debit is positive, a credit negative. */
export const journalAccounts = [
  /** What the provider owes the merchant: captured, not yet paid out. An asset. */
  "receivable",
  /** What the provider paid out. The statement of the bank account takes it from here. An asset. */
  "payouts",
  /** Captured money. Income, so its balance is negative. */
  "sales",
  /** Refunded money. It reduces income, so its balance is positive. */
  "refunds",
  /** What the provider keeps. An expense. */
  "fees",
  /** Money that disputes took and did not give back. An expense. */
  "disputes",
  /** Movements that belong to no payment: reserves, corrections, top-ups. */
  "adjustments",
  /** The two sides of a currency conversion at the provider. */
  "conversion",
  /** What a report says and the record does not, or the reverse. Zero once every difference is explained. */
  "unexplained"
] as const
export type JournalAccount = (typeof journalAccounts)[number]

export interface Posting {
  readonly account: JournalAccount
  readonly connectionId: string
  /** In minor units: positive is a debit, negative a credit; never 0. */
  readonly minorUnits: number
  readonly currency: string
}

/** What a transaction is about. `report_…` comes from a row of a provider's report, everything else from the record. */
export type JournalSubject =
  | "capture"
  /** A capture that failed after it was confirmed. */
  | "capture_failed"
  /** The provider captured another amount than was recorded before. */
  | "capture_corrected"
  | "refund"
  /** A refund that failed after it had succeeded. */
  | "refund_failed"
  /** The record has an amount of which no event says how it came about. */
  | "recorded"
  | `report_${ReportRow["kind"]}`

export interface JournalTransaction {
  /** The id of the event, or the connection and the id of the row. The same in every export. */
  readonly id: string
  readonly subject: JournalSubject
  /** The date under which it is posted, in epoch milliseconds; see `postedAt`. */
  readonly at: number
  /** When the money moved, in epoch milliseconds: by the report, or as it was recorded. */
  readonly occurredAt: number
  /** When Pointsman recorded it, in epoch milliseconds. */
  readonly recordedAt: number
  readonly connectionId: string
  /** `null` for a row that belongs to no payment. */
  readonly paymentId: string | null
  /** The merchant's own name of the payment. */
  readonly reference: string | null
  /** The provider's name of the payout that pays it. */
  readonly payoutId: string | null
  /** At least two, in the order of `journalAccounts`. */
  readonly postings: ReadonlyArray<Posting>
}

/** A row of a provider's report as it is stored: `ReportRow`, with what it was matched with. */
export interface PostedMovement
  extends Pick<ReportRow, "kind" | "gross" | "converted" | "fee" | "net" | "payoutId" | "occurredAt"> {
  readonly connectionId: string
  /** Of the row's entry. Several under one id are versions of the row, of which the one that was recorded last counts. */
  readonly rowId: string
  /** `null` where it was matched with no payment. */
  readonly paymentId: string | null
  /** Of ours; `null` where it was matched with no refund. */
  readonly refundId: string | null
  /** When it was stored, in epoch milliseconds. */
  readonly recordedAt: number
  /** The provider corrected the row: from here on nothing of it counts. Not so unless set. */
  readonly isWithdrawn?: boolean | undefined
}

/** Money that is not posted, because its result is not known. */
export interface PendingMoney {
  readonly paymentId: string
  readonly connectionId: string | null
  readonly what: "charge" | "capture" | "refund" | "dispute"
  /** Minor units; `null` for a dispute of which no report has said the amount yet. */
  readonly minorUnits: number | null
  readonly currency: string
}

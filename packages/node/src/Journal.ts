/** The books as a journal of double entries. docs/guides/finance.md explains the accounts. */

export type JournalAccount =
  | "receivable"
  | "payouts"
  | "sales"
  | "refunds"
  | "fees"
  | "disputes"
  | "adjustments"
  | "conversion"
  | "unexplained"

/** What a transaction is about. `report_…` comes from a row of a provider's report, everything else from the records. */
export type JournalSubject =
  | "capture"
  | "capture_failed"
  | "capture_corrected"
  | "refund"
  | "refund_failed"
  | "recorded"
  | "report_charge"
  | "report_charge_failed"
  | "report_refund"
  | "report_refund_failed"
  | "report_dispute"
  | "report_dispute_reversed"
  | "report_fee"
  | "report_payout"
  | "report_payout_failed"
  | "report_adjustment"

export interface Posting {
  readonly account: JournalAccount
  /** As in exports: `Assets:Receivable:Acquirer-eu:EUR`. There is one for each connection and currency. */
  readonly account_name: string
  readonly connection_id: string
  /** Minor units: positive is a debit, negative a credit; never 0. */
  readonly amount: number
  readonly currency: string
}

/** Its postings add up to zero in each currency. */
export interface JournalTransaction {
  readonly type: "transaction"
  /** The same in every export. */
  readonly id: string
  readonly subject: JournalSubject
  /** Under which it is posted, in UTC: `2026-11-03`. */
  readonly date: string
  /** RFC 3339, UTC: when the money moved, and when it was recorded. */
  readonly occurred_at: string
  readonly recorded_at: string
  readonly connection_id: string
  /** `null` for a row that belongs to no payment. */
  readonly payment_id: string | null
  /** The merchant's. */
  readonly reference: string | null
  readonly payout_id: string | null
  readonly postings: ReadonlyArray<Posting>
}

/** Money that is not posted, because its result is not known. */
export interface PendingMoney {
  readonly type: "pending"
  readonly what: "charge" | "capture" | "refund" | "dispute"
  readonly payment_id: string
  readonly connection_id: string | null
  /** Minor units; `null` for a dispute whose amount no report has said. */
  readonly amount: number | null
  readonly currency: string
}

export type JournalEntry = JournalTransaction | PendingMoney

export interface JournalQuery {
  /** Posted at this time or later; all from the beginning unless set. */
  readonly from?: Date | undefined
  /** Posted before this time; now unless set. */
  readonly until?: Date | undefined
  readonly connection?: string | undefined
  /** How long after its end the books of a month are closed, in milliseconds: 5 days unless set. Use the same always. */
  readonly closeAfterMillis?: number | undefined
}

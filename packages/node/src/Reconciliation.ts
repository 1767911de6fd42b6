/**
 * Providers' reports about money, compared with the records, as calls take and give them: the shapes of
 * `pointsman reconcile … --json`. Amounts are integers in minor units, times are RFC 3339 in UTC.
 */
import type { Environment, Page, PayoutStatus } from "@pointsman/client/contract"
import type { CallOptions } from "./Settings.ts"

/** What a row of a report moved. */
export type ReportRowKind =
  | "charge"
  | "charge_failed"
  | "refund"
  | "refund_failed"
  | "dispute"
  | "dispute_reversed"
  | "fee"
  | "payout"
  | "payout_failed"
  | "adjustment"

/** What each difference means is in docs/guides/reconcile.md. */
export type DifferenceResult =
  | "amount_differs"
  | "missing_here"
  | "missing_there"
  | "status_differs"
  | "duplicate"
  | "fee_differs"

export type SettlementResult = "matched" | DifferenceResult

/** How the payment of a row was found. */
export type MatchReason = "by_id" | "accepted" | "same_row" | "ambiguous" | "not_found" | "no_payment"

/** Negative where money leaves the balance at the provider. */
export interface SignedMoney {
  readonly amount: number
  readonly currency: string
}

/** One report, and how far it was read. */
export interface ReconciliationRun {
  /** `rec_…` */
  readonly id: string
  readonly workspace_id: string
  readonly environment: Environment
  readonly connection_id: string
  readonly format: string
  /** Without its folder. */
  readonly file: string
  /** Of the report's bytes: the same report is one run. */
  readonly sha256: string
  /** `failed`: the report cannot be read further; the same report continues once that is fixed. */
  readonly state: "reading" | "matching_missing" | "done" | "failed"
  /** Why it failed. */
  readonly failure: string | null
  readonly rows: number
  /** Rows that an earlier report had, with the same contents. */
  readonly rows_known: number
  readonly rows_unreadable: number
  /** The first of them: the row counted from 1 with the header, its field, and what was expected there. */
  readonly unreadable: ReadonlyArray<{ readonly row: number; readonly field: string; readonly reason: string }>
  /** Rows by their result. */
  readonly results: { readonly [Result in SettlementResult]: number }
  /** By currency of the payout: an amount that was converted is counted as converted. */
  readonly sums: { readonly [currency: string]: { readonly gross: number; readonly fee: number; readonly net: number } }
  /** The first and the last time of a row. */
  readonly period: { readonly from: string; readonly until: string } | null
  /** When payments were captured that have to be in the report. */
  readonly missing_looked_for: { readonly from: string; readonly until: string } | null
  readonly started_at: string
  readonly ended_at: string | null
}

/** What is stored of a row of a report; `missing_there` is an entry without a row. */
export interface SettlementEntry {
  /** The connection and the row: `acquirer-eu/txn_1`. */
  readonly id: string
  readonly workspace_id: string
  readonly environment: Environment
  readonly connection_id: string
  readonly row_id: string
  readonly run_id: string
  /** Counted from 1; `null` for an entry without a row. */
  readonly row: number | null
  readonly kind: ReportRowKind
  readonly result: SettlementResult
  readonly reason: MatchReason
  /** What the records said instead, for people. */
  readonly expected: string | null
  readonly payment_id: string | null
  /** A payment that a `missing_here` row may be of, by its amount and time. It means nothing until `accept` is called. */
  readonly suggested_payment_id: string | null
  readonly refund_id: string | null
  /** The provider's. */
  readonly dispute_id: string | null
  readonly provider_reference: string | null
  /** In the currency of the payment, before fees. */
  readonly gross: SignedMoney
  /** `gross` in the currency of the payout, where that is another one. */
  readonly converted: SignedMoney | null
  /** A positive fee is a cost. */
  readonly fee: SignedMoney | null
  readonly net: SignedMoney | null
  readonly payout_id: string | null
  /** When the money moved. */
  readonly occurred_at: string
  /** When the payout arrives, or the money is available. */
  readonly settled_at: string | null
  /** When the difference was found. */
  readonly opened_at: string | null
  /**
   * `statement`: the records took what the row says. `row`: a later row ended it. `comparison`: what was recorded later
   * ended it. `person`: a note explains it.
   */
  readonly closed: {
    readonly by: "row" | "statement" | "comparison" | "person"
    readonly note: string
    readonly at: string
  } | null
}

/** What moved at one connection on one day in one currency, as its reports say. */
export interface BalanceRow {
  readonly connection_id: string
  /** In UTC: `2026-11-03`. */
  readonly day: string
  /** That of the payout, where the report names it. */
  readonly currency: string
  readonly rows: number
  readonly charges: number
  readonly refunds: number
  readonly disputes: number
  /** Positive for a cost. */
  readonly fees: number
  readonly payouts: number
  /** Fees of their own rows, reserves and corrections. */
  readonly others: number
}

/** What one payout consists of, as the provider's reports say. */
/** The row of a payout itself. */
export interface PayoutEntry extends SettlementEntry {
  /** `null` where the row does not name the payout. */
  readonly payout_status: PayoutStatus | null
}

export interface Payout {
  readonly connection_id: string
  /** The provider's name. */
  readonly payout_id: string
  readonly status: PayoutStatus
  /** When the first and the last of its money moved. */
  readonly from: string
  readonly until: string
  /** When it arrives. */
  readonly settled_at: string | null
  /** By currency. `rest`: what the rows add up to, less what is paid out: 0 where every part of the payout was read. */
  readonly sums: ReadonlyArray<Omit<BalanceRow, "connection_id" | "day"> & { readonly rest: number }>
}

/** A payout by the provider's name. */
export interface PayoutName {
  readonly connection: string
  readonly payout: string
}

export interface ReportProgress {
  /** Called after each batch of rows. What it throws is ignored. */
  readonly onProgress?: ((run: ReconciliationRun) => void) | undefined
  /** Who reads it, for the audit trail: 1 to 120 characters. `library` unless set. */
  readonly by?: string | undefined
}

export interface ReportOrder extends ReportProgress {
  /** The id of the connection whose provider wrote the report. */
  readonly connection: string
  /**
   * The path of a file, or the bytes of one; `.gz` is read too. Bytes are written to a temporary file first, which is
   * removed at the end: the hash of the whole report names its run.
   */
  readonly report: string | AsyncIterable<Uint8Array>
  /** Under which bytes are listed; a path brings its own name. */
  readonly name?: string | undefined
  /** Such as `stripe-balance`; by the connection and the first line unless set. */
  readonly format?: string | undefined
}

export interface FetchOrder extends ReportProgress {
  readonly connection: string
  /** One report of the connector's; all of them unless set. */
  readonly report?: string | undefined
  /** Up to where the report was fetched without a gap, unless set, and seven days ago at first. */
  readonly from?: Date | undefined
  /** An hour ago unless set, or as long ago as the provider needs to list rows; no later time is taken. */
  readonly until?: Date | undefined
}

export interface RunsQuery {
  readonly connection?: string | undefined
  /** Rows at most, 1 to 100; 50 unless set. */
  readonly limit?: number | undefined
  /** The `next_cursor` of the page before. */
  readonly before?: string | undefined
}

export interface DifferencesQuery {
  readonly connection?: string | undefined
  /** The id of a run. */
  readonly run?: string | undefined
  readonly result?: DifferenceResult | undefined
  /** `open` unless set; `all`: closed ones too. */
  readonly state?: "open" | "all" | undefined
  /** Found before this time. */
  readonly openedBefore?: Date | undefined
  /** Rows at most, 1 to 100; 50 unless set. */
  readonly limit?: number | undefined
  /** The `next_cursor` of the page before. */
  readonly after?: string | undefined
}

export interface DifferenceClosing {
  /** What explains the difference: 1 to 2,000 characters. */
  readonly note: string
  /** Who closes it, for the audit trail: 1 to 120 characters. */
  readonly by: string
}

export interface SuggestionAcceptance {
  /** The `suggested_payment_id`. */
  readonly payment: string
  /** Who accepts it, for the audit trail: 1 to 120 characters. */
  readonly by: string
}

/** As the commands `pointsman reconcile`, which may be used on the same database. */
export interface ReconciliationCalls {
  /**
   * Reads a report, compares its rows with the records, and applies what they state: a payment whose messages were lost
   * is put right, and one that is paid out is settled. Nothing is sent to a provider. Repeating the same report
   * continues from where it ended, and changes nothing once it is done; beside other processes too. Look at `results`:
   * differences are a result. `StateError` with `report_in_progress` where another process reads a report of the
   * connection, and with `report_unreadable` where it cannot be read further. `close` ends it after a batch.
   */
  readonly run: (order: ReportOrder) => Promise<ReconciliationRun>
  /** Fetches the connection's reports from its provider's API, if its connector can, and runs them; one run for each day. */
  readonly fetch: (order: FetchOrder) => Promise<ReadonlyArray<ReconciliationRun>>
  /** Reports that were read, newest first; of all workspaces unless options name one with its environment. */
  readonly list: (query?: RunsQuery, options?: CallOptions) => Promise<Page<ReconciliationRun>>
  readonly find: (runId: string, options?: CallOptions) => Promise<ReconciliationRun>
  /** Those that were found first first; of all workspaces unless options name one with its environment. */
  readonly differences: (query?: DifferencesQuery, options?: CallOptions) => Promise<Page<SettlementEntry>>
  /** Closes an open difference, by its `id`, with what explains it. It moves no money. */
  readonly close: (differenceId: string, closing: DifferenceClosing) => Promise<void>
  /**
   * Makes the row of an open difference, by its `id`, one of the payment that is suggested for it, as if it carried the
   * payment's id: what it states is applied. `NotFoundError` where that is not suggested, or the payment has a row of its own
   * by now; `StateError` with `report_in_progress` while a report of the connection is read.
   */
  readonly accept: (differenceId: string, acceptance: SuggestionAcceptance) => Promise<void>
  /** What moved from `from` on and before `until`, by connection, day and currency. */
  readonly balance: (
    period: { readonly from: Date; readonly until: Date; readonly connection?: string | undefined },
    options?: CallOptions
  ) => Promise<ReadonlyArray<BalanceRow>>
  /** Payouts that left the balance at their provider in the period, newest first: their own rows, at most `limit`, 50 unless set. */
  readonly payouts: (
    period: {
      readonly from: Date
      readonly until: Date
      readonly connection?: string | undefined
      readonly limit?: number | undefined
    },
    options?: CallOptions
  ) => Promise<ReadonlyArray<PayoutEntry>>
  readonly payout: (name: PayoutName, options?: CallOptions) => Promise<Payout>
  /** The rows that a payout pays, and its own, in the order in which the money moved: page by page, in bounded memory. */
  readonly payoutEntries: (name: PayoutName, options?: CallOptions) => AsyncIterable<SettlementEntry>
}

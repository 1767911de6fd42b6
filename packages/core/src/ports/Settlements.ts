/**
 * The store of what providers' reports say about money: runs, their entries, and the open differences.
 *
 * The rule that an adapter must not break: `applyBatch` writes entries, closings and the position of the run together or
 * not at all, under the run's version, so that no row is counted twice and none is passed over.
 */
import { Context, type Effect, type Option } from "effect"
import type { Payment } from "../model/Payment.ts"
import type { PaymentBook } from "../model/PaymentBook.ts"
import type { PayoutMoves, PayoutName, PayoutSums } from "../model/Payout.ts"
import type { ReconciliationRun, RunLease } from "../model/ReconciliationRun.ts"
import type { Closing, Corrected, SettlementEntry, SettlementResult } from "../model/SettlementEntry.ts"
import type { Tenant } from "../model/Tenant.ts"
import type { StorageError } from "./StorageError.ts"

/** Rows of a report that are stored at once, at most. */
export const rowsAtOnce = 1_000

/** An open difference that ends. */
export interface ClosedEntry {
  readonly rowId: string
  readonly closed: Closing
}

/** An entry of a row that came again with other contents. */
export interface CorrectedEntry {
  readonly rowId: string
  readonly corrected: Corrected
}

/** An entry whose row a report that was generated later has, unchanged. */
export type ConfirmedEntry = Pick<SettlementEntry, "rowId" | "generatedAt">

/** Who begins a run. `until` is at most `longestLeaseMillis` after `now`: epoch milliseconds. */
export interface RunHolder {
  readonly holder: string
  readonly now: number
  readonly until: number
}

/** `Taken`: another run of the connection is read. */
export type Begun =
  | { readonly _tag: "Begun"; readonly run: ReconciliationRun }
  | { readonly _tag: "Taken"; readonly by: RunLease }

/** Who takes the lease of a connection without a run, to compare its open differences again. */
export type ComparisonHolder = RunHolder & Pick<RunLease, "fileName" | "runId">

/** One step of a run, or of a comparison of open differences, written whole. */
export interface SettlementBatch {
  readonly tenant: Tenant
  readonly connectionId: string
  /** The version that it was decided on, and the run as it is afterwards; `null` where no run moves. */
  readonly run: { readonly expected: number; readonly after: ReconciliationRun } | null
  /** Of the connection: written only while `holder` has it, and then kept until `until`. */
  readonly lease: Pick<RunLease, "holder" | "until">
  /** An entry whose row id is stored already is passed over. */
  readonly entries: ReadonlyArray<SettlementEntry>
  /** A difference that is closed already, or is not stored, is passed over. They are closed before any is corrected. */
  readonly closes: ReadonlyArray<ClosedEntry>
  /**
   * Older versions of rows, each once. One that was corrected before keeps the time of that and gets the id of the newest
   * version; one that is not closed is closed by the newest one.
   */
  readonly corrections: ReadonlyArray<CorrectedEntry>
  /** A time that is not later than the stored one is passed over. */
  readonly confirmed?: ReadonlyArray<ConfirmedEntry>
}

/** What rows name, each once. */
export interface NamedInRows {
  readonly attemptIds: ReadonlyArray<string>
  readonly operationIds: ReadonlyArray<string>
  readonly refundIds: ReadonlyArray<string>
  readonly providerRefundIds: ReadonlyArray<string>
  readonly providerRefs: ReadonlyArray<string>
}

export type NameKind = keyof NamedInRows

/** A payment of the connection that has the name. A name may have several. */
export interface NamedPayment {
  readonly kind: NameKind
  readonly name: string
  readonly paymentId: string
}

export interface NamedBooks {
  /** Of a name that more than two payments have, two. */
  readonly named: ReadonlyArray<NamedPayment>
  /** Of all named payments, in no order. */
  readonly books: ReadonlyArray<PaymentBook>
}

/** To find captured payments that no entry is about. */
export interface UnreportedQuery {
  readonly tenant: Tenant
  readonly connectionId: string
  /** When the charge's result was known: epoch milliseconds, both ends included. */
  readonly from: number
  readonly until: number
  /** Payments that are captured by a request of their own may have been created this long before, in milliseconds. */
  readonly captureWithinMillis: number
  /** Only payments with a greater id. */
  readonly after: string
  /** Payments looked at, at most. */
  readonly limit: number
}

export interface UnreportedPage {
  /** With `capturedMinor` above 0 and no open entry of a charge or of `missing_there`. By id. */
  readonly payments: ReadonlyArray<Payment>
  /** The last payment that was looked at; `null` where there are no more. */
  readonly next: string | null
}

export interface EntryQuery {
  /** Of one tenant; absent for all of them. */
  readonly tenant?: Tenant | undefined
  readonly connectionId?: string | undefined
  readonly runId?: string | undefined
  readonly result?: SettlementResult | undefined
  /** `open`: differences that are not closed. `all`: closed ones too. */
  readonly differences: "open" | "all"
  /** Opened before this; epoch milliseconds. */
  readonly openedBefore?: number | undefined
  /** Only differences that follow this one. */
  readonly after?: (Pick<SettlementEntry, "connectionId" | "rowId"> & { readonly openedAt: number }) | undefined
  readonly limit: number
}

export interface BalanceQuery {
  readonly tenant: Tenant
  readonly connectionId?: string | undefined
  /** When the money moved: epoch milliseconds, from here on and before. */
  readonly from: number
  readonly until: number
}

/** What moved at one connection on one day (UTC), in one currency: that of the payout where the report names it. */
export interface BalanceRow extends PayoutSums {
  readonly connectionId: string
  /** Epoch milliseconds of the day's beginning. */
  readonly day: number
}

/** What a payout has in one currency, with the first and the last time at which its money moved, in epoch milliseconds. */
export interface PayoutPart extends PayoutSums {
  readonly firstAt: number
  readonly lastAt: number
  /** When the payout arrives; `null` where no row says it. */
  readonly settledAt: number | null
}

export interface PayoutsQuery {
  readonly tenant: Tenant
  readonly connectionId?: string | undefined
  /** When it left the balance at the provider: epoch milliseconds, from here on and before. */
  readonly from: number
  readonly until: number
  readonly limit: number
}

/** Open differences of all kinds that are counted for monitoring: every few seconds, and a tenant can have any number. */
export const openCounted = 10_000

/** Open differences of one kind, of all tenants. */
export interface OpenDifferences {
  readonly result: SettlementResult
  readonly count: number
  /** When the oldest was found, in epoch milliseconds. */
  readonly oldestAt: number
}

export interface Settlements {
  /**
   * Takes the lease of the run's connection and stores the run, unless the connection has a run of the same file and format:
   * gives that one, as it is stored. One that is done needs no lease. A lease is free once `until` is over. For its own
   * holder and its own run it is free at any time, and the holder before writes no more. One that ends later than
   * `longestLeaseMillis` from `now` was taken by a clock that was wrong, and counts as free. Where it is not free, nothing is
   * written.
   */
  readonly begin: (run: ReconciliationRun, lease: RunHolder) => Effect.Effect<Begun, StorageError>
  /** Takes the lease of the connection as `begin` does, and stores no run. Gives the lease as it is afterwards. */
  readonly hold: (
    tenant: Tenant,
    connectionId: string,
    holder: ComparisonHolder
  ) => Effect.Effect<RunLease, StorageError>
  /** Gives the lease back, if `holder` has it. */
  readonly release: (tenant: Tenant, connectionId: string, holder: string) => Effect.Effect<void, StorageError>
  readonly run: (tenant: Tenant, id: string) => Effect.Effect<Option.Option<ReconciliationRun>, StorageError>
  /** Newest first. */
  readonly runs: (query: {
    readonly tenant?: Tenant | undefined
    readonly connectionId?: string | undefined
    /** By its name. */
    readonly format?: string | undefined
    /** Only runs with a smaller id. */
    readonly before?: string | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<ReconciliationRun>, StorageError>
  /**
   * `false`: the run has another version by now, or another holder has the lease, and nothing is written. After a
   * `StorageError` all of it may be written, or nothing: the stored run says which.
   */
  readonly applyBatch: (batch: SettlementBatch) => Effect.Effect<boolean, StorageError>
  /** Those of the entries that are stored, in no order. */
  readonly known: (
    tenant: Tenant,
    connectionId: string,
    rowIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<SettlementEntry>, StorageError>
  /** Of the connection: an attempt, an operation or a refund of another one is not named by its reports. */
  readonly booksNamed: (
    tenant: Tenant,
    connectionId: string,
    names: NamedInRows
  ) => Effect.Effect<NamedBooks, StorageError>
  /** Entries of these payments at all connections, in the order of their times and row ids. */
  readonly entriesOf: (
    tenant: Tenant,
    paymentIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<SettlementEntry>, StorageError>
  readonly unreported: (query: UnreportedQuery) => Effect.Effect<UnreportedPage, StorageError>
  /** Differences, those that were found first first. */
  readonly differences: (query: EntryQuery) => Effect.Effect<ReadonlyArray<SettlementEntry>, StorageError>
  /** Every entry, by connection and row id. */
  readonly entries: (query: {
    readonly tenant: Tenant
    readonly connectionId?: string | undefined
    /** Only entries that belong to no payment. */
    readonly isWithoutPayment?: boolean
    /** The last entry of the page before. */
    readonly after?: Pick<SettlementEntry, "connectionId" | "rowId"> | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<SettlementEntry>, StorageError>
  /** Closes an open difference; whether there was one. */
  readonly close: (tenant: Tenant, connectionId: string, closed: ClosedEntry) => Effect.Effect<boolean, StorageError>
  /** By connection, day and currency. */
  readonly balance: (query: BalanceQuery) => Effect.Effect<ReadonlyArray<BalanceRow>, StorageError>
  /**
   * What a payout consists of, by currency; empty where no entry names it. Of the versions of a row the newest one counts,
   * and the same row at a second place of a report does not, as in `balance`.
   */
  readonly payoutParts: (tenant: Tenant, name: PayoutName) => Effect.Effect<ReadonlyArray<PayoutPart>, StorageError>
  /** Of each payout and currency, in no order; nothing of one without a row of its own that counts. */
  readonly payoutMoves: (
    tenant: Tenant,
    names: ReadonlyArray<PayoutName>
  ) => Effect.Effect<ReadonlyArray<PayoutMoves>, StorageError>
  /** The entries that count in it, in the order of their times and row ids. */
  readonly payoutEntries: (
    tenant: Tenant,
    query: PayoutName & {
      /** Only entries that follow this one. */
      readonly after: Pick<SettlementEntry, "occurredAt" | "rowId"> | undefined
      readonly limit: number
    }
  ) => Effect.Effect<ReadonlyArray<SettlementEntry>, StorageError>
  /** The entries of payouts themselves that count, newest first; a failed payout has another entry. */
  readonly payouts: (query: PayoutsQuery) => Effect.Effect<ReadonlyArray<SettlementEntry>, StorageError>
  /** For monitoring: of the oldest `openCounted`, of each node where there are several. */
  readonly open: Effect.Effect<ReadonlyArray<OpenDifferences>, StorageError>
  /**
   * Deletes entries that belong to no payment, whose money moved before the time (epoch milliseconds) and that are no open
   * difference; gives how many. Those of a payment leave with it (`Retention.remove`), and one that was an open difference
   * then leaves here once it is closed.
   */
  readonly prune: (query: {
    readonly tenant: Tenant
    readonly before: number
    readonly limit: number
  }) => Effect.Effect<number, StorageError>
}

export const Settlements = Context.Service<Settlements>("pointsman/ports/Settlements")

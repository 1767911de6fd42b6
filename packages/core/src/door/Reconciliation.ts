/** What providers' reports say about money, compared with the records. */
import { Effect, type Option, Stream } from "effect"
import type { Payout, PayoutName, PayoutStatus } from "../model/Payout.ts"
import type { ReconciliationRun } from "../model/ReconciliationRun.ts"
import type { SettlementEntry } from "../model/SettlementEntry.ts"
import type { Tenant } from "../model/Tenant.ts"
import {
  type BalanceQuery,
  type BalanceRow,
  type EntryQuery,
  type OpenDifferences,
  type PayoutsQuery,
  Settlements
} from "../ports/Settlements.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { type AcceptanceOrder, acceptSuggestion, type SuggestionNotFound } from "../verbs/reconcile/AcceptSuggestion.ts"
import { beginFile, fileReadings, type ReportFileOrder, type TooManyReports } from "../verbs/reconcile/BeginFile.ts"
import { type FetchOrder, fetchReports } from "../verbs/reconcile/FetchReports.ts"
import { exportPayout, readPayout, readPayoutStatuses } from "../verbs/reconcile/ReadPayouts.ts"
import {
  type ReportBeingRead,
  type ReportBroken,
  type ReportOrder,
  type ReportRefused,
  runReport
} from "../verbs/reconcile/RunReport.ts"
import {
  type ClosingOrder,
  closeDifference,
  type DifferenceNotFound,
  type ReportTaken
} from "../verbs/reconcile/WriteBatch.ts"
import { actsOf, type DoorContext, intentsAtConnection } from "./DoorContext.ts"
import { type CardNumberFound, storing } from "./StoredTexts.ts"

export interface ReconciliationMethods {
  /**
   * Reads a report and applies what its rows state. It may be interrupted, repeated, and run beside servers: repeating
   * the same file continues where the run ended, and changes nothing once it is done. Where the same file is begun
   * twice, the first reading ends with `ReportTaken`. Reports of one connection are read one after the other: a second
   * one fails with `ReportBeingRead`, for a minute at most after the process that read the first one died.
   */
  readonly run: (
    order: ReportOrder
  ) => Effect.Effect<ReconciliationRun, ReportRefused | ReportBeingRead | ReportTaken | ReportBroken | StorageError>
  /**
   * As `run`, a report that is in memory as a whole: it is read after this gave the run as it was found, which is done where
   * the same file was read before. `ReportRefused` says what was expected of the file.
   */
  readonly beginFile: (
    order: ReportFileOrder
  ) => Effect.Effect<
    ReconciliationRun,
    ReportRefused | ReportBeingRead | ReportTaken | ReportBroken | TooManyReports | StorageError
  >
  /**
   * Fetches the connection's reports from the provider's API, where its connector has them, and runs them: from where
   * the last fetch ended. It may be interrupted, repeated, and run beside servers. A provider that does not answer is
   * `ReportBroken`; what was read is kept, and the next fetch continues from there.
   */
  readonly fetch: (
    order: FetchOrder
  ) => Effect.Effect<
    ReadonlyArray<ReconciliationRun>,
    ReportRefused | ReportBeingRead | ReportTaken | ReportBroken | StorageError
  >
  readonly find: (tenant: Tenant, id: string) => Effect.Effect<Option.Option<ReconciliationRun>, StorageError>
  /** Newest first; of all tenants unless one is named. */
  readonly list: (query: {
    readonly tenant?: Tenant | undefined
    readonly connectionId?: string | undefined
    readonly before?: string | undefined
    readonly limit: number
  }) => Effect.Effect<ReadonlyArray<ReconciliationRun>, StorageError>
  /** Those that were found first first. */
  readonly differences: (query: EntryQuery) => Effect.Effect<ReadonlyArray<SettlementEntry>, StorageError>
  readonly close: (order: ClosingOrder) => Effect.Effect<void, CardNumberFound | DifferenceNotFound | StorageError>
  /** Makes a row one of the suggested payment, and applies it; `ReportBeingRead` while a report is read. */
  readonly accept: (
    order: AcceptanceOrder
  ) => Effect.Effect<void, SuggestionNotFound | ReportBeingRead | ReportTaken | StorageError>
  /** What moved at each connection by day and currency, as the providers report it. */
  readonly balance: (query: BalanceQuery) => Effect.Effect<ReadonlyArray<BalanceRow>, StorageError>
  /** Payouts that left the balance at their provider in a period, newest first: the entries of the payouts themselves. */
  readonly payouts: (query: PayoutsQuery) => Effect.Effect<ReadonlyArray<SettlementEntry>, StorageError>
  /** What a payout consists of; `None` where no report names it. */
  readonly payout: (tenant: Tenant, name: PayoutName) => Effect.Effect<Option.Option<Payout>, StorageError>
  /** Of the payouts that entries or settlements name: `null` for one that names none. */
  readonly payoutStatuses: (
    tenant: Tenant,
    naming: ReadonlyArray<Pick<SettlementEntry, "connectionId" | "payoutId">>
  ) => Effect.Effect<(one: Pick<SettlementEntry, "connectionId" | "payoutId">) => PayoutStatus | null, StorageError>
  /** The rows that a payout pays, and its own, in the order of their times. */
  readonly payoutEntries: Settlements["payoutEntries"]
  /** All of them, in pages as they are consumed. An operator's export is audited first. */
  readonly exportPayout: (
    caller: { readonly tenant: Tenant; readonly operator?: string | undefined },
    name: PayoutName
  ) => Stream.Stream<SettlementEntry, StorageError>
  /** Entries of these payments, in the order of their times. */
  readonly entriesOf: Settlements["entriesOf"]
  /** How many differences are open, by kind. For monitoring. */
  readonly open: Effect.Effect<ReadonlyArray<OpenDifferences>, StorageError>
}

export const reconciliationMethods = (context: DoorContext): ReconciliationMethods => {
  const ofStore = <A, E>(use: (settlements: Settlements) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.provideContext(Effect.flatMap(Settlements, use), context)
  const intends = intentsAtConnection(context)
  const readings = fileReadings()
  const run = (order: ReportOrder) => {
    const { connectionId, fileName, format, sha256 } = order
    const details = { format: format.name, file: fileName, sha256 }
    return Effect.andThen(
      intends("report.reconciling", connectionId, connectionId, details),
      Effect.provideContext(runReport(order), context)
    )
  }
  return {
    run,
    beginFile: (order) => Effect.provideContext(beginFile(order, readings, run), context),
    fetch: (order) => {
      const { connectionId, from, report, until } = order
      const details = {
        ...(report === undefined ? {} : { format: report }),
        ...(from === undefined ? {} : { from: new Date(from).toISOString() }),
        ...(until === undefined ? {} : { until: new Date(until).toISOString() })
      }
      return Effect.andThen(
        intends("report.reconciling", connectionId, connectionId, { file: "fetched from the provider", ...details }),
        Effect.provideContext(fetchReports(order), context)
      )
    },
    find: (tenant, id) => ofStore(({ run }) => run(tenant, id)),
    list: (query) => ofStore(({ runs }) => runs(query)),
    differences: (query) => ofStore(({ differences }) => differences(query)),
    close: (order) => {
      const { connectionId, note, rowId } = order
      return storing(context)(
        { note },
        Effect.andThen(
          intends("difference.closing", connectionId, `${connectionId}/${rowId}`, { note }),
          Effect.provideContext(closeDifference(order), context)
        )
      )
    },
    accept: (order) => {
      const { connectionId, paymentId, rowId } = order
      return Effect.andThen(
        intends("suggestion.accepting", connectionId, `${connectionId}/${rowId}`, { payment_id: paymentId }),
        Effect.provideContext(acceptSuggestion(order), context)
      )
    },
    balance: (query) => ofStore(({ balance }) => balance(query)),
    payouts: (query) => ofStore(({ payouts }) => payouts(query)),
    payout: (tenant, name) => Effect.provideContext(readPayout(tenant, name), context),
    payoutStatuses: (tenant, naming) => Effect.provideContext(readPayoutStatuses(tenant, naming), context),
    payoutEntries: (tenant, query) => ofStore(({ payoutEntries }) => payoutEntries(tenant, query)),
    exportPayout: (caller, name) => {
      const { tenant } = caller
      const details = { connection_id: name.connectionId, payout_id: name.payoutId }
      const entry = actsOf(context)(caller, "payments.exporting", tenant.workspaceId, details)
      return Stream.unwrap(Effect.as(entry, Stream.provideContext(exportPayout(tenant, name), context)))
    },
    entriesOf: (tenant, paymentIds) =>
      paymentIds.length === 0 ? Effect.succeed([]) : ofStore(({ entriesOf }) => entriesOf(tenant, paymentIds)),
    open: ofStore(({ open }) => open)
  }
}

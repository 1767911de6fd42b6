/** Reads the journal of a tenant: the double-entry view of what is recorded and reported. */
import { Effect, Option, Stream } from "effect"
import { journalOf, pendingOf } from "../../decide/journal/Journal.ts"
import { defaultMonthClosing, type MonthClosing } from "../../decide/journal/PostingDate.ts"
import { isExplained, type JournalRecord, movementsOfEntry } from "../../decide/journal/RecordedFacts.ts"
import type { Event } from "../../model/Event.ts"
import type { JournalTransaction, PendingMoney, PostedMovement } from "../../model/Journal.ts"
import type { Payment } from "../../model/Payment.ts"
import type { SettlementEntry } from "../../model/SettlementEntry.ts"
import type { Tenant } from "../../model/Tenant.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { Settlements } from "../../ports/Settlements.ts"
import { withAllowance } from "../../ports/StorageAllowance.ts"
import { exportPayments } from "./ExportPayments.ts"

export interface JournalQuery {
  /** Epoch milliseconds: transactions posted at this time or later. All from the beginning unless set. */
  readonly from?: number | undefined
  /** Epoch milliseconds: transactions posted before this time. */
  readonly before: number
  /** Only transactions of this connection. */
  readonly connectionId?: string | undefined
  /** How long after its end the books of a month are closed, in milliseconds; 5 days unless set. */
  readonly closeAfterMillis?: number | undefined
}

export type JournalEntry =
  | { readonly _tag: "Transaction"; readonly transaction: JournalTransaction }
  /** Money that is not posted now, whatever the period. */
  | { readonly _tag: "Pending"; readonly pending: PendingMoney }

/** Events in memory at once, of one payment. */
const pageEvents = 200
/** Timelines that are read at once. */
const timelinesAtOnce = 8
/** Rows without a payment in memory at once. */
const pageRows = 200
/** Another writer may come between the two reads of a payment, again and again. */
const readsAtMost = 5

/** By payment, newest first, then the rows of none. Pages are read as they are consumed. */
export const journal = (tenant: Tenant, query: JournalQuery) => {
  const closing: MonthClosing =
    query.closeAfterMillis === undefined ? defaultMonthClosing : { closeAfterMillis: query.closeAfterMillis }
  const isAsked = ({ at, connectionId }: JournalTransaction) =>
    at >= (query.from ?? 0) &&
    at < query.before &&
    (query.connectionId === undefined || connectionId === query.connectionId)
  const asked = (transactions: ReadonlyArray<JournalTransaction>): ReadonlyArray<JournalEntry> =>
    transactions.filter(isAsked).map((transaction) => ({ _tag: "Transaction", transaction }))
  const isPendingAsked = ({ connectionId }: PendingMoney) =>
    query.connectionId === undefined || connectionId === query.connectionId

  const ofPayments = exportPayments(tenant, { createdBefore: query.before }).pipe(
    Stream.mapArrayEffect(
      Effect.fnUntraced(function* (payments) {
        const ids = payments.map(({ id }) => id)
        const rows = yield* withAllowance((yield* Settlements).entriesOf(tenant, ids))
        const movements = Map.groupBy(rows.flatMap(movementsOfEntry), ({ paymentId }) => paymentId)
        const entries = yield* Effect.forEach(
          payments,
          // SQLite reads without a pause: payments of others come between two timelines.
          (payment) =>
            Effect.andThen(
              Effect.yieldNow,
              entriesOf(tenant, payment, movements.get(payment.id) ?? [], closing, query.from ?? 0)
            ),
          { concurrency: timelinesAtOnce }
        )
        const page = entries.flatMap(
          ({ pending, transactions }): ReadonlyArray<JournalEntry> => [
            ...asked(transactions),
            ...pending.filter(isPendingAsked).map((one): JournalEntry => ({ _tag: "Pending", pending: one }))
          ]
        )
        return [page] as const
      })
    )
  )
  const ofRows = Stream.mapArray(
    rowsWithoutPayment(tenant),
    (rows) => [rows.flatMap((row) => asked(journalOf(null, movementsOfEntry(row), closing)))] as const
  )
  return Stream.flattenIterable(Stream.concat(ofPayments, ofRows))
}

const entriesOf = Effect.fnUntraced(function* (
  tenant: Tenant,
  payment: Payment,
  movements: ReadonlyArray<PostedMovement>,
  closing: MonthClosing,
  from: number
) {
  const pending = pendingOf(payment, movements)
  // Nothing is posted before it is recorded, and every event is a write of its payment.
  const isOlder = payment.updatedAt < from && movements.every(({ recordedAt }) => recordedAt < from)
  if (isOlder) return { transactions: [], pending }
  return { transactions: journalOf(yield* readRecord(tenant, payment), movements, closing), pending }
})

/** The events and the payment of one moment: where they do not explain each other, another writer came between. */
const readRecord = Effect.fnUntraced(function* (tenant: Tenant, read: Payment) {
  const { payment } = yield* Ledger
  let record: JournalRecord = { payment: read, events: yield* timelineOf(tenant, read.id) }
  for (let reads = 1; reads < readsAtMost && !isExplained(record); reads++) {
    const now = Option.getOrElse(yield* withAllowance(payment(tenant, read.id)), () => read)
    if (now.version === record.payment.version && reads > 1) break
    record = { payment: now, events: yield* timelineOf(tenant, read.id) }
  }
  return record
})

const timelineOf = Effect.fnUntraced(function* (tenant: Tenant, paymentId: string) {
  const { timeline } = yield* Ledger
  const events: Array<Event> = []
  while (true) {
    const after = events.at(-1)?.id
    const page = yield* withAllowance(timeline(tenant, paymentId, { after, limit: pageEvents }))
    events.push(...page)
    if (page.length < pageEvents) return events
  }
})

const rowsWithoutPayment = (tenant: Tenant) =>
  Stream.paginate(
    undefined as SettlementEntry | undefined,
    Effect.fnUntraced(function* (after) {
      const { entries } = yield* Settlements
      const rows: ReadonlyArray<SettlementEntry> = yield* withAllowance(
        entries({ tenant, isWithoutPayment: true, after, limit: pageRows })
      )
      return [rows, Option.fromUndefinedOr(rows.at(-1))] as const
    })
  )

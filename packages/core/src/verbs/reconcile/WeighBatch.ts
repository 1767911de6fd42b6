/** Weighs a batch of rows against what is stored, and says what to write and what to apply. */
import { Effect, Option } from "effect"
import { refundIdByHand } from "../../call/CallIds.ts"
import { countsInstead, generatedAtOf, isUnchanged, withKnownPayout } from "../../decide/reconcile/OpenDifference.ts"
import type { EarlierRow } from "../../decide/reconcile/PartialCapture.ts"
import { type WeighedRow, weighRow } from "../../decide/reconcile/WeighRow.ts"
import type { Connection } from "../../model/Connection.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"
import type { ReportRow } from "../../model/ReportRow.ts"
import { isEntryOfRow, placeRowId, type SettlementEntry, type SettlementResult } from "../../model/SettlementEntry.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { type ClosedEntry, type ConfirmedEntry, type CorrectedEntry, Settlements } from "../../ports/Settlements.ts"
import { feeOf } from "../../routing/Fees.ts"
import { fourEyesOf } from "../review/SecondPerson.ts"
import type { RowStated } from "./ApplyStatement.ts"
import { findPayments } from "./FindPayments.ts"
import { withSuggestions } from "./SuggestPayment.ts"

/** A row with its place in the report, counted from 1. */
export interface PlacedRow {
  readonly row: ReportRow
  readonly number: number
}

export interface StatedByRow extends RowStated {
  readonly book: PaymentBook
  /** The difference that ends once the record takes the statement; `null` where the row is no such difference. */
  readonly closes: string | null
}

export interface WeighedBatch {
  readonly entries: ReadonlyArray<SettlementEntry>
  readonly closes: ReadonlyArray<ClosedEntry>
  readonly corrections: ReadonlyArray<CorrectedEntry>
  readonly confirmed: ReadonlyArray<ConfirmedEntry>
  readonly stated: ReadonlyArray<StatedByRow>
  /** As in `ReconciliationRun.rowsKnown`. */
  readonly known: number
  /** The payments that the rows were weighed against. */
  readonly payments: ReadonlyArray<string>
}

/** A row of this batch to be weighed. */
interface OpenRow extends PlacedRow {
  /** Where the first version of the row came. Rows after it are not before the row, whichever version they follow. */
  readonly place: Pick<Move, "number" | "runId">
  readonly generatedAt: number
  readonly entryId: string
  /** It was written by an earlier try of this batch. */
  readonly isStored: boolean
  /** The report has the same row at an earlier place. */
  readonly isRepeated: boolean
  /** The payment that an operator accepted for an earlier version of the row. */
  readonly acceptedId: string | null
}

export const weighBatch = Effect.fnUntraced(function* (
  connection: Connection,
  run: ReconciliationRun,
  rows: ReadonlyArray<PlacedRow>,
  now: number
) {
  const { connectionId, tenant } = run
  const settlements = yield* Settlements
  const { confirmed, corrections, known, open, reopened } = yield* openRows(run, rows, now)
  const { books, found } = yield* findPayments(
    { tenant, connectionId, now },
    open.map(({ row }) => row)
  )
  for (const [at, { acceptedId }] of open.entries()) {
    if (acceptedId === null || found[at]?.book !== undefined) continue
    const book = Option.getOrUndefined(yield* (yield* Ledger).book(tenant, acceptedId))
    if (book !== undefined) found[at] = { book, reason: "accepted" }
  }
  const ids = [...new Set(found.flatMap(({ book }) => book?.payment.id ?? []))]
  const stored = ids.length === 0 ? [] : yield* settlements.entriesOf(tenant, ids)
  const before = movesBefore(run, stored)
  const limits = yield* fourEyesOf(tenant.workspaceId)
  const entries: Array<SettlementEntry> = []
  const stated: Array<StatedByRow> = []
  const closes: Array<ClosedEntry> = []
  const missing = new Map(
    stored
      .filter((one) => one.number === 0 && one.closed === null && one.connectionId === connectionId)
      .map((one) => [one.paymentId, one.rowId])
  )
  const isCorrected = new Set(corrections.map(({ rowId }) => rowId))
  for (const [at, { entryId, generatedAt, isRepeated, isStored, number, place, row }] of open.entries()) {
    const payment = found[at] ?? { book: undefined, reason: "not_found" as const }
    const byHandId = yield* refundIdByHand(tenant, connectionId, row)
    const order = { connectionId, found: payment, limits, byHandId, now }
    // Rows of a dispute are added up: those that were read since the first version count too.
    const seenAt = isOfDispute(row) ? { runId: run.id, number } : place
    const weighed: WeighedRow = isRepeated
      ? { ...repeated, paymentId: payment.book?.payment.id ?? null }
      : weighRow(row, {
          ...order,
          before: before.rows(payment.book, row, seenAt),
          feeMinor: payment.book === undefined ? undefined : expectedFee(connection, payment.book, row)
        })
    const { paymentId, refundId, statement } = weighed
    if (!isRepeated) {
      const { disputeId } = row.names
      before.add(paymentId, row.id, {
        kind: row.kind,
        refundId,
        disputeId,
        gross: row.gross,
        result: weighed.result,
        ...place,
        rowId: entryId
      })
    }
    const entry = entryOf(run, { generatedAt, number, row }, entryId, weighed, now)
    if (!isStored) entries.push(entry)
    // A newer version of the row is in the batch, and states what counts.
    if (isCorrected.has(entryId)) continue
    const missed = row.kind === "charge" ? missing.get(paymentId) : undefined
    for (const rowId of [...(missed === undefined ? [] : [missed]), ...(weighed.closes ?? [])]) {
      closes.push({ rowId, closed: { by: "row", note: entryId, at: now } })
    }
    const book = paymentId === null ? undefined : (books.get(paymentId) ?? payment.book)
    // The statement was applied, and the process ended before it was noted. It may still have something to add.
    const isNoted = isStored && weighed.result === "matched" && reopened.has(entryId)
    if (isNoted) closes.push({ rowId: entryId, closed: { by: "statement", note: "", at: now } })
    if (statement !== undefined && book !== undefined) {
      const closed = mayBeStated.has(weighed.result) ? entry.rowId : null
      stated.push({ book, about: statement, connectionId, occurredAt: row.occurredAt, closes: closed })
    }
  }
  const suggested = yield* withSuggestions(entries)
  return { entries: suggested, closes, corrections, confirmed, stated, known, payments: ids } satisfies WeighedBatch
})

export const isOfDispute = ({ kind }: ReportRow): boolean => kind === "dispute" || kind === "dispute_reversed"

const repeated = {
  result: "duplicate",
  reason: "same_row",
  refundId: null,
  expected: "one row with this id",
  statement: undefined
} as const

/**
 * Rows that are not stored yet, and those of a batch of this run that was stored and not applied. Of a row that other reports
 * have too, that of the report counts which was generated last: the others are passed over, unless what the same row states
 * may still be applied. One with other contents is a newer version, and what came before is corrected by it. One that this
 * report has twice is a duplicate. Both get ids of their own.
 */
const openRows = Effect.fnUntraced(function* (run: ReconciliationRun, rows: ReadonlyArray<PlacedRow>, now: number) {
  const seen = yield* seenBefore(run, rows)
  const applied = yield* appliedOf(run, [...seen.values()])
  const open: Array<OpenRow> = []
  const reopened = new Set<string>()
  const corrections = new Map<string, CorrectedEntry>()
  const confirmed: Array<ConfirmedEntry> = []
  let known = 0
  for (const { number, row: read } of rows) {
    const first = seen.get(read.id)
    // The newest one leaves with its payment, and the first one may have none.
    const newest = first?.corrected == null ? first : (seen.get(first.corrected.by) ?? first)
    const row = newest === undefined ? read : withKnownPayout(read, newest)
    const at = { runId: run.id, number }
    const ownId = placeRowId(row.id, at)
    const generatedAt = generatedAtOf(row, run)
    const acceptedId = newest?.reason === "accepted" ? newest.paymentId : null
    const place = { runId: first?.runId ?? run.id, number: first?.number ?? number }
    const own = { row, number, generatedAt, place, acceptedId, isRepeated: false }
    const same = first?.runId === run.id && first.number === number ? first : seen.get(ownId)
    if (same !== undefined) {
      if (isOver(same)) continue
      if (same.closed === null && same.result !== "matched") reopened.add(same.rowId)
      open.push({ ...own, entryId: same.rowId, isStored: true })
    } else if (first === undefined || newest === undefined || !isUnchanged(row, newest)) {
      const entryId = first === undefined ? row.id : ownId
      if (first !== undefined && newest !== undefined) {
        if (!countsInstead(generatedAt, run, newest)) {
          known += 1
          continue
        }
        const corrected = { by: ownId, at: now }
        for (const rowId of [row.id, newest.rowId]) corrections.set(rowId, { rowId, corrected })
        seen.set(row.id, { ...first, corrected })
      }
      const reason = acceptedId === null ? "not_found" : "accepted"
      seen.set(
        entryId,
        entryOf(run, own, entryId, { ...repeated, result: "matched", reason, paymentId: acceptedId }, now)
      )
      open.push({ ...own, entryId, isStored: false })
    } else if (newest.runId === run.id) {
      open.push({ ...own, entryId: ownId, isStored: false, isRepeated: true })
    } else {
      known += 1
      if (generatedAt > newest.generatedAt) confirmed.push({ rowId: newest.rowId, generatedAt })
      const isOpen = newest.closed === null && mayBeStated.has(newest.result)
      const isApplied = !isOpen && newest.number <= (applied.get(newest.runId) ?? newest.number)
      if (isOver(newest) || isApplied) continue
      if (isOpen) reopened.add(newest.rowId)
      open.push({ ...own, entryId: newest.rowId, isStored: true })
    }
  }
  return { open, known, reopened, corrections: [...corrections.values()], confirmed }
})

/** Entries of the rows by their ids: the first of each row, its newest one, and one that an earlier try of this batch wrote. */
const seenBefore = Effect.fnUntraced(function* (run: ReconciliationRun, rows: ReadonlyArray<PlacedRow>) {
  const settlements = yield* Settlements
  const read = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
    const found = ids.length === 0 ? [] : yield* settlements.known(run.tenant, run.connectionId, ids)
    return found.map((one) => [one.rowId, one] as const)
  })
  const seen = new Map(yield* read([...new Set(rows.map(({ row }) => row.id))]))
  const further = rows.flatMap(({ number, row }) => {
    const by = seen.get(row.id)?.corrected?.by
    return by === undefined ? [] : [by, placeRowId(row.id, { runId: run.id, number })]
  })
  for (const [id, one] of yield* read([...new Set(further)])) seen.set(id, one)
  return seen
})

/** What the row of it states was said, or says nothing: a newer version counts, a person closed it, or it is a duplicate. */
const isOver = ({ closed, corrected, reason }: SettlementEntry): boolean =>
  corrected !== null || closed?.by === "person" || reason === "same_row"

/** Differences that end once the record takes what their rows state. */
const mayBeStated: ReadonlySet<SettlementResult> = new Set(["status_differs", "amount_differs"])

/** By the id of an earlier run: how many of its rows are known to be applied. One that was killed may have fewer than it has. */
const appliedOf = Effect.fnUntraced(function* (
  run: ReconciliationRun,
  stored: ReadonlyArray<{ readonly runId: string }>
) {
  const settlements = yield* Settlements
  const ids = [...new Set(stored.map(({ runId }) => runId))].filter((id) => id !== run.id)
  const runs = yield* Effect.forEach(ids, (id) => settlements.run(run.tenant, id), { concurrency: runsAtOnce })
  return new Map(runs.flatMap((one) => (Option.isSome(one) ? [[one.value.id, one.value.rowsApplied] as const] : [])))
})

/** Runs that are read at once; a batch has rows of few. */
const runsAtOnce = 4

interface Move extends EarlierRow {
  readonly runId: string
  readonly number: number
}

/** What came before a row of a payment: entries of other runs, and those of this one with a smaller number. */
export const movesBefore = (
  run: Pick<ReconciliationRun, "id" | "connectionId">,
  stored: ReadonlyArray<SettlementEntry>
) => {
  const ofPayment = new Map<string, Array<Move>>()
  const own = stored.filter(
    (one) => one.number > 0 && one.reason !== "same_row" && one.connectionId === run.connectionId
  )
  /** By the row's id. */
  const paymentOf = new Map<string, string>()
  // The newest version of a row, at the place of the first one.
  for (const versions of Map.groupBy(own, ({ corrected, rowId }) => corrected?.by ?? rowId).values()) {
    const newest = versions.find(({ corrected }) => corrected === null)
    const [first] = versions.toSorted((a, b) => a.recordedAt - b.recordedAt || a.number - b.number)
    if (newest === undefined || newest.paymentId === null || first === undefined) continue
    const move = { ...newest, runId: first.runId, number: first.number }
    paymentOf.set(first.rowId, newest.paymentId)
    const moves = ofPayment.get(newest.paymentId)
    if (moves === undefined) ofPayment.set(newest.paymentId, [move])
    else moves.push(move)
  }
  const add = (paymentId: string | null, id: string, move: Move) => {
    // A newer version may belong to another payment.
    const former = paymentOf.get(id)
    if (former !== undefined && former !== paymentId) {
      ofPayment.set(
        former,
        (ofPayment.get(former) ?? []).filter(({ rowId }) => !isEntryOfRow(rowId, id))
      )
    }
    if (paymentId === null) return
    paymentOf.set(id, paymentId)
    const moves = ofPayment.get(paymentId) ?? []
    const at = moves.findIndex(({ rowId }) => isEntryOfRow(rowId, id))
    const { number, runId } = moves[at] ?? move
    ofPayment.set(paymentId, [...moves.toSpliced(at, at === -1 ? 0 : 1), { ...move, runId, number }])
  }
  const rows = (
    book: PaymentBook | undefined,
    { id }: ReportRow,
    { number, runId }: Pick<Move, "number" | "runId">
  ): ReadonlyArray<EarlierRow> => {
    const isBefore = (one: Move) => (one.runId === runId ? one.number < number : runId === run.id || one.runId < runId)
    return (book === undefined ? [] : (ofPayment.get(book.payment.id) ?? [])).filter(
      (one) => !isEntryOfRow(one.rowId, id) && isBefore(one)
    )
  }
  return { add, rows }
}

export const expectedFee = ({ fees }: Connection, { payment }: PaymentBook, { gross, kind }: ReportRow) => {
  if (kind !== "charge" || fees === undefined || fees.length === 0) return undefined
  const merchantCountry = payment.routing?.given?.merchantCountry ?? null
  const charged = { ...payment, money: { ...payment.money, minorUnits: gross.minorUnits } }
  return feeOf(fees, charged, merchantCountry)?.feeMinor
}

const entryOf = (
  run: ReconciliationRun,
  { generatedAt, number, row }: PlacedRow & Pick<OpenRow, "generatedAt">,
  rowId: string,
  { expected, paymentId, reason, refundId, result }: WeighedRow,
  now: number
): SettlementEntry => ({
  tenant: run.tenant,
  connectionId: run.connectionId,
  rowId,
  runId: run.id,
  number,
  generatedAt,
  kind: row.kind,
  result,
  reason,
  paymentId,
  suggestedPaymentId: null,
  refundId,
  disputeId: row.names.disputeId,
  providerRef: row.names.providerRef,
  names: row.names,
  gross: row.gross,
  converted: row.converted,
  fee: row.fee,
  net: row.net,
  payoutId: row.payoutId,
  occurredAt: row.occurredAt,
  settledAt: row.settledAt,
  recordedAt: now,
  corrected: null,
  expected,
  openedAt: result === "matched" ? null : now,
  closed: null
})

/** Weighs a batch of rows against what is stored, and says what to write and what to apply. */
import { Effect, Option } from "effect"
import type { EarlierRow } from "../../decide/reconcile/PartialCapture.ts"
import { contentsOf } from "../../decide/reconcile/RowContents.ts"
import { type WeighedRow, weighRow } from "../../decide/reconcile/WeighRow.ts"
import type { Connection } from "../../model/Connection.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"
import type { ReportRow } from "../../model/ReportRow.ts"
import type { SettlementEntry, SettlementResult } from "../../model/SettlementEntry.ts"
import { type ClosedEntry, Settlements } from "../../ports/Settlements.ts"
import { feeOf } from "../../routing/Fees.ts"
import { fourEyesOf } from "../review/SecondPerson.ts"
import type { RowStated } from "./ApplyStatement.ts"
import { findPayments } from "./FindPayments.ts"

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
  readonly stated: ReadonlyArray<StatedByRow>
  /** Rows that an earlier report had, with the same contents. */
  readonly known: number
  /** The payments that the rows were weighed against. */
  readonly payments: ReadonlyArray<string>
}

/** A row of this batch to be weighed, and the id that its entry gets; `undefined` where it is stored already. */
interface OpenRow extends PlacedRow {
  /** The run that the number counts in: an earlier one for a row that is weighed again. */
  readonly runId: string
  readonly contents: string
  readonly entryId: string | undefined
  readonly isRepeated: boolean
}

export const weighBatch = Effect.fnUntraced(function* (
  connection: Connection,
  run: ReconciliationRun,
  rows: ReadonlyArray<PlacedRow>,
  now: number
) {
  const { connectionId, tenant } = run
  const settlements = yield* Settlements
  const { known, open, reopened } = yield* openRows(run, rows)
  const { books, found } = yield* findPayments(
    { tenant, connectionId, now },
    open.map(({ row }) => row)
  )
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
  for (const [at, { contents, entryId, isRepeated, number, row, runId }] of open.entries()) {
    const payment = found[at] ?? { book: undefined, reason: "not_found" as const }
    // The entry of a row that was guessed keeps the guess from being found again: another would be taken.
    if (entryId === undefined && payment.reason !== "by_id") continue
    const order = { connectionId, found: payment, limits, now }
    const weighed: WeighedRow = isRepeated
      ? { ...repeated, paymentId: payment.book?.payment.id ?? null }
      : weighRow(row, {
          ...order,
          before: before.rows(payment.book, row, { number, runId }),
          feeMinor: payment.book === undefined ? undefined : expectedFee(connection, payment.book, row)
        })
    const { paymentId, refundId, statement } = weighed
    if (!isRepeated) {
      const { disputeId } = row.names
      before.add(paymentId, { kind: row.kind, refundId, disputeId, gross: row.gross, runId, number, rowId: row.id })
    }
    const entry = entryOf(run, { contents, number, row }, entryId ?? row.id, weighed, now)
    if (entryId !== undefined) entries.push(entry)
    const missed = row.kind === "charge" ? missing.get(paymentId) : undefined
    for (const rowId of [missed, weighed.closes]) {
      if (rowId !== undefined) closes.push({ rowId, closed: { by: "row", note: row.id, at: now } })
    }
    const book = paymentId === null ? undefined : (books.get(paymentId) ?? payment.book)
    if (statement !== undefined && book !== undefined) {
      const isClosed = weighed.result === "status_differs" || weighed.result === "amount_differs"
      const closed = isClosed ? entry.rowId : null
      stated.push({ book, about: statement, connectionId, occurredAt: row.occurredAt, closes: closed })
    } else if (entryId === undefined && weighed.result === "matched" && reopened.has(row.id)) {
      // The statement was applied, and the process ended before it was noted.
      closes.push({ rowId: row.id, closed: { by: "statement", note: "", at: now } })
    }
  }
  return { entries, closes, stated, known, payments: ids } satisfies WeighedBatch
})

const repeated = {
  result: "duplicate",
  reason: "same_row",
  refundId: null,
  expected: "one row with this id",
  statement: undefined
} as const

/**
 * Rows that are not stored yet, and those of a batch of this run that was stored and not applied. A row of an earlier
 * report with the same contents is passed over, unless what it states may still be applied. One that came before in this report, or with other contents, is a duplicate
 * with an id of its own.
 */
const openRows = Effect.fnUntraced(function* (run: ReconciliationRun, rows: ReadonlyArray<PlacedRow>) {
  const settlements = yield* Settlements
  const read = (ids: ReadonlyArray<string>) =>
    ids.length === 0 ? Effect.succeed([]) : settlements.known(run.tenant, run.connectionId, ids)
  const stored = new Map((yield* read(rows.map(({ row }) => row.id))).map((one) => [one.rowId, one]))
  const applied = yield* appliedOf(run, [...stored.values()])
  const seen = new Map<string, { readonly runId: string; readonly number: number; readonly contents: string }>(stored)
  const open: Array<OpenRow> = []
  const reopened = new Set<string>()
  let known = 0
  for (const { number, row } of rows) {
    const contents = contentsOf(row)
    const earlier = seen.get(row.id)
    if (earlier === undefined) {
      seen.set(row.id, { runId: run.id, number, contents })
      open.push({ row, number, contents, runId: run.id, entryId: row.id, isRepeated: false })
    } else if (earlier.runId === run.id && earlier.number === number) {
      const { closed, result } = stored.get(row.id) ?? {}
      if (closed === null && result !== "matched") reopened.add(row.id)
      open.push({ row, number, runId: run.id, contents, entryId: undefined, isRepeated: false })
    } else if (earlier.runId !== run.id && earlier.contents === contents) {
      known += 1
      const entry = stored.get(row.id)
      const isOpen = entry?.closed === null && mayBeStated.has(entry.result)
      if (isOpen) reopened.add(row.id)
      if (isOpen || earlier.number > (applied.get(earlier.runId) ?? earlier.number)) {
        open.push({
          row,
          number: earlier.number,
          runId: earlier.runId,
          contents,
          entryId: undefined,
          isRepeated: false
        })
      }
    } else {
      const isSame = earlier.contents === contents
      open.push({
        row,
        number,
        runId: run.id,
        contents,
        entryId: `${row.id}#${isSame ? number : contents}`,
        isRepeated: true
      })
    }
  }
  // Corrected rows may have come in an earlier report too.
  const repeatedIds = open.flatMap(({ entryId, isRepeated }) => (isRepeated && entryId !== undefined ? [entryId] : []))
  const storedRepeated = new Set((yield* read(repeatedIds)).map(({ rowId }) => rowId))
  const isNew = ({ entryId }: OpenRow) => entryId === undefined || !storedRepeated.has(entryId)
  return { open: open.filter(isNew), known: known + open.filter((one) => !isNew(one)).length, reopened }
})

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
const movesBefore = (run: ReconciliationRun, stored: ReadonlyArray<SettlementEntry>) => {
  const ofPayment = new Map<string, Array<Move>>()
  const add = (paymentId: string | null, move: Move) => {
    if (paymentId === null) return
    const moves = ofPayment.get(paymentId)
    if (moves === undefined) ofPayment.set(paymentId, [move])
    else if (!moves.some(({ rowId }) => rowId === move.rowId)) moves.push(move)
  }
  for (const entry of stored) {
    if (entry.number > 0 && entry.reason !== "same_row" && entry.connectionId === run.connectionId) {
      add(entry.paymentId, entry)
    }
  }
  const rows = (
    book: PaymentBook | undefined,
    { id }: ReportRow,
    { number, runId }: Pick<Move, "number" | "runId">
  ): ReadonlyArray<EarlierRow> => {
    const isBefore = (one: Move) => (one.runId === runId ? one.number < number : runId === run.id || one.runId < runId)
    return (book === undefined ? [] : (ofPayment.get(book.payment.id) ?? [])).filter(
      (one) => one.rowId !== id && isBefore(one)
    )
  }
  return { add, rows }
}

const expectedFee = ({ fees }: Connection, { payment }: PaymentBook, { gross, kind }: ReportRow) => {
  if (kind !== "charge" || fees === undefined || fees.length === 0) return undefined
  const merchantCountry = payment.routing?.given?.merchantCountry ?? null
  const charged = { ...payment, money: { ...payment.money, minorUnits: gross.minorUnits } }
  return feeOf(fees, charged, merchantCountry)?.feeMinor
}

const entryOf = (
  run: ReconciliationRun,
  { contents, number, row }: PlacedRow & { readonly contents: string },
  rowId: string,
  { expected, paymentId, reason, refundId, result }: WeighedRow,
  now: number
): SettlementEntry => ({
  tenant: run.tenant,
  connectionId: run.connectionId,
  rowId,
  runId: run.id,
  number,
  contents,
  kind: row.kind,
  result,
  reason,
  paymentId,
  refundId,
  disputeId: row.names.disputeId,
  providerRef: row.names.providerRef,
  gross: row.gross,
  converted: row.converted,
  fee: row.fee,
  net: row.net,
  payoutId: row.payoutId,
  occurredAt: row.occurredAt,
  settledAt: row.settledAt,
  expected,
  openedAt: result === "matched" ? null : now,
  closed: null
})

/** Compares entries of open differences with what is recorded now, and says what to write and what to apply. */
import { Clock, Effect, Option } from "effect"
import { refundIdByHand } from "../../call/CallIds.ts"
import { interpret } from "../../decide/interpret/Interpret.ts"
import type { StatementAbout } from "../../decide/interpret/Statement.ts"
import { comparedAgain, mayEnd, movementIds, rowOfEntry } from "../../decide/reconcile/OpenDifference.ts"
import { type FoundPayment, sourceOf, type WeighedRow, weighRow } from "../../decide/reconcile/WeighRow.ts"
import type { Connection } from "../../model/Connection.ts"
import type { PaymentBook } from "../../model/PaymentBook.ts"
import type { ReportRow } from "../../model/ReportRow.ts"
import { placeRowId, type SettlementEntry } from "../../model/SettlementEntry.ts"
import { Ledger } from "../../ports/Ledger.ts"
import { type ClosedEntry, type SettlementBatch, Settlements } from "../../ports/Settlements.ts"
import { fourEyesOf } from "../review/SecondPerson.ts"
import type { RowStated } from "./ApplyStatement.ts"
import { findPayments } from "./FindPayments.ts"
import { expectedFee, isOfDispute, movesBefore } from "./WeighBatch.ts"

export interface Compared extends Pick<SettlementBatch, "entries" | "closes" | "corrections"> {
  readonly stated: ReadonlyArray<RowStated & { readonly book: PaymentBook }>
}

/** An entry with the row that made it, and where the first version of that row was read. */
interface OpenRow {
  readonly entry: SettlementEntry
  readonly row: ReportRow
  readonly place: Pick<SettlementEntry, "runId" | "number">
}

/** Books that are read at once. */
const booksAtOnce = 8

/** After every place. */
const last = { runId: "\uffff", number: 0 }

/** Rows of a dispute add up in any order. Rows matched since with a payment found only now are earlier ones. */
const countsAll = ({ paymentId, refundId }: SettlementEntry, row: ReportRow): boolean =>
  isOfDispute(row) ||
  paymentId === null ||
  (refundId === null && (row.kind === "refund" || row.kind === "refund_failed"))

/** `entries`: open differences of the connection. `acceptedId`: the payment that a person accepted for them. */
export const compareEntries = Effect.fnUntraced(function* (
  connection: Connection,
  entries: ReadonlyArray<SettlementEntry>,
  acceptedId?: string
) {
  const { environment, id: connectionId, workspaceId } = connection
  const tenant = { workspaceId, environment }
  const settlements = yield* Settlements
  const now = yield* Clock.currentTimeMillis
  const open = yield* openRows(connection, entries.filter(mayEnd))
  const { books, foundOf } = yield* findBooks({ connection, acceptedId, now }, open, entries)
  const ids = [...books.keys()]
  const stored = ids.length === 0 ? [] : yield* settlements.entriesOf(tenant, ids)
  const before = movesBefore({ id: "", connectionId }, stored)
  const limits = yield* fourEyesOf(workspaceId)
  const compared = new ComparedEntries(now)
  const missing = stored.filter((one) => one.number === 0 && one.closed === null && one.connectionId === connectionId)
  for (const { entry, place, row } of open) {
    const found = foundOf(entry)
    // Its payment left the store.
    if (found === undefined) continue
    const { book } = found
    const weighed = weighRow(row, {
      connectionId,
      found,
      before: before.rows(book, row, countsAll(entry, row) ? last : place),
      feeMinor: book === undefined ? undefined : expectedFee(connection, book, row),
      limits,
      byHandId: yield* refundIdByHand(tenant, connectionId, row),
      now
    })
    const meaning = comparedAgain(entry, weighed)
    const { paymentId, refundId, result, statement } = weighed
    const isTaken = meaning === "Replaced" || mayBeTaken(connectionId, book, row, statement, now)
    if (statement !== undefined && book !== undefined && isTaken) {
      compared.stated.push({ book, about: statement, connectionId, occurredAt: row.occurredAt })
    }
    if (meaning === "Stays") continue
    if (meaning === "Replaced") {
      const rowId = compared.replace(entry, row.id, weighed)
      const { disputeId, gross, kind } = entry
      before.add(paymentId, row.id, { rowId, kind, refundId, disputeId, gross, result, ...place })
    } else compared.end(entry.rowId)
    for (const rowId of weighed.closes ?? []) compared.end(rowId)
    if (row.kind !== "charge") continue
    for (const one of missing) if (one.paymentId === paymentId) compared.end(one.rowId)
  }
  for (const { paymentId, rowId } of entries.filter(({ number }) => number === 0)) {
    const payment = books.get(paymentId ?? "")?.payment
    if (payment?.capturedMinor === 0) compared.end(rowId)
  }
  return compared satisfies Compared
})

class ComparedEntries implements Compared {
  readonly stated: Array<Compared["stated"][number]> = []
  readonly entries: Array<SettlementEntry> = []
  readonly closes: Array<ClosedEntry> = []
  readonly corrections: Array<SettlementBatch["corrections"][number]> = []
  readonly #now: number

  constructor(now: number) {
    this.#now = now
  }

  /** `note`: the entry that took its place. */
  end(rowId: string, note = ""): void {
    this.closes.push({ rowId, closed: { by: "comparison", note, at: this.#now } })
  }

  /** `movementId`: the provider's id of the movement, under which the first version of the row is stored. */
  replace(entry: SettlementEntry, movementId: string, weighed: WeighedRow): string {
    const { expected, paymentId, reason, refundId, result } = weighed
    const rowId = placeRowId(entry.rowId, entry)
    const isMatched = result === "matched"
    this.entries.push({
      ...entry,
      ...{ rowId, result, reason, paymentId, refundId, expected },
      suggestedPaymentId: null,
      recordedAt: this.#now,
      openedAt: isMatched ? null : this.#now
    })
    this.end(entry.rowId, rowId)
    const corrected = { by: rowId, at: this.#now }
    for (const one of new Set([movementId, entry.rowId])) this.corrections.push({ rowId: one, corrected })
    return rowId
  }
}

/** In the order in which they were read. */
const openRows = Effect.fnUntraced(function* (
  { environment, id, workspaceId }: Connection,
  entries: ReadonlyArray<SettlementEntry>
) {
  const settlements = yield* Settlements
  const read = entries.filter(({ number }) => number > 0)
  const ids = [...new Set(read.flatMap(movementIds))]
  const known = ids.length === 0 ? [] : yield* settlements.known({ workspaceId, environment }, id, ids)
  const byId = new Map(known.map((one) => [one.rowId, one]))
  return read
    .map((entry): OpenRow => {
      const movement = movementIds(entry).find((one) => byId.has(one)) ?? entry.rowId
      const { number, runId } = byId.get(movement) ?? entry
      return { entry, row: rowOfEntry(entry, movement), place: { runId, number } }
    })
    .toSorted((a, b) =>
      a.place.runId === b.place.runId ? a.place.number - b.place.number : a.place.runId < b.place.runId ? -1 : 1
    )
})

interface Search {
  readonly connection: Connection
  readonly acceptedId: string | undefined
  readonly now: number
}

/** An entry keeps the payment that it was matched with; of one that was matched with none, the payment is looked for again. */
const findBooks = Effect.fnUntraced(function* (
  { acceptedId, connection: { environment, id: connectionId, workspaceId }, now }: Search,
  open: ReadonlyArray<OpenRow>,
  entries: ReadonlyArray<SettlementEntry>
) {
  const tenant = { workspaceId, environment }
  const ledger = yield* Ledger
  const own = yield* Effect.forEach(
    new Set(entries.flatMap(({ paymentId }) => paymentId ?? acceptedId ?? [])),
    (id) => ledger.book(tenant, id),
    { concurrency: booksAtOnce }
  )
  const books = new Map(own.flatMap(Option.toArray).map((book) => [book.payment.id, book]))
  const lost = acceptedId === undefined ? open.filter(({ entry }) => entry.paymentId === null) : []
  const { found } =
    lost.length === 0
      ? { found: [] }
      : yield* findPayments(
          { tenant, connectionId, now },
          lost.map(({ row }) => row)
        )
  for (const { book } of found) if (book !== undefined) books.set(book.payment.id, book)
  const byRow = new Map(lost.map(({ entry }, at) => [entry.rowId, found[at]]))
  const foundOf = ({ paymentId, reason, rowId }: SettlementEntry): FoundPayment | undefined => {
    const id = paymentId ?? acceptedId
    if (id === undefined) return byRow.get(rowId)
    const book = books.get(id)
    return book && { book, reason: paymentId === null ? "accepted" : reason }
  }
  return { books, foundOf }
})

/**
 * A statement that the record contradicted opened a review when it was read: it is not reported again once an operator
 * has ended that review.
 */
const mayBeTaken = (
  connectionId: string,
  book: PaymentBook | undefined,
  row: ReportRow,
  statement: StatementAbout | undefined,
  now: number
): boolean => {
  if (book === undefined || statement === undefined) return false
  const { _tag } = interpret(book, connectionId, { about: statement, ...sourceOf(row, now) }, now)
  return _tag === "Moves" || _tag === "Confirms"
}

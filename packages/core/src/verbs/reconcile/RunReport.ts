/**
 * Reads a report, compares its rows with the records, and applies what the rows state.
 *
 * The rule that a reader would otherwise break: the entries of a batch, their counts and the position of the run are one
 * write, made before anything of the batch is applied. A process that dies after it applies the batch once more, which
 * changes nothing where it was applied, and what was found stays as it was found. The batch counts as applied with the
 * write of the next one.
 */
import { Clock, Effect, Option, Result, Schema } from "effect"
import type { Connection } from "../../model/Connection.ts"
import { newRun, type ReconciliationRun, unreadableAtMost, withEntries } from "../../model/ReconciliationRun.ts"
import type { ReportEntry } from "../../model/ReportRow.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ids } from "../../ports/Ids.ts"
import { type ClosedEntry, rowsAtOnce, Settlements } from "../../ports/Settlements.ts"
import { applyStatement } from "./ApplyStatement.ts"
import { findMissing } from "./FindMissing.ts"
import { type PlacedRow, type StatedByRow, type WeighedBatch, weighBatch } from "./WeighBatch.ts"
import { writeBatch } from "./WriteBatch.ts"

/** Nothing was written. The reason names what is wrong and what was expected. */
export class ReportRefused extends Schema.TaggedError<ReportRefused>()("pointsman/ReportRefused", {
  reason: Schema.String
}) {}

/** The report cannot be read further. What was read is kept; the same file goes on from there. */
export class ReportBroken extends Schema.TaggedError<ReportBroken>()("pointsman/ReportBroken", {
  reason: Schema.String
}) {}

export interface ReportOrder {
  readonly connectionId: string
  readonly format: {
    readonly name: string
    /** Kinds of connections whose provider writes it. */
    readonly kinds: ReadonlyArray<string>
    /** How long after a capture the provider may take to report it, in milliseconds. */
    readonly delayMillis: number
  }
  /** Without its folder. */
  readonly fileName: string
  /** Of the file, in lower-case hexadecimal. */
  readonly sha256: string
  /** The report from its beginning, in chunks of any size; it rejects with an error whose message says what is wrong. */
  readonly entries: AsyncIterable<ReadonlyArray<ReportEntry>>
  /** Rows that are stored at once; 1,000 unless set. */
  readonly rowsAtOnce?: number | undefined
  /** Told after each batch how far the run is. */
  readonly onProgress?: ((run: ReconciliationRun) => void) | undefined
}

/** Statements that are applied at once: enough to share the writes of a store. */
const appliedAtOnce = 128

/** The run as it is at its end. A run that is done is given as it is, and nothing is read. */
export const runReport = Effect.fnUntraced(function* (order: ReportOrder) {
  const connection = yield* connectionOf(order)
  const settlements = yield* Settlements
  const { environment, workspaceId } = connection
  const named = { tenant: { workspaceId, environment }, connectionId: connection.id, format: order.format.name }
  const { fileName, sha256 } = order
  const now = yield* Clock.currentTimeMillis
  const id = yield* (yield* Ids).reconciliation
  const begun = yield* settlements.begin(newRun({ id, ...named, fileName, sha256 }, now))
  if (begun.state === "done") return begun
  const read = begun.state === "matching_missing" ? begun : yield* Effect.scoped(readRows(order, connection, begun))
  return yield* findMissing(read, order.format.delayMillis)
})

const connectionOf = Effect.fnUntraced(function* ({ connectionId, format }: ReportOrder) {
  const directory = yield* Directory
  const connection = Option.getOrUndefined(yield* directory.connection(connectionId))
  if (connection === undefined) {
    return yield* new ReportRefused({ reason: "connection: expected the id of a connection" })
  }
  if (!format.kinds.includes(connection.connector)) {
    const expected = format.kinds.join(" or ")
    return yield* new ReportRefused({
      reason: `format: ${format.name} is of ${expected}; the connection is one of ${connection.connector}`
    })
  }
  return connection
})

/** Batches that end where those of an earlier try ended. */
const readRows = Effect.fnUntraced(function* (order: ReportOrder, connection: Connection, begun: ReconciliationRun) {
  const { entries, onProgress, rowsAtOnce: most = rowsAtOnce } = order
  const chunks = entries[Symbol.asyncIterator]()
  // The file is closed, however the run ends.
  yield* Effect.addFinalizer(() => Effect.promise(async () => void (await chunks.return?.())))
  let run = begun
  let closes: ReadonlyArray<ClosedEntry> = []
  let waiting: ReadonlyArray<ReportEntry> = []
  let position = 0
  const due = () => {
    const ends = [begun.rowsApplied, begun.rowsDone].filter((end) => end > position)
    return Math.min(most, ...ends.map((end) => end - position))
  }
  const takeBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<ReportEntry>) {
    if (position >= begun.rowsApplied) {
      const step = yield* storeBatch(connection, run, batch, { position, closes })
      run = step.run
      closes = yield* applyAll(step.stated)
      onProgress?.(run)
    }
    position += batch.length
  })
  for (;;) {
    const next = yield* Effect.result(Effect.tryPromise(() => chunks.next()))
    if (Result.isFailure(next)) return yield* failRun(run, next.failure.cause)
    if (next.success.done === true) break
    waiting = waiting.length === 0 ? next.success.value : [...waiting, ...next.success.value]
    for (let size = due(); waiting.length >= size; size = due()) {
      yield* takeBatch(waiting.slice(0, size))
      waiting = waiting.slice(size)
    }
  }
  if (waiting.length > 0) yield* takeBatch(waiting)
  if (position < run.rowsDone) return yield* failRun(run, new Error("the report has fewer rows than were read before"))
  const after: ReconciliationRun = { ...run, state: "matching_missing", rowsApplied: run.rowsDone, failure: null }
  return yield* writeBatch(run, after, { entries: [], closes })
})

/** Stores a batch, unless it is stored; gives what is to be applied of it. */
const storeBatch = Effect.fnUntraced(function* (
  connection: Connection,
  run: ReconciliationRun,
  batch: ReadonlyArray<ReportEntry>,
  { closes, position }: { readonly position: number; readonly closes: ReadonlyArray<ClosedEntry> }
) {
  const rows: Array<PlacedRow> = []
  const unreadable = []
  for (const [at, entry] of batch.entries()) {
    if (entry._tag === "Row") rows.push({ row: entry.row, number: position + at + 1 })
    else unreadable.push(entry.unreadable)
  }
  const now = yield* Clock.currentTimeMillis
  const weighed: WeighedBatch = yield* weighBatch(connection, run, rows, now)
  const allCloses = [...closes, ...weighed.closes]
  const isStored = position + batch.length <= run.rowsDone
  // Of a batch that was stored, only what ended with its statements is left to write: with the next one.
  if (isStored && allCloses.length === 0) return { run, stated: weighed.stated }
  const counted = isStored
    ? {}
    : {
        ...withEntries(run, weighed.entries),
        rowsDone: position + batch.length,
        rowsApplied: position,
        rowsKnown: run.rowsKnown + weighed.known,
        rowsUnreadable: run.rowsUnreadable + unreadable.length,
        unreadable: [...run.unreadable, ...unreadable].slice(0, unreadableAtMost)
      }
  const after: ReconciliationRun = { ...run, ...counted, state: "reading", failure: null }
  const entries = isStored ? [] : weighed.entries
  return { run: yield* writeBatch(run, after, { entries, closes: allCloses }), stated: weighed.stated }
})

/** Statements of one payment follow one another; the differences that ended with them. */
const applyAll = Effect.fnUntraced(function* (stated: ReadonlyArray<StatedByRow>) {
  const at = yield* Clock.currentTimeMillis
  const ended = yield* Effect.forEach(
    Map.groupBy(stated, ({ book }) => book.payment.id).values(),
    (ofPayment) =>
      Effect.forEach(ofPayment, (one, index) =>
        Effect.map(applyStatement(one.book, index === 0 ? one.book : undefined, one), (isTaken) =>
          isTaken && one.closes !== null ? [one.closes] : []
        )
      ),
    { concurrency: appliedAtOnce }
  )
  return ended.flat(2).map((rowId): ClosedEntry => ({ rowId, closed: { by: "statement", note: "", at } }))
})

const failRun = Effect.fnUntraced(function* (run: ReconciliationRun, cause: unknown) {
  const reason = cause instanceof Error ? cause.message : "the report cannot be read"
  yield* writeBatch(run, { ...run, state: "failed", failure: reason }, { entries: [], closes: [] })
  return yield* new ReportBroken({ reason })
})

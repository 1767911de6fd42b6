/**
 * Reads a report, compares its rows with the records, and applies what the rows state. The entries of a batch, their
 * counts and the position of the run are one write, made before anything of the batch is applied. The next process
 * applies a batch once more whose statements may not all be applied, which changes nothing where they were, and what
 * was found stays as it was found. That a batch is applied is written with a later one.
 */
import { Clock, Effect, Fiber, Result, Schema } from "effect"
import type { Connection } from "../../model/Connection.ts"
import { newRun, type ReconciliationRun, unreadableAtMost, withEntries } from "../../model/ReconciliationRun.ts"
import type { ReportEntry, UnreadableRow } from "../../model/ReportRow.ts"
import { Directory } from "../../ports/Directory.ts"
import { Ids } from "../../ports/Ids.ts"
import type { ReportFormat } from "../../ports/ReportReader.ts"
import { type Begun, type ClosedEntry, rowsAtOnce, Settlements } from "../../ports/Settlements.ts"
import { applyStatement } from "./ApplyStatement.ts"
import { compareOpen } from "./CompareDifferences.ts"
import { findMissing } from "./FindMissing.ts"
import { type PlacedRow, type StatedByRow, type WeighedBatch, weighBatch } from "./WeighBatch.ts"
import { leaseMillis, writeBatch } from "./WriteBatch.ts"

/** Nothing was written. The reason names what is wrong and what was expected. */
export class ReportRefused extends Schema.TaggedError<ReportRefused>()("pointsman/ReportRefused", {
  reason: Schema.String
}) {}

/** The report cannot be read further. What was read is kept; the same file continues from there. */
export class ReportBroken extends Schema.TaggedError<ReportBroken>()("pointsman/ReportBroken", {
  reason: Schema.String
}) {}

/** Another report of the connection is read: they are read one after the other. Nothing was written. */
export class ReportBeingRead extends Schema.TaggedError<ReportBeingRead>()("pointsman/ReportBeingRead", {
  runId: Schema.String,
  /** Without its folder. */
  fileName: Schema.String,
  /** Epoch milliseconds. */
  since: Schema.Finite,
  /** When this report may be read, should the process that reads have died: epoch milliseconds. */
  until: Schema.Finite
}) {}

export interface ReportOrder {
  readonly connectionId: string
  readonly format: ReportFormat
  /** Without its folder. */
  readonly fileName: string
  /** Of the file, in lower-case hexadecimal. */
  readonly sha256: string
  /** The report from its beginning, in chunks of any size; it rejects with an error whose message says what is wrong. */
  readonly entries: AsyncIterable<ReadonlyArray<ReportEntry>>
  /** Rows that are stored at once; 1,000 unless set. */
  readonly rowsAtOnce?: number | undefined
  /** Told once the connection is held: the run as it was found, which is done where the same file was read before. */
  readonly onBegun?: ((run: ReconciliationRun) => void) | undefined
  /** Told after each batch how far the run is. */
  readonly onProgress?: ((run: ReconciliationRun) => void) | undefined
}

const nothing = { entries: [], closes: [], corrections: [] }

/** Statements that are applied at once: enough to fill two writes of a store, which write them together. */
const appliedAtOnce = 256

/** The run as it is at its end. A run that is done is given as it is, and nothing is read. */
export const runReport = Effect.fnUntraced(function* (order: ReportOrder) {
  const connection = yield* connectionOf(order)
  const settlements = yield* Settlements
  const { environment, workspaceId } = connection
  const named = { tenant: { workspaceId, environment }, connectionId: connection.id, format: order.format.name }
  const { fileName, sha256 } = order
  const now = yield* Clock.currentTimeMillis
  const id = yield* (yield* Ids).reconciliation
  const holder = yield* (yield* Ids).request
  const { connectionId, tenant } = named
  return yield* Effect.acquireUseRelease(
    settlements.begin(newRun({ id, ...named, fileName, sha256 }, now), { holder, now, until: now + leaseMillis }),
    (begun) => readReport(order, connection, holder, begun),
    // Without it, the lease ends by its time.
    ({ _tag }) => (_tag === "Begun" ? Effect.ignore(settlements.release(tenant, connectionId, holder)) : Effect.void)
  )
})

interface HeldRun {
  /** Of the connection's lease. */
  readonly holder: string
  readonly run: ReconciliationRun
}

const readReport = Effect.fnUntraced(function* (
  order: ReportOrder,
  connection: Connection,
  holder: string,
  begun: Begun
) {
  if (begun._tag === "Taken") {
    const { fileName, runId, since, until } = begun.by
    return yield* new ReportBeingRead({ runId, fileName, since, until })
  }
  const { run } = begun
  order.onBegun?.(run)
  if (run.state === "done") return run
  const isRead = run.state === "matching_missing"
  const read = isRead ? run : yield* Effect.scoped(readRows(order, connection, { holder, run }))
  const compared = yield* compareInRun(connection, { holder, run: read }, order.rowsAtOnce)
  return yield* findMissing(holder, compared, order.format.delayMillis)
})

/** Once all rows are applied: what an earlier one names may be recorded by now. */
const compareInRun = Effect.fnUntraced(function* (
  connection: Connection,
  { holder, run: read }: HeldRun,
  atOnce: number | undefined
) {
  let run = read
  yield* compareOpen(
    connection,
    ({ closes, corrections, entries }) =>
      Effect.map(writeBatch(holder, run, run, { entries, closes, corrections }), (after) => {
        run = after
      }),
    atOnce
  )
  return run
})

const connectionOf = Effect.fnUntraced(function* ({ connectionId, format }: ReportOrder) {
  const directory = yield* Directory
  const connection = yield* Effect.fromOption(
    yield* directory.connection(connectionId),
    () => new ReportRefused({ reason: "connection: expected the id of a connection" })
  )
  if (!format.kinds.includes(connection.connector)) {
    const expected = format.kinds.join(" or ")
    return yield* new ReportRefused({
      reason: `format: ${format.name} is of ${expected}; the connection is one of ${connection.connector}`
    })
  }
  return connection
})

/** In batches that end where those of an earlier try ended. While one is applied, the next one is weighed. */
const readRows = Effect.fnUntraced(function* (order: ReportOrder, connection: Connection, held: HeldRun) {
  const { holder, run: begun } = held
  const { entries, onProgress, rowsAtOnce: most = rowsAtOnce } = order
  const chunks = entries[Symbol.asyncIterator]()
  // The file is closed, however the run ends.
  yield* Effect.addFinalizer(() => Effect.promise(async () => void (await chunks.return?.())))
  const reading: Reading = { ...held, position: 0, applied: begun.rowsApplied, closes: [], applying: undefined }
  let waiting: ReadonlyArray<ReportEntry> = []
  const due = () => {
    const ends = [begun.rowsApplied, begun.rowsDone].filter((end) => end > reading.position)
    return Math.min(most, ...ends.map((end) => end - reading.position))
  }
  const takeBatch = Effect.fnUntraced(function* (batch: ReadonlyArray<ReportEntry>) {
    if (reading.position >= begun.rowsApplied) {
      yield* takeRows(connection, reading, batch)
      onProgress?.(reading.run)
    } else reading.position += batch.length
  })
  for (;;) {
    const next = yield* Effect.result(Effect.tryPromise(() => chunks.next()))
    if (Result.isFailure(next)) {
      yield* awaitApplied(reading)
      return yield* failRun(reading, next.failure.cause)
    }
    if (next.success.done === true) break
    waiting = waiting.length === 0 ? next.success.value : [...waiting, ...next.success.value]
    for (let size = due(); waiting.length >= size; size = due()) {
      yield* takeBatch(waiting.slice(0, size))
      waiting = waiting.slice(size)
    }
  }
  if (waiting.length > 0) yield* takeBatch(waiting)
  yield* awaitApplied(reading)
  const { closes, position, run } = reading
  if (position < run.rowsDone) {
    return yield* failRun(reading, new Error("the report has fewer rows than were read before"))
  }
  const after: ReconciliationRun = { ...run, state: "matching_missing", rowsApplied: run.rowsDone, failure: null }
  return yield* writeBatch(holder, run, after, { ...nothing, closes })
})

type ApplyFailure = Effect.Error<ReturnType<typeof applyStatement>>

/** How far a report is read. */
interface Reading {
  readonly holder: string
  run: ReconciliationRun
  /** Entries of the report that were taken. */
  position: number
  /** Entries whose statements are applied. */
  applied: number
  /** Differences that ended and are not written yet. */
  closes: ReadonlyArray<ClosedEntry>
  applying: Applying | undefined
}

/** What the last batch states, while it is applied. */
interface Applying {
  readonly end: number
  readonly payments: ReadonlySet<string>
  readonly fiber: Fiber.Fiber<ReadonlyArray<ClosedEntry>, ApplyFailure>
}

const awaitApplied = Effect.fnUntraced(function* (reading: Reading) {
  const { applying } = reading
  if (applying === undefined) return
  reading.closes = [...reading.closes, ...(yield* Fiber.join(applying.fiber))]
  reading.applied = applying.end
  reading.applying = undefined
})

/** Weighs and stores a batch, unless it is stored, and begins to apply what it states. */
const takeRows = Effect.fnUntraced(function* (
  connection: Connection,
  reading: Reading,
  batch: ReadonlyArray<ReportEntry>
) {
  const rows: Array<PlacedRow> = []
  const unreadable: Array<UnreadableRow> = []
  for (const [at, entry] of batch.entries()) {
    if (entry._tag === "Row") rows.push({ row: entry.row, number: reading.position + at + 1 })
    else unreadable.push(entry.unreadable)
  }
  const now = yield* Clock.currentTimeMillis
  let weighed: WeighedBatch = yield* weighBatch(connection, reading.run, rows, now)
  if (weighed.payments.some((id) => reading.applying?.payments.has(id) === true)) {
    // What it was weighed against is changing.
    yield* awaitApplied(reading)
    weighed = yield* weighBatch(connection, reading.run, rows, now)
  }
  const end = reading.position + batch.length
  yield* storeRows(reading, end, weighed, unreadable)
  yield* awaitApplied(reading)
  const payments = new Set(weighed.stated.map(({ book }) => book.payment.id))
  const fiber = yield* Effect.forkScoped(applyAll(weighed.stated))
  reading.applying = { end, payments, fiber }
  reading.position = end
})

/** Of a batch that was stored before, only what ended with its statements is left to write, and the lease to be kept. */
const storeRows = Effect.fnUntraced(function* (
  reading: Reading,
  end: number,
  weighed: WeighedBatch,
  unreadable: ReadonlyArray<UnreadableRow>
) {
  const { applied, holder, run } = reading
  const closes = [...reading.closes, ...weighed.closes]
  const isStored = end <= run.rowsDone
  const counted = isStored
    ? {}
    : {
        ...withEntries(run, weighed.entries),
        rowsDone: end,
        rowsKnown: run.rowsKnown + weighed.known,
        rowsUnreadable: run.rowsUnreadable + unreadable.length,
        unreadable: [...run.unreadable, ...unreadable].slice(0, unreadableAtMost)
      }
  const after: ReconciliationRun = { ...run, ...counted, rowsApplied: applied, state: "reading", failure: null }
  reading.run = yield* writeBatch(holder, run, after, {
    entries: isStored ? [] : weighed.entries,
    closes,
    corrections: isStored ? [] : weighed.corrections,
    confirmed: isStored ? [] : weighed.confirmed
  })
  reading.closes = []
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

/** What ended with the statements that were applied is written too. */
const failRun = Effect.fnUntraced(function* ({ applied, closes, holder, run }: Reading, cause: unknown) {
  const reason = cause instanceof Error ? cause.message : "the report cannot be read"
  const after: ReconciliationRun = { ...run, rowsApplied: applied, state: "failed", failure: reason }
  yield* writeBatch(holder, run, after, { ...nothing, closes })
  return yield* new ReportBroken({ reason })
})

/** A report that came as a file: checked before anything is written, and then read in the background. */
import { Cause, Deferred, Effect, Exit, Option, Schema, Semaphore, Stream } from "effect"
import { Background } from "../../commit/Background.ts"
import type { ReconciliationRun } from "../../model/ReconciliationRun.ts"
import { Directory } from "../../ports/Directory.ts"
import { ReportReader } from "../../ports/ReportReader.ts"
import { type ReportOrder, ReportRefused } from "./RunReport.ts"

/** As many files are in memory until they are read. Nothing was written. */
export class TooManyReports extends Schema.TaggedError<TooManyReports>()("pointsman/TooManyReports", {}) {}

export interface ReportFileOrder extends Pick<ReportOrder, "connectionId" | "fileName"> {
  /** The whole file, which may be compressed by gzip. */
  readonly bytes: Uint8Array
  /** A format's name; by the file's first line unless set. */
  readonly format?: string | undefined
}

/** Of one process: each is kept as a whole. */
const filesAtOnce = 4
export const fileReadings = () => Semaphore.makeUnsafe(filesAtOnce)

/** Some milliseconds in SQLite, where payments wait for it. */
const rowsAtOnce = 200

type Read<E, R> = (order: ReportOrder) => Effect.Effect<ReconciliationRun, E, R>

/** The run as it was found; `read` continues after it. A failure afterwards is in the run, or in the log. */
export const beginFile = Effect.fnUntraced(function* <E, R>(
  order: ReportFileOrder,
  readings: Semaphore.Semaphore,
  read: Read<E, R>
) {
  const begun = yield* Deferred.make<
    ReconciliationRun,
    E | Effect.Error<ReturnType<typeof orderOfFile>> | TooManyReports
  >()
  const onBegun = (run: ReconciliationRun) => Deferred.doneUnsafe(begun, Effect.succeed(run))
  const reading = orderOfFile(order).pipe(
    Effect.flatMap((checked) => read({ ...checked, rowsAtOnce, onBegun })),
    readings.withPermitsIfAvailable(1),
    Effect.flatMap(Option.match({ onNone: () => Effect.fail(new TooManyReports()), onSome: Effect.succeed })),
    Effect.onExit((exit) =>
      Effect.suspend(() => {
        const isFirst = Deferred.doneUnsafe(begun, exit)
        return isFirst || Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)
          ? Effect.void
          : Effect.logWarning("a report that was uploaded could not be read to its end", exit.cause)
      })
    ),
    Effect.exit
  )
  yield* (yield* Background).run(reading)
  return yield* Deferred.await(begun)
})

/** A file whose first rows cannot be read is refused. A later row fails the run, and what was read before is kept. */
const orderOfFile = Effect.fnUntraced(function* ({ bytes, connectionId, fileName, format: named }: ReportFileOrder) {
  const connection = yield* Effect.fromOption(
    yield* (yield* Directory).connection(connectionId),
    () => new ReportRefused({ reason: "connection: expected the id of a connection" })
  )
  const reader = yield* ReportReader
  const refused = ({ reason }: { readonly reason: string }) => new ReportRefused({ reason })
  const { format, sha256 } = yield* Effect.mapError(reader.inspect(connection.connector, named, bytes), refused)
  const entries = reader.read(format.name, bytes)
  yield* Effect.mapError(Stream.runHead(entries), refused)
  const order: ReportOrder = {
    connectionId,
    fileName,
    format,
    sha256,
    entries: Stream.toAsyncIterable(Stream.mapError(entries, ({ reason }) => new Error(reason)))
  }
  return order
})

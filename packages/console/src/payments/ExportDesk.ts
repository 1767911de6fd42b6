/** Exports of payments, as the pages and the API send them. */
import { Pointsman } from "@pointsman/core"
import type { PaymentFilter } from "@pointsman/core/ports"
import { Effect, Schema, Sink, Stream } from "effect"
import { internalError } from "../Failures.ts"
import { callerOf, type TenantPath } from "../gate/Caller.ts"
import { openResponse } from "../gate/OpenResponses.ts"
import { sessionEnd } from "../gate/SessionEnd.ts"
import { csvHeader, csvLine } from "./PaymentCsv.ts"

/** The session ended, the role was taken away, or the server stops. */
class ExportCut extends Schema.TaggedError<ExportCut>()("pointsman/console/ExportCut", {}) {}

const cut = Effect.andThen(sessionEnd("payment.read"), Effect.fail(new ExportCut()))

/**
 * Every payment that the filter finds, as CSV. The next page of payments is read once the client took the one before. An
 * export that cannot be completed breaks the connection, so that no part of it passes for all of it.
 */
export const exportCsv = Effect.fnUntraced(function* (path: TenantPath, filter: PaymentFilter) {
  const caller = yield* callerOf(path)
  yield* openResponse("export")
  const { exportPayments } = yield* Pointsman
  const services = yield* Effect.context<Effect.Services<typeof cut>>()
  // One chunk for each page: a chunk for each line would cost more than the line.
  const pages = Stream.mapArray(exportPayments(caller, filter), (payments) => [payments.map(csvLine).join("")])
  // The first page is read before the response begins, whose header may say of which moment it is.
  const [first, rest] = yield* Effect.catch(Stream.peel(pages, Sink.take<string>(1)), internalError)
  return Stream.make(csvHeader, ...first).pipe(
    Stream.concat(rest),
    Stream.interruptWhen(cut),
    Stream.tapError((reason) => Effect.logWarning("an export of payments was cut", reason)),
    Stream.encodeText,
    Stream.provideContext(services)
  )
})

export const csvType = "text/csv; charset=utf-8; header=present"

/** For a browser to save: without characters that a file name cannot have everywhere. */
export const attachment = ({ environment, workspace }: TenantPath): string =>
  `attachment; filename="payments-${workspace.replaceAll(/[^\w.-]/gu, "_")}-${environment}.csv"`

/** Exports as CSV, as the pages and the API send them. */
import { entryCsvHeader, entryCsvLine, Pointsman, type Tenant } from "@pointsman/core"
import type { PaymentFilter, StorageError } from "@pointsman/core/ports"
import { InProcess } from "@pointsman/http"
import { Effect, Schema, Sink, Stream } from "effect"
import { failure, internalError } from "../api/Errors.ts"
import type { Access } from "../gate/Access.ts"
import { callerOf, type TenantPath } from "../gate/Caller.ts"
import { OpenResponses, openResponse } from "../gate/OpenResponses.ts"
import { sessionEnd } from "../gate/SessionEnd.ts"
import { type PayoutKey, payout } from "../reconciliation/PayoutDesk.ts"
import { csvHeader, csvLine } from "./PaymentCsv.ts"

/** The session ended, the role was taken away, or the server stops. */
class ExportCut extends Schema.TaggedError<ExportCut>()("pointsman/console/ExportCut", {}) {}

const tooManyExports = failure(
  "too_many_requests",
  "Two exports of this workspace are running. Wait until one of them is complete."
)

/** Every payment that the filter finds, as CSV. */
export const exportCsv = Effect.fnUntraced(function* (path: TenantPath, filter: PaymentFilter) {
  const caller = yield* callerOf(path)
  const { exportPayments } = yield* Pointsman
  return yield* csvStream(caller.tenant, "payment.read", csvHeader, csvLine, exportPayments(caller, filter))
})

/** Every row of the payout as CSV, in the order in which the money moved. */
export const exportPayout = Effect.fnUntraced(function* (path: TenantPath, key: PayoutKey) {
  const caller = yield* callerOf(path)
  const { status } = yield* payout(path, key)
  const { reconciliation } = yield* Pointsman
  const rows = reconciliation.exportPayout(caller, { connectionId: key.connection, payoutId: key.payout })
  return yield* csvStream(caller.tenant, "reconciliation.read", entryCsvHeader, entryCsvLine(status), rows)
})

/**
 * A CSV of records. The next page of them is read once the client took the one before. An export that cannot be completed
 * breaks the connection, so that no part of it passes for all of it.
 */
const csvStream = Effect.fnUntraced(function* <Row>(
  tenant: Tenant,
  access: Access,
  header: string,
  lineOf: (row: Row) => string,
  rows: Stream.Stream<Row, StorageError>
) {
  yield* openResponse("export")
  yield* InProcess.readPlace(yield* OpenResponses, "export", tenant, tooManyExports)
  const cut = Effect.andThen(sessionEnd(access), Effect.fail(new ExportCut()))
  const services = yield* Effect.context<Effect.Services<typeof cut>>()
  // One chunk for each page: a chunk for each line would cost more than the line.
  const pages = Stream.mapArray(rows, (page) => [page.map(lineOf).join("")])
  // The first page is read before the response begins, whose header may say of which moment it is.
  const [first, rest] = yield* Effect.catch(Stream.peel(pages, Sink.take<string>(1)), internalError)
  return Stream.make(header, ...first).pipe(
    Stream.concat(rest),
    Stream.interruptWhen(cut),
    Stream.tapError((reason) => Effect.logWarning("an export was cut", reason)),
    Stream.encodeText,
    Stream.provideContext(services)
  )
})

export const csvType = "text/csv; charset=utf-8; header=present"

/** For a browser to save: without characters that a file name cannot have everywhere. */
export const attachment = ({ environment, workspace }: TenantPath, what: "payments" | "payout" = "payments"): string =>
  `attachment; filename="${what}-${workspace.replaceAll(/[^\w.-]/gu, "_")}-${environment}.csv"`

/** Exports, as the pages and the API send them. */
import {
  entryCsvHeader,
  entryCsvLine,
  type JournalEntry,
  type JournalFormat,
  journalHeader,
  Pointsman,
  type Tenant,
  transactionText
} from "@pointsman/core"
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
  return yield* exportStream(caller.tenant, "payment.read", csvHeader, csvLine, exportPayments(caller, filter))
})

/** Every row of the payout as CSV, in the order in which the money moved. */
export const exportPayout = Effect.fnUntraced(function* (path: TenantPath, key: PayoutKey) {
  const caller = yield* callerOf(path)
  const { status } = yield* payout(path, key)
  const { reconciliation } = yield* Pointsman
  const rows = reconciliation.exportPayout(caller, { connectionId: key.connection, payoutId: key.payout })
  return yield* exportStream(caller.tenant, "reconciliation.read", entryCsvHeader, entryCsvLine(status), rows)
})

/** From its first moment to that of the next one, in UTC; `undefined` for another text. */
export const readMonth = (text: string): { readonly from: number; readonly before: number } | undefined => {
  const [, year, month] = /^(\d{4})-(0[1-9]|1[0-2])$/u.exec(text) ?? []
  return year === undefined || Number(year) < 1970
    ? undefined
    : { from: Date.UTC(Number(year), Number(month) - 1), before: Date.UTC(Number(year), Number(month)) }
}

export interface JournalOrder {
  readonly month: string
  readonly format: JournalFormat
  readonly connection?: string | undefined
}

/** The journal of a month, for an accounting program. */
export const exportJournal = Effect.fnUntraced(function* (
  path: TenantPath,
  { connection, format, month }: JournalOrder
) {
  const caller = yield* callerOf(path)
  const period = readMonth(month)
  if (period === undefined)
    return yield* Effect.fail(InProcess.validationErrorOf(`\`month\` must be a month, such as 2027-01`))
  const pointsman = yield* Pointsman
  const textOf = (entry: JournalEntry) => (entry._tag === "Pending" ? "" : transactionText(entry.transaction, format))
  const entries = pointsman.exportJournal(caller, { ...period, connectionId: connection }, format)
  return yield* exportStream(caller.tenant, "reconciliation.read", journalHeader(format), textOf, entries)
})

/** Of the operator, and of the workspace and environment, until the scope of the request closes. */
export const takeExportPlace = Effect.fnUntraced(function* (tenant: Tenant) {
  yield* openResponse("export")
  yield* InProcess.readPlace(yield* OpenResponses, "export", tenant, tooManyExports)
})

/**
 * Records as text. The next page of them is read once the client took the one before. An export that cannot be completed
 * breaks the connection, so that no part of it passes for all of it.
 */
const exportStream = Effect.fnUntraced(function* <Row>(
  tenant: Tenant,
  access: Access,
  header: string,
  lineOf: (row: Row) => string,
  rows: Stream.Stream<Row, StorageError>
) {
  yield* takeExportPlace(tenant)
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
export const attachment = ({ environment, workspace }: TenantPath, what: string, extension = "csv"): string =>
  `attachment; filename="${what}-${workspace.replaceAll(/[^\w.-]/gu, "_")}-${environment}.${extension}"`

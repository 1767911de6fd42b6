/** Providers' reports: read, listed, and their differences closed. */

import { basename } from "node:path"
import type { Page } from "@pointsman/client/contract"
import * as Core from "@pointsman/core"
import { AuditActor, Directory, type StorageError } from "@pointsman/core/ports"
import * as InProcess from "@pointsman/http/in-process"
import { Effect, Option, Result } from "effect"
import { errorOf } from "../ErrorOf.ts"
import { checkId, checkOptions, wrong } from "../Orders.ts"
import { InternalError, NotFoundError, type PointsmanError, StateError } from "../PointsmanError.ts"
import type { BalanceRow, ReconciliationRun, ReportProgress, SettlementEntry } from "../Reconciliation.ts"
import {
  acceptanceFields,
  balanceQuery,
  closingFields,
  differenceCursor,
  differencesQuery,
  fetchFields,
  reportFields,
  runsQuery
} from "../ReportOrders.ts"
import { timeView } from "../Views.ts"
import { fileOfBytes } from "./ReportBytes.ts"
import { type Defaults, failing, fromStore, type Gate, readerOf, tenantOf } from "./RunCall.ts"

/** The views are this package's records: a field that differs does not compile. */
const asRun = (run: Core.ReconciliationRun): ReconciliationRun => InProcess.runView(run)
const asEntry = (entry: Core.SettlementEntry): SettlementEntry => InProcess.entryView(entry)

export const runReport = Effect.fnUntraced(function* (gate: Gate, order: unknown) {
  // Most programs read no report, and do not wait for what reads one.
  const { entriesOf, formatOf, inspectReport } = yield* Effect.promise(() => import("@pointsman/reconcile"))
  const { reconciliation } = yield* Core.Pointsman
  const { by, connection, format: named, name, onProgress, report } = yield* reportFields(order)
  const directory = yield* Directory
  const found = Option.getOrUndefined(yield* fromStore(directory.connection(connection)))
  if (found === undefined) return yield* Effect.fail(connectionNotFound(connection))
  const path = typeof report === "string" ? report : yield* Effect.mapError(fileOfBytes(report), bytesUnreadable)
  const inspected = yield* Effect.tryPromise({
    try: () => inspectReport(path),
    catch: () => wrong("`report` must be the path of a file that can be read.")
  })
  const format = formatOf(named, found.connector, inspected)
  if (Result.isFailure(format)) {
    return yield* Effect.fail(wrong(`\`${format.failure.field}\`: ${format.failure.reason}.`))
  }
  const run = yield* reconciliation
    .run({
      connectionId: connection,
      format: format.success,
      fileName: typeof report === "string" ? inspected.fileName : basename(name),
      sha256: inspected.sha256,
      entries: whileOpen(gate, entriesOf(path, format.success, inspected)),
      onProgress: progressOf(onProgress)
    })
    .pipe(Effect.provideService(AuditActor, by), refusals)
  return asRun(run)
}, Effect.scoped)

/** A close does not wait for the end of a report, which may take minutes: the next process continues. */
const whileOpen = async function* <A>(gate: Gate, entries: AsyncIterable<A>): AsyncGenerator<A> {
  for await (const chunk of entries) {
    if (gate.isShut()) throw new Error("the program closes")
    yield chunk
  }
}

const progressOf = (onProgress: ReportProgress["onProgress"]) => (run: Core.ReconciliationRun) => {
  try {
    onProgress?.(asRun(run))
  } catch {
    // The report is read with or without `onProgress`.
  }
}

export const fetchReports = Effect.fnUntraced(function* (order: unknown) {
  const { reconciliation } = yield* Core.Pointsman
  const { by, connection, from, onProgress, report, until } = yield* fetchFields(order)
  const runs = yield* reconciliation
    .fetch({ connectionId: connection, report, from, until, onProgress: progressOf(onProgress) })
    .pipe(Effect.provideService(AuditActor, by), refusals)
  return runs.map(asRun)
})

const connectionNotFound = (id: string) => wrong(`\`connection\` must be the id of a connection; "${id}" not found.`)

const bytesUnreadable = ({ cause }: { readonly cause: unknown }): PointsmanError =>
  wrong(
    `\`report\` could not be read: ${cause instanceof Error ? cause.message : "its iterable failed"}. Nothing was written.`
  )

type ReportFailure = Core.ReportRefused | Core.ReportBroken | Core.ReportBeingRead | Core.ReportTaken | StorageError

/** What was read before is kept in each case. */
const refusalOf = (failure: ReportFailure): PointsmanError => {
  switch (failure._tag) {
    case "pointsman/ReportRefused":
      return wrong(`\`${failure.reason.replace(": ", "`: ")}.`)
    case "pointsman/ReportBroken":
      return new StateError(
        "report_unreadable",
        `The report cannot be read further: ${failure.reason}. What was read is kept: repeat the same call to continue from there.`
      )
    case "pointsman/ReportBeingRead":
      return new StateError(
        "report_in_progress",
        `Run ${failure.runId} is reading "${failure.fileName}" since ${timeView(failure.since)}. Call again when it has ` +
          `ended; if its process died, from ${timeView(failure.until)} on.`
      )
    case "pointsman/ReportTaken":
      return new StateError(
        "report_in_progress",
        "Another process began this report again, or this process paused for too long and another report is read. What " +
          "was read is kept: call again when the other one has ended."
      )
    case "pointsman/StorageError":
      return new InternalError(
        "The database could not be read or written. What was read of the report is kept: repeat the same call to continue from there."
      )
  }
}

const refusals = failing(refusalOf)

export const listRuns = Effect.fnUntraced(function* (defaults: Defaults, query: unknown, options: unknown) {
  const { reconciliation } = yield* Core.Pointsman
  const { before, connection, limit } = yield* runsQuery(query)
  const tenant = yield* anyTenant(defaults, options)
  const found = yield* fromStore(reconciliation.list({ tenant, connectionId: connection, before, limit: limit + 1 }))
  return pageOf(found, limit, asRun, ({ id }) => id)
})

export const findRun = Effect.fnUntraced(function* (defaults: Defaults, runId: unknown, options: unknown) {
  const { reconciliation } = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  const found = yield* fromStore(reconciliation.find(tenant, yield* checkId("runId", runId)))
  return asRun(yield* Effect.mapError(Effect.fromOption(found), () => new NotFoundError("Report not found.")))
})

export const listDifferences = Effect.fnUntraced(function* (defaults: Defaults, query: unknown, options: unknown) {
  const { reconciliation } = yield* Core.Pointsman
  const { limit, ...asked } = yield* differencesQuery(query)
  const tenant = yield* anyTenant(defaults, options)
  const found = yield* fromStore(reconciliation.differences({ ...asked, tenant, limit: limit + 1 }))
  return pageOf(found, limit, asEntry, differenceCursor)
})

/** Of all workspaces unless one is named. */
const anyTenant = Effect.fnUntraced(function* (defaults: Defaults, options: unknown) {
  const given = yield* checkOptions(options, false)
  if (given.workspace === undefined && given.environment === undefined) return undefined
  return yield* tenantOf(defaults, given)
})

/** `found` has one more than the page where there is a next one. */
const pageOf = <Item, View>(
  found: ReadonlyArray<Item>,
  limit: number,
  view: (item: Item) => View,
  cursorOf: (item: Item) => string
): Page<View> => {
  const items = found.slice(0, limit)
  const last = items.at(-1)
  const hasMore = found.length > limit
  return {
    data: items.map(view),
    has_more: hasMore,
    next_cursor: hasMore && last !== undefined ? cursorOf(last) : null
  }
}

export const closeDifference = Effect.fnUntraced(function* (differenceId: unknown, closing: unknown) {
  const { reconciliation } = yield* Core.Pointsman
  const { by, ...order } = yield* closingFields(differenceId, closing)
  yield* reconciliation.close(order).pipe(
    Effect.provideService(AuditActor, by),
    failing((failure) => {
      switch (failure._tag) {
        case "pointsman/CardNumberFound":
          return errorOf(InProcess.cardNumberBody(failure))
        case "pointsman/DifferenceNotFound":
          return new NotFoundError("Open difference not found.")
        case "pointsman/StorageError":
          return new InternalError("The difference may have been closed. The same call again is safe.")
      }
    })
  )
})

export const acceptSuggestion = Effect.fnUntraced(function* (differenceId: unknown, acceptance: unknown) {
  const { reconciliation } = yield* Core.Pointsman
  const { by, ...order } = yield* acceptanceFields(differenceId, acceptance)
  yield* reconciliation.accept(order).pipe(
    Effect.provideService(AuditActor, by),
    failing((failure) =>
      failure._tag === "pointsman/SuggestionNotFound"
        ? new NotFoundError(
            "No open difference of this row suggests this payment, or the payment has a row or a charge of its own by now."
          )
        : refusalOf(failure)
    )
  )
})

export const balance = Effect.fnUntraced(function* (defaults: Defaults, period: unknown, options: unknown) {
  const { reconciliation } = yield* Core.Pointsman
  const tenant = yield* readerOf(defaults, options)
  const rows = yield* fromStore(reconciliation.balance({ ...(yield* balanceQuery(period)), tenant }))
  return rows.map((row): BalanceRow => InProcess.balanceView(row))
})

/** What operators read of providers' reports, and the differences that they close, through core's door. */
import {
  type Connection,
  differenceResults,
  Pointsman,
  type ReviewReason,
  type SettlementEntry,
  type SettlementResult
} from "@pointsman/core"
import { isPlainText } from "@pointsman/core/internal"
import { InProcess } from "@pointsman/http"
import { Effect, Option } from "effect"
import { failure, internalError } from "../api/Errors.ts"
import { cursorOfPlace, placeOfCursor } from "../api/Records.ts"
import { callerOf, directoryContents, type TenantPath } from "../gate/Caller.ts"

const { validationErrorOf } = InProcess

/** Those of the environment, which are what reports and differences are of. */
export const connections = Effect.fnUntraced(function* ({ environment, workspace }: TenantPath) {
  const { connections } = yield* directoryContents
  return connections.filter((one) => one.workspaceId === workspace && one.environment === environment)
})

/** Newest first. `next`: the cursor of the next page. */
export const runs = Effect.fnUntraced(function* (
  path: TenantPath,
  { before, limit }: { readonly before?: string | undefined; readonly limit: number }
) {
  const { tenant } = yield* callerOf(path)
  const { reconciliation } = yield* Pointsman
  const found = yield* Effect.catch(reconciliation.list({ tenant, before, limit: limit + 1 }), internalError)
  const items = found.slice(0, limit)
  return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null }
})

export const run = Effect.fnUntraced(function* (path: TenantPath, id: string) {
  const { tenant } = yield* callerOf(path)
  const { reconciliation } = yield* Pointsman
  const found = yield* Effect.catch(reconciliation.find(tenant, id), internalError)
  return yield* Effect.mapError(Effect.fromOption(found), () => failure("not_found", "Report not found."))
})

export interface DifferenceFilter {
  readonly connectionId?: string | undefined
  readonly runId?: string | undefined
  readonly result?: SettlementResult | undefined
  readonly state: "open" | "all"
}

/** Those that were found first first. `after`: the cursor of the page before. */
export const differences = Effect.fnUntraced(function* (
  path: TenantPath,
  { state, ...filter }: DifferenceFilter,
  { after, limit }: { readonly after?: string | undefined; readonly limit: number }
) {
  const { tenant } = yield* callerOf(path)
  const [openedAt, connectionId, rowId] = after === undefined ? [] : (placeOfCursor(after) ?? [])
  const place =
    openedAt === undefined || connectionId === undefined || rowId === undefined
      ? undefined
      : { openedAt, connectionId, rowId }
  if (after !== undefined && place === undefined) {
    return yield* Effect.fail(validationErrorOf("`after` must be the cursor of the previous page"))
  }
  const { reconciliation } = yield* Pointsman
  const query = { ...filter, tenant, differences: state, after: place, limit: limit + 1 }
  const found = yield* Effect.catch(reconciliation.differences(query), internalError)
  const items = found.slice(0, limit)
  const last = items.at(-1)
  return { items, next: found.length > limit && last !== undefined ? cursorOf(last) : null }
})

const cursorOf = ({ connectionId, openedAt, recordedAt, rowId }: SettlementEntry): string =>
  cursorOfPlace([openedAt ?? recordedAt, connectionId, rowId])

export interface ClosingOrder {
  readonly connection: string
  readonly row: string
  readonly note: string
}

/** Characters of a note. */
export const noteLimit = 2_000

const noteExpected = `\`note\` must be text of 1 to ${noteLimit} characters, without NUL`
const differenceNotFound = failure("not_found", "This connection has no open difference of this row.")

/** Under the operator's name. Core closes a difference of any tenant: the connection has to be one of this environment. */
export const close = Effect.fnUntraced(function* (path: TenantPath, { connection, note, row }: ClosingOrder) {
  yield* callerOf(path)
  if (!(yield* connections(path)).some(({ id }) => id === connection)) return yield* Effect.fail(differenceNotFound)
  const text = note.replaceAll("\r\n", "\n").trim()
  if (text === "" || text.length > noteLimit || !isPlainText(text)) {
    return yield* Effect.fail(validationErrorOf(noteExpected))
  }
  const { reconciliation } = yield* Pointsman
  yield* reconciliation.close({ connectionId: connection, rowId: row, note: text }).pipe(
    Effect.catchTags({
      "pointsman/CardNumberFound": (found) => Effect.fail(InProcess.cardNumberBody(found)),
      "pointsman/DifferenceNotFound": () => Effect.fail(differenceNotFound),
      "pointsman/StorageError": internalError
    })
  )
})

export interface AcceptanceOrder {
  readonly connection: string
  readonly row: string
  readonly payment: string
}

const suggestionNotFound = failure(
  "not_found",
  "No open difference of this row suggests this payment, or the payment has a row or a charge of its own by now."
)
const reportBeingRead = failure(
  "report_being_read",
  "A report of this connection is being read. Accept it once that has ended."
)

/** Under the operator's name, as `close`. */
export const accept = Effect.fnUntraced(function* (path: TenantPath, { connection, payment, row }: AcceptanceOrder) {
  yield* callerOf(path)
  if (!(yield* connections(path)).some(({ id }) => id === connection)) return yield* Effect.fail(suggestionNotFound)
  const { reconciliation } = yield* Pointsman
  yield* reconciliation.accept({ connectionId: connection, rowId: row, paymentId: payment }).pipe(
    Effect.catchTags({
      "pointsman/SuggestionNotFound": () => Effect.fail(suggestionNotFound),
      "pointsman/ReportBeingRead": () => Effect.fail(reportBeingRead),
      "pointsman/ReportTaken": () => Effect.fail(reportBeingRead),
      "pointsman/StorageError": internalError
    })
  )
})

/** The longest period that a page adds up, in milliseconds. */
const longestPeriod = 366 * 86_400_000

export const balance = Effect.fnUntraced(function* (
  path: TenantPath,
  query: { readonly connectionId?: string | undefined; readonly from: number; readonly until: number }
) {
  const { tenant } = yield* callerOf(path)
  if (query.until - query.from > longestPeriod) {
    return yield* Effect.fail(validationErrorOf("`from` must be at most 366 days before `until`"))
  }
  const { reconciliation } = yield* Pointsman
  return yield* Effect.catch(reconciliation.balance({ ...query, tenant }), internalError)
})

/** Entries of reports about one payment, in the order of their times. */
export const entriesOf = Effect.fnUntraced(function* (path: TenantPath, paymentId: string) {
  const { tenant } = yield* callerOf(path)
  const { reconciliation } = yield* Pointsman
  return yield* Effect.catch(reconciliation.entriesOf(tenant, [paymentId]), internalError)
})

/** A count goes no further. */
export const countedAtMost = 100

/** What a provider states otherwise than it is recorded. */
const contradictions: ReadonlySet<ReviewReason> = new Set([
  "amount_mismatch",
  "conflict",
  "double_charge",
  "reversal",
  "reference_reused"
])

/**
 * How far the records agree with the providers: open differences of reports by kind, payments under review because a
 * provider contradicts the record, and the newest report of each active connection.
 */
export const agreement = Effect.fnUntraced(function* (path: TenantPath) {
  const { tenant } = yield* callerOf(path)
  const pointsman = yield* Pointsman
  const { reconciliation } = pointsman
  const kinds = yield* Effect.forEach(differenceResults, (result) =>
    Effect.map(reconciliation.differences({ tenant, result, differences: "open", limit: countedAtMost }), (found) => ({
      result,
      count: found.length,
      oldestAt: found[0]?.openedAt ?? null
    }))
  ).pipe(Effect.catch(internalError))
  const reviews = yield* Effect.catch(pointsman.reviews({ tenant, limit: countedAtMost }), internalError)
  const contradicted = reviews.items.flatMap(({ review }) =>
    review?.reasons.some((reason) => contradictions.has(reason)) === true ? [review.since] : []
  )
  const active = (yield* connections(path)).filter((one) => one.active)
  const reports = yield* Effect.forEach(active, (connection: Connection) =>
    Effect.map(reconciliation.list({ tenant, connectionId: connection.id, limit: 1 }), ([newest]) => ({
      connection,
      newest: Option.fromNullishOr(newest)
    }))
  ).pipe(Effect.catch(internalError))
  const oldest = [...kinds.flatMap(({ oldestAt }) => (oldestAt === null ? [] : [oldestAt])), ...contradicted]
  return {
    kinds: kinds.filter(({ count }) => count > 0),
    contradicted: contradicted.length,
    reports,
    /** Epoch milliseconds; `null` where nothing is unexplained. */
    oldestAt: oldest.length === 0 ? null : Math.min(...oldest)
  }
})

/** What callers hand in about reports and the books, checked. */
import { differenceResults, type SettlementEntry } from "@pointsman/core"
import type { EntryQuery } from "@pointsman/core/ports"
import { Effect, Predicate } from "effect"
import { checkBy, checkDate, checkId, fieldsOf, limitOf, wrong } from "./Orders.ts"
import type { ReportProgress } from "./Reconciliation.ts"

/** The actor in the audit trail for what this program does without an operator. */
const withoutOperator = "library"

/** A field that may be left out. */
const optional = <A, E>(value: unknown, check: (value: unknown) => Effect.Effect<A, E>) =>
  value === undefined ? Effect.undefined : check(value)

const idField = (name: string) => (value: unknown) => checkId(name, value)
const dateField = (name: string) => (value: unknown) => checkDate(name, value)

const textField = (name: string) => (value: unknown) =>
  typeof value === "string" && value !== "" && value.length <= 255
    ? Effect.succeed(value)
    : Effect.fail(wrong(`\`${name}\` must be a text of 1 to 255 characters.`))

const progressField = (value: unknown) =>
  typeof value === "function"
    ? Effect.succeed(value as ReportProgress["onProgress"])
    : Effect.fail(wrong("`onProgress` must be a function."))

const isBytes = (report: unknown): report is AsyncIterable<unknown> =>
  Predicate.isObject(report) && Symbol.asyncIterator in report

export const reportFields = Effect.fnUntraced(function* (order: unknown) {
  const fields = yield* fieldsOf("order", order, ["connection", "report", "name", "format", "by", "onProgress"])
  const { by = withoutOperator, format, name = "report", onProgress, report } = fields
  if (!isBytes(report) && (typeof report !== "string" || report === "")) {
    return yield* Effect.fail(wrong("`report` must be the path of a file, or an async iterable of Uint8Array."))
  }
  return {
    connection: yield* checkId("connection", fields["connection"]),
    report,
    name: yield* textField("name")(name),
    format: yield* optional(format, textField("format")),
    by: yield* checkBy(by),
    onProgress: yield* optional(onProgress, progressField)
  }
})

export const fetchFields = Effect.fnUntraced(function* (order: unknown) {
  const fields = yield* fieldsOf("order", order, ["connection", "report", "from", "until", "by", "onProgress"])
  const { by = withoutOperator, from, onProgress, report, until } = fields
  return {
    connection: yield* checkId("connection", fields["connection"]),
    report: yield* optional(report, textField("report")),
    from: yield* optional(from, dateField("from")),
    until: yield* optional(until, dateField("until")),
    by: yield* checkBy(by),
    onProgress: yield* optional(onProgress, progressField)
  }
})

export const runsQuery = Effect.fnUntraced(function* (query: unknown) {
  const { before, connection, limit } = yield* fieldsOf("query", query, ["connection", "limit", "before"])
  return {
    connection: yield* optional(connection, idField("connection")),
    before: yield* optional(before, idField("before")),
    limit: yield* limitOf(limit)
  }
})

/** Of the page's last difference: when it was found, and its id. */
export const differenceCursor = ({ connectionId, openedAt, recordedAt, rowId }: SettlementEntry): string =>
  `${openedAt ?? recordedAt}:${connectionId}/${rowId}`

const placeOf = (after: unknown) => {
  const [, openedAt, connectionId, rowId] =
    /^(\d{1,16}):([^/]+)\/(.+)$/su.exec(typeof after === "string" ? after : "") ?? []
  return openedAt === undefined || connectionId === undefined || rowId === undefined
    ? Effect.fail(wrong("`after` must be the `next_cursor` of the page before."))
    : Effect.succeed({ openedAt: Number(openedAt), connectionId, rowId })
}

const resultOf = (value: unknown) => {
  const known = differenceResults.find((one) => one === value)
  return known === undefined
    ? Effect.fail(wrong(`\`result\` must be one of ${differenceResults.join(", ")}.`))
    : Effect.succeed(known)
}

const differenceFields = ["connection", "run", "result", "state", "openedBefore", "limit", "after"]

export const differencesQuery = Effect.fnUntraced(function* (query: unknown) {
  const fields = yield* fieldsOf("query", query, differenceFields)
  const { after, connection, limit, openedBefore, result, run, state = "open" } = fields
  if (state !== "open" && state !== "all") return yield* Effect.fail(wrong("`state` must be open or all."))
  return {
    differences: state,
    connectionId: yield* optional(connection, idField("connection")),
    runId: yield* optional(run, idField("run")),
    result: yield* optional(result, resultOf),
    openedBefore: yield* optional(openedBefore, dateField("openedBefore")),
    after: yield* optional(after, placeOf),
    limit: yield* limitOf(limit)
  } satisfies EntryQuery
})

/** Characters of a note. */
const noteLimit = 2_000

const differenceOf = (differenceId: unknown) => {
  const [, connectionId, rowId] = /^([^/]+)\/(.+)$/su.exec(typeof differenceId === "string" ? differenceId : "") ?? []
  return connectionId === undefined || rowId === undefined
    ? Effect.fail(wrong("`differenceId` must be the `id` of a difference: connection/row."))
    : Effect.succeed({ connectionId, rowId })
}

export const acceptanceFields = Effect.fnUntraced(function* (differenceId: unknown, acceptance: unknown) {
  const difference = yield* differenceOf(differenceId)
  const { by, payment } = yield* fieldsOf("acceptance", acceptance, ["payment", "by"])
  return { ...difference, paymentId: yield* checkId("payment", payment), by: yield* checkBy(by) }
})

export const closingFields = Effect.fnUntraced(function* (differenceId: unknown, closing: unknown) {
  const difference = yield* differenceOf(differenceId)
  const { by, note } = yield* fieldsOf("closing", closing, ["note", "by"])
  if (typeof note !== "string" || note.trim() === "" || note.length > noteLimit) {
    return yield* Effect.fail(wrong(`\`note\` must be text of 1 to ${noteLimit} characters.`))
  }
  return { ...difference, note, by: yield* checkBy(by) }
})

export const balanceQuery = Effect.fnUntraced(function* (period: unknown) {
  const { connection, from, until } = yield* fieldsOf("period", period, ["from", "until", "connection"])
  return {
    from: yield* checkDate("from", from),
    until: yield* checkDate("until", until),
    connectionId: yield* optional(connection, idField("connection"))
  }
})

export const payoutFields = Effect.fnUntraced(function* (name: unknown) {
  const { connection, payout } = yield* fieldsOf("name", name, ["connection", "payout"])
  return { connectionId: yield* checkId("connection", connection), payoutId: yield* checkId("payout", payout) }
})

export const payoutsQuery = Effect.fnUntraced(function* (period: unknown) {
  const { limit, ...others } = yield* fieldsOf("period", period, ["from", "until", "connection", "limit"])
  return { ...(yield* balanceQuery(others)), limit: yield* limitOf(limit) }
})

export const journalFields = Effect.fnUntraced(function* (query: unknown) {
  const fields = yield* fieldsOf("query", query, ["from", "until", "connection", "closeAfterMillis"])
  const { closeAfterMillis, connection, from, until } = fields
  if (closeAfterMillis !== undefined && !(Number.isSafeInteger(closeAfterMillis) && Number(closeAfterMillis) >= 0)) {
    return yield* Effect.fail(wrong("`closeAfterMillis` must be a whole number of milliseconds."))
  }
  return {
    from: yield* optional(from, dateField("from")),
    before: yield* optional(until, dateField("until")),
    connectionId: yield* optional(connection, idField("connection")),
    closeAfterMillis: closeAfterMillis as number | undefined
  }
})

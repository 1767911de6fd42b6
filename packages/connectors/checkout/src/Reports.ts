/**
 * The report `checkout-financial-actions` from Checkout.com's Reports API: the files of the report "Financial Actions by Payout
 * ID" that were made in a window (https://www.checkout.com/docs/reporting; the shapes: `Reports` of
 * https://github.com/checkout/checkout-sdk-net and https://github.com/checkout/checkout-sdk-node). The list of financial actions
 * is asked by payment, and not by time (`FinancialActionsQueryFilter.cs`).
 */
import {
  type FetchedReport,
  isSuccess,
  type ListRequest,
  type NamedReportFile,
  type NotSent,
  type ReportPage,
  segment,
  type TransportAnswer,
  Unanswered
} from "@pointsman/core/connector"
import { Effect, Result } from "effect"
import { readable, unreadable } from "./Answers.ts"
import * as Protocol from "./Protocol.ts"

const day = 24 * 60 * 60_000

/** Of the files of a report together, which are in memory as a whole while they are read. */
export const fileBytesAtMost = 32 * 1024 * 1024

const reportsOfPage = 100
/** Of a day, one request after the other. */
const pagesAtMost = 20

type Read<A> = Result.Result<A, Unanswered>

/** Sends a GET, and reads its answer. */
export type Ask = <A>(
  path: string,
  read: (answer: TransportAnswer) => Read<A>
) => Effect.Effect<A, NotSent | Unanswered>

/** `download` takes answers of up to `fileBytesAtMost`. */
export const fetchedReports = (ask: Ask, download: Ask): ReadonlyArray<FetchedReport> => [
  {
    name: "checkout-financial-actions",
    // As for the file: a settlement comes daily or weekly, by the schedule of the account.
    delayMillis: 10 * day,
    windowMillis: day,
    list: Effect.fn("CheckoutConnector.reports.list")((request) => filesIn(ask, request)),
    download: Effect.fn("CheckoutConnector.reports.download")((named) => {
      const [report = "", ids = ""] = named.split("/")
      return filesOfReport(report, ids.split(filesBetween), (id) =>
        download(`/reports/${segment(report)}/files/${segment(id)}`, (answer) =>
          isSuccess(answer) ? Result.succeed(answer.body) : Result.fail(refusedOf(answer))
        )
      )
    })
  }
]

/** Between the ids of a report's files, none of which has one. */
const filesBetween = "+"

/**
 * A long report comes in several files, each with a first line of its own (https://www.checkout.com/docs/reporting).
 * They are read as one: the rows of an action may be in two of them, and differ by their number in the whole report.
 */
const filesOfReport = Effect.fnUntraced(function* <E>(
  report: string,
  ids: ReadonlyArray<string>,
  download: (id: string) => Effect.Effect<string, E>
) {
  let [text, header]: [string, string | undefined] = ["", undefined]
  for (const id of ids) {
    const file = yield* download(id)
    const end = file.indexOf("\n")
    const [first, rows] = end === -1 ? [file, ""] : [file.slice(0, end), file.slice(end + 1)]
    if (header !== undefined && first.trim() !== header.trim()) {
      return yield* new Unanswered({ reason: `the files of Checkout.com's report ${report} have different columns` })
    }
    text += header === undefined ? file : rows
    header ??= first
    if (text !== "" && !text.endsWith("\n")) text += "\n"
    if (text.length > fileBytesAtMost) {
      return yield* new Unanswered({
        reason: `Checkout.com's report ${report} is longer than ${fileBytesAtMost} bytes`
      })
    }
  }
  return text
})

const financialActions = "FinancialActionsByPayoutId"

/** Of the name of a report's files: 1 to 255 characters are taken. */
const nameAtMost = 255

interface ReportPart {
  readonly reports: ReadonlyArray<Protocol.Report>
  readonly next: string | null
}

/** All of the window's at once: the oldest first, in whatever order Checkout.com lists them. */
const filesIn = Effect.fnUntraced(function* (
  ask: Ask,
  { createdBefore, createdFrom }: ListRequest
): Effect.fn.Return<ReportPage, NotSent | Unanswered> {
  const [after, before] = [createdFrom, createdBefore].map((time) => segment(new Date(time).toISOString()))
  const query = `/reports?created_after=${after}&created_before=${before}&limit=${reportsOfPage}`
  const found: Array<Protocol.Report> = []
  let token: string | null = null
  for (let pages = 0; pages < pagesAtMost; pages++) {
    const path: string = token === null ? query : `${query}&pagination_token=${segment(token)}`
    const { next, reports }: ReportPart = yield* ask(path, partIn)
    found.push(...reports)
    if (next === null) return yield* Effect.fromResult(pageOf(found, createdFrom, createdBefore))
    if (next === token) return yield* new Unanswered({ reason: "Checkout.com named the same page again" })
    token = next
  }
  return yield* new Unanswered({
    reason: `Checkout.com lists more than ${pagesAtMost * reportsOfPage} reports in a day`
  })
})

const partIn = (answer: TransportAnswer): Read<ReportPart> => {
  if (!isSuccess(answer)) return Result.fail(refusedOf(answer))
  return Result.flatMap(readable(Protocol.ReportList, answer), ({ _links, data }): Read<ReportPart> => {
    const href = _links?.next?.href ?? null
    const next = href === null ? null : tokenIn(href)
    return next === undefined ? unreadable(answer, "_links.next.href") : Result.succeed({ reports: data, next })
  })
}

/** The address is not followed: it may lead anywhere, and our key would go with it. */
const tokenIn = (href: string): string | undefined => {
  const token = URL.canParse(href) ? new URL(href).searchParams.get("pagination_token") : null
  return token === null || token === "" || token.length > 1_024 ? undefined : token
}

const pageOf = (reports: ReadonlyArray<Protocol.Report>, from: number, before: number): Read<ReportPage> => {
  const made = reports
    .map((report) => ({ ...report, at: Protocol.reportMillis(report.created_on) }))
    .filter(({ at, type }) => type === financialActions && at >= from && at < before)
    .toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))
  const files: Array<NamedReportFile> = []
  for (const { at: generatedAt, files: parts, id } of made) {
    const texts = parts.filter(({ format }) => format.toUpperCase() === "CSV")
    if (texts.length === 0) {
      const reason = `Checkout.com's report ${id} has no CSV file: schedule it as CSV`
      return Result.fail(new Unanswered({ reason }))
    }
    const name = `${id}/${texts
      .map((part) => part.id)
      .toSorted()
      .join(filesBetween)}`
    if (name.length > nameAtMost) {
      const reason = `Checkout.com's report ${id} has too many files to be fetched: read it by \`pointsman reconcile run\` under the name of the window`
      return Result.fail(new Unanswered({ reason }))
    }
    files.push({ name, generatedAt })
  }
  return Result.succeed({ entries: [], files, nextCursor: null })
}

const refusedOf = ({ status }: TransportAnswer): Unanswered => {
  const isRefused = status === 401 || status === 403
  const expected = ": expected a secret key that may view reports in credentials.secretKey"
  return new Unanswered({
    reason: `Checkout.com's Reports API responded with status ${status}${isRefused ? expected : ""}`
  })
}

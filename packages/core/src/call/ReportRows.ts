/** Reads a report from the provider's API, page after page, oldest first. It only reads. */
import { Effect, Option, Stream } from "effect"
import type { FetchedWindow } from "../decide/reconcile/FetchedWindow.ts"
import type { Connection } from "../model/Connection.ts"
import { type NotSent, Unanswered } from "../model/ProviderStatement.ts"
import type { ReportEntry } from "../model/ReportRow.ts"
import type { NamedReportFile, ReportPage } from "../ports/Connector.ts"
import { ReportReader } from "../ports/ReportReader.ts"
import { callProvider } from "./CallProvider.ts"

/** Of one request: a provider that lists the newest first has to go through all of it, to find the beginning. */
const defaultWindowMillis = 60 * 60_000

/** Of one window: a provider that always names a further page must not hold the run for ever. */
const pagesAtMost = 10_000

/** Entries of a page. A connector that gives more is broken, and its page would be held in memory. */
const entriesAtMost = 10_000

/** Files of a page: more than any provider makes in a day. */
const filesAtMost = 1_000

/** Which report of the connection is read, and the longest window of one request, in milliseconds. */
export interface ReportAsked {
  readonly report: string
  readonly windowMillis?: number | undefined
}

/** Where reading continues. */
interface Place {
  readonly from: number
  readonly cursor: string | null
  readonly pages: number
}

/** The entries of each page, and of its files. It fails where one is not the provider's own word: nothing is left out. */
export const reportRows = (connection: Connection, asked: ReportAsked, window: FetchedWindow) =>
  Stream.flatMap(pagesOf(connection, asked, window), ({ entries, files = [] }) =>
    Stream.concat(
      Stream.succeed(entries),
      Stream.flatMap(Stream.fromIterable(files), (file) => Stream.unwrap(fileAt(connection, asked, file)))
    )
  )

/** Downloaded as a whole, whose length the connector limits, and read row by row. */
const fileAt = Effect.fnUntraced(function* (
  connection: Connection,
  { report }: ReportAsked,
  { generatedAt, name: file }: NamedReportFile
) {
  const text: string | null | NotSent | Unanswered = yield* callProvider<string | null>(
    connection,
    ({ reports }) => reports?.find(({ name }) => name === report)?.download?.(file) ?? Effect.fail(noReport)
  )
  if (text === null) return Stream.empty
  if (typeof text !== "string") return yield* new Unanswered({ reason: text.reason })
  const reader = yield* ReportReader
  return reader.read(report, text).pipe(
    Stream.map((entries) =>
      entries.map((entry) =>
        entry._tag === "Row" && generatedAt !== undefined ? { ...entry, row: { ...entry.row, generatedAt } } : entry
      )
    ),
    Stream.mapError(({ reason }) => new Unanswered({ reason: `file ${file}: ${reason}` }))
  )
})

const pagesOf = (connection: Connection, asked: ReportAsked, { from, until }: FetchedWindow) =>
  Stream.paginate({ from, cursor: null, pages: 0 } satisfies Place as Place, (place) =>
    Effect.map(pageAt(connection, asked, place, until), (page) => {
      const { nextCursor } = page
      const end = endOf(asked, place, until)
      const next: Place | undefined =
        nextCursor !== null
          ? { ...place, cursor: nextCursor, pages: place.pages + 1 }
          : end < until
            ? { from: end, cursor: null, pages: 0 }
            : undefined
      return [[page], Option.fromUndefinedOr(next)] as const
    })
  )

const endOf = ({ windowMillis = defaultWindowMillis }: ReportAsked, { from }: Place, until: number): number =>
  Math.min(until, from + windowMillis)

const pageAt = Effect.fnUntraced(function* (connection: Connection, asked: ReportAsked, place: Place, until: number) {
  const { cursor, from, pages } = place
  const request = { createdFrom: from, createdBefore: endOf(asked, place, until), cursor }
  const page: ReportPage | NotSent | Unanswered = yield* callProvider<ReportPage>(
    connection,
    ({ reports }) => reports?.find(({ name }) => name === asked.report)?.list(request) ?? Effect.fail(noReport)
  )
  if ("_tag" in page) return yield* new Unanswered({ reason: page.reason })
  const wrong = faultOf(page, cursor, pages)
  return wrong === undefined ? page : yield* new Unanswered({ reason: wrong })
})

const faultOf = (
  { entries, files = [], nextCursor }: ReportPage,
  cursor: string | null,
  pages: number
): string | undefined => {
  if (nextCursor !== null && nextCursor === cursor) return "the provider named the same page again"
  if (entries.length > entriesAtMost) return `a page has more than ${entriesAtMost} rows`
  if (files.length > filesAtMost) return `a page has more than ${filesAtMost} files`
  return pages + 1 >= pagesAtMost && nextCursor !== null ? `the window has more than ${pagesAtMost} pages` : undefined
}

const noReport = new Unanswered({ reason: "the connector has no such report", isUnsupported: true })

/** Rows that cannot be read are counted from 1 over all pages, and not on each. */
export const renumbered = (entries: ReadonlyArray<ReportEntry>, before: number): ReadonlyArray<ReportEntry> =>
  entries.map((entry, at) =>
    entry._tag === "Row" ? entry : { ...entry, unreadable: { ...entry.unreadable, row: before + at + 1 } }
  )

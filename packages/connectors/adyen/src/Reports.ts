/**
 * The report `adyen-payment-accounting`: the files of Adyen's Payment accounting report, one for each day. Adyen makes a file
 * between 02:00 and 10:00 CET of the next day, and hands it to a credential of its own
 * (https://docs.adyen.com/reporting/automatically-get-reports). It has no list of them. But the name of a file has its day, in the
 * time zone of the account: as in the example of https://docs.adyen.com/api-explorer/report-webhooks/1/post/balancePlatform.report.created,
 * and with the report's name of https://github.com/Adyen/adyen-report-merger (`ReportTypes.java`).
 *
 * Adyen makes no file of a day without transactions, and none while automatic
 * generation is off. Only the first is an empty report, and only where a file of a few days before is there.
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

const day = 24 * 60 * 60_000

/** Of one file, which is in memory as a whole while it is read. */
export const fileBytesAtMost = 32 * 1024 * 1024

/** Days without a file, one after the other, that may be days without transactions. */
const emptyDaysAtMost = 14

/** Sends a GET for a file, and reads its answer. */
export type Download = (
  path: string,
  read: (answer: TransportAnswer) => Result.Result<string | null, Unanswered>
) => Effect.Effect<string | null, NotSent | Unanswered>

/** `missing`: why the credentials do not allow it; `undefined` where they do. */
export const fetchedReports = (
  download: Download,
  merchantAccount: string,
  missing: string | undefined
): ReadonlyArray<FetchedReport> => [
  {
    name: "adyen-payment-accounting",
    // As for the file.
    delayMillis: 7 * day,
    // The day of an account in the west ends half a day after the day in UTC, and its file comes in the hours after that.
    addedWithinMillis: 2 * day,
    windowMillis: day,
    ...(missing === undefined ? {} : { missing }),
    list: Effect.fn("AdyenConnector.reports.list")((request) =>
      missing === undefined ? daysOf(request) : Effect.fail(new Unanswered({ reason: missing }))
    ),
    download: Effect.fn("AdyenConnector.reports.download")((date) =>
      fileOf(date, (of) =>
        download(`/reports/download/MerchantAccount/${segment(merchantAccount)}/${fileName(of)}`, fileIn)
      )
    )
  }
]

const fileName = (date: string): string => `payments_accounting_report_${date.replaceAll("-", "_")}.csv`

const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** The files of the days that end in the window, as UTC counts days: `2026-11-20`. */
const daysOf = ({ createdBefore, createdFrom }: ListRequest): Effect.Effect<ReportPage, Unanswered> => {
  const files: Array<NamedReportFile> = []
  for (let end = Math.ceil(createdFrom / day) * day; end < createdBefore; end += day)
    files.push({ name: dateOf(end - day) })
  return Effect.succeed({ entries: [], files, nextCursor: null })
}

/** `null` where Adyen made none. */
const fileOf = Effect.fnUntraced(function* (
  date: string,
  file: (date: string) => Effect.Effect<string | null, NotSent | Unanswered>
) {
  const own = yield* file(date)
  if (own !== null) return own
  for (let before = 1; before <= emptyDaysAtMost; before++) {
    if ((yield* file(dateOf(Date.parse(date) - before * day))) !== null) return null
  }
  return yield* new Unanswered({
    reason:
      `Adyen has no file ${fileName(date)}, and none of the ${emptyDaysAtMost} days before: expected the Payment accounting ` +
      "report, generated automatically as CSV for the merchant account. Fetch with --from where it was switched on later"
  })
})

/** `null` where there is none. */
const fileIn = (answer: TransportAnswer): Result.Result<string | null, Unanswered> => {
  if (isSuccess(answer)) return Result.succeed(answer.body)
  if (answer.status === 404) return Result.succeed(null)
  const isRefused = answer.status === 401 || answer.status === 403
  const expected = ": expected a report user's key for the merchant account in credentials.reportKey"
  return Result.fail(
    new Unanswered({
      reason: `Adyen responded to the download of a report with status ${answer.status}${isRefused ? expected : ""}`
    })
  )
}

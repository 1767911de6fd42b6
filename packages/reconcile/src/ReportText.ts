/** A report that was downloaded, for `ReportReader` of core: its entries by the name of its format. */
import { Buffer } from "node:buffer"
import type { ReportEntry } from "@pointsman/core/connector"
import { Stream } from "effect"
import { formatNamed } from "./formats/index.ts"
import { ReportUnreadable, readReport } from "./ReadReport.ts"

/** In chunks, in the order of the file. Fails where it is no report of the format, or is cut off; the reason names the row. */
export const readReportText = (
  format: string,
  text: string
): Stream.Stream<ReadonlyArray<ReportEntry>, ReportUnreadable> => {
  const found = formatNamed(format)
  if (found === undefined) {
    return Stream.fail(new ReportUnreadable({ row: 0, column: null, reason: `no format is called ${format}` }))
  }
  return readReport(Stream.succeed<Uint8Array>(Buffer.from(text, "utf8")), found).pipe(
    Stream.map((entries) => entries.map(({ entry }) => entry)),
    Stream.mapError(({ column, reason, row }) => new ReportUnreadable({ row, column, reason: `row ${row}: ${reason}` }))
  )
}

/** A report that is in memory as a whole, for `ReportReader` of core: its entries by the name of its format. */
import { Buffer } from "node:buffer"
import { createHash } from "node:crypto"
import type { ReportEntry } from "@pointsman/core/connector"
import { Effect, Result, Stream } from "effect"
import { formatNamed } from "./formats/index.ts"
import { ReportUnreadable, readReport } from "./ReadReport.ts"
import { formatOf, headerAtMost, headerOf } from "./ReportFile.ts"
import type { DocumentedFormat } from "./ReportFormat.ts"

const unreadable = (row: number, column: string | null, reason: string) => new ReportUnreadable({ row, column, reason })

/** In chunks, in the order of the file. Fails where it is no report of the format, or is cut off; the reason names the row. */
export const readReportText = (
  format: string,
  file: string | Uint8Array
): Stream.Stream<ReadonlyArray<ReportEntry>, ReportUnreadable> => {
  const found = formatNamed(format)
  if (found === undefined) return Stream.fail(unreadable(0, null, `no format is called ${format}`))
  const bytes = typeof file === "string" ? Buffer.from(file, "utf8") : file
  return readReport(Stream.succeed<Uint8Array>(bytes), found).pipe(
    Stream.map((entries) => entries.map(({ entry }) => entry)),
    Stream.mapError(({ column, reason, row }) => unreadable(row, column, `row ${row}: ${reason}`))
  )
}

/** Its format and its hash, before a row of it is read. */
export const inspectReportText = (
  connector: string,
  format: string | undefined,
  file: Uint8Array
): Effect.Effect<{ readonly format: DocumentedFormat; readonly sha256: string }, ReportUnreadable> => {
  const header = headerOf(new TextDecoder().decode(file.subarray(0, headerAtMost)))
  return Effect.fromResult(
    Result.mapBoth(formatOf(format, connector, { header }), {
      onFailure: ({ field, reason }) => unreadable(0, null, `${field}: ${reason}`),
      onSuccess: (found) => ({ format: found, sha256: createHash("sha256").update(file).digest("hex") })
    })
  )
}

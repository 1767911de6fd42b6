/** Reads the files in which some providers give their reports, by the name of their format. */
import { Context, Schema, Stream } from "effect"
import type { ReportEntry } from "../model/ReportRow.ts"

/** The file is no report of the format, or cannot be read further. The reason shows nothing of what was read. */
export class ReportFileUnreadable extends Schema.TaggedError<ReportFileUnreadable>()("pointsman/ReportFileUnreadable", {
  reason: Schema.String
}) {}

export interface ReportReader {
  /** The entries of the file in its order, in chunks of any size. The same text gives the same entries. */
  readonly read: (
    format: string,
    text: string
  ) => Stream.Stream<ReadonlyArray<ReportEntry>, Pick<ReportFileUnreadable, "reason">>
}

/** A program that provides nothing here fetches no files. */
export const ReportReader = Context.Reference<ReportReader>("pointsman/ports/ReportReader", {
  defaultValue: () => ({
    read: () => Stream.fail(new ReportFileUnreadable({ reason: "this program reads no report files" }))
  })
})

/** Reads the files in which some providers give their reports, by the name of their format. */
import { Context, Effect, Schema, Stream } from "effect"
import type { ReportEntry } from "../model/ReportRow.ts"

/** The file is no report of the format, or cannot be read further. The reason shows nothing of what was read. */
export class ReportFileUnreadable extends Schema.TaggedError<ReportFileUnreadable>()("pointsman/ReportFileUnreadable", {
  reason: Schema.String
}) {}

export interface ReportFormat {
  readonly name: string
  /** Kinds of connections whose provider writes it. */
  readonly kinds: ReadonlyArray<string>
  /** How long after a capture the provider may take to report it, in milliseconds. */
  readonly delayMillis: number
}

export interface InspectedReport {
  readonly format: ReportFormat
  /** Of the file, in lower-case hexadecimal. */
  readonly sha256: string
}

export interface ReportReader {
  /** The entries of the file in its order, in chunks of any size. The same file gives the same entries. */
  readonly read: (
    format: string,
    file: string | Uint8Array
  ) => Stream.Stream<ReadonlyArray<ReportEntry>, Pick<ReportFileUnreadable, "reason">>
  /** The format of that name; else the one that the file's first line has, of those of the connector's provider. */
  readonly inspect: (
    connector: string,
    format: string | undefined,
    file: Uint8Array
  ) => Effect.Effect<InspectedReport, Pick<ReportFileUnreadable, "reason">>
}

const noReader = new ReportFileUnreadable({ reason: "this program reads no report files" })

/** A program that provides nothing here fetches and takes no files. */
export const ReportReader = Context.Reference<ReportReader>("pointsman/ports/ReportReader", {
  defaultValue: () => ({ read: () => Stream.fail(noReader), inspect: () => Effect.fail(noReader) })
})

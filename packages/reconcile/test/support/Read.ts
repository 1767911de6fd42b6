/** Reads a report of a test. */
import { it } from "@effect/vitest"
import {
  formatNamed,
  type NumberedEntry,
  type ReportFormat,
  type ReportUnreadable,
  readReport
} from "@pointsman/reconcile"
import { Effect, Stream } from "effect"

export const itRuns = (title: string, body: () => Effect.fn.Return<unknown, unknown>): void =>
  it.effect(title, () => Effect.gen(body))

export const named = (name: string): ReportFormat => {
  const format = formatNamed(name)
  if (format === undefined) throw new Error(`no format ${name}`)
  return format
}

/** All entries, in one list. */
export const entriesOf = <E>(
  bytes: Stream.Stream<Uint8Array, E>,
  format: ReportFormat
): Effect.Effect<ReadonlyArray<NumberedEntry>, E | ReportUnreadable> =>
  Effect.map(Stream.runCollect(readReport(bytes, format)), (chunks) => chunks.flat())

/** A text as a file of pieces of `size` bytes. */
export const textBytes = (text: string, size = text.length): Stream.Stream<Uint8Array> => {
  const bytes = Buffer.from(text)
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) =>
    bytes.subarray(index * size, (index + 1) * size)
  )
  return Stream.fromIterable(pieces, { chunkSize: 1 })
}

export const entriesOfText = (text: string, format: ReportFormat, size?: number) =>
  entriesOf(textBytes(text, size), format)

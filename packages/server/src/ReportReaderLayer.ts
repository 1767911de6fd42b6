/** Files of reports that a connector downloads, read by the formats of `@pointsman/reconcile`. */
import { Buffer } from "node:buffer"
import { ReportFileUnreadable, ReportReader } from "@pointsman/core/ports"
import { Effect, Layer, Stream } from "effect"

export const reportReaderLayer: Layer.Layer<never> = Layer.succeed(ReportReader, {
  // Loaded where a file is read: a server whose providers give lists has no use for it.
  read: (format, text) =>
    Stream.unwrap(
      Effect.map(
        Effect.promise(() => import("@pointsman/reconcile")),
        readBy(format, text)
      )
    )
})

const readBy = (name: string, text: string) => (reconcile: typeof import("@pointsman/reconcile")) => {
  const format = reconcile.formatNamed(name)
  if (format === undefined) return Stream.fail(new ReportFileUnreadable({ reason: `no format is called ${name}` }))
  return reconcile.readReport(Stream.succeed<Uint8Array>(Buffer.from(text, "utf8")), format).pipe(
    Stream.map((entries) => entries.map(({ entry }) => entry)),
    Stream.mapError(({ reason, row }) => new ReportFileUnreadable({ reason: `row ${row}: ${reason}` }))
  )
}

/** Files of reports that a connector downloads, read by the formats of `@pointsman/reconcile`. */
import { ReportReader } from "@pointsman/core/ports"
import { Effect, Layer, Stream } from "effect"

// Loaded where a file is read: a server whose providers give lists has no use for it.
const reconcile = Effect.promise(() => import("@pointsman/reconcile"))

export const reportReaderLayer: Layer.Layer<never> = Layer.succeed(ReportReader, {
  read: (format, text) => Stream.unwrap(Effect.map(reconcile, ({ readReportText }) => readReportText(format, text)))
})

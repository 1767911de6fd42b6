/** A report that an operator uploads: its form, read while it arrives, and its run, which continues after the answer. */
import { Pointsman } from "@pointsman/core"
import { InProcess } from "@pointsman/http"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { type ConsoleError, failure, internalError } from "../api/Errors.ts"
import { callerOf, type TenantPath } from "../gate/Caller.ts"
import { connections } from "./ReconciliationDesk.ts"

const { validationErrorOf } = InProcess

/** Of a file: what a form of the console may have, less than what surrounds a file in it. */
export const reportBytes = 8_000_000

const tooLarge = failure(
  "payload_too_large",
  "Nothing was read: a file may have 8,000,000 bytes here. Use the command `pointsman reconcile run` for a larger one, or compress it with gzip."
)
/** A connection, a format and a file. */
const partsAtMost = 3
const malformed = validationErrorOf(
  "the form must be `multipart/form-data` with `connection`, one file under `file`, and `format` where it is needed"
)
const tooMany = failure(
  "too_many_requests",
  "Four reports are being read here. Send this one again when one has ended."
)

/** For people and the audit trail: without a folder and control characters. */
const fileNameOf = (text: string): string =>
  (text.split(/[\\/]/u).at(-1) ?? "")
    .replaceAll(/\p{Cc}/gu, " ")
    .trim()
    .toWellFormed()
    .slice(0, 200) || "report"

const readForm = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const parts = yield* Effect.mapError(InProcess.readParts(request, partsAtMost, malformed), ({ error }) =>
    error.code === "payload_too_large" ? tooLarge : malformed
  )
  const text = (name: string) => {
    const { content = "" } = parts.find((part) => part.name === name) ?? {}
    return typeof content === "string" ? content.trim() : ""
  }
  const [file, another] = parts.filter(({ content }) => typeof content !== "string")
  const bytes = file?.content
  // A browser sends an empty file where none was chosen.
  if (typeof bytes === "string" || bytes === undefined || bytes.length === 0 || file?.name !== "file" || another) {
    return yield* Effect.fail(malformed)
  }
  if (bytes.length > reportBytes) return yield* Effect.fail(tooLarge)
  return {
    connection: text("connection"),
    format: text("format") || undefined,
    bytes,
    fileName: fileNameOf(file.fileName ?? "")
  }
})

const beingRead = failure(
  "report_being_read",
  "Another report of this connection is being read. Send this one again when that one has ended."
)

/** Under the operator's login. `isKnown`: the same file was read before, and nothing is changed. */
export const readReport = Effect.fnUntraced(function* (path: TenantPath, request: HttpServerRequest.HttpServerRequest) {
  yield* callerOf(path)
  const { bytes, connection, fileName, format } = yield* readForm(request)
  if (!(yield* connections(path)).some(({ id }) => id === connection)) {
    return yield* Effect.fail(validationErrorOf("`connection` must be the id of a connection of this environment"))
  }
  const { reconciliation } = yield* Pointsman
  const refused = ({ reason }: { readonly reason: string }): Effect.Effect<never, ConsoleError<"validation_error">> =>
    Effect.fail(failure("validation_error", `Nothing was read. ${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`))
  const run = yield* reconciliation.beginFile({ connectionId: connection, fileName, format, bytes }).pipe(
    Effect.catchTags({
      "pointsman/ReportRefused": refused,
      "pointsman/ReportBroken": refused,
      "pointsman/ReportBeingRead": () => Effect.fail(beingRead),
      "pointsman/ReportTaken": () => Effect.fail(beingRead),
      "pointsman/TooManyReports": () => Effect.fail(tooMany),
      "pointsman/StorageError": internalError
    })
  )
  return { id: run.id, isKnown: run.state === "done" }
})

/** The body of evidence, or of a report: a form of texts and files (RFC 7578), read while it arrives, up to its first mistake. */
import { type EvidenceOrder, evidenceLimits } from "@pointsman/core"
import { ByteSize, Effect, Stream } from "effect"
import { HttpIncomingMessage, type HttpServerRequest, Multipart } from "effect/http"
import { evidenceBodyBytes } from "./api/Disputes.ts"
import type { ErrorBody } from "./api/Errors.ts"
import { validationErrorOf } from "./Expectations.ts"
import { tooLarge } from "./JsonBody.ts"

type EvidenceRefusal = ErrorBody<"unsupported_media_type" | "payload_too_large" | "validation_error">

export const formRequired: ErrorBody<"unsupported_media_type"> = {
  error: {
    code: "unsupported_media_type",
    message: "The body must be sent as `Content-Type: multipart/form-data` with a boundary, without a Content-Encoding."
  }
}

export const isEvidenceForm = ({ headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">): boolean => {
  const { "content-encoding": encoding = "identity", "content-type": type = "" } = headers
  return /^multipart\/form-data\s*;.*boundary=/iu.test(type) && encoding.trim().toLowerCase() === "identity"
}

export const readEvidence = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest
): Effect.fn.Return<Pick<EvidenceOrder, "texts" | "files">, EvidenceRefusal> {
  const parts = yield* readParts(request, partsAtMost, tooManyParts)
  const texts = parts.flatMap(({ content, name }) => (typeof content === "string" ? [[name, content] as const] : []))
  const files = parts.flatMap(({ content: bytes, name }) => (typeof bytes === "string" ? [] : [{ name, bytes }]))
  if (new Map(texts).size < texts.length) return yield* Effect.fail(malformed)
  return { texts: Object.fromEntries(texts), files }
})

const partsAtMost = evidenceLimits.texts + evidenceLimits.files

const tooManyParts = validationErrorOf(
  `the form must have at most ${evidenceLimits.texts} texts and ${evidenceLimits.files} files`
)
const malformed = validationErrorOf("the body must be a form of texts and files, each under its name")

const tooLargeForm = tooLarge(evidenceBodyBytes)

export interface FormPart {
  readonly name: string
  readonly content: string | Uint8Array
  /** As the client names the file; `undefined` for a text. */
  readonly fileName: string | undefined
}

/** `tooMany`: the refusal of one part more than `most`. */
export const readParts = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  most: number,
  tooMany: EvidenceRefusal
): Effect.fn.Return<ReadonlyArray<FormPart>, EvidenceRefusal> {
  if (!isEvidenceForm(request)) return yield* Effect.fail(formRequired)
  // A declared length is refused before any byte of the body is read.
  if (Number(request.headers["content-length"]) > evidenceBodyBytes) return yield* Effect.fail(tooLargeForm)
  return yield* partsOf(request, most, tooMany)
})

/**
 * Reading ends at the first part above the limit: what follows is neither kept nor parsed. It may be interrupted when the
 * client goes away, also inside a handler that otherwise runs to its end.
 */
const partsOf = (request: HttpServerRequest.HttpServerRequest, most: number, tooMany: EvidenceRefusal) =>
  Effect.suspend(() => {
    let read = 0
    const isTooLarge = () => read > evidenceBodyBytes
    return request.stream.pipe(
      Stream.mapEffect((piece) => {
        read += piece.length
        return isTooLarge() ? Effect.fail(tooLargeForm) : Effect.succeed(piece)
      }),
      Stream.pipeThroughChannel(Multipart.makeChannel(request.headers)),
      Stream.mapEffect((part) =>
        Effect.map(
          part._tag === "Field" ? Effect.succeed<string | Uint8Array>(part.value) : part.contentEffect,
          (content): FormPart => ({ name: part.key, content, fileName: part._tag === "Field" ? undefined : part.name })
        )
      ),
      Stream.runCollect,
      Effect.interruptible,
      // The parser throws where the form ends, or a part begins, inside the headers of the first part.
      Effect.catchDefect(() => Effect.fail(Multipart.MultipartError.fromReason("Parse"))),
      Effect.mapError((failure): EvidenceRefusal => {
        // A part that is read when it becomes so gives a failure of its own for it.
        if (isTooLarge()) return tooLargeForm
        return "reason" in failure && failure.reason._tag === "TooManyParts" ? tooMany : malformed
      }),
      Effect.provideService(Multipart.MaxParts, most),
      Effect.provideService(Multipart.MaxFieldSize, ByteSize.bytes(evidenceBodyBytes)),
      Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(evidenceBodyBytes))
    )
  })

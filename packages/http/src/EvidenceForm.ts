/** The body of evidence: a form of texts and files (RFC 7578), read once it has arrived, up to its size. */
import type { EvidenceOrder } from "@pointsman/core"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { evidenceBodyBytes } from "./api/Disputes.ts"
import type { ErrorBody } from "./api/Errors.ts"
import { validationErrorOf } from "./Expectations.ts"
import { readBytes } from "./JsonBody.ts"

type EvidenceRefusal = ErrorBody<"unsupported_media_type" | "payload_too_large" | "validation_error" | "internal_error">

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
  const { "content-type": type = "" } = request.headers
  if (!isEvidenceForm(request)) return yield* Effect.fail(formRequired)
  const bytes = yield* Effect.mapError(
    readBytes(request, evidenceBodyBytes),
    ({ error }): EvidenceRefusal =>
      error.code === "payload_too_large"
        ? { error: { ...error, code: error.code } }
        : { error: { code: "internal_error", message: "The request could not be read. Nothing was changed." } }
  )
  return yield* Effect.tryPromise({
    try: () => parse(bytes, type),
    catch: () => validationErrorOf("the body must be a form of texts and files, each under its name")
  })
})

const parse = async (bytes: Uint8Array, type: string): Promise<Pick<EvidenceOrder, "texts" | "files">> => {
  // A copy, because a form is read from bytes of its own.
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData()
  const texts: Array<readonly [string, string]> = []
  const files: Array<EvidenceOrder["files"][number]> = []
  for (const [name, value] of form) {
    if (typeof value === "string") texts.push([name, value])
    else files.push({ name, bytes: new Uint8Array(await value.arrayBuffer()) })
  }
  const names = texts.map(([name]) => name)
  if (new Set(names).size < names.length) throw new Error("a name comes twice")
  return { texts: Object.fromEntries(texts), files }
}

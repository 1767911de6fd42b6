/**
 * Reads the JSON body of a request, strictly. What two readers could understand differently is refused: a key that
 * occurs twice in one object, bytes that are not UTF-8, a byte order mark.
 */
import { ByteSize, Effect } from "effect"
import { HttpIncomingMessage, type HttpServerError, type HttpServerRequest } from "effect/http"
import type { ErrorBody } from "./api/Errors.ts"

export type BodyRefusal = ErrorBody<"unsupported_media_type" | "payload_too_large" | "invalid_json">

/** Objects and arrays inside each other. The deepest field of the API lies 3 deep; ignored fields may go deeper. */
const maximumDepth = 64
/** A number with a longer text is refused as `invalid_json`. */
const numberCharacters = 40

/**
 * The parsed body. The checks, in their order: media type, size while it streams, JSON.
 *
 * Reading may be interrupted when the client goes away, also inside a handler that otherwise runs to its end.
 */
export const readJson = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  maximumBytes: number
): Effect.fn.Return<unknown, BodyRefusal> {
  if (!isPlainJson(request)) return yield* Effect.fail(unsupportedMediaType)
  return yield* parseJson(yield* readBytes(request, maximumBytes))
})

/** As `readJson`, for a body that may be left out: `undefined` for none. What is empty needs no media type. */
export const readOptionalJson = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  maximumBytes: number
): Effect.fn.Return<unknown, BodyRefusal> {
  const isJson = isPlainJson(request)
  const bytes = yield* Effect.mapError(readBytes(request, maximumBytes), (refusal) =>
    isJson ? refusal : unsupportedMediaType
  )
  if (bytes.length === 0) return undefined
  if (!isJson) return yield* Effect.fail(unsupportedMediaType)
  return yield* parseJson(bytes)
})

/** The body as it came, of whatever media type, up to a size that is checked while it streams. */
export const readBytes = Effect.fnUntraced(function* (
  request: HttpServerRequest.HttpServerRequest,
  maximumBytes: number
): Effect.fn.Return<Uint8Array, ErrorBody<"payload_too_large" | "invalid_json">> {
  // A declared length is refused before any byte of the body is read.
  if (Number(request.headers["content-length"]) > maximumBytes) return yield* Effect.fail(tooLarge(maximumBytes))
  const whole = wholeBody(request.source)
  if (whole !== undefined) {
    return whole.length > maximumBytes ? yield* Effect.fail(tooLarge(maximumBytes)) : whole
  }
  const buffer = yield* request.arrayBuffer.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(maximumBytes)),
    Effect.interruptible,
    Effect.mapError((error) => (isTooLarge(error) ? tooLarge(maximumBytes) : invalidJson("the body could not be read")))
  )
  return new Uint8Array(buffer)
})

/** What Node's `IncomingMessage` has besides its headers; a web `Request` has none of it. */
interface NodeMessage {
  readonly complete?: boolean
  readonly destroyed?: boolean
  readonly readableDidRead?: boolean
  readonly read?: () => Uint8Array | null
}

/**
 * The body of a request of Node that has arrived whole, as most do with their headers: taken at once, since waiting for
 * the end of its stream costs more than parsing and checking it. `undefined`: it has to be waited for.
 */
const wholeBody = (source: NodeMessage): Uint8Array | undefined => {
  if (source.complete !== true || source.destroyed === true || source.readableDidRead === true) return undefined
  // A copy: Node's buffer is a part of a larger one.
  return new Uint8Array(source.read?.() ?? [])
}

/** No media type at all is JSON. A `charset` has no meaning for JSON (RFC 8259, section 8.1) and is not looked at. */
const isPlainJson = (request: HttpServerRequest.HttpServerRequest): boolean => {
  const mediaType = (request.headers["content-type"] ?? "application/json").split(";", 1)[0] as string
  const encoding = request.headers["content-encoding"] ?? "identity"
  return mediaType.trim().toLowerCase() === "application/json" && encoding.trim().toLowerCase() === "identity"
}

const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"

export const unsupportedMediaType: BodyRefusal = {
  error: {
    code: "unsupported_media_type",
    message: "The body must be sent as `Content-Type: application/json`, without a Content-Encoding."
  }
}

export const tooLarge = (maximumBytes: number): ErrorBody<"payload_too_large"> => ({
  error: { code: "payload_too_large", message: `The body must not be larger than ${maximumBytes} bytes.` }
})

export const invalidJson = (why: string): ErrorBody<"invalid_json"> => ({
  error: { code: "invalid_json", message: `The body is not valid JSON: ${why}.` }
})

const parseJson = (bytes: Uint8Array): Effect.Effect<unknown, BodyRefusal> => {
  let text: string
  let value: unknown
  try {
    text = utf8.decode(bytes)
  } catch {
    return Effect.fail(invalidJson("invalid UTF-8"))
  }
  try {
    value = JSON.parse(text)
  } catch {
    // The parser's own message quotes the body, which may hold a token.
    return Effect.fail(invalidJson(text === "" ? "the body is empty" : "syntax error"))
  }
  const fault = faultOf(text)
  if (fault !== undefined) return Effect.fail(invalidJson(fault))
  return Effect.succeed(longNumber.test(text) ? JSON.parse(text, inexactToNaN) : value)
}

/** A byte order mark is kept, so that the parser refuses it (RFC 8259, section 8.1). */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })

/**
 * What is wrong with a text that parses. It walks the tokens of a text that `JSON.parse` took, and can therefore
 * tell strings from keys by the colon that follows, and skip everything else. So it accepts no more than `JSON.parse`, which
 * a strict parser of our own or of npm may.
 */
const faultOf = (text: string): string | undefined => {
  /** The keys of each object around here; `undefined` for an array. */
  const open: Array<Set<string> | undefined> = []
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case "{":
      case "[":
        open.push(text[at] === "{" ? new Set() : undefined)
        if (open.length > maximumDepth) return `nested deeper than ${maximumDepth} levels`
        break
      case "}":
      case "]":
        open.pop()
        break
      case '"': {
        const start = at
        at = endOfString(text, start)
        whitespace.lastIndex = at + 1
        whitespace.test(text)
        const keys = open.at(-1)
        if (keys === undefined || text[whitespace.lastIndex] !== ":") break
        // Two spellings of one key, with and without escapes, are one key.
        const key: string = JSON.parse(text.slice(start, at + 1))
        if (keys.has(key)) return "duplicate key in an object"
        keys.add(key)
        break
      }
      default: {
        if (!isNumberStart(text.charCodeAt(at))) break
        const start = at
        while (isNumberPart(text.charCodeAt(at + 1))) at++
        if (at + 1 - start > numberCharacters) return `a number with more than ${numberCharacters} characters`
      }
    }
  }
  return undefined
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57
/** A digit, or `-`. */
const isNumberStart = (code: number): boolean => isDigit(code) || code === 45
/** Also `.`, `+`, `e` and `E`. */
const isNumberPart = (code: number): boolean =>
  isNumberStart(code) || code === 46 || code === 43 || code === 101 || code === 69

/** Sticky, and it matches nothing too: after a test, `lastIndex` is behind the white space. */
const whitespace = /[ \t\n\r]*/uy

/** The index of the closing quote of the string that opens at `start`. */
const endOfString = (text: string, start: number): number => {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1
  return at
}

/** More digits than a double surely holds (15). Rare, so that the slower parse below is rare. */
const longNumber = /[0-9.]{16}/u

/**
 * A number that a double cannot hold as it was written becomes `NaN`, which no field takes: 50.000000000000000001
 * must not pass for 50. Zeros at either end mean nothing.
 */
const inexactToNaN = (_key: string, value: unknown, context?: { readonly source: string }): unknown => {
  if (typeof value !== "number" || context === undefined) return value
  const digits = (context.source.split(/[eE]/u, 1)[0] as string).replace(/[-.]/gu, "")
  return significant(digits) > 15 ? Number.NaN : value
}

/** How many digits are left without the zeros at either end. */
const significant = (digits: string): number => {
  let start = 0
  let end = digits.length
  while (start < end && digits[start] === "0") start++
  while (end > start && digits[end - 1] === "0") end--
  return end - start
}

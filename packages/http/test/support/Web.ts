/** The API as a function from `Request` to `Response`, over any implementation. */
import type { Pointsman } from "@pointsman/core"
import { Ids } from "@pointsman/core/ports"
import * as PointsmanHttp from "@pointsman/http"
import { type ErrorCode, PaymentEnvelope, replayedCodes } from "@pointsman/http/api"
import { Cause, Context, Layer, Logger, References, Schema } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

export interface Reply {
  readonly status: number
  readonly headers: Headers
  /** The parsed body; `undefined` for none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
  readonly body: any
}

export interface Sent {
  readonly method?: string
  readonly key?: string | undefined
  readonly headers?: Record<string, string>
  /** A string or bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown
}

export interface Web {
  /** The log, as text with its annotations. */
  readonly log: ReadonlyArray<string>
  readonly send: (path: string, sent?: Sent) => Promise<Reply>
  readonly fetch: (request: Request) => Promise<Response>
  readonly close: () => Promise<void>
}

export const serve = (
  pointsman: Layer.Layer<Pointsman>,
  options?: PointsmanHttp.Options,
  references: ReadonlyArray<Layer.Layer<never>> = [],
  /** What every request runs with, such as a clock of the test's own. */
  ambient: Context.Context<never> = Context.empty()
): Web => {
  const log: Array<string> = []
  const logger = Logger.make<unknown, void>(({ cause, fiber, message }) => {
    const annotations = fiber.getRef(References.CurrentLogAnnotations)
    log.push(`${JSON.stringify(message)} ${JSON.stringify(annotations)} ${Cause.pretty(cause)}`)
  })
  const { dispose, handler } = HttpRouter.toWebHandler(
    PointsmanHttp.layer(options).pipe(
      Layer.provide([pointsman, Ids.layer, ...references]),
      Layer.provideMerge([HttpServer.layerServices, Logger.layer([logger]), Layer.succeedContext(ambient)])
    ),
    { disableLogger: true }
  )
  return {
    log,
    send: async (path, sent = {}) => replyOf(path, sent, await handler(requestOf(path, sent))),
    fetch: (request) => handler(request),
    close: dispose
  }
}

const requestOf = (path: string, sent: Sent): Request => {
  const { body } = sent
  const raw = body === undefined || typeof body === "string" || body instanceof Uint8Array
  return new Request(`http://pointsman.test${path}`, {
    method: sent.method ?? (body === undefined ? "GET" : "POST"),
    headers: {
      ...(sent.key === undefined ? {} : { authorization: `Bearer ${sent.key}` }),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...sent.headers
    },
    ...(body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as string })
  })
}

const replyOf = async (path: string, sent: Sent, response: Response): Promise<Reply> => {
  const text = await response.text()
  const body = text === "" ? undefined : JSON.parse(text)
  if (response.ok && isMethodOfPayments(path, sent)) decodePayment(body)
  if (body?.error !== undefined) takeRequestId(body, response.headers)
  return { status: response.status, headers: response.headers, body }
}

/** The id of the request is left out of the reply, so that two answers can be compared. */
const takeRequestId = (
  { error }: { readonly error: { readonly code: ErrorCode; request_id?: string } },
  headers: Headers
): void => {
  const expected = replayedCodes.has(error.code) ? undefined : headers.get("x-request-id")
  if (error.request_id !== expected) throw new Error(`request_id of ${error.code} is ${error.request_id}`)
  delete error.request_id
}

/** A create, a capture, a void or a refund: their answers are written without the codec. */
const isMethodOfPayments = (path: string, { body, method = body === undefined ? "GET" : "POST" }: Sent): boolean =>
  method === "POST" && /^\/api\/v1\/payments(?:$|[/?])/u.test(path)

const decodePayment = Schema.decodeUnknownSync(PaymentEnvelope, { errors: "all", onExcessProperty: "error" })

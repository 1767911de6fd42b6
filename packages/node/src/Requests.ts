/**
 * The API for requests: of Node's own kind, and of the web's. Each one is counted until it is answered, so that a close
 * can wait for it.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http"
import { Effect } from "effect"
import type { Gate } from "./calls/RunCall.ts"
import type { Pointsman } from "./Pointsman.ts"
import { sendWebResponse, webRequest } from "./WebMessages.ts"

export interface Routes {
  readonly native: (request: IncomingMessage, response: ServerResponse) => void
  readonly web: (request: Request) => Promise<Response>
}

export interface RequestsOptions {
  readonly gate: Gate
  /** Loads and builds the routes. */
  readonly open: () => Promise<Routes>
  readonly docs: boolean
  readonly hasPages: boolean
  /** How long an idle connection is kept. */
  readonly keepAliveMillis: number
  /** Tells the log of a mistake in how the program is put together. */
  readonly warn: (message: string) => void
}

export interface Requests extends Pick<Pointsman, "handler" | "listener"> {
  /** After the gate was shut: nothing was done yet for a request that did not arrive whole, and its rest may never come. */
  readonly cutUnfinished: Effect.Effect<void>
}

export const makeRequests = ({ docs, gate, hasPages, keepAliveMillis, open, warn }: RequestsOptions): Requests => {
  const underWay = new Map<ServerResponse, IncomingMessage>()
  const isOurs = (url: string) => {
    const path = url.split("?", 1)[0] ?? ""
    return (
      /^\/api\/v1(?:\/|$)/u.test(path) ||
      (hasPages && path.startsWith("/hosted/")) ||
      (docs && /^\/docs\/?$/u.test(path))
    )
  }

  let opened: Routes | undefined
  let opening: Promise<Routes> | undefined
  /** Requests that come meanwhile wait for the same; after a failure, the next one tries again. */
  const routes = (): Promise<Routes> => {
    opening ??= open().then(
      (found) => (opened = found),
      (cause: unknown) => {
        opening = undefined
        warn(`${unopened} ${cause instanceof Error ? cause.message : String(cause)}`)
        return withoutRoutes
      }
    )
    return opening
  }
  const web = async (request: Request) => (opened ?? (await routes())).web(request)

  const serve = (request: IncomingMessage, response: ServerResponse) => {
    if (!wasRead(request)) {
      if (opened !== undefined) return opened.native(request, response)
      return void routes().then(({ native }) => native(request, response))
    }
    const raw = rawBodyOf(request)
    if (raw !== undefined) return void answerFromBytes(request, response, raw, web)
    warn(bodyGone)
    answerJson(response, 500, { error: { code: "internal_error", message: bodyGone } })
  }

  return {
    handler: async (request) => {
      const leave = gate.enter()
      if (leave === undefined) {
        return Response.json(closing, { status: 503, headers: { "retry-after": "1" } })
      }
      try {
        if (!request.bodyUsed) return await web(request)
        warn(requestRead)
        return Response.json({ error: { code: "internal_error", message: requestRead } }, { status: 500 })
      } finally {
        leave()
      }
    },
    listener: (request, response, next) => {
      if (next === undefined) keepAlive(request, keepAliveMillis)
      else if (!isOurs(request.url ?? "")) return next()
      const leave = gate.enter()
      if (leave === undefined) {
        response.setHeader("retry-after", "1")
        response.setHeader("connection", "close")
        return answerJson(response, 503, closing)
      }
      underWay.set(response, request)
      response.once("close", () => {
        underWay.delete(response)
        leave()
      })
      serve(request, response)
    },
    cutUnfinished: Effect.sync(() => {
      for (const request of underWay.values()) if (!request.complete) request.destroy()
    })
  }
}

/**
 * For a server whose only listener this is. Node closes an idle connection after five seconds, and a balancer that
 * keeps it for longer then sends a request that the server no longer reads. A time that the program chose longer is
 * left alone.
 */
const keepAlive = ({ socket }: IncomingMessage, millis: number): void => {
  const { server } = socket as { readonly server?: Partial<Server> | undefined }
  if (typeof server?.keepAliveTimeout !== "number" || server.keepAliveTimeout >= millis) return
  server.keepAliveTimeout = millis
  if (typeof server.headersTimeout !== "number" || server.headersTimeout === 0) return
  server.headersTimeout = Math.max(server.headersTimeout, millis + headersMillis)
}

/** A request that begins as its connection's time ends still has this long for its headers. */
const headersMillis = 5_000

const closing = { error: { code: "internal_error", message: "The server is stopping. Nothing was done." } }

const unopened = "The routes could not be loaded. Nothing was done."

const withoutRoutes: Routes = {
  native: (_, response) => answerJson(response, 500, { error: { code: "internal_error", message: unopened } }),
  web: () => Promise.resolve(Response.json({ error: { code: "internal_error", message: unopened } }, { status: 500 }))
}

const bodyGone =
  "The body of this request was already consumed: register `pointsman.listener` before body parsers " +
  "such as express.json(), or have them keep the bytes as `request.rawBody`. Nothing was done."

const requestRead =
  "The body of this Request was already consumed: pass it to `pointsman.handler` first, or read a " +
  "`request.clone()`. Nothing was done."

/** Whether a body parser came first. What has no body may have been looked at by anybody. */
const wasRead = (request: IncomingMessage): boolean =>
  request.readableDidRead && request.method !== "GET" && request.method !== "HEAD"

/** What some frameworks and `verify` of express.json() keep. Bytes alone: a text may not be what was signed. */
const rawBodyOf = (request: IncomingMessage): Uint8Array | undefined => {
  const raw: unknown = Reflect.get(request, "rawBody")
  return raw instanceof Uint8Array ? raw : undefined
}

const answerFromBytes = async (
  request: IncomingMessage,
  response: ServerResponse,
  body: Uint8Array,
  web: (request: Request) => Promise<Response>
): Promise<void> => {
  try {
    const asked = webRequest(request, new URL(request.url ?? "/", "http://localhost"), body)
    // A header that was sent twice cannot be told from one with a comma any more: the routes look here.
    Object.defineProperty(asked, "rawHeaders", { value: request.rawHeaders })
    await sendWebResponse(await web(asked), response)
  } catch {
    response.destroy()
  }
}

const answerJson = (response: ServerResponse, status: number, body: unknown): void => {
  response.statusCode = status
  response.setHeader("content-type", "application/json")
  response.end(JSON.stringify(body))
}

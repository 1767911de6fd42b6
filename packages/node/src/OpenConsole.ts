/** `pointsman.console`: `@pointsman/console` for the web's requests and for Node's own. */
import type { IncomingMessage, ServerResponse } from "node:http"
import * as Configuration from "@pointsman/configuration"
import { Directory } from "@pointsman/core/ports"
import { Effect, Layer, Redacted, Result } from "effect"
import type { ConsoleOptions, MountedConsole } from "./Console.ts"
import { fromStore, type Gate, makeCall, type Run, type Services } from "./calls/RunCall.ts"
import { takeBody } from "./FormBody.ts"
import { consoleFields, wrong } from "./Orders.ts"
import type { PointsmanSettings } from "./Settings.ts"
import { sendWebResponse, webRequest } from "./WebMessages.ts"

export interface ConsolesOptions {
  readonly run: Run
  readonly gate: Gate
  readonly settings: Pick<PointsmanSettings, "baseUrl">
  /** Reports a mistake in how the program is put together. */
  readonly warn: (message: string) => void
}

export interface Consoles {
  readonly open: (options: ConsoleOptions) => Promise<MountedConsole>
  /** Ends responses that are streams. Other requests continue. */
  readonly stop: () => void
  /** After the last request. */
  readonly close: () => Promise<void>
}

export const makeConsoles = ({ gate, run, settings, warn }: ConsolesOptions): Consoles => {
  const call = makeCall(run, gate)
  const disposals: Array<() => Promise<void>> = []
  const stopping = new AbortController()

  const open = Effect.fnUntraced(function* (given: unknown) {
    const { basePath = "/", isSecure, mount: path, sourceOf, ...file } = yield* consoleFields(given)
    // Most programs have no console, and do not wait for its code.
    const { make, maxBodyBytes, mountExpected, parseMount, pathUnder } = yield* Effect.promise(
      () => import("@pointsman/console")
    )
    const mount = typeof path === "string" ? parseMount(path) : undefined
    if (typeof path !== "string" || mount === undefined) {
      return yield* Effect.fail(wrong(`\`mount\` must be ${mountExpected}.`))
    }
    if (typeof basePath !== "string" || parseMount(basePath) === undefined) {
      return yield* Effect.fail(wrong(`\`basePath\` must be ${mountExpected}.`))
    }
    if (isSecure !== undefined && typeof isSecure !== "boolean") {
      return yield* Effect.fail(wrong("`isSecure` must be true or false."))
    }
    if (sourceOf !== undefined && typeof sourceOf !== "function") {
      return yield* Effect.fail(wrong("`sourceOf` must be a function from a request to an address."))
    }
    const settled = yield* checkConsole(file)
    const services = yield* Effect.context<Services>()
    const { dispose, handler } = make(
      {
        mount: path,
        basePath,
        isSecure: isSecure ?? (settings.baseUrl?.startsWith("https:") === true ? true : undefined),
        ...settled,
        stopping: stopping.signal
      },
      Layer.succeedContext(services)
    )
    disposals.push(dispose)

    /** Counted until there is an answer: a close waits for what moves money, and not for a stream. */
    const ask = async (request: Request, source: unknown): Promise<Response> => {
      const leave = gate.enter()
      if (leave === undefined) return failed(503, "The server is stopping. Nothing was done.", { "retry-after": "1" })
      try {
        return await handler(request, { source: typeof source === "string" ? source : undefined })
      } finally {
        leave()
      }
    }

    const answer = async (request: IncomingMessage, response: ServerResponse): Promise<Response> => {
      const url = urlOf(request)
      if (url === null) return failed(400, "The request's URL or `Host` header is malformed.")
      const taken = await takeBody(request, maxBodyBytes)
      if (taken === undefined) {
        warn(bodyGone)
        return failed(500, bodyGone)
      }
      const source = sourceOf === undefined ? addressOf(request) : sourceOf(request)
      const answered = await ask(webRequest(request, url, taken.body), source)
      taken.drop()
      // The rest of it is not waited for.
      if (!request.complete) response.shouldKeepAlive = false
      return answered
    }

    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      try {
        await sendWebResponse(await answer(request, response), response)
      } catch (error) {
        // A client that went away has broken nothing.
        if (response.destroyed) return
        warn(`A request to the console failed: ${error instanceof Error ? error.message : "unknown cause"}`)
        if (response.headersSent) response.destroy()
        else await sendWebResponse(failed(500, "Internal server error."), response)
      }
    }

    const mounted: MountedConsole = {
      handler: async (request, from) => {
        if (!request.bodyUsed) return ask(request, from?.source)
        warn(requestRead)
        return failed(500, requestRead)
      },
      listener: (request, response, next) => {
        const isOurs = pathUnder(mount, originalUrl(request).split("?", 1)[0] ?? "") !== undefined
        if (next !== undefined && !isOurs) return next()
        void serve(request, response)
      }
    }
    return mounted
  })

  return {
    open: (options) => call(open(options)),
    stop: () => stopping.abort(),
    close: async () => {
      for (const dispose of disposals) await dispose()
    }
  }
}

/** What the server has in its configuration file. */
const checkConsole = Effect.fnUntraced(function* (given: Readonly<Record<string, unknown>>) {
  const { workspaces } =
    given["oidc"] === undefined ? { workspaces: [] } : yield* fromStore((yield* Directory).contents)
  const understood = Configuration.understandConsole(given, new Set(workspaces.map(({ id }) => id)))
  if (Result.isFailure(understood)) {
    const mistakes = understood.failure.map(({ message, path }) => `\`${Configuration.formatPath(path)}\`: ${message}.`)
    return yield* Effect.fail(wrong(mistakes.join(" ")))
  }
  const { oidc, ...plain } = understood.success
  return { ...plain, oidc: oidc && { ...oidc, clientSecret: Redacted.make(oidc.clientSecret) } }
})

/** Express and Connect take the path of a mount off `url`. */
const originalUrl = (request: IncomingMessage & { readonly originalUrl?: unknown }): string =>
  typeof request.originalUrl === "string" ? request.originalUrl : (request.url ?? "")

const urlOf = (request: IncomingMessage): URL | null => {
  const path = originalUrl(request)
  const { encrypted } = request.socket as { readonly encrypted?: boolean }
  const host = request.headers.host ?? request.headers[":authority"] ?? "localhost"
  return path.startsWith("/") ? URL.parse(`${encrypted === true ? "https" : "http"}://${String(host)}${path}`) : null
}

const addressOf = (request: IncomingMessage): string | undefined => request.socket.remoteAddress

const failed = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json({ error: { code: "internal_error", message } }, { status, headers })

const bodyGone =
  "The body of this request was already consumed: register the console's `listener` before this body parser, or have it " +
  "keep the fields as `request.body` or the bytes as `request.rawBody`. Nothing was done."

const requestRead =
  "The body of this Request was already consumed: pass it to the console's `handler` first, or read a " +
  "`request.clone()`. Nothing was done."

/**
 * Streamable HTTP without sessions: each request has a server and a transport of its own, and its answer is one JSON
 * document (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports). The SDK compares `Host` and
 * `Origin` with the allowed ones: a web page that had its name resolved to this machine is refused ("Security Warning"
 * there).
 */
import { createHash, timingSafeEqual } from "node:crypto"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Server } from "@modelcontextprotocol/sdk/server/index.js"
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js"
import { Console, Effect, Redacted } from "effect"
import { listen } from "../Listener.ts"
import { makeSources } from "../SourceOf.ts"

export interface HttpOptions {
  readonly host: string
  readonly port: number
  readonly token: Redacted.Redacted<string>
  /** Values of `Host` besides those of this machine, such as `mcp.example.com`. */
  readonly hosts: ReadonlyArray<string>
  /** Values of `Origin`: of web pages that may call it. */
  readonly origins: ReadonlyArray<string>
}

/** A call has some hundred characters; a longer reason is refused. */
export const mostMessageBytes = 65_536

/** Each holds a body and an answer of at most 200,000 characters. */
const requestsAtOnce = 16

const names = { host: "--host", port: "--port" }

/** Runs until it is interrupted. */
export const serveHttp = Effect.fnUntraced(function* (makeServer: () => Server, options: HttpOptions) {
  const limits = { sources: makeSources([]), keepAliveMillis: 5_000, requestTimeoutMillis: 10_000, names }
  const listener = yield* listen({ ...options, ...limits })
  const local = ["127.0.0.1", "localhost", "[::1]"].map((name) => `${name}:${listener.port}`)
  const allowed = {
    enableDnsRebindingProtection: true,
    allowedHosts: [...local, ...options.hosts],
    // The SDK compares where the list is not empty. No page is served here, so that this origin has none.
    allowedOrigins: [listener.url, ...options.origins]
  }
  const isToken = comparedWith(options.token)
  let underWay = 0
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (pathOf(request) !== "/mcp") return refuse(response, 404, "Not found: the endpoint is /mcp")
    if (!isToken(request.headers.authorization)) {
      response.setHeader("www-authenticate", "Bearer")
      return refuse(response, 401, "Unauthorized: send the token as `Authorization: Bearer …`")
    }
    // There are no sessions and no messages of the server's own.
    if (request.method !== "POST") {
      response.setHeader("allow", "POST")
      return refuse(response, 405, "Method not allowed: use POST")
    }
    const body = await readBody(request)
    if (body === undefined) return refuse(response, 413, `Payload too large: at most ${mostMessageBytes} bytes`)
    const message = parsed(body)
    if (typeof message !== "object" || message === null || Array.isArray(message)) {
      return refuse(response, 400, "Bad request: expected one JSON-RPC message")
    }
    const server = makeServer()
    const transport = new StreamableHTTPServerTransport({ ...allowed, enableJsonResponse: true })
    response.once("close", () => void server.close())
    await server.connect(transport)
    await transport.handleRequest(request, response, message)
  }
  yield* Effect.addFinalizer(() => listener.drain(5_000))
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  listener.serve((request, response) => {
    if (underWay >= requestsAtOnce) return refuse(response, 503, "Too many requests at once: try again in a second")
    underWay += 1
    response.once("close", () => {
      underWay -= 1
    })
    runFork(
      Effect.catch(
        Effect.tryPromise(() => answer(request, response)),
        ({ cause }) =>
          Effect.andThen(
            Effect.logWarning("a request could not be answered", cause),
            Effect.sync(() => response.destroy())
          )
      )
    )
  })
  yield* Console.error(`Listening on ${listener.url}/mcp.`)
  return yield* Effect.never
}, Effect.scoped)

const pathOf = ({ url = "" }: IncomingMessage): string => url.split("?", 1)[0] ?? ""

const digest = (text: string) => createHash("sha256").update(text).digest()

const comparedWith = (token: Redacted.Redacted<string>) => {
  const expected = digest(`Bearer ${Redacted.value(token)}`)
  return (given: string | undefined): boolean => timingSafeEqual(digest(given ?? ""), expected)
}

/** `undefined`: too long, or the client left. What else comes is let go, until the request's time is over. */
const readBody = (request: IncomingMessage): Promise<Buffer | undefined> =>
  new Promise((resolve) => {
    const pieces: Array<Buffer> = []
    let length = 0
    request.on("data", (piece: Buffer) => {
      length += piece.length
      if (length <= mostMessageBytes) pieces.push(piece)
      else resolve(undefined)
    })
    request.once("end", () => resolve(Buffer.concat(pieces)))
    for (const ended of ["close", "error"]) request.once(ended, () => resolve(undefined))
  })

const parsed = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString("utf8"))
  } catch {
    return undefined
  }
}

/** As the SDK writes its own refusals. */
const refuse = (response: ServerResponse, status: number, message: string): void => {
  const body = { jsonrpc: "2.0", error: { code: -32_000, message }, id: null }
  response.writeHead(status, { "content-type": "application/json", connection: "close" }).end(JSON.stringify(body))
}

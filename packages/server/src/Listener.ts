/**
 * The listening socket. It is taken before anything is changed, so that a second server by mistake touches nothing,
 * and it is given up first when the server stops.
 */
import { createServer, type RequestListener, type Server, type ServerResponse } from "node:http"
import { createServer as createSecureServer, Server as SecureServer } from "node:https"
import type { AddressInfo } from "node:net"
import type { SecureContextOptions } from "node:tls"
import { Clock, Deferred, Effect, Fiber, Redacted, type Scope } from "effect"
import { type Connections, makeConnections } from "./Connections.ts"
import { type BoundedRequest, boundedRequest, makeRequestBodies, type Refusal } from "./RequestBodies.ts"
import { asText, type Sources } from "./SourceOf.ts"
import { StartFailure } from "./StartFailure.ts"
import type { TlsCertificate } from "./TlsCertificate.ts"

/** How long a stop waits for the rest of a request, in milliseconds: as long as a slow client's network may stall. */
const wholeWithinMillis = 5_000

export interface Listener {
  /** `http://127.0.0.1:3000`, with TLS `https://127.0.0.1:3000`; an address of all interfaces shows as `localhost`. */
  readonly url: string
  /** The one that was found, where 0 was asked for. */
  readonly port: number
  /** Until it is called, requests are answered 503. */
  readonly serve: (handler: RequestListener) => void
  /** For the handshakes that begin from now on. */
  readonly useCertificate: (certificate: TlsCertificate) => void
  /**
   * Takes no more connections and requests, and waits until the requests under way are answered, but no longer
   * than `limitMillis`. Gives how many were left.
   */
  readonly drain: (limitMillis: number) => Effect.Effect<number>
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** The settings of host and port, as messages name them: "HOST (--host)". */
  readonly names: { readonly host: string; readonly port: string }
  readonly sources: Sources
  /** Serves HTTPS, and no HTTP. HTTP unless set. */
  readonly certificate?: TlsCertificate | undefined
  /** How long an idle connection is kept, in milliseconds. */
  readonly keepAliveMillis: number
  /** How long a request may take to arrive whole, in milliseconds. */
  readonly requestTimeoutMillis: number
}

/** How often connections are looked at for requests and responses that take too long. */
const lookEveryMillis = 1_000

/** `first`: of who is ready before the first request can come, and answers none with 503. */
export const listen = (
  options: ListenOptions,
  first?: RequestListener
): Effect.Effect<Listener, StartFailure, Scope.Scope> =>
  Effect.gen(function* () {
    const underWay = new Map<ServerResponse, BoundedRequest>()
    const bodies = makeRequestBodies(refuseBody)
    const idle = yield* Deferred.make<void>()
    let handler = first
    let draining = false

    const sourceOf = ({ headers, socket }: BoundedRequest) =>
      options.sources.sourceOf(socket.remoteAddress, asText(headers["x-forwarded-for"]))
    const connections = makeConnections({
      sources: options.sources,
      begin: (request, response) => {
        if (handler === undefined || draining) return refuse(response)
        underWay.set(response, request)
        handler(request, response)
      },
      end: (request, response) => {
        bodies.end(request)
        underWay.delete(response)
        if (!draining) return
        server.closeIdleConnections()
        if (underWay.size === 0) Deferred.doneUnsafe(idle, Effect.void)
      }
    })
    const onRequest = (request: BoundedRequest, response: ServerResponse) => {
      // Node's parser takes HTTP/0.9, which has no headers, and a request line of HTTP/2.
      if (request.httpVersionMajor !== 1) return void response.writeHead(505, { connection: "close" }).end()
      if (bodies.begin(request, response, sourceOf)) connections.enter(request, response)
    }
    /** Nothing was done yet for a request that did not arrive whole, and its client may never send the rest. */
    const cutUnfinished = () => {
      for (const request of underWay.values()) if (!request.complete) request.destroy()
    }
    const server = yield* Effect.acquireRelease(bind(options, onRequest, connections), (server) =>
      Effect.sync(() => {
        server.close()
        server.closeAllConnections()
        connections.closeAll()
      })
    )
    yield* Clock.currentTimeMillis.pipe(
      Effect.map(connections.closeUnread),
      Effect.delay(lookEveryMillis),
      Effect.forever,
      Effect.forkScoped
    )
    const address = server.address() as AddressInfo
    return {
      url: urlOf(address, options.certificate === undefined ? "http" : "https"),
      port: address.port,
      serve: (next) => {
        handler = next
      },
      useCertificate: (certificate) => {
        if (server instanceof SecureServer) server.setSecureContext(secureContext(certificate))
      },
      drain: Effect.fnUntraced(function* (limitMillis) {
        draining = true
        // Also closes the connections that are idle.
        server.close()
        for (const response of underWay.keys()) {
          if (!response.headersSent) response.setHeader("connection", "close")
        }
        if (underWay.size === 0) return 0
        const cutting = yield* Effect.forkChild(
          Effect.andThen(Effect.sleep(wholeWithinMillis), Effect.sync(cutUnfinished))
        )
        yield* Effect.timeoutOption(Deferred.await(idle), limitMillis)
        yield* Fiber.interrupt(cutting)
        return underWay.size
      })
    }
  })

const bind = Effect.fnUntraced(function* (
  { certificate, host, keepAliveMillis, names, port, requestTimeoutMillis }: ListenOptions,
  onRequest: RequestListener<ReturnType<typeof boundedRequest>>,
  connections: Connections
) {
  const log = Effect.runForkWith(yield* Effect.context<never>())
  return yield* Effect.callback<Server, StartFailure>((resume) => {
    const options = {
      // Where the balancer in front keeps a connection for longer, it sends a request as this end closes it.
      keepAliveTimeout: keepAliveMillis,
      // Node answers 408 to what takes longer, or closes the connection.
      headersTimeout: requestTimeoutMillis,
      requestTimeout: requestTimeoutMillis,
      connectionsCheckingInterval: Math.min(lookEveryMillis, requestTimeoutMillis),
      IncomingMessage: boundedRequest()
    }
    const server =
      certificate === undefined
        ? createServer(options, onRequest)
        : createSecureServer(
            { ...options, ...secureContext(certificate), handshakeTimeout: requestTimeoutMillis },
            onRequest
          )
    server.on("connection", connections.accept)
    server.on(certificate === undefined ? "connection" : "secureConnection", connections.open)
    const onError = (cause: NodeJS.ErrnoException) =>
      resume(Effect.fail(new StartFailure({ message: bindingFault(cause, { host, names, port }) })))
    server.once("error", onError)
    server.listen({ host, port }, () => {
      server.off("error", onError)
      // A connection that cannot be taken (no file descriptor left, say) must not end those that are served.
      server.on("error", (cause) => log(Effect.logError("a connection could not be accepted", cause)))
      resume(Effect.succeed(server))
    })
  })
})

/** Not left to Node's own default, which a flag of Node can lower. */
const secureContext = ({ chain, key }: TlsCertificate) =>
  ({ cert: chain, key: Redacted.value(key), minVersion: "TLSv1.2" }) satisfies SecureContextOptions

const bindingFault = (
  cause: NodeJS.ErrnoException,
  { host, names, port }: Pick<ListenOptions, "host" | "names" | "port">
) => {
  switch (cause.code) {
    case "EADDRINUSE":
      return (
        `Port ${port} on ${host} is already in use. Stop the program that uses it, or set ${names.port} to ` +
        "another port."
      )
    case "EACCES":
      return `Permission denied for port ${port} on ${host}. Set ${names.port} to a port above 1023.`
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "EADDRNOTAVAIL":
      return `${names.host}: expected an address of this machine, but ${host} is not one.`
    default:
      return `The server cannot listen on ${host} port ${port} (${cause.code ?? "unknown cause"}).`
  }
}

const refuse = (response: ServerResponse): void => {
  const body = JSON.stringify({ error: { code: "internal_error", message: "The server is starting or stopping." } })
  response.writeHead(503, { "content-type": "application/json", "retry-after": "1", connection: "close" })
  response.end(body)
}

const refuseBody = (response: ServerResponse, { body, status }: Refusal): void => {
  const { socket } = response
  // It is behind another response on the connection, or has sent a part of its own.
  if (response.headersSent || socket === null) return void response.req.socket.destroy()
  response.writeHead(status, { "content-type": "application/json", "retry-after": "1", connection: "close" })
  response.end(JSON.stringify(body))
}

const urlOf = ({ address, family, port }: AddressInfo, scheme: "http" | "https"): string => {
  const everywhere = address === "0.0.0.0" || address === "::"
  return `${scheme}://${everywhere ? "localhost" : family === "IPv6" ? `[${address}]` : address}:${port}`
}

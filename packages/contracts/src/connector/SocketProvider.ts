/**
 * A provider at a real socket on 127.0.0.1 that does exactly what a test tells it, down to the byte, and counts what
 * arrived. HTTP libraries would repair the faults that the tests are about, so this reads requests by itself.
 */
import { createServer, type Server, type Socket } from "node:net"
import { createServer as createTlsServer } from "node:tls"
import { Effect, type Scope } from "effect"

export interface SeenRequest {
  readonly method: string
  /** Path and query. */
  readonly path: string
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface SocketProvider {
  /** For example `http://127.0.0.1:40123`. */
  readonly url: string
  /** Every whole request, in the order of arrival. */
  readonly requests: ReadonlyArray<SeenRequest>
  /** Connections that were accepted so far, before any TLS. */
  readonly connections: () => number
  /** Bytes that arrived on all connections, inside TLS where there is TLS. */
  readonly bytes: () => number
  /** Waits until this many whole requests have arrived. */
  readonly whenRequests: (count: number) => Effect.Effect<void>
  /** Waits until this many connections were accepted. */
  readonly whenConnections: (count: number) => Effect.Effect<void>
  /** Waits until no connection is open. */
  readonly whenQuiet: Effect.Effect<void>
}

export interface SocketProviderOptions {
  /** Called once for each whole request; `index` counts from 0 over all connections. */
  readonly onRequest?: (socket: Socket, request: SeenRequest, index: number) => void
  /** Called for each connection as it is accepted, before any TLS. */
  readonly onConnection?: (socket: Socket) => void
  /** PEM. Speaks TLS where set. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** Listens until the scope closes. */
export const socketProvider = (options: SocketProviderOptions): Effect.Effect<SocketProvider, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(() => listen(options)),
    ({ close }) => Effect.promise(close)
  )

/** A response as it is on the wire, with its length and `connection: keep-alive`. */
export const httpAnswer = (
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = { "content-type": "application/json" }
): string =>
  [
    `HTTP/1.1 ${status} Status`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    "connection: keep-alive",
    "",
    body
  ].join("\r\n")

/** An address at 127.0.0.1 without a listener. */
export const refusedUrl: Effect.Effect<string> = Effect.scoped(Effect.map(socketProvider({}), ({ url }) => url))

const listen = (options: SocketProviderOptions): Promise<SocketProvider & { readonly close: () => Promise<void> }> => {
  const requests: Array<SeenRequest> = []
  const open = new Set<Socket>()
  const waiting = new Set<() => void>()
  let connections = 0
  let bytes = 0

  const changed = () => {
    for (const check of waiting) check()
  }
  const when = (isSo: () => boolean): Effect.Effect<void> =>
    Effect.callback<void>((resume) => {
      const check = () => {
        if (!isSo()) return
        waiting.delete(check)
        resume(Effect.void)
      }
      waiting.add(check)
      check()
      return Effect.sync(() => waiting.delete(check))
    })

  const accept = (socket: Socket) => {
    connections += 1
    open.add(socket)
    // Faults are what these connections are for; the other side tells about them.
    socket.on("error", () => {})
    socket.on("close", () => {
      open.delete(socket)
      changed()
    })
    options.onConnection?.(socket)
    changed()
  }
  const serve = (socket: Socket) => {
    let pending = Buffer.alloc(0)
    socket.on("error", () => {})
    socket.on("data", (chunk) => {
      bytes += chunk.byteLength
      pending = Buffer.concat([pending, chunk])
      for (let parsed = takeRequest(pending); parsed !== undefined; parsed = takeRequest(pending)) {
        pending = Buffer.from(parsed.rest)
        requests.push(parsed.request)
        options.onRequest?.(socket, parsed.request, requests.length - 1)
      }
      changed()
    })
  }

  const server: Server = options.tls === undefined ? createServer(serve) : createTlsServer(options.tls, serve)
  server.on("connection", accept)
  server.on("tlsClientError", () => {})

  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resolve({
        url: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
        requests,
        connections: () => connections,
        bytes: () => bytes,
        whenRequests: (count) => when(() => requests.length >= count),
        whenConnections: (count) => when(() => connections >= count),
        whenQuiet: when(() => open.size === 0),
        close: () =>
          new Promise<void>((closed) => {
            for (const socket of open) socket.destroy()
            server.close(() => closed())
          })
      })
    })
  })
}

/** Cuts the first whole request off; `undefined` while it has not arrived whole. */
const takeRequest = (bytes: Buffer): { readonly request: SeenRequest; readonly rest: Buffer } | undefined => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end === -1) return undefined
  const [first = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n")
  const [method = "", path = ""] = first.split(" ")
  const headers = Object.fromEntries(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    })
  )
  const length = Number(headers["content-length"] ?? 0)
  const start = end + 4
  if (bytes.byteLength < start + length) return undefined
  return {
    request: { method, path, headers, body: bytes.subarray(start, start + length).toString("utf8") },
    rest: bytes.subarray(start + length)
  }
}

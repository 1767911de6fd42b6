/**
 * How undici opens a connection: HTTP/1.1 alone, and every connection that is still being opened is known, so that
 * closing the transport does not wait for a host that never answers.
 */
import type { Socket } from "node:net"
import type { buildConnector } from "undici"

export interface Connecting {
  readonly connect: buildConnector.connector
  /** Ends the connections that are still being opened. */
  readonly abandon: () => void
}

/** The certificates that Node trusts. Its module is loaded here, and not by a program that only imports this package. */
export const ownAuthorities = (): ReadonlyArray<string> =>
  process.getBuiltinModule("node:tls").getCACertificates("default")

export const connecting = (
  build: typeof buildConnector,
  options: {
    readonly timeoutMillis: number
    readonly trustedCertificates: ReadonlyArray<string>
  }
): Connecting => {
  const open: ConnectorWithSocket = build({
    // HTTP/2 lets undici send a request again that the server refused.
    allowH2: false,
    timeout: options.timeoutMillis,
    ...(options.trustedCertificates.length === 0 ? {} : { ca: [...ownAuthorities(), ...options.trustedCertificates] })
  })
  const opening = new Set<Socket>()
  const connect: buildConnector.connector = (to, callback) => {
    const socket = open(to, (...result) => {
      if (socket) opening.delete(socket)
      callback(...result)
    })
    if (!socket) return
    opening.add(socket)
    socket.once("close", () => opening.delete(socket))
    socket.on("error", markReset)
  }
  return {
    connect,
    abandon: () => {
      for (const socket of opening) socket.destroy(new Error("the transport was closed"))
    }
  }
}

/** undici's connector returns the socket that it opens; its published type leaves that out. */
type ConnectorWithSocket = (
  to: buildConnector.Options,
  callback: buildConnector.Callback
  // biome-ignore lint/suspicious/noConfusingVoidType: the published type says `void`.
) => Socket | void

/**
 * undici takes `ECONNRESET` for the orderly end of an answer that states no length (`onHttpSocketError` in its
 * `lib/dispatcher/client-h1.js`), so that half an answer would count as whole. Under another code a reset is what it
 * is. This listener runs before undici's, which is added when the connection is established.
 */
const markReset = (error: NodeJS.ErrnoException): void => {
  if (error.code === "ECONNRESET") error.code = "CONNECTION_RESET"
}

/** Connections on which a test writes what no client library would send. Closed when the test ends. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { onTestFinished } from "vitest"
import { until } from "./Until.ts"

export interface DialOptions {
  /** The client's own address, such as `127.0.0.2`. */
  readonly from?: string | undefined
}

export const dial = async (url: string, { from }: DialOptions = {}): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), ...(from === undefined ? {} : { localAddress: from }) })
  onTestFinished(() => void socket.destroy())
  // A test looks at what was answered: a reset is an answer too.
  socket.on("error", () => {})
  await once(socket, "connect")
  return socket
}

/** Resolves once the server takes no more connections. */
export const refusesConnections = ({ url }: { readonly url: string }): Promise<void> =>
  until("connections are refused", async () => {
    const socket = await dial(url).catch(() => undefined)
    return socket?.destroy() === undefined
  })

/** The same over TLS, once the handshake is done. `ca`: the certificate that is expected, in PEM. */
export const dialTls = async (url: string, ca: string, options: DialOptions = {}): Promise<TLSSocket> => {
  const socket = connectTls({ socket: await dial(url, options), host: new URL(url).hostname, ca })
  onTestFinished(() => void socket.destroy())
  await once(socket, "secureConnect")
  socket.on("error", () => {})
  return socket
}

/** Writes the lines of a request's head, and a body; gives all that came until the server closed. */
export const ask = async (
  url: string,
  head: ReadonlyArray<string>,
  body = "",
  options: DialOptions = {}
): Promise<string> => {
  const socket = await dial(url, options)
  socket.write(`${[...head, "Connection: close", "", ""].join("\r\n")}${body}`)
  return text(socket).catch(() => "")
}

/** `401`, or `closed` where no answer came. */
export const statusOf = (answer: string): string => /^HTTP\/1\.1 (\d{3}) /u.exec(answer)?.[1] ?? "closed"

/** `400 invalid_idempotency_key` */
export const codeOf = (answer: string): string =>
  `${statusOf(answer)} ${/"code":"([a-z_]+)"/u.exec(answer)?.[1] ?? "-"}`

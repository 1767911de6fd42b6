/**
 * A hostile client, as a program of its own: `node FloodClient.ts <options as JSON>`, until it is killed. It connects from
 * as many addresses as it is told, 127.0.0.2 and the following, and comes again where it was refused or answered. On its
 * standard output, once a second, what it has done so far as a line of JSON.
 */
import { connect, type Socket } from "node:net"
import { worstRequests } from "./WorstRequests.ts"

export interface FloodOptions {
  readonly kind: "pipelines" | "bodies" | "idle" | "worst"
  readonly url: string
  /** How many addresses it has. */
  readonly sources: number
  /** Of another workspace than the one that pays. */
  readonly key: string
  /** How long a connection that was closed stays away, in milliseconds. */
  readonly awayMillis: number
}

export interface FloodReport {
  /** Connections that are open now. */
  readonly open: number
  /** Connections that were made. */
  readonly made: number
  /** How often each status was answered, the first of each connection. */
  readonly statuses: Readonly<Record<string, number>>
}

interface Flood {
  readonly connections: number
  /** What the connection of a number writes at each of its turns. */
  readonly request: (connection: number, turn: number) => string
  readonly reads: boolean
  /** Whether the connections are made one after the other, so that each is away at another time. All at once unless set. */
  readonly isSpread?: boolean
}

const mebibyte = 1_048_576
const { awayMillis, key, kind, sources, url } = JSON.parse(process.argv[2] ?? "") as FloodOptions
const { hostname, port } = new URL(url)

const constant = (text: string) => () => text

const floods: Readonly<Record<FloodOptions["kind"], () => Flood>> = {
  pipelines: () => ({
    connections: 100,
    request: constant("GET /metrics HTTP/1.1\r\nHost: pay.example\r\n\r\n".repeat(200)),
    reads: false
  }),
  bodies: () => ({
    connections: 600,
    request: constant(
      `POST /api/v1/psp-webhooks/x HTTP/1.1\r\nHost: pay.example\r\nContent-Length: ${mebibyte}\r\n\r\n` +
        "x".repeat(mebibyte - 1)
    ),
    reads: true
  }),
  idle: () => ({ connections: 2_500, request: constant(""), reads: true }),
  worst: () => {
    const requests = worstRequests(key)
    return {
      connections: 60,
      request: (connection, turn) => requests[(connection + turn) % requests.length] as string,
      reads: true,
      isSpread: true
    }
  }
}

const { connections, isSpread = false, reads, request } = floods[kind]()

const open = new Set<Socket>()
const statuses: Record<string, number> = {}
let made = 0

const join = (connection: number, turn: number) => {
  const socket = connect({ host: hostname, port: Number(port), localAddress: `127.0.0.${2 + (connection % sources)}` })
  socket.on("connect", () => {
    made += 1
    open.add(socket)
    const text = request(connection, turn)
    if (text !== "") socket.write(text)
    // Who does not read does not see that the server closed.
    if (!reads) setTimeout(() => socket.destroy(), awayMillis)
  })
  socket.once("data", (data) => {
    const status = /^HTTP\/1\.1 (\d{3}) /u.exec(data.toString("latin1"))?.[1] ?? "none"
    statuses[status] = (statuses[status] ?? 0) + 1
  })
  if (reads) socket.resume()
  else socket.pause()
  socket.on("error", () => {})
  socket.on("close", () => {
    open.delete(socket)
    setTimeout(() => join(connection, turn + 1), awayMillis)
  })
}

for (let at = 0; at < connections; at++) setTimeout(() => join(at, 0), isSpread ? (at * awayMillis) / connections : 0)
setInterval(() => {
  process.stdout.write(`${JSON.stringify({ open: open.size, made, statuses } satisfies FloodReport)}\n`)
}, 1_000)

/**
 * A hostile client, as a program of its own: `node FloodClient.ts <kind> <url>`, until it is killed. It connects from
 * 127.0.0.2, and comes again after a second where it was refused. On its standard output, once a second: how many of
 * its connections are open.
 */
import { connect, type Socket } from "node:net"

const [kind = "", address = ""] = process.argv.slice(2)
const { hostname, port } = new URL(address)

interface Flood {
  readonly connections: number
  readonly first: string
  readonly reads: boolean
}

const mebibyte = 1_048_576

const floods: Readonly<Record<string, Flood>> = {
  pipelines: {
    connections: 100,
    first: "GET /metrics HTTP/1.1\r\nHost: pay.example\r\n\r\n".repeat(200),
    reads: false
  },
  bodies: {
    connections: 600,
    first:
      `POST /api/v1/psp-webhooks/x HTTP/1.1\r\nHost: pay.example\r\nContent-Length: ${mebibyte}\r\n\r\n` +
      "x".repeat(mebibyte - 1),
    reads: true
  },
  idle: { connections: 2_500, first: "", reads: true }
}

const flood = floods[kind]
if (flood === undefined) throw new Error(`expected one of ${Object.keys(floods).join(", ")}`)

const open = new Set<Socket>()
const comeAgainMillis = 1_000

const join = (flood: Flood) => {
  const { first, reads } = flood
  const socket = connect({ host: hostname, port: Number(port), localAddress: "127.0.0.2" })
  socket.on("connect", () => {
    open.add(socket)
    if (first !== "") socket.write(first)
    // Who does not read does not see that the server closed.
    if (!reads) setTimeout(() => socket.destroy(), comeAgainMillis)
  })
  if (reads) socket.resume()
  else socket.pause()
  socket.on("error", () => {})
  socket.on("close", () => {
    open.delete(socket)
    setTimeout(() => join(flood), comeAgainMillis)
  })
}

for (let at = 0; at < flood.connections; at++) join(flood)
setInterval(() => process.stdout.write(`${open.size}\n`), 1_000)

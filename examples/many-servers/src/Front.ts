/**
 * A minimal proxy in front of servers: each connection goes to the next server, round-robin.
 *
 * It sends nothing twice. Where a server does not answer, the client's
 * connection is cut, and the client, who has the key of the request, sends it again.
 */
import { connect, createServer, type Socket } from "node:net"

export interface Front {
  readonly url: string
  readonly close: () => Promise<void>
}

export const startFront = (ports: ReadonlyArray<number>): Promise<Front> => {
  const sockets = new Set<Socket>()
  let turn = 0
  const server = createServer((client) => {
    const port = ports[turn++ % ports.length]
    if (port === undefined) return client.destroy()
    const upstream = connect(port, "127.0.0.1")
    for (const [one, other] of [
      [client, upstream],
      [upstream, client]
    ] as const) {
      sockets.add(one)
      one.pipe(other)
      one.on("error", () => other.destroy())
      one.on("close", () => {
        sockets.delete(one)
        other.destroy()
      })
    }
  })
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      resolve({
        url: `http://127.0.0.1:${port}`,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed())
            for (const socket of sockets) socket.destroy()
          })
      })
    })
  })
}

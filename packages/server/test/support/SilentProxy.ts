/**
 * A proxy in front of a database that can become a network which loses every packet: nothing is forwarded in either
 * direction, no connection is reset, and new ones stay without an answer.
 */
import { connect, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"

export interface SilentProxy {
  /** That of the database, by way of the proxy. */
  readonly url: string
  readonly fallSilent: () => void
  /** What was lost stays lost: both ends of every connection of before find it closed. */
  readonly heal: () => void
  /** New connections go to another database, as after a failover. Those of before are cut. */
  readonly leadTo: (target: string) => void
  /** How many chunks were lost. */
  readonly lost: () => number
}

export const silentProxy = async (target: string): Promise<SilentProxy> => {
  let { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let isSilent = false
  let lost = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const forward = (from: Socket, to: Socket) => {
      sockets.add(from)
      from.setNoDelay(true)
      from.on("data", (chunk) => {
        if (isSilent) lost++
        else to.write(chunk)
      })
      from.on("error", () => {})
      from.on("close", () => {
        sockets.delete(from)
        if (!isSilent) to.destroy()
      })
    }
    forward(client, upstream)
    forward(upstream, client)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  const url = new URL(target)
  url.hostname = "127.0.0.1"
  url.port = String(typeof address === "object" && address !== null ? address.port : 0)
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  onTestFinished(() => {
    server.close()
    cut()
  })
  return {
    url: url.href,
    fallSilent: () => {
      isSilent = true
    },
    heal: () => {
      cut()
      isSilent = false
    },
    leadTo: (other) => {
      ;({ hostname, port } = new URL(other))
      cut()
    },
    lost: () => lost
  }
}

/**
 * A proxy in front of a database that can become a network which loses every packet: nothing is forwarded in either
 * direction, no connection is reset, and new ones stay without an answer.
 */
import { connect, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"

export const silentProxy = async (target: string) => {
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
    /** That of the database, by way of the proxy. */
    url: url.href,
    fallSilent: () => {
      isSilent = true
    },
    /** What was lost stays lost: both ends of every connection of before find it closed. */
    heal: () => {
      cut()
      isSilent = false
    },
    /** New connections go to another database, as after a failover. Those of before are cut. */
    leadTo: (other: string) => {
      ;({ hostname, port } = new URL(other))
      cut()
    },
    /** How many chunks were lost. */
    lost: () => lost
  }
}

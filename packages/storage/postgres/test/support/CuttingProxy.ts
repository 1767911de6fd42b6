/** A proxy between a client and its server, and cuts the line where a test says so. */
import { connect, createServer, type Socket } from "node:net"
import { Effect, Redacted, type Scope } from "effect"

export interface CuttingProxy {
  readonly url: Redacted.Redacted
  /**
   * Cuts the line of the next client that sends the text: before the server hears of it, or when the server has
   * answered, before the client hears of it. `never`: the line stays, and says nothing any more.
   */
  cutAt: { readonly text: string; readonly when: "before" | "after" | "never" } | undefined
  /** How often it cut. */
  cuts: number
}

export const proxyTo = (target: Redacted.Redacted): Effect.Effect<CuttingProxy, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly proxy: CuttingProxy; readonly close: () => void }>((resume) => {
        const { hostname, port } = new URL(Redacted.value(target))
        const sockets = new Set<Socket>()
        const server = createServer((client) => {
          const upstream = connect(Number(port), hostname)
          let isSwallowing = false
          let isSilent = false
          const cut = () => {
            proxy.cuts++
            client.destroy()
            upstream.destroy()
          }
          for (const socket of [client, upstream]) {
            sockets.add(socket)
            socket.setNoDelay(true)
            socket.on("error", () => {})
          }
          client.on("close", () => upstream.destroy())
          upstream.on("close", () => client.destroy())
          client.on("data", (sent) => {
            const { cutAt } = proxy
            if (cutAt !== undefined && sent.includes(cutAt.text)) {
              proxy.cutAt = undefined
              if (cutAt.when === "before") return cut()
              isSwallowing = true
              isSilent = cutAt.when === "never"
            }
            upstream.write(sent)
          })
          upstream.on("data", (answered) => {
            // "Z", ready for the next query, ends the answer: the server is done.
            if (isSwallowing && !isSilent && answered.at(-6) === "Z".charCodeAt(0)) return cut()
            if (!isSwallowing) client.write(answered)
          })
        })
        const proxy: CuttingProxy = { url: target, cutAt: undefined, cuts: 0 }
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const url = new URL(Redacted.value(target))
          url.hostname = "127.0.0.1"
          url.port = String(typeof address === "object" && address !== null ? address.port : 0)
          const opened = Object.assign(proxy, { url: Redacted.make(url.href) })
          resume(
            Effect.succeed({
              proxy: opened,
              close: () => {
                server.close()
                for (const socket of sockets) socket.destroy()
              }
            })
          )
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ proxy }) => proxy
  )
